import {
  type Browser,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
import { chromiumLaunch } from '../../../scripts/find-chromium.ts';
import { build as buildJourney, isFresh as isJourneyFresh } from '../../journey/build.ts';
import { slowDown } from '../../journey/test/browsers.ts';
import { asTenantId } from '../../server/src/kernel/ids.ts';
import { openTestApp, type Places, type TestApp } from '../../server/test/harness.ts';
import { type MailServer, openMailServer } from '../../server/test/mail-server.ts';
import { build, isFresh } from '../build.ts';

/** A server with the built console, and a real browser with a virtual authenticator for passkeys. */
const WAIT_MS = 20_000;
export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

export type ConsoleStage = {
  app: TestApp;
  testKey: string;
  mails: MailServer;
  /** The address of the console, which is that of the tenant. */
  address: string;
  complaints: string[];
  page(options?: BrowserContextOptions): Promise<Page>;
  firstOwnerUrl(): Promise<string>;
  close(): Promise<void>;
};

export async function openConsoleStage(places: Places): Promise<ConsoleStage> {
  if (!isFresh()) await build();
  // The console links to journeys.
  if (!isJourneyFresh()) await buildJourney();
  const mails = await openMailServer();
  const app = await openTestApp(await places.create(), {
    environment: { GROVE_OUTBOUND_ALLOW: '127.0.0.1', SMTP_URL: mails.url, MAIL_FROM: 'no-reply@example.org' },
  });
  const { apiKey: testKey } = await app.app.tenants.createApiKey(app.tenantId, { name: 'test', environment: 'test' });
  const browser: Browser = await chromium.launch(chromiumLaunch());
  const complaints: string[] = [];
  const address = `http://${app.tenantId}.fir.localhost:${new URL(app.baseUrl).port}`;
  return {
    app,
    testKey,
    mails,
    address,
    complaints,
    async page(options = {}) {
      const context = await browser.newContext({
        viewport: DESKTOP,
        locale: 'en-GB',
        reducedMotion: 'reduce',
        ...options,
      });
      context.setDefaultTimeout(WAIT_MS);
      slowDown(context);
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
      noteRequests(page);
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
      await mails.close();
    },
  };
}

/** Sets whether the person at the page uses the passkey when asked. */
export async function setPresence(page: Page, isPresent: boolean): Promise<void> {
  const known = authenticators.get(page);
  if (!known) throw new Error('the page has no authenticator');
  const { session, authenticatorId } = known;
  await session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: isPresent });
}

const authenticators = new WeakMap<Page, { session: CDPSession; authenticatorId: string }>();

/** Adds a built-in authenticator that verifies its user and responds by itself. */
export async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  authenticators.set(page, { session, authenticatorId });
}

/** Resizes a page and waits for its layout: a click before that misses its target. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.waitForFunction(({ width, height }) => innerWidth === width && innerHeight === height, size);
  for (let frames = 0; frames < 2; frames++) await page.evaluate(() => new Promise(requestAnimationFrame));
}

/** Waits until no element of the page moves or changes its colour. */
export async function still(page: Page): Promise<void> {
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
}

const underWay = new WeakMap<Page, Set<Request>>();
/** The number of frames without a request: a response may lead to another request. */
const QUIET_FRAMES = 3;

export function noteRequests(page: Page): void {
  const requests = new Set<Request>();
  underWay.set(page, requests);
  page.on('request', (request) => requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
}

/** Waits until all requests of the page have a response. */
export async function settled(page: Page): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (let quiet = 0; quiet < QUIET_FRAMES; quiet++) {
    if (Date.now() > deadline) throw new Error('the page does not come to rest');
    await page.evaluate(() => new Promise(requestAnimationFrame));
    if (underWay.get(page)?.size !== 0) quiet = -1;
  }
}

/** Reloads the screen while a request is answered late and with 503: it shows that it waits, and then the fault. */
export async function reloadSlowly(page: Page, path: string): Promise<void> {
  const mayAnswer = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    await mayAnswer.promise;
    await route.fulfill({ status: 503, json: { code: 100010, message: 'The service is not ready' } });
  });
  await page.reload();
  await page.getByLabel('Loading').first().waitFor();
  mayAnswer.resolve();
  await page.getByRole('alert').getByText('The service is not ready').waitFor();
}
