import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';
import { chromiumLaunch } from '../../../scripts/find-chromium.ts';

/**
 * A real Chromium with its own profile. It reaches only this machine, and records which other addresses pages
 * requested.
 */

export type TestBrowser = {
  context: BrowserContext;
  /** Addresses outside of this machine that pages requested. */
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
