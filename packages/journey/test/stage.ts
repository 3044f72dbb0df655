import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { openTestApp, type Places, type TestApp } from '../../server/test/harness.ts';
import { build, isFresh } from '../build.ts';
import { openChromium, slowDown } from './browsers.ts';

/** A server with the built pages, and a real browser to open them. It reaches this machine only. */
const PHONE = { width: 360, height: 740 };
/** A busy machine takes its time. */
const WAIT_MS = 20_000;

export type Stage = {
  app: TestApp;
  testKey: string;
  browser: Browser;
  /** Requests to other hosts, violations of the policy and errors of the pages. */
  complaints: string[];
  /** Opens a browser context without cookies. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  page(options?: BrowserContextOptions): Promise<Page>;
  /** The address that an end user receives, for a journey of these steps in the sandbox. */
  link(journey: WantedJourney): Promise<Started>;
  /** Closes every open page, so that none affects the next test. */
  clear(): Promise<void>;
  close(): Promise<void>;
};

type WantedJourney = { steps: object[]; parameters?: Record<string, string>; theme?: string };
export type Started = { url: string; processInstanceId: string; definitionId: string; token: string; tokenId: string };

export async function openStage(
  places: Pick<Places, 'create'>,
  environment: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<Stage> {
  if (!isFresh()) await build();
  const app = await openTestApp(await places.create(), { environment });
  const { apiKey: testKey } = await app.app.tenants.createApiKey(app.tenantId, { name: 'test', environment: 'test' });
  const { browser, close } = await openChromium(flags);
  const complaints: string[] = [];
  let definitions = 0;
  const context = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ viewport: PHONE, locale: 'en-GB', reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(WAIT_MS);
    slowDown(context);
    context.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (/^(https?|wss?):$/.test(protocol) && !/^(127\.0\.0\.1|(.*\.)?localhost)$/.test(hostname)) {
        complaints.push(`asked for ${request.url()}`);
      }
    });
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) complaints.push(message.text());
    });
    return context;
  };
  return {
    app,
    testKey,
    browser,
    complaints,
    context,
    page: async (options) => (await context(options)).newPage(),
    link(journey) {
      definitions += 1;
      return start({ app, testKey, name: `journey-${definitions}` }, journey);
    },
    async clear() {
      await Promise.all(browser.contexts().map((each) => each.close()));
    },
    async close() {
      await close();
      await app.stop();
    },
  };
}

async function start(
  { app, testKey, name }: { app: TestApp; testKey: string; name: string },
  { steps, parameters = {}, theme }: WantedJourney,
): Promise<Started> {
  const token = await app.token(testKey);
  const post = async (path: string, body: object) => {
    const answer = await app.call(`/api/process-manager${path}`, { method: 'POST', body: JSON.stringify(body), token });
    if (answer.status >= 300) throw new Error(answer.text);
    return answer.body;
  };
  const definition = await post('/processDefinitions', {
    name,
    processDefinitionType: 'VERIFICATION',
    ...(theme !== undefined && { theme }),
    steps: [...steps, { id: 'decide', type: 'decision' }],
  });
  await post(`/processDefinitions/${definition.id}/deploy`, {});
  const newToken = await post('/processTokens', { name, processDefnName: name, parameters });
  const { processInstanceId, redirectUrl } = await post(`/processInstances/create?pt=${newToken.id}`, {});
  return { url: redirectUrl, processInstanceId, definitionId: definition.id, token, tokenId: newToken.id };
}
