import type { CDPSession, Page } from 'playwright-core';
import { begin, heading } from './acts.ts';
import type { Stage } from './stage.ts';
import { CAPTURE, CONSENT, FORM, SWITCH } from './steps.ts';

/**
 * Taps and types on every screen of a journey, and measures the response: by the Event Timing API, as browsers report
 * Interaction to Next Paint, and by the processor time of the page itself.
 */
export type Interaction = {
  readonly screen: string;
  readonly act: string;
  /** From the press to the next paint, as the browser reports it; 0 if that was less than 16 ms. */
  readonly paintMs: number;
  /** The processor time of the page's main thread until it has painted again. */
  readonly processorMs: number;
};

/** The camera shows no document, so nothing is photographed automatically and every button can be pressed. */
export const FAKE_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
const PHONE = { viewport: { width: 390, height: 664 }, hasTouch: true, isMobile: true, permissions: ['camera'] };

type Act = (screen: string, act: string, work: () => Promise<unknown>) => Promise<void>;
type Visit = { page: Page; act: Act; press(screen: string, name: string | RegExp): Promise<void> };

export async function measureInteractions(stage: Stage, { slowdown = 1 } = {}): Promise<Interaction[]> {
  const interactions: Interaction[] = [];
  const open = async (url: string, viewport = PHONE.viewport): Promise<Visit> => {
    const page = await stage.page({ ...PHONE, viewport });
    await page.addInitScript(watchEvents);
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    if (slowdown > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await page.goto(url);
    const act: Act = async (screen, name, work) => {
      const before = await processorMs(session);
      await work();
      const paintMs = await page.evaluate(nextPaint);
      interactions.push({ screen, act: name, paintMs, processorMs: (await processorMs(session)) - before });
    };
    const press = (screen: string, name: string | RegExp) => {
      const button = page.getByRole('button', { name, exact: typeof name === 'string' });
      return act(screen, String(name), () => button.first().click());
    };
    return { page, act, press };
  };
  await walkCapture(stage, open);
  await walkHandOff(stage, open);
  await walkOthers(stage, open);
  return interactions;
}

type Open = (url: string, viewport?: { width: number; height: number }) => Promise<Visit>;

async function walkCapture(stage: Stage, open: Open): Promise<void> {
  const { url } = await stage.link({ steps: [CONSENT, FORM, ...CAPTURE] });
  const { page, act, press } = await open(url);
  await heading(page, 'Let’s verify your identity');
  await act('start', 'language', () => page.locator('.language select').selectOption('de'));
  await act('start', 'language', () => page.locator('.language select').selectOption('en'));
  await heading(page, 'Let’s verify your identity');
  await press('start', 'Start');
  await heading(page, 'Your data, your decision');
  await press('consent', 'I do not agree');
  await press('declining', 'Back to the question');
  await heading(page, 'Your data, your decision');
  await press('consent', 'I agree');
  await heading(page, 'About you');
  await press('form', 'Continue');
  await page.locator('.summary').waitFor();
  const name = page.getByLabel('First name');
  await act('form', 'key', () => name.press('A'));
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await act('form', 'tick', () => page.getByLabel('I have read the terms').click());
  await press('form', 'I can’t do this');
  await heading(page, 'Would you like a person to take over?');
  await press('unable', 'Go back');
  await heading(page, 'About you');
  await press('form', 'Continue');
  await heading(page, 'Which document would you like to use?');
  await act('choice', 'country', () => page.getByLabel('Country that issued it').selectOption('FRA'));
  await act('choice', 'radio', () => page.getByLabel('Passport').click());
  await press('choice', 'Continue');
  await heading(page, 'The photo page of your passport');
  await press('primer', 'Open the camera');
  const shutter = page.getByRole('button', { name: 'Take the photo' });
  await shutter.waitFor();
  await press('document camera', 'Take the photo');
  await heading(page, 'Is every line readable?');
  await press('check', 'Enlarge');
  await press('check', 'Take another one');
  await press('primer', 'Choose another document');
  await press('choice', 'Back');
  await heading(page, 'What would you like to change?');
  await press('change', 'Change nothing');
  await page.getByLabel('Passport').check();
  await press('choice', 'Continue');
  await press('primer', 'Use a sample passport');
  await heading(page, 'Take a selfie');
  await press('selfie primer', 'Open the camera');
  await page.getByRole('button', { name: 'Take the photo' }).waitFor();
  await press('selfie camera', 'Back');
  await press('selfie primer', 'Use a sample selfie');
  await heading(page, 'All done, thank you');
  await act('result', 'language', () => page.locator('.language select').selectOption('fr'));
}

async function walkHandOff(stage: Stage, open: Open): Promise<void> {
  const { url } = await stage.link({ steps: [SWITCH] });
  const { page, press } = await open(url, { width: 1280, height: 800 });
  await heading(page, 'Let’s verify your identity');
  await press('start', 'Start');
  const answer = page.waitForResponse(/\/handoffs$/);
  await press('switching devices', 'Continue on my phone');
  const offer = (await (await answer).json()) as { url: string; number: number };
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await press('the code', 'Copy the link');
  const phone = await open(offer.url);
  await heading(phone.page, 'Did you start this?');
  await phone.press('the phone', String(offer.number));
  await heading(phone.page, 'Return to your other device');
}

async function walkOthers(stage: Stage, open: Open): Promise<void> {
  const { url, tokenId } = await stage.link({ steps: [FORM] });
  const { page, act, press } = await open(url);
  await begin(page, url);
  await act('sandbox panel', 'open', () => page.getByText('Sandbox: nothing here is a real verification.').click());
  await act('sandbox panel', 'choose', () =>
    page.getByLabel('Outcome of this journey').selectOption('document-expired'),
  );
  await press('form', 'I can’t do this');
  await press('unable', 'Yes, let a person look at it');
  await heading(page, 'Received, thank you');
  await act('received', 'language', () => page.locator('.language select').selectOption('de'));
  const link = `${new URL(url).origin}/web/?pt=${tokenId}`;
  await page.goto(link);
  await page.locator('.button.primary').click();
  await page.locator('form').waitFor();
  await page.goto(link);
  await press('welcome back', 'Neu beginnen');
  await page.goto(`${new URL(url).origin}/web/?pt=01ARZ3NDEKTSV4RRFFQ69G5FAV`);
  await page.locator('h1').waitFor();
  await act('link trouble', 'language', () => page.locator('.language select').selectOption('en'));
  await page.goto(`${new URL(url).origin}/web/accessibility`);
  await page.locator('h1').waitFor();
  await act('the statement', 'language', () => page.locator('.language select').selectOption('de'));
}

async function processorMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}

/** Runs in the page: records the slowest press or key since the last reading. A moving pointer is no interaction. */
function watchEvents(): void {
  const scope = globalThis as unknown as { slowest: number };
  scope.slowest = 0;
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
      if (interactionId > 0) scope.slowest = Math.max(scope.slowest, duration);
    }
  }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit);
}

/** Runs in the page: after some frames the press is painted, and the browser has reported its duration. */
async function nextPaint(): Promise<number> {
  const scope = globalThis as unknown as { slowest: number };
  for (let frames = 0; frames < 3; frames++) await new Promise((done) => requestAnimationFrame(done));
  await new Promise((done) => setTimeout(done));
  const { slowest } = scope;
  scope.slowest = 0;
  return slowest;
}
