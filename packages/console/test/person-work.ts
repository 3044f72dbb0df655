import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { verifySigned } from '../../server/test/signed.ts';
import { unzip } from '../../server/test/unzip.ts';
import { checkScreen } from './case-work.ts';
import type { Owner } from './owner.ts';
import { reloadSlowly, settled } from './stage.ts';

const EMAIL = 'perdita.plum@example.com';
const MINUTE_MS = 60_000;

/** Tests requests of persons for their data or its erasure. */
export function testPersons(owner: () => Owner): void {
  /** Stores a verification, a start link, a user and a member of a watchlist with this address. */
  const store = async (email: string) => {
    const { post } = owner();
    const link = { name: `for ${email}`, processDefnName: 'document-and-selfie', parameters: { email } };
    const { id: tokenId } = await post('/api/process-manager/processTokens', link);
    const made = await post(`/api/process-manager/processInstances/create?pt=${tokenId}`);
    const name = `persons-${tokenId}`.toLowerCase().slice(0, 20);
    await post('/api/identity-store/stores', { name });
    await post(`/api/identity-store/stores/${name}/users`, { extId: tokenId, attributes: { mail: email } });
    const lists = '/api/watchlist-manager/facewatchlists';
    const { id: listId } = await post(lists, { name: `of ${email}`, type: 'EMAIL' });
    await post(`${lists}/${listId}/watchlist-members`, { value: email });
    return String(made.processInstanceId);
  };
  const find = async (email: string) => {
    const { page: ownPage, open } = owner();
    const page = ownPage();
    await open('/persons', /Person requests/);
    await page.getByRole('textbox', { name: 'E-mail address' }).fill(email);
    await page.keyboard.press('Enter');
    const result = page.getByRole('region', { name: `What was found for ${email}` });
    await result.getByText('Done', { exact: true }).waitFor();
    return result;
  };

  it('everything about a person is found, exported and erased with a receipt, by keyboard and a fresh passkey', async () => {
    const { stage, page: ownPage, get } = owner();
    const page = ownPage();
    const { app } = stage();
    const id = await store(EMAIL);
    const result = await find(EMAIL);
    await result.getByText('1Verifications', { exact: false }).waitFor();
    for (const kind of ['Start links', 'Users of identity stores', 'Members of watchlists']) {
      assert.equal(
        await result.getByText(kind, { exact: true }).locator('xpath=preceding-sibling::*').innerText(),
        '1',
      );
    }
    await result.getByRole('link', { name: id }).waitFor();
    assert.doesNotMatch(page.url(), /perdita/, 'the address does not name the person');
    await settled(page);
    await checkScreen(owner(), 'persons');

    // The passkey was last used too long ago for both, so the browser asks for it before the page continues.
    app.clock.advance(11 * MINUTE_MS);
    const confirmed = page.waitForRequest(/completeConfirmation|confirmations?/i);
    const [archive] = await Promise.all([
      page.waitForEvent('download'),
      result.getByRole('button', { name: 'Download everything (zip)' }).press('Enter'),
    ]);
    await confirmed;
    assert.match(archive.suggestedFilename(), /^person-\w{26}\.zip$/);
    const entries = await unzip(readFileSync(await archive.path()));
    assert.ok(entries.has(`processInstances/${id}/instance.json`), [...entries.keys()].join());
    await verifySigned(app, String(entries.get('manifest.jws')), entries.get('manifest.json') as Buffer);

    await result.getByRole('button', { name: 'Erase everything …' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Erase everything about this person' });
    const submit = dialog.getByRole('button', { name: 'Erase everything' });
    await dialog.getByLabel(EMAIL).fill(EMAIL.slice(0, -1));
    assert.ok(await submit.isDisabled(), 'the whole value has to be typed');
    await checkScreen(owner(), 'person-erase');
    await dialog.getByLabel(EMAIL).fill(EMAIL);
    await page.keyboard.press('Enter');
    const erased = page.getByRole('region', { name: 'What was erased' });
    await erased.getByText('Done', { exact: true }).waitFor();
    await erased.getByText('Start links have lost their parameters. They still work.').waitFor();
    await settled(page);
    await checkScreen(owner(), 'person-erased');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      erased.getByRole('button', { name: 'Download the receipt' }).press('Enter'),
    ]);
    const { header, payload } = await verifySigned(app, readFileSync(await file.path(), 'utf8'));
    assert.equal(header.typ, 'grove-person-erasure+jwt');
    const claims = JSON.parse(payload.toString('utf8'));
    assert.deepEqual(claims.erased.processInstances, [id]);
    assert.match(claims.requestedBy, /^Olga Owner/);
    assert.doesNotMatch(JSON.stringify(claims), /perdita/i);
    const { content } = await get('/api/process-manager/auditEvents?action=person.erased');
    assert.match(content[0]?.actor ?? '', /^Olga Owner/);
  });

  it('an earlier request is found without naming its person; a missing, too large or refused one is explained', async () => {
    const { page: ownPage, open, get } = owner();
    const page = ownPage();
    const nothing = await find('nobody.at.all@example.com');
    await nothing.getByText('Nothing is stored about this person.').waitFor();
    assert.equal(await nothing.getByRole('button').count(), 0);
    await store('quentin@example.com');
    await find('quentin@example.com');
    const id = new URL(page.url()).searchParams.get('request') ?? '';
    await page.reload();
    const again = page.getByRole('region', { name: 'What was found', exact: true });
    await again.getByText(/^To erase it, search for the person again/).waitFor();
    await again.getByRole('button', { name: 'Download everything (zip)' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'E-mail address' }).inputValue(), '');
    // The list links to it.
    await open('/persons', /Person requests/);
    const history = page.getByRole('table', { name: 'Earlier requests' });
    assert.doesNotMatch(await history.innerText(), /quentin|perdita/);
    await history.getByRole('link', { name: id }).press('Enter');
    await again.waitFor();
    assert.equal(new URL(page.url()).searchParams.get('request'), id);
    // Live data has its own requests.
    await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click();
    await page.getByText('There is no such request here').waitFor();
    await page.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click();
    await again.waitFor();

    const path = '**/api/userdata-server/personRequests/*';
    const stored = await get(`/api/userdata-server/personRequests/${id}`);
    const reason = 'more than 1000 items were found: this is not one person';
    await page.route(path, (route) => route.fulfill({ json: { ...stored, state: 'FAILED', reason } }));
    await page.reload();
    await page
      .getByRole('alert')
      .getByText(/^More than 1,000 items were found/)
      .waitFor();
    await page.unroute(path);
    await reloadSlowly(page, path);
    await page.unroute(path);
    await page.getByRole('button', { name: 'Try again' }).click();
    await again.waitFor();
    const progress = { state: 'SEARCHING', searched: 40, total: 100 };
    await page.route(path, (route) => route.fulfill({ json: { ...stored, ...progress } }));
    await page.reload();
    await page.getByText('40 of about 100 items searched').waitFor();
    await checkScreen(owner(), 'person-progress');
    await page.unroute(path);
    // The page polls by itself.
    await again.getByText('Done', { exact: true }).waitFor();
    for (const [from, to, title] of [
      ['Language', 'DE', 'Anfragen zu Personen'],
      ['Sprache', 'AR', 'طلبات الأشخاص'],
    ] as const) {
      await page.getByRole('radiogroup', { name: from }).getByText(to).click();
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.getByRole('region', { name: /gefunden|عُثر/ }).waitFor();
      await settled(page);
      assert.doesNotMatch(await page.locator('main').innerText(), /\b(Find|found|Erase|Number)\b/);
      await checkScreen(owner(), `persons-${to.toLowerCase()}`);
    }
    await page.getByRole('radiogroup', { name: 'اللغة' }).getByText('EN').click();
    await page.getByRole('heading', { level: 1, name: 'Person requests' }).waitFor();
  });

  it('a role sees only the parts of a person request that it may use', async () => {
    const { stage, join } = owner();
    const { app } = stage();
    const role = async (name: string, names: readonly string[], masked = false) => {
      const permissions = names.map((each) => `TNT#acme#PersonRequests:${each}`);
      const answer = await app.call('/api/operator-manager/roles', {
        method: 'POST',
        token: await app.token(),
        body: JSON.stringify({ name, permissions, masked }),
      });
      assert.equal(answer.status, 201, answer.text);
    };
    await role('Finds persons', ['find', 'get', 'archive'], true);
    await store('rupert@example.com');
    const finder = await join('Finds persons', 'Fiona Finder');
    await finder.getByRole('link', { name: 'Person requests' }).click();
    await finder.getByRole('textbox', { name: 'E-mail address' }).fill('rupert@example.com');
    await finder.getByRole('button', { name: 'Find', exact: true }).click();
    const result = finder.getByRole('region', { name: /rupert/ });
    await result.getByText('Done', { exact: true }).waitFor();
    assert.equal(await result.getByRole('button').count(), 0, 'a masked role gets no archive, and may not erase');
    assert.equal(await result.getByRole('link').count(), 0);
    assert.equal(await finder.getByText('Earlier requests').count(), 0);
    await finder.context().close();
    await role('Erases persons', ['erase', 'get']);
    const eraser = await join('Erases persons', 'Ernst Eraser');
    await eraser.getByRole('link', { name: 'Person requests' }).click();
    await eraser.getByRole('textbox', { name: 'E-mail address' }).fill('rupert@example.com');
    assert.equal(await eraser.getByRole('button', { name: 'Find', exact: true }).count(), 0);
    await eraser.getByRole('button', { name: 'Erase everything …' }).click();
    await eraser.getByRole('dialog').getByLabel('rupert@example.com').fill('rupert@example.com');
    await eraser.getByRole('dialog').getByRole('button', { name: 'Erase everything' }).click();
    await eraser.getByRole('region', { name: 'What was erased' }).getByText('Done', { exact: true }).waitFor();
    await eraser.context().close();
  });
}
