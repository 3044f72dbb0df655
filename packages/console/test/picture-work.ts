import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkScreen } from './case-work.ts';
import type { Owner } from './owner.ts';
import { settled } from './stage.ts';

/** Tests the pictures and the reviewers of a case. */
export function testCases(owner: () => Owner): void {
  it('the pictures of a case are enlarged, turned and compared under the name of the viewer; differences are marked', async () => {
    const { page: ownPage, open, inReview } = owner();
    const page = ownPage();
    const id = await inReview('Zelda', 'applicant-uncertain');
    const answer = page.waitForResponse(
      (response) => response.url().includes('/api/') && /^image/.test(response.headers()['content-type'] ?? ''),
    );
    await open(`/reviews/${id}`, /Zelda Byrne/);
    assert.equal((await answer).headers()['cache-control'], 'no-store');
    await page
      .getByRole('row', { name: /^Last name/ })
      .getByText('differs')
      .waitFor();
    const viewer = page.locator('.viewer').first();
    const picture = viewer.locator('.picture');
    await picture.locator('img').waitFor();
    // No address leads to a picture, because somebody could pass it on.
    assert.match((await picture.locator('img').getAttribute('src')) ?? '', /^blob:/);
    await viewer.getByText('Seen by Olga Owner').waitFor();
    const before = (await picture.boundingBox())?.width ?? 0;
    await page.getByRole('button', { name: 'Zoom in' }).press('Enter');
    await page.getByRole('button', { name: 'Rotate' }).press('Enter');
    await picture.and(page.locator('.turn-1')).waitFor();
    assert.ok(((await picture.boundingBox())?.height ?? 0) > before, 'it is larger, and lies on its side');
    await page.getByRole('button', { name: 'Reset' }).press('Enter');
    await picture.and(page.locator('.turn-0')).waitFor();
    assert.equal((await picture.boundingBox())?.width, before);
    const faces = page.locator('.faces');
    assert.equal(await faces.locator('img').count(), 2, 'the portrait beside the selfie');
    await page.locator('.viewer').last().getByText('Seen by Olga Owner').waitFor();
    await page.locator('.thumb').last().click();
    await viewer.locator('.mark-landmarks').waitFor({ state: 'attached' });
    await checkScreen(owner(), 'case-face');
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    // The longer words of German do not overlap the pictures.
    await page.getByRole('radiogroup', { name: 'Language' }).getByText('DE').click();
    await page.getByRole('button', { name: 'Berichtigen: Nachname' }).waitFor();
    const values = await page.locator('.case table').first().boundingBox();
    const pictures = await viewer.boundingBox();
    assert.ok(values && pictures && values.x + values.width <= pictures.x, JSON.stringify([values, pictures]));
    await page.getByRole('radiogroup', { name: 'Sprache' }).getByText('EN').click();
    await page.getByRole('button', { name: 'Give back' }).click();
    await owner().post(`/api/process-manager/processInstances/${id}/cancel`);
  });

  it('the keys R and N ask again and go on; a case that was left is released', async () => {
    const { page: ownPage, open, inReview, get } = owner();
    const page = ownPage();
    const ids = [await inReview('Nora'), await inReview('Otto')];
    await open(`/reviews/${ids[0]}`, /Nora Byrne/);
    await page.getByText(/Claimed by you until/).waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('Why, for the end user').waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('n');
    await page.getByRole('heading', { level: 1, name: /Otto Byrne/ }).waitFor();
    await page.getByText(/Claimed by you until/).waitFor();
    const waiting = await get('/api/process-manager/reviews?assigned=UNCLAIMED');
    assert.deepEqual(
      waiting.content.map(({ processInstanceId }) => processInstanceId),
      [ids[0]],
    );
    await open('/reviews?view=free', /Reviews/);
    await page.getByRole('table').getByText('Nora Byrne').waitFor();
    assert.equal(await page.getByRole('table').getByText('Otto Byrne').count(), 0);
    await open('/reviews?view=mine', /Reviews/);
    await page.getByRole('table').getByText('Otto Byrne').waitFor();
    for (const id of ids) await owner().post(`/api/process-manager/processInstances/${id}/cancel`);
  });

  it('with four eyes the first verdict decides nothing, and a colleague sees that there is one but not which', async () => {
    const { stage, page: ownPage, open, inReview, get, post, join } = owner();
    const page = ownPage();
    await post('/api/process-manager/settings', { fourEyes: true });
    const id = await inReview('Fiona');
    await open(`/reviews/${id}`, /Fiona Byrne/);
    await page.getByLabel('Reason').fill('It is she');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByText(/Another person/)
      .first()
      .waitFor();
    assert.equal((await get(`/api/process-manager/processInstances/${id}`)).status, 'REVIEW');
    const other = await join('Reviewer', 'Rita Reviewer');
    await other.goto(`${stage().address}/console/reviews/${id}`);
    await other
      .getByText(/Olga Owner/)
      .first()
      .waitFor();
    await settled(other);
    assert.equal(
      await other
        .locator('main')
        .getByText(/It is she|Approved/)
        .count(),
      0,
    );
    await other.getByLabel('Reason').fill('I think so, too');
    await other.getByRole('button', { name: 'Approve' }).click();
    await other.getByText('Approved', { exact: true }).first().waitFor();
    assert.equal((await get(`/api/process-manager/processInstances/${id}`)).status, 'COMPLETED_ENDED_SUCCESS');
    await other.context().close();
    await post('/api/process-manager/settings', { fourEyes: false });
  });
}
