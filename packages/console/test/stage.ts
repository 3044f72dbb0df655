import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, type CDPSession, chromium, type Page } from 'playwright-core';
import { findChromium } from '../../../scripts/find-chromium.ts';
import { build as buildJourney, isFresh as isJourneyFresh } from '../../journey/build.ts';
import { asTenantId } from '../../server/src/kernel/ids.ts';
import { openTestApp, type Places, type TestApp } from '../../server/test/harness.ts';
import { build, isFresh } from '../build.ts';

/** A server with the built console, and a real browser whose passkeys are in a virtual authenticator. */
const FLAGS = [
  ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
const WAIT_MS = 20_000;
const DESKTOP = { width: 1280, height: 800 };

export type ConsoleStage = {
  app: TestApp;
  testKey: string;
  /** Where the console is: the address of the tenant. */
  address: string;
  complaints: string[];
  page(options?: BrowserContextOptions): Promise<Page>;
  firstOwnerUrl(): Promise<string>;
  close(): Promise<void>;
};

export async function openConsoleStage(places: Places): Promise<ConsoleStage> {
  if (!isFresh()) await build();
  // A person follows a link of the console into a journey.
  if (!isJourneyFresh()) await buildJourney();
  const executablePath = findChromium();
  if (!executablePath) throw new Error('there is no Chromium: install it, or name it in CHROMIUM');
  const app = await openTestApp(await places.create());
  const { apiKey: testKey } = await app.app.tenants.createApiKey(app.tenantId, { name: 'test', environment: 'test' });
  const browser: Browser = await chromium.launch({ executablePath, args: FLAGS });
  const complaints: string[] = [];
  const address = `http://${app.tenantId}.fir.localhost:${new URL(app.baseUrl).port}`;
  return {
    ...{ app, testKey, address, complaints },
    async page(options = {}) {
      const context = await browser.newContext({
        viewport: DESKTOP,
        locale: 'en-GB',
        reducedMotion: 'reduce',
        ...options,
      });
      context.setDefaultTimeout(WAIT_MS);
      context.on('weberror', (error) => complaints.push(String(error.error())));
      context.on('request', (request) => {
        const { protocol, hostname } = new URL(request.url());
        if (/^https?:$/.test(protocol) && !/^(127\.0\.0\.1|(.*\.)?localhost)$/.test(hostname)) {
          complaints.push(`asked for ${request.url()}`);
        }
      });
      context.on('console', (message) => {
        if (/Content Security Policy|Refused to|Warning:/.test(message.text())) complaints.push(message.text());
      });
      const page = await context.newPage();
      await addAuthenticator(page);
      return page;
    },
    async firstOwnerUrl() {
      const link = await app.app.operators.firstOwnerLink(asTenantId(app.tenantId));
      if (!link) throw new Error('there is an owner already');
      return link.url;
    },
    async close() {
      await browser.close();
      await app.stop();
    },
  };
}

/** Whether the person at the page uses the passkey when asked. */
export async function setPresence(page: Page, isPresent: boolean): Promise<void> {
  const known = authenticators.get(page);
  if (!known) throw new Error('the page has no authenticator');
  const { session, authenticatorId } = known;
  await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: isPresent });
}

const authenticators = new WeakMap<Page, { session: CDPSession; authenticatorId: string }>();

/** One that is built in, verifies its user and answers by itself. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  authenticators.set(page, { session, authenticatorId });
}

/** Waits until nothing on the page moves or changes its colour. */
export async function still(page: Page): Promise<void> {
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds against WCAG 2.0 to 2.2, A and AA: one line for each. */
export async function axeFaults(page: Page, only?: 'color-contrast'): Promise<string[]> {
  // The policy of the page takes no scripts of others; a debugger may run one all the same.
  await page.evaluate(AXE);
  await still(page);
  return page.evaluate(async (rule) => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<Found> } };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
    const runOnly = rule ? { type: 'rule', values: [rule] } : { type: 'tag', values: tags };
    const { violations } = await axe.run({ runOnly });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary?.slice(0, 200)}`),
    );
  }, only);
}
