import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { testPlaces } from '../../server/test/harness.ts';
import { openTestProvider } from '../../server/test/oidc-provider.ts';
import { type Owner, openOwner } from './owner.ts';
import { DESKTOP, PHONE, resize, settled, still } from './stage.ts';

/** Chromium's name for the response of a closed port. */
const REFUSED = 'connectionrefused';
const UNREACHABLE = /^The server cannot be reached\. Nothing that you typed is lost/;
const ADDRESSES = '**/api/**';
const NUM_PAGED = 21;

/** Tests what happens to an operator's work if the server is away, two people do the same, or a click comes twice. */
describe('the console in trouble', () => {
  const places = testPlaces();
  let owner: Owner;
  let page: Page;
  const refusals: string[] = [];
  before(async () => {
    owner = await openOwner(places);
    page = owner.page();
    page.on('response', (answer) => answer.status() >= 400 && refusals.push(`${answer.status()} ${answer.url()}`));
  });
  after(() => owner.close());
  beforeEach(() => {
    refusals.length = 0;
  });

  /** The requests that the page sends during `work`. */
  const sentDuring = async (work: () => Promise<void>) => {
    const sent: string[] = [];
    const note = (request: { method(): string; url(): string }) => {
      if (request.method() === 'POST') sent.push(request.url().split('/').at(-1) ?? '');
    };
    page.on('request', note);
    await work();
    page.off('request', note);
    return sent;
  };
  const holdAnswers = async (address: string) => {
    const mayAnswer = Promise.withResolvers<void>();
    await page.route(address, async (route) => {
      await mayAnswer.promise;
      await route.continue();
    });
    return async () => {
      mayAnswer.resolve();
      await settled(page);
      await page.unroute(address);
    };
  };
  const cutOff = (address = ADDRESSES) => page.route(address, (route) => route.abort(REFUSED));

  it('a double click or a repeated key acts once, shows that it works, and requests no deleted object', async () => {
    const { open, inReview } = owner;
    const id = await inReview('Dora');
    await inReview('Nora');
    await open(`/reviews/${id}`, /Dora Byrne/);
    const sent = await sentDuring(async () => {
      await page.keyboard.press('1');
      const answer = await holdAnswers('**/approve');
      await page.keyboard.press('a');
      await page.locator('button[data-loading]', { hasText: 'Approve' }).waitFor();
      for (const key of ['a', 'd', 'n']) await page.keyboard.press(key);
      await answer();
      await page.getByRole('heading', { level: 1, name: /Nora Byrne/ }).waitFor();
      await settled(page);
    });
    assert.deepEqual(sent, ['approve', 'claim']);
    assert.deepEqual(refusals, []);

    await page.keyboard.press('r');
    await page.getByLabel('selfie').check();
    await page.keyboard.press('Escape');
    await page.getByLabel('Reason').fill('Too dark');
    await page.getByRole('button', { name: 'Ask again' }).dblclick();
    await page.getByRole('dialog', { name: 'Ask again' }).getByRole('button', { name: 'Done' }).click();
    await page.getByText('No case is waiting for a decision.').waitFor();
    await settled(page);
    assert.deepEqual(refusals, []);

    const clickThrice = (name: string) =>
      sentDuring(async () => {
        await page
          .getByRole('dialog')
          .getByRole('button', { name })
          .evaluate((button) => {
            for (let clicks = 0; clicks < 3; clicks += 1) (button as HTMLButtonElement).click();
          });
        await settled(page);
      });
    await open('/keys', /API keys/);
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Only one');
    assert.deepEqual(await clickThrice('Create'), ['apiKeys']);
    await page.getByRole('dialog', { name: 'Copy the key now' }).getByRole('button', { name: 'Done' }).click();

    await open('/secrets', /Secrets/);
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('ONLY_ONE');
    await page.getByRole('dialog').getByLabel('Value').fill('x');
    assert.deepEqual(await clickThrice('Save'), ['cloudSecrets']);
    assert.deepEqual(refusals, []);
  });

  it('a dialog stays open after a double click on its button, and a click beside it keeps it open', async () => {
    await owner.open('/keys', /API keys/);
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    await page.getByRole('button', { name: 'New API key' }).click();
    await dialog.getByLabel('Name').fill('Half written');
    // The position of the button.
    await page.mouse.click(DESKTOP.width - 60, 100);
    await page.mouse.click(20, DESKTOP.height - 20);
    await still(page);
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Half written');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('unsaved text is left only after a confirmation, and without unsaved text there is none', async () => {
    const { open, get } = owner;
    const questions: string[] = [];
    let answer: 'accept' | 'dismiss' = 'dismiss';
    page.on('dialog', (dialog) => {
      questions.push(dialog.type());
      void dialog[answer]();
    });
    const { content } = await get('/api/process-manager/processDefinitions?size=1');
    await open(`/definitions/${content[0]?.id}`, /v\d/);
    await page.getByRole('heading', { level: 1 }).click();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: /v\d/ }).waitFor();
    assert.deepEqual(questions, [], 'a page that is only read asks nothing');

    const leave = async (path: string, heading: RegExp, field: string) => {
      const typed = page.getByRole('textbox', { name: field });
      await open('/keys', /API keys/);
      await page.getByRole('link', { name: heading }).click();
      if (path !== '') await page.getByRole('link', { name: path }).click();
      await typed.fill('7');
      questions.length = 0;
      answer = 'dismiss';
      const address = page.url();
      await page.evaluate(() => history.back());
      await page.waitForFunction((before) => location.href === before, address);
      await page.getByRole('link', { name: 'Audit trail' }).click();
      await settled(page);
      assert.equal(await typed.inputValue(), '7', heading.source);
      await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click();
      await page.getByText('You are looking at test data.').waitFor();
      assert.deepEqual(questions, ['confirm', 'confirm', 'confirm'], heading.source);
      await page.getByRole('radiogroup', { name: 'Language' }).getByText('AR').click();
      await page.locator('html[dir=rtl]').waitFor();
      await page.locator('.mantine-SegmentedControl-root').getByText('EN', { exact: true }).click();
      await page.locator('html[dir=ltr]').waitFor();
      assert.equal(await typed.inputValue(), '7', heading.source);
      answer = 'accept';
      await page.getByRole('link', { name: 'Audit trail' }).click();
      await page.getByRole('heading', { level: 1, name: 'Audit trail' }).waitFor();
    };
    await leave('New definition', /^Definitions$/, 'Name');
    await leave('', /^Settings$/, 'Decide reviews within (hours)');
    page.removeAllListeners('dialog');
  });

  it('an operator whose role changes is shown what the new role permits', async () => {
    const { join, open } = owner;
    const other = await join('Developer', 'Rolf Reader');
    await other.getByRole('link', { name: 'API keys' }).click();
    await other.getByRole('button', { name: 'New API key' }).click();
    await other.getByRole('dialog').getByLabel('Name').fill('Too late');
    await open('/operators?name=Rolf%25', /People/);
    await page.getByRole('button', { name: 'Menu: Rolf Reader' }).click();
    await page.getByRole('menuitem', { name: 'Change the role' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change the role' });
    await dialog.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Reviewer' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('row', { name: /Rolf Reader .* Reviewer/ }).waitFor();
    await other.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await other.getByText('Your role does not include this').waitFor();
    await other.getByRole('link', { name: 'API keys' }).waitFor({ state: 'detached' });
    await other.context().close();
  });

  it('a secret that somebody else has changed meanwhile is not overwritten before the difference was shown', async () => {
    const { open, post, get, stage } = owner;
    const secrets = '/api/process-manager/cloudSecrets';
    const { id } = await post(secrets, { name: 'READ_BY_TWO', value: 'first', hosts: ['old.example.com'] });
    await open('/secrets?name=READ%25', /Secrets/);
    await page.getByRole('button', { name: 'New value' }).click();
    await page.getByRole('dialog').getByLabel('Value').fill('mine');
    stage().app.clock.advance(1000);
    await post(`${secrets}/${id}`, { hosts: ['theirs.example.com'] });
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this' });
    await conflict.getByText('"theirs.example.com"').waitFor();
    await conflict.getByText('"old.example.com"').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    const { content } = await get(`${secrets}?name=READ%25`);
    assert.deepEqual(content[0]?.hosts, ['theirs.example.com']);
  });

  it('a role that somebody else has changed meanwhile is not overwritten before the difference was shown', async () => {
    const { app } = owner.stage();
    const roles = '/api/operator-manager/roles';
    const send = async (path: string, body: object) => {
      const answer = await app.call(path, { method: 'POST', token: await app.token(), body: JSON.stringify(body) });
      assert.ok(answer.status < 300, answer.text);
    };
    const permissions = ['TNT#acme#ProcessManager:listReviews'];
    await send(roles, { name: 'Of two', description: 'First', permissions });
    await owner.open('/operators', /People/);
    const row = page.getByRole('row', { name: /^Of two/ });
    await row.getByRole('button', { name: 'Edit' }).click();
    const description = page.getByRole('dialog').getByLabel('Description');
    await description.fill('Mine');
    app.clock.advance(1000);
    await send(`${roles}/Of%20two`, { description: 'Theirs' });
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this' });
    await conflict.getByText('- "description": "Theirs"').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByRole('dialog').first().waitFor({ state: 'detached' });
    await row.getByText('Theirs').waitFor();
  });

  it('single sign-on that somebody else has set up or changed meanwhile is not overwritten before the difference was shown', async () => {
    const { app, address } = owner.stage();
    const provider = await openTestProvider(`${address}/console/single-sign-on`);
    const token = await app.token();
    const send = (init: object) => app.call('/api/operator-manager/singleSignOn', { token, ...init });
    const setUp = (clientId: string) => {
      const settings = { issuer: provider.issuer, clientId, roles: [{ group: 'a', role: 'Reviewer' }] };
      return send({ method: 'POST', body: JSON.stringify(settings) });
    };
    const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this' });
    await owner.open('/operators', /People/);
    await page.getByRole('button', { name: 'Set up' }).click();
    const dialog = page.getByRole('dialog', { name: 'Single sign-on' });
    await dialog.getByLabel('Issuer').fill(provider.issuer);
    await dialog.getByLabel('Client ID').fill('mine');
    await dialog.getByRole('textbox', { name: /^Group/ }).fill('b');
    await setUp('theirs');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await conflict.getByText('"theirs"').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await send({})).body.clientId, 'theirs');

    await page
      .locator('section', { hasText: 'Single sign-on' })
      .getByRole('button', { name: 'Edit', exact: true })
      .click();
    assert.equal(await dialog.getByLabel('Client ID').inputValue(), 'theirs');
    await dialog.getByLabel('Client ID').fill('mine');
    app.clock.advance(1000);
    await setUp('theirs again');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await conflict.getByText('"theirs again"').waitFor();
    await conflict.getByRole('button', { name: 'Save mine over it' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await send({})).body.clientId, 'mine');
    await provider.close();
  });

  it('a member that somebody else has removed from a watchlist meanwhile is gone, without a refusal', async () => {
    const { open, post, stage } = owner;
    const { id } = await post('/api/watchlist-manager/facewatchlists', { name: 'Of two', type: 'EMAIL' });
    const members = `/api/watchlist-manager/facewatchlists/${id}/watchlist-members`;
    const member = await post(members, { value: 'a@example.com', note: 'because' });
    await open(`/watchlists/${id}`, /Of two/);
    await page
      .getByRole('row', { name: /a@example.com/ })
      .getByRole('button', { name: 'Delete' })
      .click();
    const { app, testKey } = stage();
    const { status } = await app.call(`${members}/${member.id}`, { method: 'DELETE', token: await app.token(testKey) });
    assert.equal(status, 204);
    await page.getByRole('dialog').getByLabel('a@example.com').fill('a@example.com');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing here yet').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('an object that is deleted on its own page leads to its list, and is not requested again', async () => {
    const { open, post } = owner;
    const hook = { name: 'short-lived', uri: 'https://example.com/hook', events: [] };
    const { id } = await post('/api/notification-service/webhooks', hook);
    await post('/api/identity-store/stores', { name: 'brief' });
    const user = await post('/api/identity-store/stores/brief/users', { extId: 'eve' });
    for (const [path, name, list] of [
      [`/webhooks/${id}`, 'short-lived', 'Webhooks'],
      [`/stores/brief/users/${user.id}`, 'eve', 'brief'],
    ] as const) {
      await open(path, new RegExp(name));
      refusals.length = 0;
      await page.getByRole('button', { name: 'Delete', exact: true }).first().click();
      await page.getByRole('dialog').getByRole('textbox').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { level: 1, name: list }).waitFor();
      await settled(page);
      assert.deepEqual(refusals, [], path);
    }
  });

  it('a list goes to its last page if the one in the address no longer exists', async () => {
    const { open, post } = owner;
    for (let at = 0; at < NUM_PAGED; at += 1) await post('/api/arthr/apiKeys', { name: `gone ${at}`, permissions: [] });
    await open('/keys?name=gone%25&page=1', /API keys/);
    const row = page.getByRole('row', { name: /^gone/ });
    const name = await row.locator('td').first().innerText();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.waitForFunction(() => !location.search.includes('page='));
    await page.getByText(`${NUM_PAGED - 1} entries`).waitFor();
    assert.equal(await row.count(), NUM_PAGED - 1);
  });

  it('no name is too long for a screen: with no space in it, from right to left, of 250 characters', async () => {
    const { stage, open, post, inReview } = owner;
    const name = `شركة${'W'.repeat(240)}🦜`;
    await post('/api/arthr/apiKeys', { name, permissions: [] });
    const hook = {
      name: name.slice(0, 100),
      uri: `https://example.com/${'a'.repeat(470)}`,
      events: ['instance.completed'],
    };
    const { id } = await post('/api/notification-service/webhooks', hook);
    const caseId = await inReview(name.slice(0, 100));
    for (const path of [
      '/keys?name=%25W%25',
      '/webhooks',
      `/webhooks/${id}`,
      '/reviews',
      `/reviews/${caseId}`,
      '/audit',
    ]) {
      await open(path, /./);
      for (const size of [DESKTOP, PHONE]) {
        await resize(page, size);
        await still(page);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(width <= size.width, `${path} is ${width} wide at ${size.width}`);
      }
    }
    await resize(page, DESKTOP);
    const token = await stage().app.token(stage().testKey);
    await stage().app.call(`/api/process-manager/processInstances/${caseId}/cancel`, { method: 'POST', token });
  });

  // The last test, because it leaves the page with a controlled clock.
  it('while the server is away no input is lost, and every screen continues by itself afterwards', async () => {
    const { open } = owner;
    await open('/keys?name=Only%25', /API keys/);
    const row = page.getByRole('row', { name: /^Only one/ });
    await row.getByRole('button', { name: 'Delete' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill('Only');
    await page.clock.install();
    await cutOff();
    // The data is fetched again when the tab regains the focus.
    await page.clock.fastForward('00:30');
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')));
    await page.clock.fastForward('00:02');
    await page.getByRole('alert').getByText(UNREACHABLE).waitFor();
    assert.equal(await dialog.getByRole('textbox').inputValue(), 'Only');
    await row.waitFor();
    await page.unroute(ADDRESSES);
    await page.clock.fastForward('00:04');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    assert.equal(await dialog.getByRole('textbox').inputValue(), 'Only');

    await dialog.getByRole('textbox').fill('Only one');
    await cutOff();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.locator('.mantine-Notification-root').getByText(UNREACHABLE).waitFor();
    await page.unroute(ADDRESSES);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });

    // The code of a screen is not available either; it is loaded as soon as the server is back.
    const code = '**/console/assets/usage*';
    await cutOff(code);
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.clock.fastForward('00:02');
    await page.getByLabel('Loading').first().waitFor();
    await page.unroute(code);
    await page.clock.fastForward('00:04');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
  });
});
