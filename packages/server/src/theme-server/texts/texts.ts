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
