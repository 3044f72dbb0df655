import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { chromiumLaunch } from '../../../scripts/find-chromium.ts';

/** A real Chromium with a profile of its own. It reaches this machine and nothing else, and says what else it asked for. */

export type TestBrowser = {
  context: BrowserContext;
  /** Addresses that the pages asked for outside of this machine. */
  outside: string[];
  close(): Promise<void>;
};

type BrowserOptions = { width: number; height: number; dark?: boolean; flags?: readonly string[] };

export async function openBrowser(options: BrowserOptions): Promise<TestBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'grove-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    ...chromiumLaunch(options.flags),
    viewport: { width: options.width, height: options.height },
    colorScheme: options.dark ? 'dark' : 'light',
  });
  const outside: string[] = [];
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && !/^(127\.0\.0\.1|(.*\.)?localhost)$/.test(url.hostname))
      outside.push(request.url());
  });
  return {
    context,
    outside,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
