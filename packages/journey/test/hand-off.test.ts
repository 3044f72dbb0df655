import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { testPlaces } from '../../server/test/harness.ts';
import { begin, fill, heading, press } from './acts.ts';
import { openStage, type Stage } from './stage.ts';
import { FORM, SWITCH } from './steps.ts';

describe('going on with a phone', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places);
  });
  afterEach(() => stage.clear());
  after(() => stage.close());

  /** The first device at its code, and the link that a phone reads from it. */
  const offer = async (steps: object[]) => {
    const { url } = await stage.link({ steps });
    const first = await stage.page({ viewport: { width: 1280, height: 800 } });
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

  it('the number is found again, the first device follows along, and leads on in the end', async () => {
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

  it('another number connects nothing, and the first device can try again', async () => {
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

  it('who did not start it says so', async () => {
    const { first, phone } = await offer([SWITCH]);
    await press(phone, 'I did not start this');
    await heading(phone, 'The connection was refused');
    await first.getByText('The phone was not connected').waitFor();
  });

  it('the first device takes the journey back, and the phone is told', async () => {
    const { first, phone, number } = await offer([SWITCH, FORM]);
    await press(phone, String(number));
    await heading(phone, 'About you');
    await press(first, 'Go on here instead');
    await heading(first, 'About you');
    await heading(phone, 'You are going on elsewhere');
  });
});
