import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import sharp from 'sharp';
import { openReceiver } from '../../server/test/webhooks.ts';
import { checkScreen } from './case-work.ts';
import type { Owner } from './owner.ts';
import { settled, still } from './stage.ts';

const DEFINITIONS = '/api/process-manager/processDefinitions';
/** A theme with enough contrast. */
export const COLOURS = {
  primary: '#1f6b4f',
  onPrimary: '#ffffff',
  background: '#ffffff',
  surface: '#f4f6f5',
  text: '#16211c',
  mutedText: '#4d5a54',
  border: '#7c8a84',
  error: '#b3261e',
  success: '#1b6e3c',
};

/** Tests what a tenant sets up: keys, links, webhooks, lists, themes. */
export function testObjects(owner: () => Owner): void {
  it('a key has permissions that are chosen by component, and an expiry; a part of its name finds it', async () => {
    const { page: ownPage, open, get } = owner();
    const page = ownPage();
    await open('/keys', /API keys/);
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Nightly report');
    await dialog.getByLabel('Permissions').fill('listRev');
    await page.getByText('ProcessManager', { exact: true }).waitFor();
    await page.getByRole('option', { name: 'ProcessManager:listReviews', exact: true }).click();
    await page.keyboard.press('Tab');
    await dialog.getByLabel('Expires').selectOption('30');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog', { name: 'Copy the key now' }).getByRole('button', { name: 'Copy' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('searchbox', { name: 'Name' }).fill('%report');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove filter: Name' }).waitFor();
    const row = page.getByRole('row', { name: /Nightly report/ });
    await row.locator('td[data-title=Expires] time').waitFor();
    await settled(page);
    assert.equal(await page.getByRole('table').getByRole('row').count(), 2, 'the titles and one key');
    const [key] = (await get('/api/arthr/apiKeys?name=Nightly%25')).content;
    assert.deepEqual(key?.permissions, ['TNT#acme#ProcessManager:listReviews']);
    await row.getByRole('button', { name: 'Delete' }).click();
    await page
      .getByRole('dialog', { name: 'Delete this key for good?' })
      .getByText(/cannot be undone/)
      .waitFor();
    await page.getByLabel('Nightly report').fill('Nightly');
    assert.ok(await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).isDisabled());
    await page.keyboard.press('Escape');
  });

  it('a start link is checked against its limits while one types; members from earlier clients are marked as deprecated', async () => {
    const { page: ownPage, open, post, get } = owner();
    const page = ownPage();
    const { content } = await get(`${DEFINITIONS}?name=document-and-selfie&status=DEPLOYED_ACTIVE`);
    const [definition] = content;
    const bound = { processDefnName: definition?.name, processDefnVersion: definition?.version };
    await post('/api/process-manager/settings', { redirectOrigins: ['https://shop.example'] });
    const parameters = { shop: 'Vienna', _redirectUrl: 'https://shop.example/back' };
    const old = { maxProcessDuration: 'PT1H', forTest: true };
    await post('/api/process-manager/processTokens', { name: 'of an old client', ...bound, ...old, parameters });
    await open('/tokens?name=of%20an%20old%25', /Start links/);
    await page
      .getByRole('row', { name: /of an old client/ })
      .getByRole('button', { name: 'QR code' })
      .click();
    const facts = page.getByRole('dialog', { name: 'of an old client' });
    await facts.getByRole('row', { name: /^maxProcessDuration deprecated PT1H/ }).waitFor();
    await facts.getByRole('row', { name: /^forTest deprecated true/ }).waitFor();
    await facts.getByRole('row', { name: '_redirectUrl https://shop.example/back' }).waitFor();
    await checkScreen(owner(), 'token-facts');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New start link' }).click();
    const dialog = page.getByRole('dialog', { name: 'New start link' });
    const name = dialog.getByLabel('Name').first();
    await name.fill('x'.repeat(60));
    assert.equal((await name.inputValue()).length, 50);
    await dialog.getByText('0 characters left').waitFor();
    const address = dialog.getByLabel('Where people go afterwards');
    await address.fill(`https://shop.example/${'x'.repeat(600)}`);
    assert.equal((await address.inputValue()).length, 500);
    await dialog.getByLabel('May be used').selectOption('MULTI_USE_TIME_LIMITED');
    assert.ok(await dialog.getByRole('button', { name: 'Create' }).isDisabled(), 'it needs an end');
    assert.equal(await dialog.getByText(/deprecated/).count(), 0, 'a new link has nothing that will be removed');
    await page.keyboard.press('Escape');
    await post('/api/process-manager/settings', { redirectOrigins: [] });
  });

  it('a delivery shows its attempts and duration and is sent again alone; a new secret is shown once', async (t) => {
    const { page: ownPage, open, post } = owner();
    const page = ownPage();
    const receiver = await openReceiver((_request, answer) => void answer.writeHead(503).end('closed'));
    t.after(() => receiver.close());
    const hook = { name: 'desk', uri: receiver.uri, events: ['instance.completed'], retryIntervalsMs: [] };
    const { id } = await post('/api/notification-service/webhooks', hook);
    await post(`/api/notification-service/webhooks/${id}/test`);
    await receiver.arrived(1);
    const failed = page.getByRole('row', { name: /webhook\.test Failed 1 \/ 1 503 · \d+ ms/ });
    for (let looks = 0; (await failed.count()) === 0; looks += 1) {
      assert.ok(looks < 100, 'the delivery is listed');
      await open(`/webhooks/${id}?status=FAILED`, /desk/);
    }
    await page.getByText('instance.completed').waitFor();
    await page.getByRole('button', { name: 'Remove filter: Status' }).waitFor();
    await failed.getByRole('button', { name: 'Send again' }).click();
    await receiver.arrived(2);
    const [first, second] = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(first, second);
    await page.getByRole('button', { name: 'New secret' }).click();
    const secret = page.getByRole('dialog', { name: 'Copy the signing secret now' });
    await secret.getByText(/valid for 24 hours/).waitFor();
    assert.match(await secret.locator('pre').innerText(), /^whsec_/);
    await secret.getByRole('button', { name: 'Done' }).click();
    await open('/', /Good to see you/);
    const concern = page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: /desk failed/ });
    await concern.click();
    await page.getByRole('heading', { level: 1, name: 'desk' }).waitFor();
  });

  it('nobody is put on a watchlist without a reason, and a face is blurred until the pointer is over it', async () => {
    const { page: ownPage, open, post } = owner();
    const page = ownPage();
    const { id } = await post('/api/watchlist-manager/facewatchlists', { name: 'Faces', type: 'FACE' });
    await open(`/watchlists/${id}`, /Faces/);
    await page.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add' });
    const buffer = await sharp({ create: { width: 90, height: 120, channels: 3, background: '#c68863' } })
      .jpeg()
      .toBuffer();
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Picture of the face' }).click(),
    ]);
    await chooser.setFiles({ name: 'face.jpg', mimeType: 'image/jpeg', buffer });
    const picture = dialog.locator('.blurred');
    await picture.locator('img').waitFor();
    const filter = () => picture.locator('img').evaluate((image) => getComputedStyle(image).filter);
    assert.match(await filter(), /^blur/);
    await picture.focus();
    await still(page);
    assert.equal(await filter(), 'none');
    await checkScreen(owner(), 'watchlist-face');
    let sent = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('facewatchlists')) sent += 1;
    });
    await dialog.getByRole('button', { name: 'Add' }).click();
    assert.ok(await dialog.getByLabel('Reason').evaluate((field: HTMLTextAreaElement) => field.validity.valueMissing));
    const ends = await dialog.getByLabel('Expires').locator('option').allInnerTexts();
    assert.deepEqual(ends, ['30 days', '90 days', '365 days', '1,825 days']);
    assert.equal(sent, 0);
    await page.keyboard.press('Escape');
  });

  it('several values are put on a watchlist together; a refused one stays in the field, with those after it', async () => {
    const { page: ownPage, open, post } = owner();
    const page = ownPage();
    const { id } = await post('/api/watchlist-manager/facewatchlists', { name: 'Many', type: 'EMAIL' });
    await open(`/watchlists/${id}`, /Many/);
    await page.getByRole('button', { name: 'Add' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add' });
    const field = dialog.getByLabel('E-mail addresses');
    await field.fill('a@example.com\n\n b@example.com \na@example.com\nnobody\nc@example.com');
    await dialog.getByLabel('Reason').fill('Of one ring');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await page
      .locator('.mantine-Notifications-notification')
      .getByText(/e-mail address/)
      .waitFor();
    assert.equal(await field.inputValue(), 'nobody\nc@example.com');
    await field.fill('c@example.com');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('3 entries').waitFor();
    for (const name of ['a', 'b', 'c'])
      await page.getByRole('row', { name: `${name}@example.com Of one ring` }).waitFor();
  });

  it('colours with low contrast get a warning; an own text must keep its placeholders, and shows in which languages it is missing', async () => {
    const { page: ownPage, open, post } = owner();
    const page = ownPage();
    await post('/api/theme-server/themes', { name: 'pale', palette: COLOURS });
    await open('/themes/pale', /pale/);
    const text = page.getByRole('textbox', { name: 'Text', exact: true });
    await text.fill('#808080');
    await page
      .getByText(/is hard to read: 3\.\d:1, better 4\.5:1/)
      .first()
      .waitFor();
    assert.equal(await page.getByText(/cannot be read/).count(), 0);
    assert.ok(await page.getByRole('button', { name: 'Save' }).first().isEnabled());
    await text.fill(COLOURS.text);
    const key = page.getByRole('searchbox', { name: 'Key' });
    await key.fill('x'.repeat(300));
    assert.equal((await key.inputValue()).length, 100);
    await page.getByText('Nothing matches these filters').waitFor();
    await key.fill('start.lead');
    const own = page.locator('.card.check').filter({ has: page.getByText('start.lead', { exact: true }) });
    await own.getByRole('textbox').fill('Hello');
    await own.getByText('It lacks {tenant}.').waitFor();
    assert.ok(await own.getByRole('button', { name: 'Save' }).isDisabled());
    await own.getByRole('textbox').fill('Hello from {tenant}');
    await own.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^Some of your words are missing in: de, fr/).waitFor();
    await checkScreen(owner(), 'theme-missing');
  });

  it('the figures of usage are exported as they are shown', async () => {
    const { page: ownPage, open, inReview, post } = owner();
    const page = ownPage();
    const id = await inReview('Ursula');
    await open('/usage', /Usage/);
    const figures = page.getByRole('region', { name: 'By definition' });
    const cells = await figures
      .getByRole('row', { name: /document-and-selfie/ })
      .getByRole('cell')
      .allInnerTexts();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV: By definition' }).click(),
    ]);
    const line = readFileSync(await file.path(), 'utf8').split('\r\n')[1] ?? '';
    assert.equal(line.replaceAll('"', ''), cells.slice(0, 8).join(','));
    for (const title of [/^By day/, /^Steps of/, /^Devices/]) await page.getByRole('region', { name: title }).waitFor();
    for (const label of ['Acceptance rate', 'Median duration']) await page.getByText(label, { exact: true }).waitFor();
    await post(`/api/process-manager/processInstances/${id}/cancel`);
  });
}
