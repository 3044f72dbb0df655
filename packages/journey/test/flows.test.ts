import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { HOUR, MINUTE } from '../../server/src/kernel/clock.ts';
import { testPlaces } from '../../server/test/harness.ts';
import { onePage, TWO_HALVES } from '../../server/test/pdfs.ts';
import { begin, fill, heading, press } from './acts.ts';
import { openStage, type Stage, type Started } from './stage.ts';
import { CAPTURE, CONSENT, DOCUMENT, FORM } from './steps.ts';

describe('a journey in a browser', () => {
  const places = testPlaces();
  let stage: Stage;
  afterEach(() => stage.clear());
  after(() => stage.close());
  before(async () => {
    stage = await openStage(places);
    const body = JSON.stringify({ redirectOrigins: ['http://localhost:9', 'shopapp:'] });
    await stage.app.call('/api/process-manager/settings', { method: 'POST', body });
  });
  const dataOf = async ({ definitionId, processInstanceId, token }: Started) => {
    const place = `processDefinitions/${definitionId}/processInstances/${processInstanceId}`;
    return (await stage.app.call(`/api/userdata-server/${place}/userdata`, { token })).body;
  };

  it('the code leaves the address; reload, back and a second tab show the step that is waited for', async () => {
    const { url } = await stage.link({ steps: [CONSENT, FORM] });
    const context = await stage.context();
    const page = await context.newPage();
    await begin(page, url);
    assert.match(page.url(), /\/web\/\?pi=[0-9A-Z]{26}$/);
    await heading(page, 'Your data, your decision');
    await page.getByText('Step 1 of 2').waitFor();
    await press(page, 'I agree');
    await heading(page, 'About you');
    await page.getByText('Step 2 of 2').waitFor();
    await page.reload();
    await heading(page, 'About you');
    await page.goto('about:blank');
    await page.goBack();
    await heading(page, 'About you');
    const second = await context.newPage();
    await second.goto(page.url());
    await heading(second, 'About you');
    await fill(second);
    await press(second, 'Continue');
    await heading(second, 'All done, thank you');
    await heading(page, 'All done, thank you');
  });

  it('a whole verification with sample images, from consent to the result', async () => {
    const { url } = await stage.link({ steps: [CONSENT, ...CAPTURE] });
    const page = await stage.page();
    const large: string[] = [];
    page.on('request', (request) => large.push(...(/facemesh\.bin$/.exec(request.url()) ?? [])));
    await begin(page, url);
    await press(page, 'I agree');
    assert.deepEqual(large, [], 'what is large is not fetched before it is near');
    const fetched = page.waitForRequest(/facemesh\.bin$/);
    await page.getByLabel('Passport').check();
    await press(page, 'Continue');
    await fetched;
    await press(page, 'Use a sample passport');
    await press(page, 'Use a sample selfie');
    await heading(page, 'All done, thank you');
  });

  it('a declined end user reads the same words whatever the findings, what to do next, and a reference', async () => {
    const told = [];
    for (const _scenario of ['applicant-mismatch', 'face-mismatch']) {
      const parameters = { _scenario, lastName: 'Eriksson', documentType: 'PASSPORT', countryCode: 'UTO' };
      const { url, processInstanceId } = await stage.link({ steps: CAPTURE, parameters });
      const page = await stage.page();
      await begin(page, url);
      await press(page, 'Use a sample passport');
      await press(page, 'Use a sample selfie');
      await heading(page, 'That was not possible');
      const { body } = await page.evaluate(async (id) => {
        const answer = await fetch(`/api/journey/${id}`);
        return { body: (await answer.json()) as { result: object } };
      }, processInstanceId);
      const words = await page.locator('main').innerText();
      assert.ok(words.includes(`Reference: ${processInstanceId}`) && words.includes('can tell you what to do next'));
      told.push({ words: words.replaceAll(processInstanceId, ''), result: body.result });
    }
    assert.deepEqual(told[0], told[1]);
    assert.deepEqual(told[0]?.result, { outcome: 'notPossible' });
  });

  it('a PDF is shown as the server’s picture of it before it is used, and an invalid one is explained', async () => {
    const { url } = await stage.link({
      steps: [{ ...DOCUMENT, sides: 'front' }],
      parameters: { documentType: 'PASSPORT', countryCode: 'UTO' },
    });
    const page = await stage.page();
    await begin(page, url);
    const choose = (buffer: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name: 'scan.pdf', mimeType: 'application/pdf', buffer });
    await heading(page, 'The photo page of your passport');
    await choose(Buffer.from('%PDF-1.7 and nothing else'));
    await heading(page, 'This PDF cannot be used');
    await press(page, 'Choose another way');
    await choose(onePage(TWO_HALVES));
    await heading(page, 'Is every line readable?');
    const shown = page.locator('.shot img');
    await shown.waitFor();
    assert.ok(
      (await shown.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalHeight))) > 800,
    );
    await press(page, 'Use this photo');
    await heading(page, 'All done, thank you');
  });

  it('a link that was used, one that is wrong and none at all say what to do', async () => {
    const { url } = await stage.link({ steps: [CONSENT] });
    await begin(await stage.page(), url);
    const page = await stage.page();
    await page.goto(url);
    await heading(page, 'This link cannot be used any more');
    assert.match(await page.locator('.reference').innerText(), /Reference: \S{8,}/);
    const { origin } = new URL(url);
    await page.goto(`${origin}/web/?pt=nothing`);
    await heading(page, 'We don’t know this link');
    await page.goto(`${origin}/web/`);
    await heading(page, 'There is nothing to show here');
    await page.goto(`${origin}/web/?pi=01K9ZZZZZZZZZZZZZZZZZZZZZZ`);
    await heading(page, 'Please open your link again');
  });

  it('a process token opens a journey of its own; the start page lists what is needed, and the next page is loaded meanwhile', async () => {
    const { url, tokenId } = await stage.link({ steps: [CONSENT, ...CAPTURE] });
    const page = await stage.page();
    const fetched = page.waitForRequest(/\/assets\/document-[^/]+\.js$/);
    await page.goto(`${new URL(url).origin}/web/?pt=${tokenId}`);
    await heading(page, 'Let’s verify your identity');
    for (const need of ['Your identity document', 'Your face', 'Good light', /^About 2 minutes/]) {
      await page.locator('.list strong', { hasText: need }).waitFor();
    }
    await fetched;
    assert.match(page.url(), /\?pi=[0-9A-Z]{26}$/);
  });

  it('a consent is stored with its version, its texts and its language', async () => {
    const started = await stage.link({ steps: [CONSENT] });
    const page = await stage.page({ locale: 'de-DE' });
    await page.goto(started.url);
    await press(page, 'Beginnen');
    await press(page, 'Ich stimme zu');
    await heading(page, 'Fertig, vielen Dank');
    const { forms } = await dataOf(started);
    assert.deepEqual(forms.consent, { accepted: true, textVersion: '1', language: 'de', page: 'grove-1' });
  });

  it('an end user who declines is asked once more and told the consequence', async () => {
    const { url, processInstanceId, token } = await stage.link({ steps: [CONSENT, FORM] });
    const page = await stage.page();
    await begin(page, url);
    await press(page, 'I do not agree');
    await heading(page, 'Do you want to end the verification?');
    await press(page, 'Back to the question');
    await heading(page, 'Your data, your decision');
    await press(page, 'I do not agree');
    await press(page, 'End without agreeing');
    await heading(page, 'You did not agree');
    await page.reload();
    await heading(page, 'You did not agree');
    const { body } = await stage.app.call(`/api/process-manager/processInstances/${processInstanceId}`, { token });
    assert.equal(body.status, 'COMPLETED_ENDED_ERROR');
  });

  it('faults of a form are shown beside the field and at the top, which takes the focus', async () => {
    const { url } = await stage.link({ steps: [FORM], parameters: { firstName: 'Grace' } });
    const page = await stage.page();
    await begin(page, url);
    assert.equal(await page.getByLabel('First name').inputValue(), 'Grace', 'what is known is asked again');
    await page.getByLabel('E-mail address').fill('nowhere');
    await page.getByLabel('Age (optional)').fill('17');
    await press(page, 'Continue');
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'alert');
    assert.match(await page.locator('.summary').innerText(), /3 fields/);
    await page.getByRole('link', { name: /E-mail address/ }).click();
    const field = page.getByLabel('E-mail address');
    assert.ok(await field.evaluate((each) => each === document.activeElement));
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    const described = (await field.getAttribute('aria-describedby')) ?? '';
    for (const id of described.split(' ')) assert.ok(await page.locator(`#${id}`).isVisible());
  });

  it('the page polls where it has no event stream', async () => {
    const { url } = await stage.link({ steps: [CONSENT] });
    const context = await stage.context();
    const page = await context.newPage();
    await page.addInitScript(() => Object.defineProperty(globalThis, 'EventSource', { value: undefined }));
    await begin(page, url);
    const second = await context.newPage();
    await second.goto(page.url());
    await press(second, 'Start');
    await press(second, 'I agree');
    await heading(page, 'All done, thank you');
  });

  it('a change of language keeps all input', async () => {
    const { url } = await stage.link({ steps: [FORM] });
    const page = await stage.page();
    await begin(page, url);
    await page.getByLabel('E-mail address').fill('ada@example.com');
    await page.getByLabel('Language').selectOption('ar');
    const field = page.getByLabel('البريد الإلكتروني');
    assert.equal(await field.inputValue(), 'ada@example.com');
    // The texts of the tenant are there at once; those of the page are loaded, and then its direction changes.
    await page.locator('html[dir="rtl"][lang="ar"]').waitFor({ state: 'attached' });
    await page.reload();
    await page.getByLabel('البريد الإلكتروني').waitFor();
  });

  it('the page waits for a lost network, and nothing is lost', async () => {
    const { url } = await stage.link({ steps: [FORM] });
    const context = await stage.context();
    const page = await context.newPage();
    await begin(page, url);
    await fill(page);
    await context.setOffline(true);
    await press(page, 'Continue');
    await page.getByText('No connection. Nothing is lost').waitFor();
    assert.equal(await page.getByLabel('First name').inputValue(), 'Ada');
    await context.setOffline(false);
    await heading(page, 'All done, thank you');
    assert.equal(await page.getByText('No connection').count(), 0);
  });

  it('everything can be done with the keyboard alone, and the focus follows the page', async () => {
    const { url } = await stage.link({ steps: [CONSENT, FORM] });
    const page = await stage.page();
    await page.goto(url);
    await heading(page, 'Let’s verify your identity');
    const tabTo = async (name: RegExp) => {
      for (let at = 0; at < 30; at++) {
        await page.keyboard.press('Tab');
        const label = await page.evaluate(() => {
          const focused = document.activeElement as HTMLElement & { labels?: NodeListOf<HTMLElement> };
          return focused?.labels?.[0]?.innerText ?? focused?.innerText ?? '';
        });
        if (name.test(label)) return;
      }
      assert.fail(`nothing called ${name} can be reached with the keyboard`);
    };
    const focused = () => page.evaluate(() => document.activeElement?.tagName);
    await tabTo(/^Start$/);
    await page.keyboard.press('Enter');
    await heading(page, 'Your data, your decision');
    assert.equal(await focused(), 'H1');
    await tabTo(/^I agree$/);
    await page.keyboard.press('Space');
    await heading(page, 'About you');
    assert.equal(await focused(), 'H1');
    await tabTo(/First name/);
    await page.keyboard.type('Ada');
    await tabTo(/E-mail/);
    await page.keyboard.type('ada@example.com');
    await tabTo(/terms/);
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await heading(page, 'All done, thank you');
    assert.equal(await focused(), 'H1');
  });

  it('an end user who cannot do a step is asked once; back leads to the step, and a person takes over', async () => {
    const { url } = await stage.link({ steps: [FORM] });
    const page = await stage.page();
    await begin(page, url);
    await press(page, 'I can’t do this');
    await heading(page, 'Would you like a person to take over?');
    await page.goBack();
    await heading(page, 'About you');
    await press(page, 'I can’t do this');
    await press(page, 'Yes, let a person look at it');
    await heading(page, 'Received, thank you');
  });

  it('the result redirects by itself, unless it is stopped', async () => {
    const parameters = { _redirectUrl: 'http://localhost:9/done?case={PROCESS_INSTANCE_ID}' };
    const { url, processInstanceId } = await stage.link({ steps: [CONSENT], parameters });
    const page = await stage.page();
    await page.route('http://localhost:9/**', (route) => route.fulfill({ body: 'shop' }));
    await begin(page, url);
    await press(page, 'I agree');
    await press(page, 'Stay on this page');
    const back = page.getByRole('link', { name: 'Return to acme' });
    const address = new URL((await back.getAttribute('href')) ?? '');
    assert.deepEqual(Object.fromEntries(address.searchParams), {
      case: processInstanceId,
      processInstanceId,
      status: 'Accepted',
    });
    assert.equal(await page.getByRole('timer').count(), 0);
    await page.reload();
    await page.waitForURL('http://localhost:9/**');
  });

  it('the way back may be an app', async () => {
    const { url } = await stage.link({ steps: [CONSENT], parameters: { _redirectUrl: 'shopapp:done' } });
    const page = await stage.page();
    await begin(page, url);
    await press(page, 'I agree');
    const href = await page.getByRole('link', { name: 'Return to acme' }).getAttribute('href');
    assert.match(href ?? '', /^shopapp:done\?/);
  });

  it('a closed page reports its step, and an end user who does not return is reported', async () => {
    const { url, processInstanceId, token } = await stage.link({ steps: [CONSENT, FORM] });
    const page = await stage.page();
    await begin(page, url);
    await press(page, 'I agree');
    await heading(page, 'About you');
    await page.goto('about:blank');
    const events = async (): Promise<string[]> => {
      const place = `/api/process-manager/processInstances/${processInstanceId}/events?size=50`;
      const { body } = await stage.app.call(place, { token });
      return body.content.map(({ type, step }: { type: string; step?: string }) => `${type} ${step}`);
    };
    for (let tries = 0; !(await events()).includes('instance.stepLeft form'); tries++) {
      assert.ok(tries < 1500, 'nobody is told');
      await wait(20);
      // A closing page's request arrives when the browser has time for it; the token of the test is good for an hour.
      if (tries % 10 === 9) stage.app.clock.advance(MINUTE / 4);
      await stage.app.app.jobs.runDue();
    }
    assert.deepEqual(
      (await events()).filter((each) => /Seen|Left/.test(each)),
      ['instance.stepSeen consent', 'instance.stepSeen form', 'instance.stepLeft form'],
    );
  });

  it('the page says by itself that the journey has expired', async () => {
    const { url } = await stage.link({ steps: [FORM] });
    const page = await stage.page();
    await begin(page, url);
    // The last of the tests, because time passes for all of them.
    stage.app.clock.advance(48 * HOUR + MINUTE);
    await heading(page, 'This verification has ended');
    await page.reload();
    await heading(page, 'This verification has ended');
  });

  it('no page asked for anything elsewhere, broke its policy or threw', () => {
    assert.deepEqual(stage.complaints, []);
  });
});
