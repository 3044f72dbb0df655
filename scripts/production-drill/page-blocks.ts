import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../release/packages.ts';

/** The shell commands of docs/production.md, section by section, and which of them were run. */
export type Page = {
  /** Returns the blocks of a section, with values for the placeholders of the page. */
  take(section: number, values?: Readonly<Record<string, string>>): string[];
  /** The places of the blocks that were not taken. */
  unused(): string[];
};

export function readPage(common: Readonly<Record<string, string>>): Page {
  const text = readFileSync(join(ROOT, 'docs/production.md'), 'utf8');
  const sections = new Map<number, string[]>();
  for (const part of text.split(/^## /m)) {
    const number = Number.parseInt(part, 10);
    const blocks = [...part.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
    if (!Number.isNaN(number) && blocks.length > 0) sections.set(number, blocks);
  }
  const takenSections = new Set<number>();
  return {
    take(section, values = {}) {
      takenSections.add(section);
      let blocks = sections.get(section);
      if (!blocks) throw new Error(`docs/production.md has no commands in section ${section}`);
      for (const [open, value] of Object.entries(values)) {
        if (!blocks.some((block) => block.includes(open))) throw new Error(`section ${section} does not hold ${open}`);
        blocks = blocks.map((block) => block.replaceAll(open, () => value));
      }
      for (const [open, value] of Object.entries(common)) {
        blocks = blocks.map((block) => block.replaceAll(open, () => value));
      }
      return blocks;
    },
    unused: () =>
      [...sections.keys()].filter((section) => !takenSections.has(section)).map((section) => `section ${section}`),
  };
}
