import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { DEFAULT_TOKENS } from '../../server/src/theme-server/themes/default-theme.ts';
import { testPlaces } from '../../server/test/harness.ts';
import { PNG } from '../../server/test/images.ts';
import { pageZip } from '../../server/test/zips.ts';
import { openStage, type Stage } from './stage.ts';
import { CONSENT } from './steps.ts';

/** What a tenant adds: pages, which may misbehave, and a theme. */
const INDEX =
  '<!doctype html><title>Page</title><body><h1>Ours</h1><button>Send</button><script src="app.js"></script>';
const SEND = `const send = (variables) => parent.postMessage({ event: 'SEND', variables }, '*');`;

const PAGES = {
  good: `${SEND} const button = document.querySelector('button');
  // The button cannot be pressed before it has a handler.
  button.disabled = true;
  addEventListener('message', ({ data }) => {
    if (data.command !== 'PROCESS') return;
    const { constants, sessionData } = data.variables;
    button.onclick = () => send({ seen: constants.greeting + ' ' + sessionData.language });
    button.disabled = false;
  });
  parent.postMessage({ event: 'READY' }, '*');`,
  silent: '',
  rubbish: `${SEND} parent.postMessage({ event: 'READY' }, '*'); send({ deep: { in: 'side' } });`,
  restless: `addEventListener('message', () => {
    if (!location.search) location.href = 'index.html?elsewhere';
  });
  parent.postMessage({ event: 'READY' }, '*');`,
  talkative: `setInterval(() => parent.postMessage({ event: 'NOISE' }, '*'), 1);`,
};

describe('what a tenant adds', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places);
    for (const [name, content] of Object.entries(PAGES)) await deploy(name, content);
  });
  afterEach(() => stage.clear());
  after(() => stage.close());

  const deploy = async (name: string, content: string) => {
    const base = '/api/theme-server/customPages';
    const { body } = await stage.app.call(`${base}/${name}/versions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/zip' },
      body: new Uint8Array(pageZip([{ name: 'app.js', content }], INDEX)),
    });
    const { status, text } = await stage.app.call(`${base}/${body.id}/deploy`, { method: 'POST' });
    assert.equal(status, 200, text);
  };
  const show = async (name: string, prepare?: (page: Page) => Promise<void>) => {
    const step = { id: 'page', type: 'customPage', page: name, constants: { greeting: 'hello' } };
    const started = await stage.link({ steps: [step] });
    const page = await stage.page();
    await prepare?.(page);
    await page.goto(started.url);
    await page.getByRole('button', { name: 'Start' }).click();
    return { page, ...started };
  };
  const fault = (page: Page) => page.getByRole('heading', { name: 'This page does not respond' }).waitFor();

  it('a page receives its data, and its variables are stored', async () => {
    const { page, definitionId, processInstanceId, token } = await show('good');
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'All done, thank you' }).waitFor();
    const place = `processDefinitions/${definitionId}/processInstances/${processInstanceId}`;
    const { body } = await stage.app.call(`/api/userdata-server/${place}/userdata`, { token });
    assert.deepEqual(body.forms.page1, { seen: 'hello en' });
  });

  it('a custom page shares nothing with ours', async () => {
    const { page } = await show('good');
    const frame = page.locator('iframe');
    await frame.waitFor();
    assert.equal(await frame.getAttribute('sandbox'), 'allow-scripts allow-forms');
    await page.frameLocator('iframe').getByRole('button').waitFor();
    const inner = page.frames().find((each) => each !== page.mainFrame());
    assert.equal(await inner?.evaluate(() => self.origin), 'null');
  });

  it('only messages of the page itself count: those of another window are not stored', async () => {
    const { page, definitionId, processInstanceId, token } = await show('good');
    const send = page.frameLocator('iframe').getByRole('button', { name: 'Send' });
    await send.waitFor();
    const stolen = { event: 'SEND', variables: { seen: 'stolen' } };
    await page.evaluate((message) => postMessage(message, '*'), stolen);
    await send.click();
    await page.getByRole('heading', { name: 'All done, thank you' }).waitFor();
    const place = `processDefinitions/${definitionId}/processInstances/${processInstanceId}`;
    const { body } = await stage.app.call(`/api/userdata-server/${place}/userdata`, { token });
    assert.deepEqual(body.forms.page1, { seen: 'hello en' });
  });

  it('a silent page is removed after ten seconds; a person can take over', async () => {
    const { page } = await show('silent', (each) => each.clock.install());
    await page.locator('iframe').waitFor();
    await page.clock.fastForward(9_000);
    assert.equal(await page.locator('iframe').count(), 1);
    await page.clock.fastForward(2_000);
    await fault(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('iframe').waitFor();
    await page.clock.fastForward(11_000);
    await fault(page);
    await page.getByRole('button', { name: 'I can’t do this' }).click();
    await page.getByRole('button', { name: 'Yes, let a person look at it' }).click();
    await page.getByRole('heading', { name: 'Received, thank you' }).waitFor();
  });

  it('a page that sends invalid or endless messages is removed', async () => {
    for (const name of ['rubbish', 'talkative']) await fault((await show(name)).page);
  });

  it('a page that navigates elsewhere is removed, and the next page is not heard', async () => {
    const { page } = await show('restless');
    await fault(page);
    assert.equal(await page.locator('iframe').count(), 0);
  });

  it('the theme of the tenant is applied: colours, corners, logo', async () => {
    const palette = {
      primary: '#7a1fa2',
      onPrimary: '#ffffff',
      background: '#faf5fc',
      surface: '#ffffff',
      text: '#22112a',
      mutedText: '#5c4a66',
      border: '#8a7a94',
      error: '#b3261e',
      success: '#1b6e3c',
    };
    const themes = '/api/theme-server/themes';
    const body = JSON.stringify({ name: 'default', palette, radius: 3, fontFamily: 'serif' });
    const made = await stage.app.call(themes, { method: 'POST', body });
    assert.equal(made.status, 201, made.text);
    const logo = await stage.app.call(`${themes}/default/assets/logo`, {
      method: 'POST',
      headers: { 'Content-Type': 'image/png' },
      body: new Uint8Array(PNG),
    });
    assert.equal(logo.status, 200, logo.text);
    const { url } = await stage.link({ steps: [CONSENT] });
    const page = await stage.page();
    await page.goto(url);
    await page.getByRole('img', { name: 'acme' }).waitFor();
    const look = await page.locator('.button.primary').evaluate((each) => {
      const { backgroundColor, borderRadius, fontFamily } = getComputedStyle(each);
      return { backgroundColor, borderRadius, serif: /Georgia/.test(fontFamily) };
    });
    assert.deepEqual(look, { backgroundColor: 'rgb(122, 31, 162)', borderRadius: '3px', serif: true });
  });

  it('the tenant’s language is applied unless another is requested, and so are its texts', async () => {
    const texts = {
      de: { 'start.title': 'Schön, dass Sie da sind', 'start.lead': 'Hier ist {tenant}.' },
      en: {
        'start.title': 'Good to see you',
        'need.time': '{minutes, plural, one {# minute} other {# minutes}} at most',
      },
    };
    const base = '/api/theme-server/themes';
    const body = JSON.stringify({ name: 'spoken', palette: DEFAULT_TOKENS.palette, defaultLanguage: 'de', texts });
    const made = await stage.app.call(base, { method: 'POST', body });
    assert.equal(made.status, 201, made.text);
    const { url, tokenId } = await stage.link({ steps: [CONSENT], theme: 'spoken' });
    const page = await stage.page({ locale: 'pl-PL' });
    const headings: string[] = [];
    await page.exposeFunction('sawHeading', (text: string) => void headings.push(text));
    await page.addInitScript(() => {
      new MutationObserver(() => {
        const text = document.querySelector('h1')?.textContent;
        if (text) (globalThis as unknown as { sawHeading(text: string): void }).sawHeading(text);
      }).observe(document, { subtree: true, childList: true, characterData: true });
    });
    await page.goto(url);
    await page.getByRole('heading', { name: 'Schön, dass Sie da sind' }).waitFor();
    assert.equal(await page.locator('.lead').innerText(), 'Hier ist acme.');
    // The language that the browser would have had was never shown.
    assert.deepEqual([...new Set(headings)], ['Schön, dass Sie da sind']);
    assert.equal(await page.getByRole('button', { name: 'Beginnen' }).count(), 1, 'what is not replaced is ours');
    await page.locator('.language select').selectOption('en');
    await page.getByRole('heading', { name: 'Good to see you' }).waitFor();
    await page.getByText('1 minute at most').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Good to see you' }).waitFor();
    const other = await stage.page({ locale: 'pl-PL' });
    await other.goto(`${new URL(url).origin}/web/?pt=${tokenId}&lang=fr`);
    await other.getByRole('button', { name: 'Commencer' }).waitFor();
  });

  it('no page asked for anything elsewhere, broke its policy or threw', () => {
    assert.deepEqual(stage.complaints, []);
  });
});
