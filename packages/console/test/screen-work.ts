import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { identityEvents } from '../../server/src/identity-store/events/identity-events.ts';
import { asTenantId } from '../../server/src/kernel/ids.ts';
import { startJourney } from '../../server/test/end-user.ts';
import { openReceiver } from '../../server/test/webhooks.ts';
import { hintsEn } from '../src/texts/hints/en.ts';
import { checkScreen, type Tools } from './case-work.ts';
import { walk } from './drawn-person.ts';
import { DESKTOP, resize, settled } from './stage.ts';

/** Tests what operators do on the screens beside reviews. */
export function testScreens(tools: Tools): void {
  const { stage, open, keep } = tools;
  const post = async (path: string, body: object, apiKey = stage().testKey) => {
    const { app } = stage();
    const answer = await app.call(path, { method: 'POST', token: await app.token(apiKey), body: JSON.stringify(body) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const inLanguage = async (from: string, language: 'AR' | 'EN') =>
    tools.page().getByRole('radiogroup', { name: from }).getByText(language).click();

  it('the audit trail shows a changed definition as a difference, and is saved as CSV', async () => {
    const page = tools.page();
    const path = '/api/process-manager/processDefinitions';
    const steps = [
      { id: 'document', type: 'document', when: "params.country == 'DE'" },
      { id: 'decide', type: 'decision' },
    ];
    const { id } = await post(path, { name: 'audited', steps });
    await open(`/definitions/${id}`, /audited v1/);
    await page.getByRole('button', { name: 'Edit' }).first().click();
    await page.getByRole('textbox', { name: /^when/ }).fill("params.country == 'AT'");
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).and(page.locator(':disabled')).waitFor();
    await open('/audit?action=processDefinition.updated', /Audit trail/);
    const row = page.getByRole('row', { name: /processDefinition\.updated/ }).first();
    await row.getByText('document/steps/document/when', { exact: true }).waitFor();
    await row.getByText(`- "params.country == 'DE'"`, { exact: true }).waitFor();
    await row.getByText(`+ "params.country == 'AT'"`, { exact: true }).waitFor();
    assert.match(await row.innerText(), /Olga Owner \(olga@acme\.com\)/);
    await checkScreen(tools, 'audit-diff');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n');
    assert.match(lines[0] ?? '', /^"When","Who","What","Object","Details","From","Request"$/);
    assert.match(lines[1] ?? '', /Olga Owner.*processDefinition\.updated.*params\.country == 'AT'/);
  });

  it('the audit trail is filtered by an action, which is chosen from all recorded ones', async () => {
    const page = tools.page();
    await post('/api/process-manager/cloudSecrets', { name: 'AUDITED', value: 'x' });
    await open('/audit', /Audit trail/);
    await page.getByRole('combobox', { name: 'What' }).fill('secret.cre');
    await page.getByRole('option', { name: 'cloudSecret.created', exact: true }).click();
    await page.getByRole('button', { name: 'Remove filter: What' }).waitFor();
    await settled(page);
    const actions = page.getByRole('table').locator('td[data-title=What]');
    assert.deepEqual([...new Set(await actions.allInnerTexts())], ['cloudSecret.created']);
    await open('/audit?action=created', /Audit trail/);
    await page.getByRole('alert').waitFor();
    assert.equal(await actions.count(), 0, 'a filter that the server does not know is not ignored');
    // The view of a picture is listed with the picture and its verification.
    await open('/audit?action=userData.itemRead', /Audit trail/);
    const view = page.getByRole('row', { name: /documents\// }).first();
    await settled(page);
    const link = view.getByRole('link', { name: /^[0-9A-Z]{26}$/ });
    const id = await link.innerText();
    await link.click();
    // Of the verification, only its receipt may be left, because other tests delete verifications.
    await page.waitForURL((url) => url.pathname.endsWith(`/instances/${id}`));
    await page.getByRole('main').getByText(id).first().waitFor();
  });

  it('a secret is written, used, given a new value and deleted; its value is never shown again', async (t) => {
    const page = tools.page();
    const { app } = stage();
    const receiver = await openReceiver();
    t.after(() => receiver.close());
    const { host } = new URL(receiver.uri);
    await open('/secrets', /Secrets/);
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('CRM_TOKEN');
    await dialog.getByLabel('Value').fill('first-value-of-it');
    await dialog.getByRole('combobox', { name: 'Hosts' }).fill(host);
    await page.keyboard.press('Enter');
    await checkScreen(tools, 'secret');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /CRM_TOKEN/ });
    const lastUsed = row.locator('td[data-title="Last used"]');
    assert.match(await lastUsed.innerText(), /never|–/);
    // A webhook sends it, and then the list shows when.
    const sensitiveHeaders = { Authorization: 'Bearer {secret.CRM_TOKEN}' };
    const hook = { name: 'uses a secret', uri: receiver.uri, events: [], sensitiveHeaders };
    const { id } = await post('/api/notification-service/webhooks', hook);
    await post(`/api/notification-service/webhooks/${id}/test`, {});
    await receiver.arrived(1);
    assert.equal(receiver.received[0]?.headers.authorization, 'Bearer first-value-of-it');
    // To list the audit trail makes the server write its pending events.
    await app.call('/api/process-manager/auditEvents?size=1', { token: await app.token(stage().testKey) });
    await open('/secrets', /Secrets/);
    await lastUsed.locator('time').waitFor();
    await row.getByRole('button', { name: 'New value' }).click();
    const rotation = page.getByRole('dialog', { name: 'New value' });
    assert.equal(await rotation.getByLabel('Value').inputValue(), '', 'the old value is not there');
    await rotation.getByLabel('Value').fill('second-value-of-it');
    await rotation.getByRole('button', { name: 'Save' }).click();
    await rotation.waitFor({ state: 'detached' });
    await post(`/api/notification-service/webhooks/${id}/test`, {});
    await receiver.arrived(2);
    assert.equal(receiver.received[1]?.headers.authorization, 'Bearer second-value-of-it');
    const token = await app.token(stage().testKey);
    const everywhere = [
      await app.call('/api/process-manager/cloudSecrets', { token }),
      await app.call('/api/process-manager/auditEvents?size=100', { token }),
    ];
    for (const { text } of everywhere) assert.doesNotMatch(text, /(first|second)-value-of-it/);
    assert.doesNotMatch(await page.content(), /(first|second)-value-of-it/);
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByLabel('CRM_TOKEN').fill('CRM_TOKEN');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('an event query is opened from a verification with its filters, run, exported and saved as a view', async () => {
    const page = tools.page();
    const { app, testKey } = stage();
    const parameters = { _scenario: 'face-mismatch', firstName: 'Evita', lastName: 'Byrne' };
    const { user, processInstanceId: id } = await startJourney(app, testKey, { parameters });
    await walk(user);
    const now = app.clock.now();
    const event = { environment: 'test', storeName: 'customers', type: 'identity.userUpdated', now } as const;
    const addEvent = identityEvents(async () => undefined);
    await app.app.db
      .of(asTenantId('acme'))
      .write((tx) => addEvent(tx, { ...event, process: { parentProcessInstanceId: id } }));
    await open(`/instances/${id}`, /Evita Byrne/);
    // The report is the printed page, without menus and buttons.
    await page.evaluate(() => Object.assign(window, { print: () => Object.assign(window, { printed: true }) }));
    await page.getByRole('button', { name: 'Print or save as PDF' }).click();
    assert.equal(await page.evaluate(() => (window as { printed?: true }).printed), true);
    const pdf = await page.pdf({ format: 'A4' });
    assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
    await page.emulateMedia({ media: 'print' });
    assert.equal(await page.getByRole('navigation').isVisible(), false);
    assert.ok(await page.getByRole('heading', { level: 1, name: 'Evita Byrne' }).isVisible());
    await page.emulateMedia({ media: null });
    await page.getByRole('link', { name: 'Event queries' }).last().click();
    await page.getByRole('heading', { level: 1, name: 'Event queries' }).waitFor();
    type Filter = keyof typeof hintsEn;
    const filter = (name: Filter) => page.getByRole('textbox', { name: hintsEn[name], exact: true });
    assert.equal(await filter('parentProcessInstanceId').inputValue(), id);
    const likes = ['parentProcessDefnName', 'childProcessDefnName', 'childProcessDefnTag'] as const;
    const exact = [
      'parentProcessInstanceId',
      'parentProcessDefnId',
      'parentProcessDefnVersion',
      'childProcessDefnVersion',
      'userId',
    ] as const;
    for (const name of likes) assert.match((await describedBy(name)) ?? '', /%/, name);
    for (const name of exact) assert.doesNotMatch((await describedBy(name)) ?? '', /%/, name);
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.getByText(/^Done · 1 entry/).waitFor();
    const row = page.getByRole('row', { name: /User changed/ });
    await row.getByRole('link', { name: id }).waitFor();
    await row.getByRole('link', { name: 'customers' }).waitFor();
    await checkScreen(tools, 'events-done');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const [titles, line] = readFileSync(await file.path(), 'utf8').split('\r\n');
    assert.match(titles ?? '', /^"createdDtm","type","storeName",.*"parentProcessInstanceId",.*"id"$/);
    assert.match(line ?? '', new RegExp(`"identity.userUpdated","customers",.*"${id}"`));
    await page.getByRole('textbox', { name: 'Name of this view' }).fill('Evita');
    await page.getByRole('button', { name: 'Save view' }).click();
    await open('/events', /Event queries/);
    assert.equal(await filter('parentProcessInstanceId').inputValue(), '');
    await page.getByRole('button', { name: 'Evita', exact: true }).click();
    await page.waitForURL(/parentProcessInstanceId=/);
    await page.getByRole('button', { name: 'Delete view: Evita' }).click();
    await page.getByRole('button', { name: 'Evita', exact: true }).waitFor({ state: 'detached' });
    await post(`/api/process-manager/processInstances/${id}/cancel`, {});

    async function describedBy(name: Filter) {
      const ids = (await filter(name).getAttribute('aria-describedby')) ?? '';
      return page.evaluate((all) => document.getElementById(all.split(' ')[0] ?? '')?.textContent, ids);
    }
  });

  it('the refusals of a private address and of removing the last owner are explained; a blocked key issues no token', async () => {
    const page = tools.page();
    const { app } = stage();
    const notice = page.locator('.mantine-Notifications-notification');
    await open('/webhooks', /Webhooks/);
    await page.getByRole('button', { name: 'New webhook' }).click();
    const webhook = page.getByRole('dialog', { name: 'New webhook' });
    await webhook.getByRole('textbox', { name: /^Name/ }).fill('inside');
    await webhook.getByRole('textbox', { name: 'Address' }).fill('https://10.0.0.1/hook');
    await webhook.getByRole('button', { name: 'Create' }).click();
    await notice
      .getByText(/10\.0\.0\.1|private|address/i)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');

    await open('/operators?name=Olga%25', /People/);
    await page.getByRole('button', { name: 'Menu: Olga Owner' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove' });
    await removal.getByLabel('Olga Owner').fill('Olga Owner');
    await removal.getByRole('button', { name: 'Delete' }).click();
    await notice.getByText(/owner/i).first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row', { name: /Olga Owner/ }).waitFor();

    const { id, code } = await post('/api/arthr/apiKeys', { name: 'to be blocked', permissions: [] });
    const address = `${app.baseUrl}/api/arthr/apiKeys/issue`;
    const issue = async () => (await fetch(address, { method: 'POST', headers: { 'X-Api-Key': code } })).status;
    assert.equal(await issue(), 200);
    await open('/keys?name=to%20be%20blocked', /API keys/);
    const key = page.getByRole('row', { name: /to be blocked/ });
    await key.getByRole('button', { name: 'Block' }).click();
    await key.getByText('Blocked', { exact: true }).waitFor();
    assert.equal(await issue(), 401);
    await key.getByRole('button', { name: 'Archive' }).click();
    await key.getByText('Archived', { exact: true }).waitFor();
    const token = await app.token(stage().testKey);
    await app.call(`/api/arthr/apiKeys/${id}`, { method: 'DELETE', token });
  });

  it('the first screen names a key that expires soon, and a list shows the chosen columns', async () => {
    const page = tools.page();
    const { app } = stage();
    const expiringDtm = new Date(Date.now() + 5 * 86_400_000).toISOString();
    const { id } = await post('/api/arthr/apiKeys', { name: 'nearly over', permissions: [], expiringDtm });
    await open('/', /Good to see you/);
    await page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('link', { name: /nearly over/ })
      .click();
    await page.waitForURL(/keys\?name=nearly/);
    await page.getByRole('row', { name: /nearly over/ }).waitFor();
    await app.call(`/api/arthr/apiKeys/${id}`, { method: 'DELETE', token: await app.token(stage().testKey) });
    await open('/instances', /Verifications/);
    const titles = page.getByRole('table').getByRole('columnheader');
    await titles.filter({ hasText: 'Deleted after' }).waitFor();
    assert.equal(await titles.filter({ hasText: 'Id' }).count(), 0);
    await page.getByRole('combobox', { name: 'Columns' }).press('ArrowDown');
    await page.getByRole('option', { name: 'Id', exact: true }).click();
    await titles.filter({ hasText: 'Id' }).waitFor();
    await open('/instances', /Verifications/);
    await titles.filter({ hasText: 'Id' }).waitFor();
    await page.evaluate(() => localStorage.removeItem('grove-columns'));
  });

  it('tenant, region and environment are in sight on every screen, also on a phone', async () => {
    const page = tools.page();
    const banner = page.getByRole('banner');
    const isInSight = async (where: string) => {
      for (const text of ['acme', 'fir']) assert.ok(await banner.getByText(text, { exact: true }).isVisible(), where);
      const environment = banner.getByRole('radiogroup', { name: 'Environment' });
      assert.ok(await environment.getByText('Test').isVisible(), where);
      assert.ok(await environment.getByRole('radio', { name: 'Test' }).isChecked(), where);
      assert.ok(await page.getByText('You are looking at test data.').isVisible(), where);
    };
    for (const width of [1280, 360]) {
      await resize(page, { width, height: 800 });
      for (const [path, heading] of [
        ['/', /Good to see you/],
        ['/keys', /API keys/],
        ['/themes/brand', /brand/],
      ] as const) {
        await open(path, heading);
        await isInSight(`${path} at ${width} px`);
        await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
        assert.ok(await banner.getByText('acme', { exact: true }).isVisible(), 'it stays while one scrolls');
      }
    }
    await resize(page, DESKTOP);
  });

  it('roles are described, and files, links and cancelling are offered, in the language of the operator', async () => {
    const page = tools.page();
    const parameters = { firstName: 'Layla', lastName: 'Byrne', email: 'layla@example.com' };
    const { processInstanceId: id } = await startJourney(stage().app, stage().testKey, { parameters });
    await open('/operators', /People/);
    await page.getByText('Decides what machines could not').waitFor();
    await inLanguage('Language', 'AR');
    await page.getByText('يبتّ فيما عجزت عنه الآلات').waitFor();
    await settled(page);
    assert.doesNotMatch(await page.locator('main').innerText(), /May do everything|Decides what/);
    await checkScreen(tools, 'operators-ar');
    await open('/account', /./);
    await page.getByText('متصفح على Linux').first().waitFor();
    await open('/instances', /./);
    await page.getByRole('button', { name: 'التصدير في الخلفية' }).click();
    await page.getByRole('dialog').getByRole('radio').first().waitFor();
    await checkScreen(tools, 'export-start-ar');
    await page.keyboard.press('Escape');
    await open(`/instances/${id}`, /Layla Byrne/);
    await page.getByRole('button', { name: 'رابط للشخص' }).click();
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    await checkScreen(tools, 'send-link-ar');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'إلغاء التحقق' }).click();
    await page.getByRole('dialog').waitFor();
    await checkScreen(tools, 'cancel-ar');
    await page.keyboard.press('Escape');
    await inLanguage('اللغة', 'EN');
    await page.getByRole('button', { name: 'Cancel verification' }).waitFor();
    await keep('instance-open');
    await post(`/api/process-manager/processInstances/${id}/cancel`, {});
  });
}
