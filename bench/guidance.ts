import { rmSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { headPictures, specimenPicture, writeClip } from '../packages/journey/test/capture-clips.ts';
import { openCaptureSite } from '../packages/journey/test/capture-site.ts';
import { chromiumLaunch } from '../scripts/find-chromium.ts';

/**
 * Measures how often a second the journey analyses the camera's picture on a machine that is four times slower than this one.
 * Chromium slows down the page, but not the worker that does most of the analysis, so the time of the worker is multiplied
 * by four.
 *
 *   node bench/guidance.ts
 */
const SLOWDOWN = 4;
const BAR = 5;
const WARM_MS = 4_000;
const MEASURED_MS = 10_000;
/** The least time that the page waits between two analyses. */
const PACE_MS = 125;

type Looks = { count: number; workerMs: number };
type Measured = { name: string; perSecond: number; workerMs: number; slowed: number };

const DOCUMENT = { accept: ['ID_CARD'], countries: ['UTO'], sides: 'front', requireLiveCapture: false, preset: {} };

async function main(): Promise<number> {
  const site = await openCaptureSite();
  const results: Measured[] = [];
  try {
    // Neither of the pictures is good enough to be taken, so the analysis does not end.
    const blurred = writeClip(site.folder, 'blurred', [await specimenPicture({ photograph: { blur: 5 } })]);
    results.push(
      await withBrowser(blurred, (browser) => measure(browser, 'document', site.address({ settings: DOCUMENT }))),
    );
    const { pictures, acting } = await headPictures();
    const turned = pictures[acting.takes.right?.[0]?.at(-1) ?? ''];
    const head = writeClip(site.folder, 'head', turned ? [turned] : []);
    const selfie = site.address({ type: 'face', settings: { liveness: 'passive' } });
    results.push(await withBrowser(head, (browser) => measure(browser, 'face', selfie)));
  } finally {
    await site.close();
    rmSync(site.folder, { recursive: true, force: true });
  }
  console.log(`| guidance | looks/s, page ${SLOWDOWN}× slower | worker ms | looks/s, all ${SLOWDOWN}× slower | bar |`);
  console.log('| --- | --- | --- | --- | --- |');
  for (const { name, perSecond, workerMs, slowed } of results) {
    console.log(`| ${name} | ${perSecond.toFixed(1)} | ${workerMs.toFixed(0)} | ${slowed.toFixed(1)} | ≥ ${BAR} |`);
  }
  return results.every(({ perSecond }) => perSecond >= BAR) ? 0 : 1;
}

async function withBrowser<T>(clip: string, work: (browser: Browser) => Promise<T>): Promise<T> {
  const camera = [
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    `--use-file-for-fake-video-capture=${clip}`,
  ];
  const browser = await chromium.launch(chromiumLaunch(camera));
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

async function measure(browser: Browser, name: string, address: string): Promise<Measured> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 }, permissions: ['camera'] });
  const page = await context.newPage();
  await page.addInitScript(countLooks);
  await page.goto(address);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.getByRole('button', { name: 'Open the camera' }).click();
  await page.waitForSelector('[data-hint]', { timeout: 60_000 });
  await page.waitForTimeout(WARM_MS);
  const before = await looksOf(page);
  await page.waitForTimeout(MEASURED_MS);
  const after = await looksOf(page);
  await context.close();
  const looks = after.count - before.count;
  const workerMs = (after.workerMs - before.workerMs) / Math.max(1, looks);
  const perSecond = (looks * 1000) / MEASURED_MS;
  const each = Math.max(PACE_MS, MEASURED_MS / Math.max(1, looks) + workerMs * (SLOWDOWN - 1));
  return { name, perSecond, workerMs, slowed: 1000 / each };
}

function looksOf(page: Page): Promise<Looks> {
  return page.evaluate(() => ({ ...(window as unknown as { looks: Looks }).looks }));
}

/** Runs in the page: each message from the worker is an analysis. */
function countLooks(): void {
  const looks: Looks = { count: 0, workerMs: 0 };
  Object.assign(window, { looks });
  window.Worker = class extends Worker {
    constructor(address: string | URL, options?: WorkerOptions) {
      super(address, options);
      let askedAt = 0;
      const post = this.postMessage.bind(this) as (message: unknown, moved: Transferable[]) => void;
      this.postMessage = (message: unknown, moved?: unknown) => {
        askedAt = performance.now();
        post(message, (moved ?? []) as Transferable[]);
      };
      this.addEventListener('message', () => {
        looks.count += 1;
        looks.workerMs += performance.now() - askedAt;
      });
    }
  };
}

process.exitCode = await main();
