import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { type TOTP, URI } from 'otpauth';
import type { Page } from 'playwright-core';
import { HOUR } from '../../server/src/kernel/clock.ts';
import { testPlaces } from '../../server/test/harness.ts';
import { begin, fill, heading, press } from './acts.ts';
import { keepScreens } from './keep-screens.ts';
import { openStage, type Stage } from './stage.ts';
import { CAPTURE, CONSENT, DOCUMENT, FORM } from './steps.ts';

/** Situations in which people used to get stuck: each test walks through one of them. */
describe('a journey has no traps', () => {
  const places = testPlaces();
  const PHONE = {
    viewport: { width: 390, height: 664 },
    hasTouch: true,
    isMobile: true,
    screen: { width: 390, height: 844 },
  };
  let stage: Stage;
  let token: string;
  before(async () => {
    stage = await openStage(places);
    token = await stage.app.token(stage.testKey);
    await post('/identity-store/stores', { name: 'people' });
    await post('/identity-store/stores/people/totpPolicy', { name: 'app', issuer: 'Example' });
    await post('/process-manager/settings', { redirectOrigins: ['http://localhost:9'] });
  });
  afterEach(() => stage.clear());
  after(() => stage.close());
  const post = async (path: string, body: object) => {
    const answer = await stage.app.call(`/api${path}`, { method: 'POST', token, body: JSON.stringify(body) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const ADD = { id: 'add', type: 'addUser', store: 'people' };
  const MAKE = { id: 'make', type: 'totpRegistration', store: 'people', policy: 'app' };
  const secretOf = async (page: Page) => (await page.locator('code.secret').textContent()) ?? '';
  const type = async (page: Page, code: string) => {
    await page.getByLabel('Code of 6 digits').fill(code);
    await press(page, 'Continue');
  };
  const codeFor = (secret: string) => {
    const app = URI.parse(`otpauth://totp/Example:x?secret=${secret}&issuer=Example`) as TOTP;
    return app.generate({ timestamp: stage.app.clock.now() });
  };
  const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  const sample = (page: Page) => press(page, 'Use a sample passport');

  it('a wrong code and a reload keep the secret; a new one is shown on request; a phone has a link and a copy', async () => {
    const { url } = await stage.link({ steps: [ADD, MAKE], parameters: { userExtId: 'ada' } });
    const page = await stage.page({ ...PHONE, permissions: ['clipboard-read', 'clipboard-write'] });
    await begin(page, url);
    await heading(page, 'Set up your authenticator app');
    await page.locator('code.secret').waitFor();
    const secret = await secretOf(page);
    const link = page.getByRole('link', { name: 'Open my authenticator app' });
    assert.match((await link.getAttribute('href')) ?? '', new RegExp(`^otpauth://totp/.*secret=${secret}`));
    await press(page, 'Copy the key');
    await page.getByRole('button', { name: 'Key copied' }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secret);
    await keepScreens(page, 'totp-make');
    await type(page, otherThan(codeFor(secret)));
    await page.getByText('That code was not right').waitFor();
    await page.getByText('You have 2 tries left').waitFor();
    await page.locator('code.secret').waitFor();
    assert.equal(await secretOf(page), secret);
    await page.reload();
    await page.locator('code.secret').waitFor();
    assert.equal(await secretOf(page), secret);
    await press(page, 'Show a new key');
    await page.getByText('This is a new key').waitFor();
    const another = await secretOf(page);
    assert.notEqual(another, secret);
    await type(page, codeFor(another));
    await heading(page, 'All done, thank you');
  });

  it('the secret of a registration that somebody else started is never shown in a journey', async () => {
    const user = await post('/identity-store/stores/people/users', { extId: 'grace' });
    const began = await post(`/identity-store/stores/people/users/${user.id}/totps/registrations/app`, {});
    const { url } = await stage.link({ steps: [ADD, MAKE], parameters: { userExtId: 'grace' } });
    const page = await stage.page();
    await begin(page, url);
    await page.locator('code.secret').waitFor();
    assert.notEqual(await secretOf(page), began.secret);
  });

  it('a wrongly chosen country leads to a question, not to a refusal, and costs no attempt', async () => {
    const { url, processInstanceId } = await stage.link({ steps: [DOCUMENT] });
    const page = await stage.page(PHONE);
    // The sample is a document of France, whatever was chosen.
    await page.route(/\/images\/front$/, (route) => {
      const postData = JSON.stringify({ documentType: 'PASSPORT', countryCode: 'FRA', person: 'sample' });
      return route.continue({ postData });
    });
    await begin(page, url);
    assert.equal(await page.getByLabel('Country that issued it').inputValue(), 'GBR');
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    await sample(page);
    await heading(page, 'This looks like a document of another country');
    await page.getByText('We recognised: France. You chose: United Kingdom.').waitFor();
    await keepScreens(page, 'country-question');
    const tries = await page.evaluate(async (id) => {
      const { step } = (await (await fetch(`/api/journey/${id}`)).json()) as { step: { triesLeft: number } };
      return step.triesLeft;
    }, processInstanceId);
    assert.equal(tries, 3);
    await press(page, 'Switch to France');
    await heading(page, 'All done, thank you');
  });

  it('an end user who insists on the other country gets a review, and a tenant’s own list still refuses', async () => {
    const other = JSON.stringify({ documentType: 'PASSPORT', countryCode: 'FRA', person: 'sample' });
    const walk = async (step: object) => {
      const { url } = await stage.link({ steps: [step] });
      const page = await stage.page();
      await page.route(/\/images\/front$/, (route) => route.continue({ postData: other }));
      await begin(page, url);
      await page.getByLabel('Passport').check();
      await press(page, 'Continue');
      await sample(page);
      return page;
    };
    const insists = await walk(DOCUMENT);
    await press(insists, 'Keep United Kingdom');
    await heading(insists, 'Received, thank you');
    const refused = await walk({ ...DOCUMENT, countries: ['GBR', 'DEU'] });
    await refused.getByText('Documents of this country are not accepted here').waitFor();
    await keepScreens(refused, 'country-refused');
  });

  it('the same link continues in the same browser; another browser is told what to do', async () => {
    const { url } = await stage.link({ steps: [CONSENT, FORM] });
    const context = await stage.context();
    const page = await context.newPage();
    let sessions = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/api/journey/sessions')) sessions += 1;
    });
    await begin(page, url);
    assert.equal(sessions, 1, 'the code of a link is spent once');
    await press(page, 'I agree');
    await heading(page, 'About you');
    const again = await context.newPage();
    await again.goto(url);
    await heading(again, 'About you');
    assert.doesNotMatch(again.url(), /[#&?]c=/);
    const elsewhere = await stage.page();
    await elsewhere.goto(url);
    await heading(elsewhere, 'This link cannot be used any more');
    await elsewhere.getByText(/^Please ask .+ for a new link\.$/).waitFor();
    assert.notEqual(await elsewhere.locator('.brand').innerText(), '');
  });

  it('a public link asks in the same browser whether to go on or to start over; a finished one starts anew', async () => {
    const { tokenId } = await stage.link({ steps: [CONSENT, FORM] });
    const link = `${new URL((await stage.link({ steps: [CONSENT] })).url).origin}/web/?pt=${tokenId}`;
    const context = await stage.context();
    const page = await context.newPage();
    await begin(page, link);
    await press(page, 'I agree');
    await heading(page, 'About you');
    const first = new URL(page.url()).searchParams.get('pi');
    await page.goto(link);
    await heading(page, 'Welcome back');
    await keepScreens(page, 'welcome-back');
    await press(page, 'Continue');
    await heading(page, 'About you');
    assert.equal(new URL(page.url()).searchParams.get('pi'), first);
    await page.goto(link);
    await press(page, 'Start over');
    await heading(page, 'Let’s verify your identity');
    assert.notEqual(new URL(page.url()).searchParams.get('pi'), first);
  });

  it('the back button moves inside the journey, from check to camera to choice to the start, and only then out', async () => {
    const { url } = await stage.link({ steps: [CONSENT, DOCUMENT] });
    const page = await stage.page();
    const before = `${new URL(url).origin}/web/accessibility`;
    await page.goto(before);
    await begin(page, url);
    await press(page, 'I agree');
    await heading(page, 'Which document would you like to use?');
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    await heading(page, 'The photo page of your passport');
    await press(page, 'Open the camera');
    await page.locator('[data-camera-fault], .stage').first().waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Open the camera' }).waitFor();
    await page.goBack();
    await heading(page, 'Which document would you like to use?');
    await page.goBack();
    await heading(page, 'What would you like to change?');
    await keepScreens(page, 'what-to-change');
    await press(page, 'Change nothing');
    await heading(page, 'Which document would you like to use?');
    await press(page, 'Back');
    await heading(page, 'What would you like to change?');
    await press(page, 'Your consent');
    await heading(page, 'Your data, your decision');
    await page.goBack();
    await heading(page, 'Let’s verify your identity');
    await page.goBack();
    await page.waitForURL(before);
  });

  it('two presses of the back button at once are two steps back', async () => {
    const { url } = await stage.link({ steps: [CONSENT, DOCUMENT] });
    const page = await stage.page();
    await begin(page, url);
    await press(page, 'I agree');
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    await press(page, 'Open the camera');
    await page.locator('[data-camera-fault], .stage').first().waitFor();
    await page.evaluate(async () => {
      for (let presses = 0; presses < 2; presses++) {
        const arrived = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }));
        history.back();
        await arrived;
      }
    });
    await heading(page, 'Which document would you like to use?');
  });

  it('every screen of capture offers another document, a person and a way back; a form and a document can be corrected', async () => {
    const { url, processInstanceId } = await stage.link({ steps: [FORM, ...CAPTURE] });
    const page = await stage.page();
    await begin(page, url);
    await fill(page);
    await press(page, 'Continue');
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    for (const name of ['Choose another document', 'I can’t do this', 'Back']) {
      await page.getByRole('button', { name, exact: true }).waitFor();
    }
    await sample(page);
    await heading(page, 'Take a selfie');
    await press(page, 'Back');
    await page.getByRole('button', { name: 'Your document' }).click();
    await heading(page, 'Your photos are still here');
    await keepScreens(page, 'photos-are-here');
    await press(page, 'Use these photos');
    await heading(page, 'Take a selfie');
    await press(page, 'Back');
    await page.getByRole('button', { name: 'About you' }).click();
    await heading(page, 'About you');
    assert.equal(await page.getByLabel('First name').inputValue(), 'Ada');
    await page.getByLabel('First name').fill('Grace');
    await press(page, 'Continue');
    await heading(page, 'Take a selfie');
    await press(page, 'Use a sample selfie');
    await heading(page, 'All done, thank you');
    const events = await stage.app.call(`/api/process-manager/processInstances/${processInstanceId}/events?size=100`, {
      token,
    });
    const reopened = JSON.stringify(events.body).match(/instance\.stepReopened/g);
    assert.equal(reopened?.length, 2);
  });

  it('an end user who leaves a step to a person reads so at the next one', async () => {
    const { url } = await stage.link({ steps: CAPTURE });
    const page = await stage.page(PHONE);
    await begin(page, url);
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    await press(page, 'I can’t do this');
    await press(page, 'Yes, let a person look at it');
    await heading(page, 'Take a selfie');
    await page.getByText('will look at the step you left out').waitFor();
    await keepScreens(page, 'a-person-will-look');
    await page.reload();
    await page.getByText('will look at the step you left out').waitFor();
  });

  it('an expired document is told at once, and another one can be taken', async () => {
    const { url } = await stage.link({ steps: CAPTURE, parameters: { _scenario: 'document-expired' } });
    const page = await stage.page(PHONE);
    await begin(page, url);
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    await sample(page);
    await page.getByText('The document has expired').waitFor();
    await page.getByRole('button', { name: 'Choose another document' }).waitFor();
  });

  it('an end user whose step is requested again reads the reason in their language, and the reviewer’s message', async () => {
    const { url, processInstanceId } = await stage.link({
      steps: CAPTURE,
      parameters: { _scenario: 'face-uncertain' },
    });
    const page = await stage.page({ locale: 'de-DE', ...PHONE });
    await page.goto(url);
    await press(page, 'Beginnen');
    await page.getByLabel('Reisepass').check();
    await press(page, 'Weiter');
    await press(page, 'Muster-Reisepass verwenden');
    await press(page, 'Muster-Selfie verwenden');
    await heading(page, 'Angekommen, vielen Dank');
    const { redirectUrl } = await post(`/process-manager/reviews/${processInstanceId}/askAgain`, {
      comment: 'too dark',
      steps: ['selfie'],
      reason: 'faceUnclear',
      message: { en: 'Please take off your hat.', de: 'Bitte nehmen Sie den Hut ab.' },
    });
    await page.goto(redirectUrl);
    await page.getByText('Ihr Gesicht war nicht gut zu erkennen').waitFor();
    await page.getByText('Bitte nehmen Sie den Hut ab.').waitFor();
    await keepScreens(page, 'asked-again');
  });

  it('the main button of every screen is in sight on a short phone, and covers nothing that has the focus', async () => {
    const { url } = await stage.link({ steps: [CONSENT, ...CAPTURE] });
    const page = await stage.page(PHONE);
    const inSight = async (name: string) => {
      const box = await page.getByRole('button', { name, exact: true }).boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= 664, `${name}: ${JSON.stringify(box)}`);
    };
    await page.goto(url);
    await heading(page, 'Let’s verify your identity');
    await inSight('Start');
    await keepScreens(page, 'short-start');
    await press(page, 'Start');
    await heading(page, 'Your data, your decision');
    // Both answers to a consent are equally near.
    const agree = page.getByRole('button', { name: 'I agree', exact: true });
    assert.notEqual(await agree.evaluate((element) => getComputedStyle(element).position), 'sticky');
    await keepScreens(page, 'short-consent');
    await press(page, 'I agree');
    await heading(page, 'Which document would you like to use?');
    await inSight('Continue');
    await keepScreens(page, 'short-choice');
    const last = page.getByRole('radio').last();
    await last.focus();
    const [field, button] = [
      await page.locator('.choice').last().boundingBox(),
      await page.getByRole('button', { name: 'Continue' }).boundingBox(),
    ];
    assert.ok(field && button && field.y < button.y, 'what has the focus can be seen');
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    await heading(page, 'The photo page of your passport');
    await inSight('Open the camera');
    await keepScreens(page, 'short-primer');
    await sample(page);
    await heading(page, 'Take a selfie');
    await inSight('Open the camera');
    await keepScreens(page, 'short-selfie');
  });

  it('in the sandbox a panel chooses the outcome, the address can, too, and a live journey has neither', async () => {
    const active = { id: 'selfie', type: 'face', liveness: 'active' };
    const { url, tokenId } = await stage.link({ steps: [DOCUMENT, active, CAPTURE[2] as object] });
    const page = await stage.page(PHONE);
    await begin(page, url);
    await page.getByText('Sandbox: nothing here is a real verification.').click();
    await page.getByText('A selfie with an active challenge').waitFor();
    await page.getByLabel('Outcome of this journey').selectOption('document-expired');
    await page.getByText('Chosen for the checks to come').waitFor();
    await keepScreens(page, 'sandbox-panel');
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    await sample(page);
    await page.getByText('The document has expired').waitFor();
    const other = await stage.page(PHONE);
    await begin(other, `${new URL(url).origin}/web/?pt=${tokenId}&simulate=document-unreadable`);
    await other.getByLabel('Passport').check();
    await press(other, 'Continue');
    await sample(other);
    await other.getByText('Some lines could not be read').waitFor();
    const live = await stage.app.call('/api/process-manager/processTokens', {
      method: 'POST',
      body: JSON.stringify({ name: 'live', processDefnName: 'document-and-selfie' }),
    });
    const real = await stage.page(PHONE);
    const asked: string[] = [];
    real.on('request', (request) => asked.push(request.url()));
    await begin(real, `${new URL(url).origin}/web/?pt=${live.body.id}&simulate=passed`);
    await press(real, 'I agree');
    assert.equal(await real.locator('.sandbox').count(), 0);
    assert.deepEqual(
      asked.filter((each) => each.includes('simulation')),
      [],
    );
  });

  it('a link that does not work says why, name the company, and lead back to it', async () => {
    const { tokenId, url } = await stage.link({
      steps: [CONSENT],
      parameters: { _redirectUrl: 'http://localhost:9/done' },
    });
    const { origin } = new URL(url);
    const page = await stage.page(PHONE);
    const open = (pt: string) => page.goto(`${origin}/web/?pt=${pt}`);
    await open('01ARZ3NDEKTSV4RRFFQ69G5FAV');
    await heading(page, 'We don’t know this link');
    await keepScreens(page, 'link-unknown');
    const once = await post('/process-manager/processTokens', {
      name: 'once',
      processDefnName: 'journey-1',
      type: 'MULTI_USE_COUNT_LIMITED',
      maxCount: 1,
      notAfterDtm: new Date(stage.app.clock.now() + HOUR).toISOString(),
    });
    await page.goto(`${origin}/web/?pt=${once.id}`);
    await heading(page, 'Let’s verify your identity');
    const other = await stage.page(PHONE);
    await other.goto(`${origin}/web/?pt=${once.id}`);
    await heading(other, 'This link has been used up');
    stage.app.clock.advance(2 * HOUR);
    await other.goto(`${origin}/web/?pt=${once.id}&again=1`);
    await heading(other, /This link has (expired|been used up)/);
    await stage.app.call(`/api/process-manager/processTokens/${tokenId}`, {
      method: 'POST',
      token: await stage.app.token(stage.testKey),
      body: JSON.stringify({ status: 'INACTIVE' }),
    });
    await other.goto(`${origin}/web/?pt=${tokenId}`);
    await heading(other, 'This link has expired');
    assert.equal(await other.getByRole('link', { name: /^Go to / }).getAttribute('href'), 'http://localhost:9');
    await keepScreens(other, 'link-expired');
    assert.deepEqual(stage.complaints, []);
  });
});
