import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** What axe finds on a page against WCAG 2.0 to 2.2, A and AA. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const COLOURS = 'color-contrast';

export type AxeLook = {
  /** The rules of good practice, too. */
  bestPractice?: boolean;
  /** Colours alone, where nothing else differs from what was looked at before, or everything else. */
  colours?: 'only' | 'without';
};

type Results = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
type Axe = { run(root: Document, options: object): Promise<Results> };

/** One line for each fault. */
export async function axeFaults(page: Page, { bestPractice = false, colours }: AxeLook = {}): Promise<string[]> {
  const tags = bestPractice ? [...TAGS, 'best-practice'] : TAGS;
  const options = {
    runOnly: colours === 'only' ? { type: 'rule', values: [COLOURS] } : { type: 'tag', values: tags },
    ...(colours === 'without' && { rules: { [COLOURS]: { enabled: false } } }),
    // To describe every element that is in order takes longer than to look at it.
    resultTypes: ['violations'],
    // No rule of these tags reads style sheets.
    preload: false,
  };
  // The policy of the page takes no scripts of others; a debugger may run one all the same.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  // The page writes the lines: to hand over all that axe says takes as long as its look.
  return page.evaluate(async (axeOptions) => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(document, axeOptions);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`),
    );
  }, options);
}
