import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { testPlaces } from '../../server/test/harness.ts';
import { checkScreen } from './case-work.ts';
import { type Owner, openOwner } from './owner.ts';
import { setPresence, settled } from './stage.ts';

const IDLE_MS = 31 * 60_000;
const SIGN_IN = 'Sign in with a passkey';

/** Tests what happens to the work of an operator whose session ends. */
describe('a session of the console that ends', () => {
  const places = testPlaces();
  let owner: Owner;
  before(async () => {
    owner = await openOwner(places);
  });
  after(() => owner.close());

  /** Ends the session. Nobody is at the authenticator until `signInAgain`. */
  const expire = async (page: Page) => {
    await setPresence(page, false);
    owner.stage().app.clock.advance(IDLE_MS);
  };
  const signInAgain = async (page: Page) => {
    await page.getByText('Your session has ended. Sign in to continue: what you typed is still here.').waitFor();
    await setPresence(page, true);
    await page.getByRole('button', { name: SIGN_IN }).click();
    await page.getByRole('button', { name: SIGN_IN }).waitFor({ state: 'detached' });
  };

  it('an expired session loses no part of a decision, and shows no personal data meanwhile', async () => {
    const { page: ownPage, open, inReview, get } = owner;
    const page = ownPage();
    const id = await inReview('Sidonie');
    await open(`/reviews/${id}`, /Sidonie Byrne/);
    const reason = page.getByRole('textbox', { name: /^Reason/ });
    await reason.fill('The portrait is hers, the light was poor');
    const note = page.getByRole('textbox', { name: 'Write a note for colleagues' });
    await note.fill('Half a note');
    await expire(page);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: SIGN_IN }).waitFor();
    await settled(page);
    assert.equal(
      await page
        .getByText(/Sidonie/)
        .filter({ visible: true })
        .count(),
      0,
    );
    assert.equal(await page.locator('.viewer').filter({ visible: true }).count(), 0);
    await checkScreen(owner, 'session-ended');
    await signInAgain(page);
    await page.getByRole('heading', { level: 1, name: /Sidonie Byrne/ }).waitFor();
    assert.equal(await reason.inputValue(), 'The portrait is hers, the light was poor');
    assert.equal(await note.inputValue(), 'Half a note');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('No case is waiting for a decision.').waitFor();
    assert.equal((await get(`/api/process-manager/processInstances/${id}`)).status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('an expired session hides an open dialog, and shows it again unchanged', async () => {
    const { page: ownPage, open } = owner;
    const page = ownPage();
    await open('/keys', /API keys/);
    await page.getByRole('button', { name: 'New API key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Half typed');
    await expire(page);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: SIGN_IN }).waitFor();
    assert.equal(await dialog.filter({ visible: true }).count(), 0);
    await signInAgain(page);
    assert.equal(await dialog.getByLabel('Name').inputValue(), 'Half typed');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog', { name: 'Copy the key now' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
  });

  it('the work of an expired session is forgotten after half an hour', async () => {
    const { page: ownPage, open } = owner;
    const page = ownPage();
    await page.clock.install();
    await open('/keys', /API keys/);
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Left behind');
    await expire(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('Your session has ended.').waitFor();
    await page.clock.fastForward('29:00');
    await settled(page);
    assert.equal(await page.locator('#content').count(), 1);
    await page.clock.fastForward('02:00');
    await page.locator('#content').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('Your session has ended.').count(), 0);
    await setPresence(page, true);
    await page.getByRole('button', { name: SIGN_IN }).click();
    await page.getByRole('button', { name: /^OO/ }).waitFor();
    await settled(page);
    assert.equal(await page.getByRole('dialog').count(), 0);
  });

  it('the work of a session is not shown to another operator on the page, nor after signing out', async () => {
    const { page: ownPage, open, join } = owner;
    const page = ownPage();
    await open('/keys', /API keys/);
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('A secret plan');
    const reviewer = await join('Reviewer', 'Rhea Reviewer');
    await expire(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: SIGN_IN }).waitFor();
    // The session that the server begins is that of a colleague.
    await reviewer.getByRole('button', { name: /^RR/ }).waitFor();
    const { response } = await signedInAs(reviewer);
    await page.route('**/api/console/signIn/complete', (route) => route.fulfill({ json: response }));
    await page.context().clearCookies();
    await page.context().addCookies(await reviewer.context().cookies());
    await setPresence(page, true);
    await page.getByRole('button', { name: SIGN_IN }).click();
    await page.getByRole('button', { name: /^RR/ }).waitFor();
    await settled(page);
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.doesNotMatch(await page.content(), /A secret plan/);
    assert.equal(await page.getByRole('link', { name: 'API keys' }).count(), 0);
    // From here on nobody is at the authenticator: the browser's autofill would sign them in again.
    await setPresence(page, false);
    await page.unroute('**/api/console/signIn/complete');
    await page.getByRole('button', { name: /^RR/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: SIGN_IN }).waitFor();
    // A pending request may learn first that the session is over. Then the page is hidden before it is removed.
    await page.locator('#content').waitFor({ state: 'detached' });
    assert.equal(await page.getByText('Your session has ended').count(), 0);
  });

  it('a session stays over after signing out, whatever the response to a pending request', async () => {
    const { page: ownPage, open } = owner;
    const page = ownPage();
    await setPresence(page, true);
    await open('/keys', /API keys/);
    await setPresence(page, false);
    const mayAnswer = Promise.withResolvers<void>();
    const json = await page.evaluate(async () => (await fetch('/api/console/session')).json());
    await page.route('**/api/console/session', async (route) => {
      await mayAnswer.promise;
      await route.fulfill({ json });
    });
    // The page requests the session again when it regains the focus after a minute.
    const [request] = await Promise.all([
      page.waitForRequest('**/api/console/session'),
      page.evaluate(() => {
        const now = Date.now;
        Date.now = () => now() + 61_000;
        window.dispatchEvent(new Event('visibilitychange'));
      }),
    ]);
    await page.getByRole('button', { name: /^OO/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: SIGN_IN }).waitFor();
    mayAnswer.resolve();
    await (await request.response())?.finished();
    await settled(page);
    assert.equal(await page.locator('#content').count(), 0);
    assert.equal(await page.getByText('Your session has ended').count(), 0);
  });

  /** Signs the operator in by autofill, and returns the server's response. */
  async function signedInAs(page: Page) {
    const [answer] = await Promise.all([page.waitForResponse(/signIn\/complete/), page.reload()]);
    return { response: await answer.json() };
  }
});
