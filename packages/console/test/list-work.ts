import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { firstOf } from '../../../scripts/long.ts';
import { checkScreen } from './case-work.ts';
import type { Owner } from './owner.ts';
import { reloadSlowly, settled } from './stage.ts';

const NUM_KEYS = 25;

/** Tests what every list has, and the first screen. */
export function testLists(owner: () => Owner): void {
  it('a list is sorted and paged by the server, in the address; it shows when it waits, fails or is empty', async () => {
    const { page: ownPage, open, post } = owner();
    const page = ownPage();
    for (let at = 0; at < NUM_KEYS; at += 1) {
      const name = `paged ${String(at).padStart(2, '0')}`;
      await post('/api/arthr/apiKeys', { name, permissions: [] });
    }
    await open('/keys?name=paged%25', /API keys/);
    const names = () => page.getByRole('table').locator('td[data-title=Name]').allInnerTexts();
    const title = page.getByRole('columnheader', { name: /^Name/ });
    await title.getByRole('button').press('Enter');
    await title.and(page.locator('[aria-sort=ascending]')).waitFor();
    await title.getByRole('button').press('Enter');
    await page.waitForURL(/sort=name%2Cdesc/);
    await page.getByRole('row', { name: /^paged 24/ }).waitFor();
    await settled(page);
    assert.equal((await names())[0], 'paged 24');
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL(/page=1/);
    await page.getByRole('row', { name: /^paged 00/ }).waitFor();
    // The address shows the same list to another operator.
    await page.reload();
    await page.getByRole('row', { name: /^paged 00/ }).waitFor();
    assert.deepEqual(await names(), ['paged 04', 'paged 03', 'paged 02', 'paged 01', 'paged 00']);
    await page.getByText(`${NUM_KEYS} entries`).waitFor();

    const path = '**/api/arthr/apiKeys?*';
    await reloadSlowly(page, path);
    await checkScreen(owner(), 'list-failed');
    await page.unroute(path);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('row', { name: /^paged 00/ }).waitFor();
    await open('/keys?name=nobody', /API keys/);
    await page.getByText('Nothing matches these filters').waitFor();
  });

  it('the link of an e-mail chooses its environment, for its tab only', async () => {
    const { stage, page: ownPage, inReview, post } = owner();
    const id = await inReview('Linnea');
    const other = await stage().page();
    await other.context().addCookies(await ownPage().context().cookies());
    await other.goto(`${stage().address}/console/instances/${id}?environment=test`);
    await other.getByRole('heading', { level: 1, name: /Linnea Byrne/ }).waitFor();
    assert.equal(new URL(other.url()).search, '');
    await other.getByRole('radiogroup', { name: 'Environment' }).getByText('Live').click();
    await other.reload();
    await other.getByRole('alert').waitFor();
    assert.equal(await other.getByText('You are looking at test data.').count(), 0);
    await other.context().close();
    await post(`/api/process-manager/processInstances/${id}/cancel`);
  });

  it('the first screen shows since when the oldest case waits, and links to the same day of last week', async () => {
    const { stage, page: ownPage, inReview, post } = owner();
    const id = await inReview('Ida');
    const other = await stage().page({ timezoneId: 'Asia/Tokyo' });
    await other.clock.setFixedTime(stage().app.clock.now());
    await other.context().addCookies(await ownPage().context().cookies());
    await other.goto(`${stage().address}/console/`);
    await other.getByRole('radiogroup', { name: 'Environment' }).getByText('Test').click();
    await other.getByText(/^Oldest waiting since/).waitFor();
    await other.getByRole('link', { name: /^Accepted, 0 on the same day last week/ }).click();
    await other.getByRole('heading', { level: 1, name: 'Verifications' }).waitFor();
    const search = new URL(other.url()).searchParams;
    const weekAgo = new Date(stage().app.clock.now() - 7 * 86_400_000);
    const day = new Intl.DateTimeFormat('sv', { timeZone: 'Asia/Tokyo' }).format(weekAgo);
    assert.deepEqual([search.get('from'), search.get('to')], [day, day]);
    // Times are in the viewer's zone, and in UTC on hover.
    await other.goto(`${stage().address}/console/reviews`);
    const time = other.getByRole('table').locator('time').first();
    const at = (await time.getAttribute('datetime')) ?? '';
    assert.equal(await time.getAttribute('title'), `${at.slice(0, 19).replace('T', ' ')} UTC`);
    await other.goto(`${stage().address}/console/instances`);
    const created = other.getByRole('row', { name: /Ida Byrne/ }).locator('td[data-title=Created] time');
    const inTokyo = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Asia/Tokyo',
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    const moment = new Date((await created.getAttribute('datetime')) ?? '');
    // Versions of the language data differ in their spaces.
    const plain = (text: string) => text.replaceAll(/\s/g, ' ');
    assert.equal(plain(await created.innerText()), plain(inTokyo.format(moment)));
    await other
      .getByRole('row', { name: /Ida Byrne/ })
      .getByText('will be deleted')
      .waitFor();
    await other.context().close();
    await post(`/api/process-manager/processInstances/${id}/cancel`);
  });
}

/** Every address of the console that is not about one object. */
const ROUTES = [
  '/',
  '/reviews',
  '/reviews?view=closed',
  '/instances',
  '/instances/exports',
  '/tokens',
  '/try',
  '/definitions',
  '/definitions/new',
  '/what-if',
  '/usage',
  '/persons',
  '/watchlists',
  '/stores',
  '/themes',
  '/pages',
  '/keys',
  '/webhooks',
  '/secrets',
  '/audit',
  '/operators',
  '/events',
  '/settings',
  '/installation',
  '/account',
];

const ROLES = firstOf(1, ['Two permissions', 'Developer', 'Reviewer', 'Auditor']);

/** Tests what people of each role see on every screen. */
export function testRoutesOfRoles(owner: () => Owner): void {
  it('no screen offers a role what it may not see: no request of any route is refused', async (t) => {
    const { stage, inReview, post, join } = owner();
    const id = await inReview('Rosalind');
    const permissions = ['ProcessManager:listReviews', 'ProcessManager:getProcessInstance'].map(
      (each) => `TNT#acme#${each}`,
    );
    await stage().app.call('/api/operator-manager/roles', {
      method: 'POST',
      token: await stage().app.token(),
      body: JSON.stringify({ name: 'Two permissions', permissions }),
    });
    const faults: string[] = [];
    // Owners and administrators may see everything.
    for (const role of ROLES) {
      const page = await join(role, `One ${role}`);
      const refused = noteRefusals(page);
      for (const path of [...ROUTES, `/instances/${id}`, `/reviews/${id}`]) {
        await page.evaluate((to) => history.pushState({}, '', to), `/console${path}`);
        await page.locator('main').getByRole('heading').first().waitFor();
        await settled(page);
        faults.push(...refused.splice(0).map((each) => `${role}, ${path}: ${each}`));
      }
      await page.context().close();
    }
    t.diagnostic(`${ROLES.length} roles, ${ROUTES.length + 2} routes`);
    assert.deepEqual(faults, []);
    await post(`/api/process-manager/processInstances/${id}/cancel`);
  });
}

/** Records the requests that the server refuses to the page. */
function noteRefusals(page: Page): string[] {
  const refused: string[] = [];
  page.on('response', (response) => {
    if ([401, 403].includes(response.status()))
      refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
  });
  return refused;
}
