import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { IS_LONG } from '../../../scripts/long.ts';
import type { AxeLook } from '../../journey/test/axe.ts';
import { startJourney } from '../../server/test/end-user.ts';
import { walk } from './drawn-person.ts';
import { type ConsoleStage, DESKTOP, PHONE, resize, still } from './stage.ts';

/** What the tests of the console share: one server, one browser, the page of the owner. */
export type Tools = {
  stage(): ConsoleStage;
  page(): Page;
  open(path: string, heading: RegExp): Promise<void>;
  axe(look?: AxeLook): Promise<string[]>;
  keep(name: string, of?: Page): Promise<void>;
};

/** Checks the present screen: accessibility, the width on a phone, pictures, and in the long form the dark scheme. */
export async function checkScreen({ page, axe, keep }: Tools, name: string): Promise<void> {
  await still(page());
  assert.deepEqual(await axe(), [], name);
  await keep(name);
  if (IS_LONG) {
    await page().emulateMedia({ colorScheme: 'dark' });
    await page().locator('html[data-mantine-color-scheme=dark]').waitFor();
    await still(page());
    assert.deepEqual(await axe({ colours: 'only' }), [], `${name}, dark`);
    await keep(`${name}-dark`);
    await page().emulateMedia({ colorScheme: 'light' });
  }
  await resize(page(), PHONE);
  await still(page());
  assert.ok((await page().evaluate(() => document.documentElement.scrollWidth)) <= 360, `${name} fits a phone`);
  await keep(`${name}-phone`);
  await resize(page(), DESKTOP);
}

/** Tests what reviewers do with a case besides deciding it. */
export function testCaseWork(tools: Tools): void {
  const { stage, open, keep } = tools;
  const misread = async (firstName: string) => {
    const parameters = { _scenario: 'applicant-uncertain', firstName, lastName: 'Byrne', dateOfBirth: '1974-08-12' };
    const started = await startJourney(stage().app, stage().testKey, { parameters });
    await walk(started.user);
    stage().app.clock.advance(1000);
    return started.processInstanceId;
  };
  const call = async (path: string) => {
    const token = await stage().app.token(stage().testKey);
    return (await stage().app.call(`/api/process-manager${path}`, { token })).body;
  };

  it('a misread value is corrected, the case is checked again, and a decided case is reopened', async () => {
    const page = tools.page();
    const id = await misread('Corinna');
    await open(`/reviews/${id}`, /Corinna Byrne/);
    const row = page.getByRole('row', { name: /^Last name/ });
    await row.getByRole('button', { name: 'Correct: Last name' }).click();
    const dialog = page.getByRole('dialog', { name: 'Correct a value' });
    await dialog.getByLabel('What the document says').fill('Byrne');
    const save = dialog.getByRole('button', { name: 'Save and check again' });
    assert.ok(await save.isDisabled(), 'nothing is corrected without a reason');
    await dialog.getByLabel('Why').fill('The print is worn; the card says Byrne');
    await checkScreen(tools, 'correct');
    await save.click();
    await page.getByText('With the corrected values, the rules would accept this case.').waitFor();
    await row.getByText('corrected', { exact: true }).waitFor();
    assert.match(await row.innerText(), /Read: Holmqvist|Read: HOLMQVIST/);
    assert.match(await row.innerText(), /Olga Owner .*: The print is worn; the card says Byrne/);
    assert.equal(await row.getByText('differs').count(), 0);
    await checkScreen(tools, 'corrected');
    await page.getByLabel('Reason').fill('It is her');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved', { exact: true }).first().waitFor();
    assert.equal((await call(`/processInstances/${id}`)).status, 'COMPLETED_ENDED_SUCCESS');

    await open(`/instances/${id}`, /Corinna Byrne/);
    assert.equal(await page.getByRole('button', { name: /^Correct/ }).count(), 0, 'a decided case is not corrected');
    await page.getByRole('button', { name: 'Reopen' }).click();
    const reopening = page.getByRole('dialog', { name: 'Reopen this case' });
    await reopening.getByLabel('Why').fill('The customer called');
    await checkScreen(tools, 'reopen');
    await reopening.getByRole('button', { name: 'Reopen' }).click();
    await page.getByText(/Claimed by you until/).waitFor();
    await page.getByLabel('Reason').fill('Somebody else after all');
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Declined', { exact: true }).first().waitFor();
    await open('/reviews?view=closed&verdict=REOPENED', /Reviews/);
    await page.getByRole('table').getByText('The customer called').waitFor();
    await keep('reopened');
  });

  it('the most urgent case comes first, what is due soon is marked, and a list is saved as a view', async () => {
    const page = tools.page();
    const { app } = stage();
    const ids = [await misread('Petra'), await misread('Quentin')];
    await open('/settings', /Settings/);
    await page.getByRole('textbox', { name: 'Decide reviews within (hours)' }).fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await open(`/reviews/${ids[1]}`, /Quentin Byrne/);
    await page.getByRole('combobox', { name: 'Priority' }).selectOption('URGENT');
    await page.getByText('Priority: Urgent').waitFor();
    await page.getByRole('button', { name: 'Give back' }).click();
    await open('/reviews', /Reviews/);
    const [first = ''] = await page.getByRole('table').getByRole('row').filter({ hasText: 'Byrne' }).allInnerTexts();
    assert.match(first, /Quentin Byrne[\s\S]*Urgent[\s\S]*Due soon/);
    await open('/', /Good to see you/);
    await page.getByRole('link', { name: 'Review the next case' }).click();
    await page.getByRole('heading', { level: 1, name: /Quentin Byrne/ }).waitFor();

    await open('/reviews', /Reviews/);
    await page.getByRole('combobox', { name: 'Deadline' }).selectOption('OVERDUE');
    await page.getByRole('button', { name: 'Remove filter: Deadline' }).waitFor();
    await page.getByRole('textbox', { name: 'Name of this view' }).fill('Too late');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('button', { name: 'Too late', exact: true }).waitFor();
    await checkScreen(tools, 'saved-view');
    await page.getByRole('button', { name: 'Remove filter: Deadline' }).click();
    await page.getByRole('button', { name: 'Too late', exact: true }).click();
    await page.waitForURL(/due=OVERDUE/);
    await page.getByRole('button', { name: 'Delete view: Too late' }).click();
    await page.getByRole('button', { name: 'Too late', exact: true }).waitFor({ state: 'detached' });
    const token = await app.token(stage().testKey);
    const settings = { method: 'POST', body: JSON.stringify({ reviewDueHours: 0 }), token };
    await app.call('/api/process-manager/settings', settings);
    for (const id of ids)
      await app.call(`/api/process-manager/processInstances/${id}/cancel`, { method: 'POST', token });
  });

  it('a change that somebody else has saved meanwhile is not overwritten before its difference was shown', async () => {
    const page = tools.page();
    const { app } = stage();
    const post = async (path: string, body: object) => {
      app.clock.advance(1000);
      const token = await app.token(stage().testKey);
      return (await app.call(path, { method: 'POST', body: JSON.stringify(body), token })).body;
    };
    const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this' });
    const settings = '/api/process-manager/settings';
    await open('/settings', /Settings/);
    const hours = page.getByRole('textbox', { name: 'Decide reviews within (hours)' });
    await hours.fill('24');
    await post(settings, { reviewDueHours: 48 });
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.click();
    await conflict.getByText('- "reviewDueHours": 48').waitFor();
    await conflict.getByText('+ "reviewDueHours": 24').waitFor();
    await checkScreen(tools, 'conflict');
    // The response with the other value is held back until the test continues; before that the form is not shown.
    const mayAnswer = Promise.withResolvers<void>();
    await page.route(`**${settings}*`, async (route) => {
      await mayAnswer.promise;
      await route.continue();
    });
    const fetched = page.waitForRequest(`**${settings}*`);
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await fetched;
    assert.equal(await conflict.count(), 1, 'the dialog stays until their value was read');
    mayAnswer.resolve();
    await conflict.waitFor({ state: 'detached' });
    assert.equal(await hours.inputValue(), '48');
    await page.unroute(`**${settings}*`);
    await hours.fill('0');
    await save.click();
    await page.getByText('Saved').first().waitFor();
    assert.equal((await call('/settings')).reviewDueHours, 0);

    const hooks = '/api/notification-service/webhooks';
    const hook = { name: 'read by two', uri: 'https://hooks.example.com/a', events: ['instance.completed'] };
    const { id } = await post(hooks, hook);
    await open(`/webhooks/${id}`, /read by two/);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Address' }).fill('https://hooks.example.com/mine');
    await post(`${hooks}/${id}`, { uri: 'https://hooks.example.com/theirs' });
    await save.click();
    await conflict.getByText('- "uri": "https://hooks.example.com/theirs"').waitFor();
    await conflict.getByRole('button', { name: 'Save mine over it' }).click();
    await page.getByText('https://hooks.example.com/mine').waitFor();

    const store = '/api/identity-store/stores/customers';
    await open('/stores/customers', /customers/);
    await page.getByRole('button', { name: 'Edit store' }).click();
    await page.getByRole('dialog').getByLabel('Description').fill('Mine');
    await post(store, { description: 'Theirs' });
    await save.click();
    await conflict.getByText('- "description": "Theirs"').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs' }).click();

    await post(`${store}/totpPolicy`, { name: 'codes', issuer: 'Acme' });
    await open('/stores/customers', /customers/);
    const codes = page.getByRole('row', { name: /codes/ });
    await codes.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit codes' });
    await dialog.getByLabel('Configuration').fill('{"issuer": "Mine"}');
    await post(`${store}/totpPolicy/codes`, { issuer: 'Theirs' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await conflict.getByText('- "issuer": "Theirs"').waitFor();
    await checkScreen(tools, 'conflict-party');
    await conflict.getByRole('button', { name: 'Save mine over it' }).click();
    await codes.getByText(/"issuer":"Mine"/).waitFor();
  });

  it('typed input of a theme stays while somebody else saves it, and so does their change', async () => {
    const page = tools.page();
    const { app } = stage();
    const path = '/api/theme-server/themes/brand';
    const post = async (body: object) => {
      app.clock.advance(1000);
      const token = await app.token(stage().testKey);
      assert.equal((await app.call(path, { method: 'POST', body: JSON.stringify(body), token })).status, 200);
    };
    await post({ radius: 4, texts: {} });
    await open('/themes/brand', /brand/);
    const colour = page.getByRole('textbox', { name: 'Text', exact: true });
    const before = await colour.inputValue();
    await colour.fill('#101010');
    await post({ radius: 9, texts: { en: { 'document.front.PASSPORT': 'Its page' } } });
    // An own text is merged with those of others; the page then shows the stored texts.
    await page.getByRole('searchbox', { name: 'Key' }).fill('document.front');
    const own = page.locator('.card.check').filter({ has: page.getByText('document.front.ID_CARD', { exact: true }) });
    await own.getByRole('textbox').fill('Its front');
    await own.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').first().waitFor();
    await page
      .locator('.card.check')
      .filter({ hasText: 'document.front.PASSPORT' })
      .getByText('own', { exact: true })
      .waitFor();
    assert.equal(await colour.inputValue(), '#101010', 'the colour is still there');
    await page.getByRole('button', { name: 'Save' }).first().click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this' });
    await conflict.getByText('- "radius": 9').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await conflict.waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Corners' }).and(page.locator('[value="9"]')).waitFor();
    assert.equal(await colour.inputValue(), before);
    const token = await app.token(stage().testKey);
    const { body } = await app.call('/api/theme-server/themes?name=brand', { token });
    assert.deepEqual(body.content[0].texts.en, {
      'document.front.PASSPORT': 'Its page',
      'document.front.ID_CARD': 'Its front',
    });
    // An invalid text is refused with the position of its fault; a logo is stored as soon as it is chosen.
    await own.getByRole('textbox').fill('Its {front');
    await own.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/at character 5/).waitFor();
    const picture = await sharp({ create: { width: 90, height: 30, channels: 3, background: '#1f6b4f' } })
      .png()
      .toBuffer();
    const logo = { name: 'logo.png', mimeType: 'image/png', buffer: picture };
    await page.locator('input[type=file]').setInputFiles(logo);
    await page.getByRole('img', { name: 'Logo' }).waitFor();
    await keep('theme-logo');
    await post({ texts: {} });
  });

  it('reviewers choose a queue by its name, and the next case comes from it', async () => {
    const page = tools.page();
    const { app } = stage();
    await open('/settings', /Settings/);
    await page.getByRole('button', { name: 'Add a queue' }).click();
    await page.getByRole('textbox', { name: 'Name of the queue' }).fill('Passports');
    await page.getByRole('combobox', { name: 'Definitions' }).fill('document-and-selfie');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved').first().waitFor();
    await checkScreen(tools, 'queue-settings');
    const id = await misread('Quilla');
    await open('/reviews', /Reviews/);
    await page.getByRole('combobox', { name: 'Queue' }).selectOption('Passports');
    await page.waitForURL(/queue=Passports/);
    await page.getByRole('table').getByText('Quilla Byrne').waitFor();
    await checkScreen(tools, 'queue');
    const request = page.waitForRequest(/reviews\?.*queue=Passports.*size=20/);
    await page.getByRole('link', { name: 'Quilla Byrne' }).click();
    await request;
    await page.getByRole('button', { name: 'Give back' }).click();
    const token = await app.token(stage().testKey);
    const path = `/api/process-manager/processInstances/${id}/cancel`;
    await app.call(path, { method: 'POST', token });
    const settings = { method: 'POST', body: JSON.stringify({ reviewQueues: [] }), token };
    await app.call('/api/process-manager/settings', settings);
    await open('/reviews', /Reviews/);
  });

  it('a definition is imported from a file, and a file that is not JSON is refused', async () => {
    const page = tools.page();
    await open('/definitions', /Definitions/);
    const choose = (name: string, text: string) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) });
    await choose('broken.json', '{ "name": ');
    await page.getByText('This file is not JSON.').waitFor();
    await choose('faulty.json', JSON.stringify({ name: 'imported', steps: 7 }));
    await page.getByText(/steps/).first().waitFor();
    const steps = [
      { id: 'document', type: 'document' },
      { id: 'decide', type: 'decision' },
    ];
    await choose('good.json', JSON.stringify({ name: 'imported', processDefinitionType: 'VERIFICATION', steps }));
    await page.getByRole('heading', { level: 1, name: 'imported v1' }).waitFor();
    await keep('imported');
  });

  it('the page of a verification reads no personal data until somebody asks for it', async () => {
    const page = tools.page();
    const id = await misread('Hedda');
    const reads = async () => {
      const { content } = await call(`/auditEvents?processInstanceId=${id}&size=50`);
      const actions: string[] = content.map(({ action }: { action: string }) => action);
      return [...new Set(actions.filter((action) => /Read|\.read$/.test(action)))].toSorted();
    };
    await open(`/instances/${id}`, /Hedda Byrne/);
    await page.getByText('The expected person').first().waitFor();
    assert.deepEqual(await reads(), ['userData.checksRead'], 'checks hold no values');
    assert.equal(await page.locator('.viewer img').count(), 0);
    await checkScreen(tools, 'hidden');
    await page.getByRole('radiogroup', { name: 'Language' }).getByText('AR').click();
    await page.getByRole('button', { name: 'إظهار البيانات الشخصية' }).waitFor();
    await checkScreen(tools, 'hidden-ar');
    await page.getByRole('radiogroup', { name: 'اللغة' }).getByText('EN').click();
    await page.getByRole('button', { name: 'Show personal data' }).click();
    await page.getByRole('row', { name: /^Last name/ }).waitFor();
    await page.locator('.viewer img').first().waitFor();
    const after = await reads();
    for (const action of ['instance.parametersRead', 'userData.itemRead', 'userData.read']) {
      assert.ok(after.includes(action), action);
    }
    const token = await stage().app.token(stage().testKey);
    await stage().app.call(`/api/process-manager/processInstances/${id}/cancel`, { method: 'POST', token });
  });
}
