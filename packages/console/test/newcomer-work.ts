import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startJourney } from '../../server/test/end-user.ts';
import { walk } from './drawn-person.ts';
import type { Owner } from './owner.ts';
import { settled } from './stage.ts';

const EMPTY_LISTS = [
  ['/webhooks', /Webhooks/, 'A webhook tells your systems'],
  ['/secrets', /Secrets/, 'A secret is a password'],
  ['/watchlists', /Watchlists/, 'A watchlist holds faces'],
  ['/stores', /Identity stores/, 'An identity store holds users'],
  ['/themes', /Themes/, 'A theme gives the pages'],
  ['/pages', /Custom pages/, 'A custom page is a page of your own'],
  ['/what-if', /What if/, 'A shadow version is judged'],
] as const;

/** Tests what a newcomer sees. It runs first, while everything is empty. */
export function testNewcomer(owner: () => Owner): void {
  it('an empty list says what it is for, and mentions filters only if one is set', async () => {
    const { page: ownPage, open, axe } = owner();
    for (const [path, heading, words] of EMPTY_LISTS) {
      await open(path, heading);
      await ownPage().getByText(words).waitFor();
    }
    assert.deepEqual(await axe(), []);
    await open('/webhooks?name=nobody', /Webhooks/);
    await ownPage().getByText('Nothing matches these filters').waitFor();
    await open('/persons', /Person requests/);
    await ownPage().getByText('There has been no request yet.').waitFor();
  });

  it('a case shows how long a step took, and what the browser reported of its pictures', async () => {
    const { page: ownPage, stage, open, axe } = owner();
    const { app, testKey } = stage();
    const parameters = { _scenario: 'face-mismatch', firstName: 'Signe', lastName: 'Byrne' };
    const { user, processInstanceId } = await startJourney(app, testKey, { parameters });
    const hints = { frontSource: 'file', frontCameraLabel: 'OBS Virtual Camera' };
    await walk(user, { hints, onStep: () => app.clock.advance(7000) });
    await open(`/reviews/${processInstanceId}`, /Signe Byrne/);
    const quality = ownPage().locator('.check', { hasText: 'Picture of the document' });
    assert.match(await quality.innerText(), /From a file, not the camera\s+A virtual camera/);
    const events = ownPage().locator('.mantine-Timeline-item', { hasText: 'Step done · document' });
    assert.match(await events.innerText(), /took 7 sec/);
    assert.deepEqual(await axe(), []);
    // The first list of a kind is created where it is missing.
    await ownPage().getByRole('button', { name: 'Add to a watchlist' }).click();
    const dialog = ownPage().getByRole('dialog', { name: 'Add to a watchlist' });
    await dialog.getByRole('button', { name: 'New list' }).click();
    await dialog.getByLabel('Watchlist').waitFor();
    await dialog.getByLabel('Reason').fill('Sold passports');
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.waitFor({ state: 'detached' });
    await open('/watchlists', /Watchlists/);
    await ownPage()
      .getByRole('row', { name: /Document numbers.*1 \/ / })
      .waitFor();
    await ownPage().getByRole('button', { name: 'Delete' }).click();
    await ownPage().getByRole('dialog').getByRole('textbox').fill('Document numbers');
    await ownPage().getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await ownPage().getByText('A watchlist holds faces').waitFor();
    await open(`/reviews/${processInstanceId}`, /Signe Byrne/);
    await ownPage().getByRole('button', { name: 'Give back' }).click();
    await settled(ownPage());
    const path = `/api/process-manager/processInstances/${processInstanceId}/cancel`;
    await app.call(path, { method: 'POST', token: await app.token(testKey) });
  });

  it('a sample for a second review is set on the screen Settings', async () => {
    const { page: ownPage, open, get, inReview, post } = owner();
    const page = ownPage();
    const save = async (percent: string) => {
      await open('/settings', /Settings/);
      await page.getByLabel('Second review (percent)').fill(percent);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved', { exact: true }).first().waitFor();
    };
    await save('100');
    const id = await inReview('Secunda');
    await open(`/reviews/${id}`, /Secunda Byrne/);
    // The first reviewer learns only after the verdict that the case is in the sample.
    await page.getByLabel('Reason').fill('The same person');
    assert.equal(await page.getByText('Two people have to agree on this case.').count(), 0);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText('Your verdict is stored. Another person has to agree.').first().waitFor();
    await open(`/reviews/${id}`, /Secunda Byrne/);
    await page.getByText(/ has decided already/).waitFor();
    await save('0');
    assert.equal((await get('/api/process-manager/settings')).secondReviewPercent, 0);
    await post(`/api/process-manager/processInstances/${id}/cancel`);
  });

  it('a date has the format of the viewer’s country', async () => {
    await owner().open('/operators', /People/);
    const written = await owner().page().locator('time').first().innerText();
    assert.match(written, /^\d{1,2} [A-Z][a-z]{2,3} 20\d\d, \d\d:\d\d$/);
  });
}
