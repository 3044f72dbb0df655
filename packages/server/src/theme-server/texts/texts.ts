import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { api } from '@grove/contract';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';
import type { TextsOf } from './check-texts.ts';
import { readText } from './read-text.ts';

/** Lists the built-in texts of journeys, for tenants that want to replace them. */
export function textHandlers(textsOf: TextsOf) {
  return implement(api.journeyTexts, {
    async list(_context, { query }) {
      const page = paging(query, {});
      const texts = [...(await textsOf(query.language ?? 'en'))].filter(([key]) => key.startsWith(query.key ?? ''));
      const some = texts.slice(page.offset, page.offset + page.size);
      const views = await Promise.all(
        some.map(async ([key, text]) => ({ key, text, fillsIn: [...(await readText(text)).fillsIn] })),
      );
      return toPage(views, texts.length, page);
    },
  });
}

/** Reads the built-in texts from the files of which the pages are built: one for each area and language. */
export function textFiles(folder: string): TextsOf {
  const cache = new Map<string, Promise<ReadonlyMap<string, string>>>();
  return (language) => {
    let texts = cache.get(language);
    if (!texts) {
      texts = readTexts(folder, language);
      cache.set(language, texts);
      // A failed read is not cached: the next call tries again.
      texts.catch(() => cache.delete(language));
    }
    return texts;
  };
}

/** The caller has checked that the language is supported. */
async function readTexts(folder: string, language: string): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  const areas = (await readdir(folder, { withFileTypes: true })).filter((each) => each.isDirectory());
  for (const { name } of areas.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const texts = JSON.parse(await readFile(join(folder, name, `${language}.json`), 'utf8')) as Record<string, string>;
    for (const [key, text] of Object.entries(texts)) all.set(key, text);
  }
  return all;
}
