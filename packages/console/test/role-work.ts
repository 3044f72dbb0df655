import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFaults } from '../../journey/test/axe.ts';
import { startJourney } from '../../server/test/end-user.ts';
import type { Tools } from './case-work.ts';
import { walk } from './drawn-person.ts';
import { DESKTOP, PHONE, resize, settled, still } from './stage.ts';

const withTenant = (permissions: readonly string[]) => permissions.map((each) => `TNT#acme#${each}`);
const REVIEWS = [
  'listReviews',
  'getReview',
  'claimReview',
  'releaseReview',
  'approveReview',
  'correctReview',
  'askAgainReview',
];
const OF_DESK = [
  ...REVIEWS.map((name) => `ProcessManager:${name}`),
  'ProcessManager:getProcessInstance',
  'UserDataServer:getProcessInstanceUserData',
];

/** Tests what people with other roles than the owner's see. */
export function testRoles({ stage, open, keep, ...tools }: Tools): void {
  const make = async (path: string, body: object) => {
    const { app } = stage();
    const made = await app.call(path, { method: 'POST', token: await app.token(), body: JSON.stringify(body) });
    assert.ok(made.status < 300, made.text);
    return made.body;
  };
  const joined = async (role: string, name: string): Promise<Page> => {
    const email = `${name.replaceAll(' ', '.').toLowerCase()}@acme.com`;
    const { url } = await make('/api/operator-manager/operators', { name, email, role });
    const page = await stage().page();
    await page.goto(url);
    await page.getByRole('button', { name: 'Make a passkey' }).click();
    await page.getByRole('heading', { name: new RegExp(`Good to see you, ${name}`) }).waitFor();
    await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click();
    return page;
  };

  it('a reviewer whose role is masked decides a case without a name, a value or a picture of the person', async () => {
    await make('/api/operator-manager/roles', { name: 'Masked desk', permissions: withTenant(OF_DESK), masked: true });
    const parameters = { _scenario: 'face-mismatch', firstName: 'Saoirse', lastName: 'Byrne' };
    const { user, processInstanceId } = await startJourney(stage().app, stage().testKey, { parameters });
    await walk(user);
    const page = await joined('Masked desk', 'Mia Masked');
    await page.goto(`${stage().address}/console/reviews/${processInstanceId}`);
    await page.getByRole('heading', { level: 1, name: 'S••• B•••' }).waitFor();
    await page.getByText('Your role sees personal data masked, and no images.').waitFor();
    await settled(page);
    await still(page);
    assert.equal(await page.locator('.viewer img').count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Correct/ }).count(), 0);
    assert.match(await page.getByRole('row', { name: /^Document number/ }).innerText(), /•••/);
    assert.doesNotMatch(await page.locator('main').innerText(), /Saoirse|Byrne/i);
    assert.deepEqual(await axeFaults(page), []);
    await keep('masked-case', page);
    await resize(page, PHONE);
    await still(page);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 360, 'the case fits a phone');
    await keep('masked-case-phone', page);
    await resize(page, DESKTOP);
    await page.getByRole('textbox', { name: /^Reason/ }).fill('The checks agree');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved', { exact: true }).first().waitFor();
    // After "Ask again", a masked role sees neither the link nor its placeholder.
    const again = await startJourney(stage().app, stage().testKey, { parameters });
    await walk(again.user);
    await page.goto(`${stage().address}/console/reviews/${again.processInstanceId}`);
    await page.getByRole('textbox', { name: /^Reason/ }).fill('Too dark');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByRole('checkbox', { name: 'selfie' }).check();
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText(/^The person is asked again\. Your role shows no links/).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
    await page.context().close();
    await open('/operators', /People/);
    await tools
      .page()
      .getByRole('row', { name: /^Masked desk masked/ })
      .getByRole('button', { name: 'Edit' })
      .click();
    const dialog = tools.page().getByRole('dialog');
    assert.ok(await dialog.getByRole('switch', { name: 'Mask personal data' }).isChecked());
    assert.deepEqual(await tools.axe(), []);
    await keep('masked-role');
    await tools.page().keyboard.press('Escape');
  });

  it('a case shows the devices and networks of the person', async () => {
    const { user, processInstanceId } = await startJourney(stage().app, stage().testKey, {
      parameters: { _scenario: 'face-mismatch', firstName: 'Devi', lastName: 'Byrne' },
    });
    await walk(user);
    await open(`/reviews/${processInstanceId}`, /Devi Byrne/);
    const devices = tools.page().getByRole('region', { name: 'Devices' });
    await devices.getByText('Network: 127.0.0.0/24').waitFor();
    await devices.scrollIntoViewIfNeeded();
    assert.deepEqual(await tools.axe(), []);
    await keep('case-devices');
    await tools.page().getByRole('button', { name: 'Give back' }).click();
    const path = `/api/process-manager/processInstances/${processInstanceId}/cancel`;
    const { app, testKey } = stage();
    await app.call(path, { method: 'POST', token: await app.token(testKey) });
  });

  it('an operator sends the person the link by e-mail, and it opens the verification', async () => {
    const { app, testKey, mails } = stage();
    const parameters = { firstName: 'Lena', lastName: 'Byrne', email: 'lena@example.com' };
    const { processInstanceId } = await startJourney(app, testKey, { parameters });
    await open(`/instances/${processInstanceId}`, /Lena Byrne/);
    const page = tools.page();
    await page.getByRole('button', { name: 'Link for the person' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link for the person' });
    assert.equal(await dialog.getByLabel('E-mail').inputValue(), 'lena@example.com');
    await dialog.getByLabel('Language of the message').selectOption('de');
    await still(page);
    assert.deepEqual(await tools.axe(), []);
    await keep('send-link');
    const { length } = mails.mails;
    await dialog.getByRole('button', { name: 'Send by e-mail' }).press('Enter');
    await page.getByText(/^Sent to l/).waitFor();
    const { text } = await mails.arrived(length + 1);
    const person = await stage().page({ viewport: { width: 390, height: 664 } });
    await person.goto(/http\S+#c=\S+/.exec(text)?.[0] ?? '');
    await person.getByRole('button', { name: 'Start' }).waitFor();
    await person.context().close();
    // The case shows whether the message was sent.
    await page.getByRole('button', { name: 'Show personal data' }).click();
    const messages = page.getByRole('region', { name: 'Messages to the person' });
    assert.match(await messages.getByRole('listitem').innerText(), /Link of an operator\s+sent\s+e-mail/i);
    assert.deepEqual(await tools.axe(), []);
    await page.getByRole('button', { name: 'Link for the person' }).click();
    await dialog.getByRole('button', { name: 'Show the link and its QR code' }).click();
    await page.getByRole('img', { name: 'QR code' }).waitFor();
    await page.keyboard.press('Escape');
  });
}
