import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A block of code in the documents for users. */
export type Block = { file: string; place: string; language: string; text: string };

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FILES = ['README.md', ...globSync('{docs/*.md,packages/{sdk,cli,embed}/README.md}', { cwd: ROOT }).sort()];

export const blocks: readonly Block[] = FILES.flatMap((file) => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  return [...source.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].map((match): Block => {
    const line = source.slice(0, match.index).split('\n').length;
    return { file, place: `${file}:${line}`, language: match[2] ?? '', text: match[3] ?? '' };
  });
});

export const inLanguage = (language: string) => blocks.filter((block) => block.language === language);
