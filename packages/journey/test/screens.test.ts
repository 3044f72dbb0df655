import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { IS_LONG } from '../../../scripts/long.ts';
import { testPlaces } from '../../server/test/harness.ts';
import { axeFaults } from './axe.ts';
import { keepScreens } from './keep-screens.ts';
import { openStage, type Stage } from './stage.ts';
import { CONSENT, DOCUMENT, FORM, SWITCH } from './steps.ts';

/**
 * Checks every screen with axe at the smallest width. Screens that hold each kind of element are checked in the dark
 * and from right to left as well; `npm run test:long` does so with all.
 */
const WHOLE = ['consent', 'faults of a form', 'the code', 'a photograph to be checked', 'a link that cannot be used'];
const NARROW = { width: 320, height: 640 };
const MIN_TARGET = 44;
/** Messages are offered, but none is sent. */
const MESSAGES = {
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'no-reply@example.org',
  SMS_URL: 'https://sms.example.com',
};
const PHOTO = await sharp({ create: { width: 900, height: 600, channels: 3, background: '#c8c0b0' } })
  .jpeg()
  .toBuffer();

/** Controls that are smaller than a finger; links inside of sentences are as high as their line. */
const smallTargets = (page: Page) =>
  page.evaluate((min) => {
    const all = document.querySelectorAll<HTMLElement>('button, select, input, textarea, .foot a, a.button');
    return [...all]
      .map((each) => each.closest<HTMLElement>('label.choice') ?? each)
      .filter((each) => each.offsetParent !== null && each.getBoundingClientRect().height < min)
      .map((each) => each.outerHTML.slice(0, 120));
  }, MIN_TARGET);

/** Elements that overflow at 320 pixels, or clip their text. */
const sticksOut = (page: Page) =>
  page.evaluate(() => {
    const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
    const clipped = [...document.querySelectorAll<HTMLElement>('main *, header *')].filter(
      (each) =>
        !each.closest('.hidden, svg, select, .banner, iframe') &&
        each.scrollWidth > each.clientWidth + 1 &&
        getComputedStyle(each).display !== 'inline' &&
        each.clientWidth > 0 &&
        each.tagName !== 'INPUT',
    );
    return [...(wide ? ['the page scrolls sideways'] : []), ...clipped.map((each) => each.outerHTML.slice(0, 120))];
  });

/** Elements with an animation, whether or not it runs now. */
const moving = (page: Page) =>
  page.evaluate(() =>
    document.getAnimations().map((each) => {
      const { target } = each.effect as KeyframeEffect;
      return target?.outerHTML.slice(0, 120) ?? '';
    }),
  );

describe('every screen', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places, MESSAGES);
  });
  afterEach(() => stage.clear());
  after(() => stage.close());

  const look = async (page: Page, name: string) => {
    await page.locator('h1').waitFor();
    assert.deepEqual(await axeFaults(page, { bestPractice: true }), [], `${name}, light`);
    assert.deepEqual(await smallTargets(page), [], `${name}: small targets`);
    assert.deepEqual(await sticksOut(page), [], `${name} at 320 pixels`);
    assert.deepEqual(await moving(page), [], `${name} moves for who wants no motion`);
    if (!IS_LONG && !WHOLE.includes(name)) return keepScreens(page, name);
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.deepEqual(await axeFaults(page, { colours: 'only' }), [], `${name}, dark`);
    await page.emulateMedia({ colorScheme: 'light' });
    await keepScreens(page, name);
    const language = page.locator('.language select');
    const before = await page.locator('h1').innerText();
    await language.selectOption('ar');
    await page.waitForFunction(() => document.documentElement.dir === 'rtl');
    assert.deepEqual(await axeFaults(page, { bestPractice: true, colours: 'without' }), [], `${name}, Arabic`);
    assert.deepEqual(await sticksOut(page), [], `${name} in Arabic at 320 pixels`);
    await keepScreens(page, `${name} ar`);
    await language.selectOption('en');
    await page.waitForFunction(() => document.documentElement.dir === 'ltr');
    assert.equal(await page.locator('h1').innerText(), before, `${name}: another screen after the language changed`);
  };
  const open = async (steps: object[], search = '') => {
    const { url } = await stage.link({ steps });
    const page = await stage.page({ viewport: NARROW });
    await page.goto(`${url}${search}`);
    await page.locator('h1').waitFor();
    return page;
  };
  const press = (page: Page, selector: string) => page.locator(selector).click();
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  it('axe and narrow screens: start, consent, declining, form, its faults, unable, received', async () => {
    const page = await open([CONSENT, FORM]);
    await look(page, 'start');
    await press(page, '.button.primary');
    await heading(page, 'Your data, your decision');
    await look(page, 'consent');
    await page.getByRole('button', { name: 'I do not agree' }).click();
    await look(page, 'declining');
    await press(page, '.button.primary');
    await page.getByRole('button', { name: 'I agree' }).click();
    await heading(page, 'About you');
    await look(page, 'form');
    await press(page, '.button.primary');
    await page.locator('.summary').waitFor();
    await look(page, 'faults of a form');
    await page.getByRole('button', { name: 'I can’t do this' }).click();
    await look(page, 'unable');
    await press(page, '.button.primary');
    await heading(page, 'Received, thank you');
    await look(page, 'received');
  });

  it('axe and narrow screens: switching devices, the code, the phone, following along, passed, back to the first', async () => {
    const page = await open([SWITCH]);
    await press(page, '.button.primary');
    await heading(page, 'Your phone may be easier');
    await look(page, 'switching devices');
    const answer = page.waitForResponse(/\/handoffs$/);
    await press(page, '.button.primary');
    const { url, number } = (await (await answer).json()) as { url: string; number: number };
    await page.locator('.qr').waitFor();
    await look(page, 'the code');
    await page.getByRole('button', { name: 'Send me the link by text message' }).click();
    await press(page, 'form .button.primary');
    await page.getByText('Please enter a phone number').waitFor();
    await look(page, 'a number to send the link to');
    const phone = await stage.page({ viewport: NARROW });
    await phone.goto(url);
    await look(phone, 'the phone');
    await phone.getByRole('button', { name: String(number) }).click();
    await heading(phone, 'Return to your other device');
    await look(phone, 'back to the first');
    await heading(page, 'All done, thank you');
    await look(page, 'passed');
  });

  it('axe and narrow screens: choosing a document, and what is missing', async () => {
    const page = await open([DOCUMENT]);
    await press(page, '.button.primary');
    await heading(page, 'Which document would you like to use?');
    await page.getByLabel('Country that issued it').selectOption('');
    await press(page, 'form .button.primary');
    await page.getByText('Please choose the country.').waitFor();
    await look(page, 'choosing a document');
  });

  it('axe and narrow screens: a photograph to be checked, one that is not good enough, and one that is used anyway', async () => {
    const { url, definitionId, processInstanceId, token } = await stage.link({
      steps: [{ ...DOCUMENT, sides: 'front' }],
      parameters: { _scenario: 'document-blurred', documentType: 'PASSPORT', countryCode: 'UTO' },
    });
    const page = await stage.page({ viewport: NARROW });
    await page.goto(url);
    await press(page, '.button.primary');
    const send = async () => {
      await heading(page, 'The photo page of your passport');
      await page.locator('input[type=file]').setInputFiles({ name: 'card', mimeType: 'image/jpeg', buffer: PHOTO });
      await heading(page, 'Is every line readable?');
      await page.locator('.shot img').waitFor();
    };
    await send();
    await look(page, 'a photograph to be checked');
    await press(page, '.button.primary');
    await page.getByText('The photo was blurred').waitFor();
    await look(page, 'what was wrong with it');
    await send();
    await press(page, '.button.primary');
    await heading(page, 'The photo was blurred');
    await page.reload();
    await page.locator('.shot img').waitFor();
    await look(page, 'a photograph that is not good enough');
    await page.getByRole('button', { name: 'Use it anyway' }).click();
    await heading(page, 'Received, thank you');
    const place = `processDefinitions/${definitionId}/processInstances/${processInstanceId}`;
    const { body } = await stage.app.call(`/api/userdata-server/${place}/userdata/checks`, { token });
    const quality = body.find(({ name }: { name: string }) => name === 'documentQuality');
    assert.deepEqual([quality.status, quality.reason, quality.attempts], ['REVIEW', 'blurred', 3]);
    const { anyway, client } = quality.metaData;
    assert.deepEqual([anyway, client], ['chosen', ['from_file']]);
  });

  it('axe and narrow screens: a link that opens nothing, and the statement', async () => {
    const page = await open([CONSENT], '&lang=en');
    const { origin } = new URL(page.url());
    await page.goto(`${origin}/web/?pi=x#c=acme.nothing`);
    await look(page, 'a link that cannot be used');
    await page.goto(`${origin}/web/accessibility`);
    await look(page, 'the statement');
  });

  /** Shows a step as the server would, for steps that a test cannot reach. */
  const pretend = async (
    change: (journey: { step?: object; waitingFor?: string }) => object,
    prepare: (page: Page) => Promise<unknown> = async () => undefined,
  ) => {
    const page = await stage.page({ viewport: NARROW });
    await prepare(page);
    const { url } = await stage.link({ steps: [FORM] });
    await page.route(/\/api\/journey\/(sessions|[0-9A-Z]{26}(\?theme=true)?)$/, async (route) => {
      const request = route.request();
      const { host } = new URL(request.url());
      // Browsers know the name of the tenant's host, but this machine does not.
      const response = await route.fetch({
        url: request.url().replace(/\/\/[^:/]+/, '//127.0.0.1'),
        headers: { ...(await request.allHeaders()), host },
      });
      const json = await response.json();
      await route.fulfill({ response, json: json.journey ? { ...json, journey: change(json.journey) } : change(json) });
    });
    await page.goto(url);
    return page;
  };
  const step = (type: string) => ({ id: type, type, attempt: 1, maxAttempts: 3, images: [], settings: {} });
  /** The server's data for such a step. */
  const begun = (page: Page, settings: object) =>
    page.route(/\/begin$/, (route) => route.fulfill({ json: { begun: true, settings } }));

  it('axe and narrow screens: passkeys and one-time codes', async () => {
    const key = await pretend((journey) => ({ ...journey, step: step('passkeyRegistration') }));
    await begun(key, { publicKey: { challenge: 'AAAA', rpId: 'localhost' }, expiringDtm: '2100-01-01T00:00:00.000Z' });
    await press(key, '.button.primary');
    await heading(key, 'Create your passkey');
    await look(key, 'passkey');
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    const totp = await pretend((journey) => ({ ...journey, step: step('totpRegistration') }));
    await begun(totp, { uri: `otpauth://totp/acme:ada?secret=${secret}&issuer=acme`, secret });
    await press(totp, '.button.primary');
    await heading(totp, 'Set up your authenticator app');
    await totp.getByText(secret).waitFor();
    await press(totp, 'form .button.primary');
    await totp.getByText('That code was not right').waitFor();
    await look(totp, 'one-time code');
  });

  it('the page warns in good time before a step expires', async () => {
    const soon = new Date(Date.now() + 100_000).toISOString();
    const page = await pretend((journey) => ({ ...journey, step: { ...journey.step, expiringDtm: soon } }));
    await page.getByText('There is 1 minute left for this step').waitFor();
    await look(page, 'time left');
  });

  it('a waiting page says that nobody has to stay and offers a mail; a pause has its own page', async () => {
    const page = await pretend(
      ({ step: _, ...journey }) => ({ ...journey, waitingFor: 'check' }),
      (page) => page.clock.install(),
    );
    await heading(page, 'We’re checking your details');
    const offer = page.getByRole('button', { name: 'Tell me by e-mail when there is a decision' });
    assert.equal(await offer.count(), 0, 'not before it takes long');
    await look(page, 'waiting');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    assert.notDeepEqual(await moving(page), [], 'for everybody else it moves');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.clock.fastForward(60_000);
    await page.getByText('You may close this page').waitFor();
    assert.equal(await page.getByText('Checking …').count(), 0, 'nothing turns for ever');
    await offer.click();
    await look(page, 'an address to be told at');
    await page.getByLabel('Your e-mail address').fill('ada@example.com');
    await press(page, 'form .button.primary');
    await page.getByText(/We will write to .*a…@example.com/).waitFor();
    const paused = await pretend(({ step: _, ...journey }) => ({ ...journey, waitingFor: 'resume' }));
    await heading(paused, 'A short break');
    await look(paused, 'a pause');
  });

  it('texts that are forty per cent longer fit on 320 pixels', async () => {
    const page = await open([CONSENT, FORM], '&lang=xx');
    assert.deepEqual(await sticksOut(page), [], 'start');
    await press(page, '.button.primary');
    await page.locator('.list').waitFor();
    assert.deepEqual(await sticksOut(page), [], 'consent');
    await press(page, '.actions .button.primary');
    await page.locator('form').waitFor();
    await press(page, 'form .button.primary');
    await page.locator('.summary').waitFor();
    assert.deepEqual(await sticksOut(page), [], 'form');
    const email = `ada@${'abcdefgh'.repeat(7)}.example.com`;
    const { url } = await stage.link({ steps: [SWITCH], parameters: { email } });
    await page.goto(`${url}&lang=xx`);
    await press(page, '.button.primary');
    await press(page, '.actions .button.primary');
    await page.locator('.qr').waitFor();
    await page.locator('.actions .button').nth(3).waitFor();
    assert.deepEqual(await sticksOut(page), [], 'the code');
    await press(page, '.actions .button >> nth=0');
    await page.locator('.actions .panel').waitFor();
    assert.deepEqual(await sticksOut(page), [], 'an address to send the link to');
    const device = await open([SWITCH], '&lang=xx');
    await press(device, '.button.primary');
    await device.locator('.view .button.quiet, .view .button:not(.primary)').first().waitFor();
    assert.deepEqual(await sticksOut(device), [], 'switching devices');
    await press(device, '.view .button.primary');
    await device.locator('.qr').waitFor();
    assert.deepEqual(await sticksOut(device), [], 'the code');
    const choice = await open([DOCUMENT], '&lang=xx');
    await press(choice, '.button.primary');
    await choice.locator('form').waitFor();
    assert.deepEqual(await sticksOut(choice), [], 'choosing a document');
    const { origin } = new URL(choice.url());
    for (const name of ['accessibility', 'camera-check']) {
      await choice.goto(`${origin}/web/${name}?lang=xx`);
      await choice.locator('h1').waitFor();
      assert.deepEqual(await sticksOut(choice), [], name);
    }
  });

  it('no page asked for anything elsewhere, broke its policy or threw', () => {
    assert.deepEqual(stage.complaints, []);
  });
});
