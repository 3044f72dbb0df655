import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { stripTypeScriptTypes } from 'node:module';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { testPlaces } from '../../server/test/harness.ts';
import { heading, press } from './acts.ts';
import { keepScreens } from './keep-screens.ts';
import { openStage, type Stage, type Started } from './stage.ts';
import { CAPTURE, CONSENT } from './steps.ts';

/** A page of a shop on an origin of its own, with the package unchanged; its events are in `window.heard`. */
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><h1>Shop</h1><div id="place"></div>
<script type="module">
import { openJourney } from '/embed/index.ts';
window.heard = [];
window.show = (options) => {
  const container = document.querySelector('#place');
  const journey = openJourney({ ...options, container, patienceMs: 3000 });
  window.journey = journey;
  for (const name of ['ready', 'step', 'completed', 'closed', 'error']) {
    journey.on(name, (event) => window.heard.push({ name, ...event }));
  }
};
</script></html>`;

type Heard = { name: string; reason?: string; step?: string; outcome?: string; completed?: boolean };
declare global {
  var heard: Heard[];
  var show: (options: { url: string; mode?: string }) => void;
}

const SOURCES = new URL('../../embed/src/', import.meta.url);

function openShop(): Promise<{ server: Server; port: number }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://any');
    const [, module] = /^\/embed\/([a-z-]+\.ts)$/.exec(pathname) ?? [];
    if (module) {
      const code = stripTypeScriptTypes(readFileSync(new URL(module, SOURCES), 'utf8'));
      return void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(code);
    }
    // A page that frames another, which its address names.
    const framed = searchParams.get('frames');
    const html = framed
      ? `<iframe allow="camera" src="${framed.replaceAll('&', '&amp;').replaceAll('"', '')}"></iframe>`
      : PAGE;
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
  });
  return new Promise((done) => {
    server.listen(0, '127.0.0.1', () => done({ server, port: (server.address() as AddressInfo).port }));
  });
}

describe('a journey inside a page of the tenant', () => {
  const places = testPlaces();
  let stage: Stage;
  let shop: Awaited<ReturnType<typeof openShop>>;
  let listed: string;
  let stranger: string;
  before(async () => {
    stage = await openStage(places);
    shop = await openShop();
    listed = `http://127.0.0.1:${shop.port}`;
    // Another origin, and another site, of the same small server.
    stranger = `http://localhost:${shop.port}`;
    await setEmbedOrigins([listed], stage.testKey);
  });
  afterEach(() => stage.clear());
  after(async () => {
    shop.server.close();
    await stage.close();
  });
  const setEmbedOrigins = async (embedOrigins: string[], apiKey: string) => {
    const token = await stage.app.token(apiKey);
    const body = JSON.stringify({ embedOrigins });
    const { status, text } = await stage.app.call('/api/process-manager/settings', { method: 'POST', token, body });
    assert.equal(status, 200, text);
  };
  const openPage = async (origin: string, started: Pick<Started, 'url'>, mode?: string) => {
    const page = await stage.page({ viewport: { width: 390, height: 844 } });
    await page.goto(origin);
    await page.waitForFunction(() => typeof globalThis.show === 'function');
    await page.evaluate(
      ([url, how]) => globalThis.show({ url: url as string, ...(how && { mode: how }) }),
      [started.url, mode],
    );
    return page;
  };
  const heard = (page: Page) => page.evaluate(() => globalThis.heard);
  const hears = (page: Page, name: string) =>
    page.waitForFunction((wanted) => globalThis.heard.some((each) => each.name === wanted), name);
  const inFrame = (page: Page) => page.frameLocator('iframe');
  const tap = (frame: FrameLocator | Page, name: string) => frame.getByRole('button', { name }).click();
  const walk = async (frame: FrameLocator | Page) => {
    await tap(frame, 'Start');
    await tap(frame, 'I agree');
    await frame.getByLabel('Passport').check();
    await tap(frame, 'Continue');
    await tap(frame, 'Use a sample passport');
    await tap(frame, 'Use a sample selfie');
    await frame.getByRole('heading', { level: 1, name: 'All done, thank you' }).waitFor();
  };
  const link = () => stage.link({ steps: [CONSENT, ...CAPTURE] });

  it('an embedded journey goes from the first page to a completion in a dialog, with events, and the page goes on', async () => {
    const started = await link();
    const page = await openPage(listed, started);
    await inFrame(page).getByRole('heading', { level: 1 }).waitFor();
    await keepScreens(page, 'embed-modal');
    await walk(inFrame(page));
    await keepScreens(page, 'embed-done');
    await tap(inFrame(page), 'Return to Acme');
    await hears(page, 'closed');
    const events = await heard(page);
    assert.deepEqual(
      events.map(({ name, step }) => step ?? name),
      ['ready', 'consent', 'document', 'face', 'completed', 'closed'],
    );
    assert.deepEqual([events.at(-2)?.outcome, events.at(-1)?.completed], ['passed', true]);
    assert.equal(await page.locator('dialog').count(), 0);
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name.startsWith('grove-journey-'));
    assert.deepEqual([cookie?.httpOnly, cookie?.secure, cookie?.sameSite], [true, true, 'None']);
    assert.match(String(cookie?.partitionKey), /127\.0\.0\.1/);
    assert.deepEqual(stage.complaints, []);
  });

  it('an embedded journey continues after a reload of the frame, has the camera by permission, and grows inside a page', async () => {
    const page = await openPage(listed, await link(), 'inline');
    await tap(inFrame(page), 'Start');
    await tap(inFrame(page), 'I agree');
    await inFrame(page).getByLabel('Passport').waitFor();
    const frame = page.frames().find((each) => each.url().includes('/web/'));
    assert.doesNotMatch(frame?.url() ?? '', /[#&?]c=/);
    assert.equal(
      await frame?.evaluate(() =>
        (
          document as unknown as { featurePolicy: { allowsFeature(name: string): boolean } }
        ).featurePolicy.allowsFeature('camera'),
      ),
      true,
    );
    await frame?.evaluate(() => location.reload());
    await inFrame(page).getByLabel('Passport').waitFor();
    assert.ok(((await page.locator('iframe').boundingBox())?.height ?? 0) >= 640);
  });

  it('a journey opens its own window where the browser keeps no cookie for a frame, and spends no code before', async () => {
    const page = await stage.page();
    await page.addInitScript(() => {
      if (window.parent !== window)
        Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set: () => undefined });
    });
    await page.goto(listed);
    await page.waitForFunction(() => typeof globalThis.show === 'function');
    const { url } = await link();
    await page.evaluate((each) => globalThis.show({ url: each }), url);
    await inFrame(page).getByRole('heading', { name: 'Continue in a window of its own' }).waitFor();
    await keepScreens(page, 'embed-own-window');
    const popup = page.waitForEvent('popup');
    await tap(inFrame(page), 'Open the window');
    const own = await popup;
    await walk(own);
    await hears(page, 'completed');
    // The press closes the window, at times before the browser has reported the press.
    await Promise.all([own.waitForEvent('close'), tap(own, 'Return to Acme').catch(() => undefined)]);
    await hears(page, 'closed');
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name.startsWith('grove-journey-'));
    assert.equal(cookie?.sameSite, 'Strict');
  });

  it('a journey opens in a window if the page requests it', async () => {
    const page = await stage.page();
    await page.goto(listed);
    const { url } = await link();
    const popup = page.waitForEvent('popup');
    await page.evaluate((each) => globalThis.show({ url: each, mode: 'popup' }), url);
    const own = await popup;
    await heading(own, 'Let’s verify your identity');
    await press(own, 'Start');
    await page.waitForFunction(() => globalThis.heard.some(({ name, step }) => name === 'step' && step === 'consent'));
    await own.close();
    await hears(page, 'closed');
    assert.equal((await heard(page)).at(-1)?.completed, false);
  });

  it('the browser refuses to frame a journey in an unlisted page, also around a listed one', async () => {
    const started = await link();
    const page = await openPage(stranger, started);
    await hears(page, 'error');
    assert.deepEqual(await heard(page), [{ name: 'error', reason: 'refused' }]);
    await page.getByRole('button', { name: 'Continue in a new window' }).waitFor();
    // A stranger cannot impersonate the listed page: the browser checks the framing origins, not the address.
    const address = new URL(started.url);
    address.searchParams.set('embed', listed);
    const frames = (origin: string, inner: string) => `${origin}/?frames=${encodeURIComponent(inner)}`;
    for (const outer of [frames(stranger, address.href), frames(stranger, frames(listed, address.href))]) {
      const nested = await stage.page();
      await nested.goto(outer);
      await nested.waitForLoadState('networkidle');
      const journey = nested.frames().find((each) => each.url().startsWith(address.origin));
      assert.equal(journey, undefined, outer);
    }
    // The code is not spent: the same link opens for its end user.
    const own = await stage.page();
    await own.goto(started.url);
    await heading(own, 'Let’s verify your identity');
    stage.complaints.length = 0;
  });

  it('the package accepts events from its own frame only, and the journey tells only the listed page', async () => {
    const page = await openPage(listed, await link());
    await hears(page, 'ready');
    const forged = { from: 'grove-journey', type: 'completed', processInstanceId: 'x', outcome: 'passed' };
    await page.evaluate(
      async ([message, src]) => {
        window.postMessage(message, '*');
        const frame = document.createElement('iframe');
        frame.src = src as string;
        document.body.append(frame);
        await new Promise((done) => frame.addEventListener('load', done));
        // An event as if the stranger had sent it in the name of the journey.
        const { MessageEvent: Event } = window;
        window.dispatchEvent(
          new Event('message', { data: message, origin: 'http://evil.example', source: frame.contentWindow }),
        );
      },
      [forged, `${stranger}/`] as const,
    );
    const inner = page.frames().find((each) => each.url().startsWith(stranger));
    await inner?.evaluate((message) => window.parent.postMessage(message, '*'), forged);
    assert.equal(
      (await heard(page)).some(({ name }) => name === 'completed'),
      false,
    );
    // A stranger who opens the window itself receives no events: the browser isolates the two.
    const hostile = await stage.page();
    await hostile.goto(stranger);
    const { url } = await link();
    const popup = hostile.waitForEvent('popup');
    await hostile.evaluate((each) => globalThis.show({ url: each, mode: 'popup' }), url);
    const own = await popup;
    await heading(own, 'Let’s verify your identity');
    assert.equal(await own.evaluate(() => window.opener), null);
    assert.deepEqual(await heard(hostile), []);
  });

  it('a code behind the address of a test journey that may be framed', async () => {
    const { url } = await link();
    const live = await stage.app.call('/api/process-manager/processTokens', {
      method: 'POST',
      body: JSON.stringify({ name: 'of live', processDefnName: 'document-and-selfie' }),
    });
    const create = `/api/process-manager/processInstances/create?pt=${live.body.id}`;
    const { body } = await stage.app.call(create, { method: 'POST', body: '{}' });
    const mixed = `${url.replace(/#.*/, '')}${new URL(body.redirectUrl).hash}`;
    const page = await openPage(listed, { url: mixed });
    await hears(page, 'error');
    const { body: instance } = await stage.app.call(`/api/process-manager/processInstances/${body.processInstanceId}`);
    assert.equal(instance.status, 'PENDING');
  });

  it('no origin of another tenant or environment, and no invalid origin, may frame a journey', async () => {
    const { processInstanceId, url, tokenId } = await link();
    const { host, port } = new URL(url);
    const headersOf = async (query: Record<string, string>) => {
      const path = `/web/?${new URLSearchParams(query)}`;
      const { headers } = await new Promise<IncomingMessage>((done, fail) => {
        get({ host: '127.0.0.1', port, path, headers: { host } }, (answer) => done(answer.resume())).on('error', fail);
      });
      const policy = String(headers['content-security-policy']);
      return [/frame-ancestors ([^;]+)/.exec(policy)?.[1], headers['x-frame-options']];
    };
    const none = ["'none'", 'DENY'];
    assert.deepEqual(await headersOf({ pi: processInstanceId, embed: listed }), [listed, undefined]);
    assert.deepEqual(await headersOf({ pt: tokenId, embed: listed }), [listed, undefined]);
    const { apiKey: other } = await stage.app.app.tenants.create({ id: 'other' });
    await setEmbedOrigins([stranger], other);
    for (const query of [
      { pi: processInstanceId },
      { embed: listed },
      { pi: processInstanceId, embed: stranger },
      { pi: processInstanceId, embed: stranger, tn: 'other' },
      { pi: '01ARZ3NDEKTSV4RRFFQ69G5FAV', embed: listed },
      { pi: processInstanceId, embed: `${listed}; script-src *` },
      { pi: processInstanceId, embed: '*' },
      { pi: processInstanceId, embed: 'null' },
    ]) {
      assert.deepEqual(await headersOf(query), none, JSON.stringify(query));
    }
    // The list of a test key is for test journeys only.
    const live = await stage.app.call('/api/process-manager/processTokens', {
      method: 'POST',
      body: JSON.stringify({ name: 'live', processDefnName: 'document-and-selfie' }),
    });
    assert.deepEqual(await headersOf({ pt: live.body.id, embed: listed }), none);
    assert.deepEqual(await headersOf({ pt: tokenId }), none);
  });
});
