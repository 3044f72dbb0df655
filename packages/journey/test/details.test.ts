import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { testPlaces } from '../../server/test/harness.ts';
import { begin, fill, heading, press } from './acts.ts';
import { keepScreens } from './keep-screens.ts';
import { openStage, type Stage } from './stage.ts';
import { CONSENT, FORM, SWITCH } from './steps.ts';

/** A theme may have edges as dark as these. */
const DARK_EDGES = {
  primary: '#7a1fa2',
  onPrimary: '#ffffff',
  background: '#faf5fc',
  surface: '#ffffff',
  text: '#22112a',
  mutedText: '#5c4a66',
  border: '#4a3a54',
  error: '#b3261e',
  success: '#1b6e3c',
};
const DESKTOP = { viewport: { width: 1280, height: 800 } };
/** The size of a QR code's squares that a phone reads at arm's length, in pixels of the page. */
const MIN_SQUARE_PX = 6;
/** Messages are offered, but none is sent. */
const MESSAGES = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'no-reply@example.org' };

/** The contrast between the text of the element and its background (WCAG 2.2, 1.4.3). */
const contrastOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const luminance = (colour: string) => {
        if (!canvas) return 0;
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        const [r = 0, g = 0, b = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((each) => {
          const part = each / 255;
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      let behind: Element | null = element;
      while (behind && /rgba\(0, 0, 0, 0\)|transparent/.test(getComputedStyle(behind).backgroundColor)) {
        behind = behind.parentElement;
      }
      const ground = behind ? getComputedStyle(behind).backgroundColor : 'white';
      const [one, other] = [luminance(getComputedStyle(element).color), luminance(ground)];
      return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    });

describe('the details of a journey', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places, MESSAGES);
    const settings = { redirectOrigins: ['http://localhost:9', 'https://www.example.com'] };
    await post('/process-manager/settings', settings);
  });
  afterEach(() => stage.clear());
  after(() => stage.close());
  const post = async (path: string, body: object) => {
    const answer = await stage.app.call(`/api${path}`, { method: 'POST', body: JSON.stringify(body) });
    assert.ok(answer.status < 300, answer.text);
  };
  const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
  const keepsFocus = (page: Page) => page.waitForFunction(() => document.activeElement !== document.body);

  it('a button that is busy can be read, with a pointer over it, in light, dark and a theme with dark edges', async () => {
    await post('/theme-server/themes', { name: 'edges', palette: DARK_EDGES, radius: 8, fontFamily: 'system' });
    for (const theme of [undefined, 'edges']) {
      const { url } = await stage.link({ steps: [CONSENT, FORM], ...(theme && { theme }) });
      const page = await stage.page();
      await page.route(/\/steps\/consent$/, () => undefined);
      await begin(page, url);
      await heading(page, 'Your data, your decision');
      await press(page, 'I agree');
      await page.locator('.button[aria-busy=true]').hover();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const ratio = await contrastOf(page, '.button[aria-busy=true]');
        assert.ok(ratio >= 4.5, `${theme}, ${colorScheme}: ${ratio}`);
      }
      await keepScreens(page, `busy ${theme ?? ''}`);
    }
  });

  it('the focus stays near a pressed element that is gone', async () => {
    const { url } = await stage.link({ steps: [SWITCH] });
    const page = await stage.page(DESKTOP);
    await begin(page, url);
    await press(page, 'Continue on my phone');
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    await press(page, 'Send me the link by e-mail');
    await page.getByLabel('Your e-mail address').waitFor();
    await press(page, 'Go back');
    await page.getByLabel('Your e-mail address').waitFor({ state: 'detached' });
    await keepsFocus(page);
    assert.match(await focusedText(page), /^Send me the link by e-mail/);
    const parameters = { _redirectUrl: 'http://localhost:9/done' };
    const ended = await stage.page();
    await begin(ended, (await stage.link({ steps: [CONSENT], parameters })).url);
    await press(ended, 'I agree');
    await press(ended, 'Stay on this page');
    await keepsFocus(ended);
    assert.match(await focusedText(ended), /^Return to acme/);
  });

  it('an end user who returns from the page of the tenant is not redirected again', async () => {
    const parameters = { _redirectUrl: 'http://localhost:9/done' };
    const { url } = await stage.link({ steps: [CONSENT, FORM], parameters });
    const page = await stage.page();
    await page.route('http://localhost:9/**', (route) => route.fulfill({ body: 'shop', contentType: 'text/html' }));
    await begin(page, url);
    await press(page, 'I agree');
    await heading(page, 'About you');
    await fill(page);
    await press(page, 'Continue');
    await page.waitForURL('http://localhost:9/**');
    await page.goBack();
    await heading(page, 'All done, thank you');
    await page.getByRole('link', { name: 'Return to acme' }).waitFor();
    assert.equal(await page.getByRole('timer').count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Stay on this page' }).count(), 0);
  });

  it('the code for a phone has large squares, and the page warns if no phone can open it', async () => {
    const { url } = await stage.link({ steps: [SWITCH] });
    const page = await stage.page(DESKTOP);
    await begin(page, url);
    await press(page, 'Continue on my phone');
    const code = page.locator('.qr svg');
    await code.waitFor();
    const square = await code.evaluate((svg: SVGSVGElement) => {
      return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
    });
    assert.ok(square >= MIN_SQUARE_PX, `${square} px`);
    await page.getByText(/a phone cannot open acme\.fir\.localhost/).waitFor();
    await keepScreens(page, 'the code');
  });

  it('an end user who does not agree is led to the company, drawings are complete, and countries are offered by name', async () => {
    const { url } = await stage.link({ steps: [CONSENT] });
    const page = await stage.page({ reducedMotion: 'no-preference' });
    await begin(page, url);
    await press(page, 'I do not agree');
    await press(page, 'End without agreeing');
    const home = page.getByRole('link', { name: 'Go to acme' });
    assert.equal(await home.getAttribute('href'), 'https://www.example.com');
    await keepScreens(page, 'not agreed');
    await page.route(/\/api\/journey\/sessions$/, (route) => route.fulfill({ status: 503, json: { code: 100010 } }));
    await page.goto(`${new URL(url).origin}/web/?pt=01ARZ3NDEKTSV4RRFFQ69G5FAV`);
    await page.locator('.draw').first().waitFor();
    const cut = await page.locator('.draw').evaluateAll((paths) =>
      (paths as SVGPathElement[]).filter((path) => {
        return path.getTotalLength() > Number.parseFloat(getComputedStyle(path).strokeDasharray);
      }),
    );
    assert.deepEqual(cut, []);
    await keepScreens(page, 'busy server');
    const schema = { type: 'object', properties: { country: { type: 'string', title: 'Country' } } };
    const form = await stage.page({ locale: 'de-DE' });
    await form.goto((await stage.link({ steps: [{ id: 'form', type: 'form', schema }] })).url);
    await press(form, 'Beginnen');
    await form.locator('datalist option[value="Frankreich"]').waitFor({ state: 'attached' });
  });

  it('no page asked for anything elsewhere, broke its policy or threw', () => {
    assert.deepEqual(stage.complaints, []);
  });
});
