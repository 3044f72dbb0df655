import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { testPlaces } from '../../server/test/harness.ts';
import { type MailServer, openMailServer } from '../../server/test/mail-server.ts';
import { begin, fill, heading, press } from './acts.ts';
import { openStage, type Stage } from './stage.ts';
import { FORM, SWITCH } from './steps.ts';

describe('going on with a phone', () => {
  const places = testPlaces();
  let stage: Stage;
  let mails: MailServer;
  before(async () => {
    mails = await openMailServer();
    stage = await openStage(places, { SMTP_URL: mails.url, MAIL_FROM: 'no-reply@example.org' });
  });
  afterEach(() => stage.clear());
  after(async () => {
    await stage.close();
    await mails.close();
  });

  /** Opens a journey on the first device up to its code, and the link of the code on a phone. */
  const offer = async (steps: object[]) => {
    const { url } = await stage.link({ steps });
    const first = await stage.page({ viewport: { width: 1280, height: 800 }, timezoneId: 'Europe/Berlin' });
    await begin(first, url);
    const answer = first.waitForResponse(/\/handoffs$/);
    await press(first, 'Continue on my phone');
    await first.getByRole('img', { name: /QR code/ }).waitFor();
    const made = (await (await answer).json()) as { url: string; number: number };
    const phone = await stage.page({ hasTouch: true, isMobile: true });
    await phone.goto(made.url);
    await heading(phone, 'Did you start this?');
    await first.getByText('Choose this number on your phone').waitFor();
    return { first, phone, ...made };
  };

  it('a phone connects by the right number, the first device follows along, and continues in the end', async () => {
    const { first, phone, number } = await offer([SWITCH, FORM]);
    assert.equal(await first.locator('.number').innerText(), String(number));
    assert.ok(!phone.url().includes('ps='), 'the code stays in the address');
    await phone.reload();
    await press(phone, String(number));
    await heading(first, 'Your phone is connected');
    await heading(phone, 'About you');
    await fill(phone);
    await press(phone, 'Continue');
    await heading(phone, 'Return to your other device');
    await heading(first, 'All done, thank you');
  });

  it('the phone says who asks, with which browser, where its clock is and when, in its own language', async () => {
    const { phone } = await offer([SWITCH]);
    const facts = phone.locator('.facts');
    assert.match(await facts.innerText(), /A browser on Linux[\s\S]*Near Berlin, Germany \(based on its clock\)/);
    await phone.locator('.language select').selectOption('de');
    await phone.getByText('Nahe Berlin, Deutschland (laut seiner Uhr)').waitFor();
    assert.match(await facts.innerText(), /Ein Browser auf Linux/);
    await phone.setViewportSize({ width: 390, height: 664 });
    await phone.waitForFunction(() => innerHeight === 664);
    const box = await phone.locator('.numbers').boundingBox();
    assert.ok(
      box && box.y + box.height <= 664,
      `on a short phone the numbers are out of sight: ${JSON.stringify(box)}`,
    );
  });

  it('a wrong number connects no device, and the first device can try again', async () => {
    const { first, phone, number } = await offer([SWITCH]);
    const numbers = await phone.locator('.numbers button').allInnerTexts();
    await press(phone, numbers.find((each) => each !== String(number)) as string);
    await heading(phone, 'The devices are not connected');
    await first.getByText('The phone was not connected').waitFor();
    await press(first, 'Show a new code');
    await first.getByRole('img', { name: /QR code/ }).waitFor();
    await press(first, 'Stay on this device');
    await heading(first, 'Your phone may be easier');
  });

  it('an end user who did not start the journey can say so', async () => {
    const { first, phone } = await offer([SWITCH]);
    await press(phone, 'I did not start this');
    await heading(phone, 'The connection was refused');
    await first.getByText('The phone was not connected').waitFor();
  });

  it('the first device takes the journey back, and the phone is told', async () => {
    const { first, phone, number } = await offer([SWITCH, FORM]);
    await press(phone, String(number));
    await heading(phone, 'About you');
    await press(first, 'Continue here instead');
    await heading(first, 'About you');
    await heading(phone, 'You’ve continued on another device');
  });

  const desktopAtCode = async (parameters: Record<string, string>, steps: object[] = [SWITCH, FORM]) => {
    const { url } = await stage.link({ steps, parameters });
    const first = await stage.page({ viewport: { width: 1280, height: 800 }, timezoneId: 'Europe/Berlin' });
    await begin(first, url);
    await press(first, 'Continue on my phone');
    await first.getByRole('img', { name: /QR code/ }).waitFor();
    return first;
  };
  const linkIn = (text: string) => /https?:\S+/.exec(text)?.[0] ?? '';

  it('the link is mailed to the known address, and connects the phone that chooses the number', async () => {
    const first = await desktopAtCode({ email: 'ada.byrne@example.com' });
    const before = await first.locator('.qr').innerHTML();
    await press(first, 'Send me the link by e-mail');
    await press(first, 'Send it to a…@example.com');
    await first.getByText(/^Sent to .*a…@example.com/).waitFor();
    const mail = await mails.arrived(mails.mails.length || 1);
    assert.deepEqual(mail.to, ['ada.byrne@example.com']);
    assert.notEqual(await first.locator('.qr').innerHTML(), before, 'the code is another one now');
    const number = await first.locator('.number-ahead strong').innerText();
    const phone = await stage.page({ hasTouch: true, isMobile: true });
    await phone.goto(linkIn(mail.text));
    await heading(phone, 'Did you start this?');
    await press(phone, String(number));
    await heading(phone, 'About you');
    await heading(first, 'Your phone is connected');
  });

  it('an invalid address is reported beside its field, and so is a message that cannot be delivered', async () => {
    const first = await desktopAtCode({});
    await press(first, 'Send me the link by e-mail');
    const field = first.getByLabel('Your e-mail address');
    await field.fill('ada@example');
    await field.press('Enter');
    await first.getByText('Please enter an e-mail address').waitFor();
    mails.answers.push(550);
    await field.fill('nobody@example.com');
    await field.press('Enter');
    await first.getByText('The message could not be delivered').waitFor();
    await press(first, 'Send me the link by e-mail');
  });

  it('a link that is opened in the browser of its journey continues there', async () => {
    const first = await desktopAtCode({ email: 'ada@example.com' });
    const { length } = mails.mails;
    await press(first, 'Send me the link by e-mail');
    await press(first, 'Send it to a…@example.com');
    const second = await first.context().newPage();
    await second.goto(linkIn((await mails.arrived(length + 1)).text));
    await heading(second, 'Let’s verify your identity');
    assert.ok(!second.url().includes('ps='));
    await first.getByText('This code has expired').waitFor();
    await press(first, 'Show a new code');
    await first.getByRole('img', { name: /QR code/ }).waitFor();
  });

  it('an end user who waits for a review gets a mail once it is decided', async () => {
    const { url, processInstanceId, token } = await stage.link({ steps: [FORM] });
    const page = await stage.page();
    await begin(page, url);
    await heading(page, 'About you');
    await press(page, 'I can’t do this');
    await press(page, 'Yes, let a person look at it');
    await heading(page, 'Received, thank you');
    await press(page, 'Tell me by e-mail when there is a decision');
    await page.getByLabel('Your e-mail address').fill('ada@example.com');
    await press(page, 'Tell me by e-mail');
    await page.getByText(/We will write to .*a…@example.com/).waitFor();
    assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /^We will write to/);
    await page.reload();
    await page.getByText(/We will write to .*a…@example.com/).waitFor();
    const { length } = mails.mails;
    const decided = await stage.app.call(`/api/process-manager/reviews/${processInstanceId}/approve`, {
      method: 'POST',
      token,
      body: JSON.stringify({ comment: 'All good.' }),
    });
    assert.equal(decided.status, 200, decided.text);
    const mail = await mails.arrived(length + 1);
    assert.match(mail.headers.get('subject') ?? '', /^News about your verification/);
    await heading(page, 'All done, thank you');
  });
});
