import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { testPlaces } from '../../server/test/harness.ts';
import { JPEG } from '../../server/test/images.ts';
import { oldBrowserScript } from '../old-browser-plugin.ts';
import { heading, press } from './acts.ts';
import { openStage, type Stage } from './stage.ts';
import { CONSENT, DOCUMENT, FORM } from './steps.ts';

/** Browsers without modules: the page is rewritten as they would read it. */
const SELFIE = { id: 'selfie', type: 'face', liveness: 'none' };

it('the script for old browsers is ECMAScript 5 and uses nothing that they lack', () => {
  const code = oldBrowserScript().replace(/^\s*(\/\/|\/\*\*).*$/gm, '');
  for (const newer of [
    /=>/,
    /`/,
    /\b(let|const|class|async|await|of|import|export)\s/,
    /\.\.\./,
    /\?\.|\?\?/,
    /,\s*\)/,
    /\bfetch\(/,
    /\bPromise\b/,
    /URLSearchParams|new URL\(/,
    /Object\.(assign|entries|values)/,
    /\.closest\(/,
    /\.(includes|startsWith|endsWith|find|append|replaceWith|remove)\(/,
    /new (Map|Set|Proxy)\b/,
    /localStorage/,
  ]) {
    assert.doesNotMatch(code, newer);
  }
  assert.doesNotThrow(() => new Function(code));
});

describe('a browser that knows no modules', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places);
  });
  afterEach(() => stage.clear());
  after(() => stage.close());

  const old = async (locale = 'en-GB'): Promise<Page> => {
    const page = await stage.page({ locale });
    await page.route(/\/web\/(\?|$)/, async (route) => {
      const asked = route.request();
      const { host } = new URL(asked.url());
      const response = await route.fetch({
        url: asked.url().replace(/\/\/[^:/]+/, '//127.0.0.1'),
        headers: { ...(await asked.allHeaders()), host },
      });
      const html = (await response.text())
        .replace(/<script[^>]* type="module"[\s\S]*?<\/script>|<link rel="modulepreload".*?>/g, '')
        .replaceAll(' nomodule', '');
      await route.fulfill({ response, body: html });
    });
    return page;
  };
  const photo = (page: Page) =>
    page
      .getByLabel('Use a photo from this device')
      .setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from(JPEG) });

  it('the page for old browsers leads through consent, a form, a document and a selfie from files, to the result', async () => {
    const { url } = await stage.link({ steps: [CONSENT, FORM, DOCUMENT, SELFIE] });
    const page = await old();
    await page.goto(url);
    await heading(page, 'Your data, your decision');
    assert.match(page.url(), /\/web\/\?pi=[0-9A-Z]{26}$/);
    await page.getByText('For 30 days, then it is deleted').waitFor();
    await press(page, 'I agree');
    await heading(page, 'About you');
    await press(page, /^Continue$/);
    await page.locator('.field .error').nth(2).waitFor();
    assert.equal(await page.locator('.field .error').count(), 3, 'each fault is said beside its field');
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Reason (optional)').selectOption('Loan');
    await page.getByLabel('I have read the terms').check();
    await press(page, /^Continue$/);
    await heading(page, 'Which document would you like to use?');
    await page.reload();
    await heading(page, 'Which document would you like to use?');
    await press(page, /^Continue$/);
    await page.getByText('Please choose the country.').waitFor();
    await page.getByLabel('Country that issued it').selectOption({ label: 'Germany' });
    await page.getByLabel('Type of document').selectOption({ label: 'Identity card' });
    await press(page, /^Continue$/);
    await heading(page, 'The front of your identity card');
    await photo(page);
    await press(page, /^Continue$/);
    await heading(page, 'The back of your identity card');
    await photo(page);
    await press(page, /^Continue$/);
    await heading(page, 'Take a selfie');
    await photo(page);
    await press(page, /^Continue$/);
    await heading(page, 'All done, thank you');
  });

  it('the page for old browsers says what it cannot do, and offers a phone or a person instead', async () => {
    const { url } = await stage.link({ steps: [{ id: 'selfie', type: 'face' }] });
    const page = await old();
    await page.goto(url);
    await heading(page, 'Your browser cannot do this step');
    await press(page, 'Continue on my phone');
    await heading(page, 'Continue on your phone');
    const link = (await page.locator('.note a').getAttribute('href')) ?? '';
    const number = /\d+$/.exec(await page.locator('.lead').innerText())?.[0] ?? '';
    const phone = await stage.page();
    await phone.goto(link);
    await press(phone, number);
    await heading(page, 'Your phone is connected');
    await phone.close();
    const alone = await old();
    await alone.goto((await stage.link({ steps: [{ id: 'selfie', type: 'face' }] })).url);
    await press(alone, 'I can’t do this');
    await press(alone, 'Yes, let a person look at it');
    await heading(alone, 'Received, thank you');
  });

  it('the page for old browsers is in the language of its user, with its plural forms and direction', async () => {
    const { url } = await stage.link({ steps: [CONSENT] });
    const page = await old('ar');
    await page.goto(url);
    await page.locator('h1').waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dir), 'rtl');
    const modern = await stage.page({ locale: 'ar' });
    await modern.goto((await stage.link({ steps: [CONSENT] })).url);
    await modern.locator('.button.primary').click();
    await modern.locator('.list strong').nth(1).waitFor();
    const textOf = (each: Page) => each.locator('.list').innerText();
    assert.equal((await textOf(page)).replace(/\s+/g, ' '), (await textOf(modern)).replace(/\s+/g, ' '));
  });

  it('a used link says so, and no page broke its policy or threw', async () => {
    const { url } = await stage.link({ steps: [CONSENT] });
    for (const title of ['Your data, your decision', 'This link cannot be used any more']) {
      const page = await old();
      await page.goto(url);
      await heading(page, title);
    }
    assert.deepEqual(stage.complaints, []);
  });
});
