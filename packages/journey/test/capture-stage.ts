import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openChromium, slowDown } from './browsers.ts';
import { specimenPicture, writeStill } from './capture-clips.ts';
import type { SentChallenges } from './capture-page/scripted-challenges.ts';
import { openCaptureSite } from './capture-site.ts';

/** The views of the camera in a real browser whose camera shows a specimen card. */
export const DOCUMENT = {
  accept: ['ID_CARD'],
  countries: ['UTO'],
  sides: 'auto',
  requireLiveCapture: false,
  preset: {},
};
export const WAIT = { timeout: 20_000 };
const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

/** The requests that a view would have sent to the server. */
export type Sent = {
  uploads: { name: string; type: string; bytes: number; text: string }[];
  submitted: Record<string, unknown>[];
  events: string[];
} & SentChallenges;

type Options = BrowserContextOptions & { prepare?: (page: Page) => Promise<unknown> };

export type CaptureStage = {
  /** The picture of the browser's camera. */
  card: Buffer;
  /** Opens a fresh page for `work`, and returns its requests. The page may call no other server. */
  visit(query: Record<string, unknown>, work: (page: Page) => Promise<void>, options?: Options): Promise<Sent>;
  close(): Promise<void>;
};

let opened: Promise<CaptureStage> | undefined;
after(async () => (await opened)?.close());

/** One stage for all test files of a process. */
export function captureStage(): Promise<CaptureStage> {
  opened ??= openCaptureStage();
  return opened;
}

async function openCaptureStage(): Promise<CaptureStage> {
  const card = await specimenPicture();
  const site = await openCaptureSite();
  const { browser, close } = await openChromium([
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${await writeStill(site.folder, 'card', card)}`,
  ]);
  return {
    card,
    async visit(query, work, { prepare, ...options } = {}) {
      const context = await browser.newContext({ ...PHONE, permissions: ['camera'], ...options });
      slowDown(context);
      try {
        const page = await context.newPage();
        const outside: string[] = [];
        page.on('request', (request) => {
          if (!/^(http:\/\/localhost:|blob:|data:)/.test(request.url())) outside.push(request.url());
        });
        await prepare?.(page);
        await page.goto(site.address(query));
        await page.waitForSelector('h1', WAIT);
        await work(page);
        assert.deepEqual(outside, []);
        return await page.evaluate(() => (window as unknown as { sent: Sent }).sent);
      } finally {
        await context.close();
      }
    },
    async close() {
      await close();
      await site.close();
      rmSync(site.folder, { recursive: true, force: true });
    },
  };
}

export const openCamera = (page: Page) => page.getByRole('button', { name: 'Open the camera' }).tap();

export async function untilSubmitted(page: Page, timeout = WAIT.timeout): Promise<void> {
  const isSubmitted = () => (window as unknown as { sent: Sent }).sent.submitted.length > 0;
  await page.waitForFunction(isSubmitted, null, { timeout });
}

const HURRY = { pageMs: 500, everyMs: 25 } as const;

/**
 * Lets time pass quickly in the page until `locator` is shown: the page's pauses are for readers. The page needs
 * `clock.install()` before it is opened, and an open camera.
 */
export async function hurryUntil(page: Page, locator: Locator): Promise<void> {
  const deadline = Date.now() + WAIT.timeout;
  while (!(await locator.first().isVisible())) {
    if (Date.now() > deadline) throw new Error(`is never shown: ${locator}`);
    await page.clock.fastForward(HURRY.pageMs);
    await sleep(HURRY.everyMs);
  }
}
