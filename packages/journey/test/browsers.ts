import { after } from 'node:test';
import { type Browser, chromium } from 'playwright-core';
import { chromiumLaunch } from '../../../scripts/find-chromium.ts';

/** A real browser without a window. In a run of many files, those that share a process share it, too. */

export type OpenBrowser = {
  readonly browser: Browser;
  /** Closes its pages, and the browser unless the next file goes on with it. */
  close(): Promise<void>;
};

const isShared = process.env.TEST_SHARED !== undefined;
const shared = new Map<string, Promise<Browser>>();
// Elsewhere it would make a test of a program that is none.
if (isShared) {
  after(async () => {
    for (const browser of shared.values()) await (await browser).close();
  });
}

export async function openChromium(flags: readonly string[] = []): Promise<OpenBrowser> {
  if (!isShared) {
    const browser = await launch(flags);
    return { browser, close: () => browser.close() };
  }
  const key = flags.join(' ');
  const launched = shared.get(key) ?? launch(flags);
  shared.set(key, launched);
  const browser = await launched;
  return {
    browser,
    async close() {
      await Promise.all(browser.contexts().map((each) => each.close()));
    },
  };
}

function launch(flags: readonly string[]): Promise<Browser> {
  return chromium.launch(chromiumLaunch(flags));
}
