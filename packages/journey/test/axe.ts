import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** The faults that axe finds on a page against WCAG 2.0 to 2.2, A and AA. */
const SOURCE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const COLOURS = 'color-contrast';

export type AxeLook = {
  /** Includes the rules of good practice. */
  bestPractice?: boolean;
  /** Checks colours alone, if only they differ from a page checked before, or everything else. */
  colours?: 'only' | 'without';
};

type Results = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
type Axe = { run(root: Document, options: object): Promise<Results> };

/** Returns one line for each fault. */
export async function axeFaults(page: Page, { bestPractice = false, colours }: AxeLook = {}): Promise<string[]> {
  const tags = bestPractice ? [...TAGS, 'best-practice'] : TAGS;
  const options = {
    runOnly: colours === 'only' ? { type: 'rule', values: [COLOURS] } : { type: 'tag', values: tags },
    ...(colours === 'without' && { rules: { [COLOURS]: { enabled: false } } }),
    // To describe every element without a fault takes longer than the check itself.
    resultTypes: ['violations'],
    // No rule of these tags reads style sheets.
    preload: false,
  };
  // The page's policy refuses foreign scripts, but a debugger may run one.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(SOURCE);
  // The page itself writes the lines, because to transfer the whole result takes as long as the check.
  return page.evaluate(async (axeOptions) => {
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(document, axeOptions);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`),
    );
  }, options);
}
