import { api } from '@grove/contract';
import { scenarios } from '../../engines/vision/scenarios.ts';
import { implement } from '../../kernel/implement.ts';
import { paging, toPage } from '../../kernel/pages.ts';

/** The scenarios that a test key can choose from: a short list, the same for every tenant. */
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
