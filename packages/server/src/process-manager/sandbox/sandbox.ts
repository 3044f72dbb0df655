import { api } from '@grove/contract';
import { scenarios } from '../../engines/vision/scenarios.ts';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';

/** What a test key can choose from. The list is short and the same for everybody. */
export function sandboxHandlers() {
  return implement(api.sandbox, {
    listScenarios(_context, { query }) {
      const page = paging(query, {});
      const content = scenarios
        .slice(page.offset, page.offset + page.size)
        .map(({ name, description, outcome }) => ({ name, description, outcome }));
      return toPage(content, scenarios.length, page);
    },
  });
}
