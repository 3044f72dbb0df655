import { after } from 'node:test';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { chromiumLaunch } from '../../../scripts/find-chromium.ts';

/** A real browser without a window. In a run of many files, those in one process share it. */

export type OpenBrowser = {
  readonly browser: Browser;
  /** Closes its pages, and the browser unless it is shared. */
  close(): Promise<void>;
};

const isShared = process.env.TEST_SHARED !== undefined;
const shared = new Map<string, Promise<Browser>>();
// Without sharing, this hook would register a test in a program that has none.
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

/** `TEST_SLOW_PAGES=6 node scripts/test.ts journey/test console/test` shows which tests a slow machine would fail. */
const SLOWNESS = Number(process.env.TEST_SLOW_PAGES ?? 1);
const LATENCY_MS = 100;

/** Makes each page of the context compute this many times slower, and adds latency to each response. */
export function slowDown(context: BrowserContext): void {
  if (SLOWNESS === 1) return;
  context.on('page', async (page) => {
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWNESS });
    const latency = LATENCY_MS * SLOWNESS;
    await session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
  });
}
