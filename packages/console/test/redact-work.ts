import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startJourney } from '../../server/test/end-user.ts';
import { checkScreen, type Tools } from './case-work.ts';
import { walk } from './drawn-person.ts';
import { settled } from './stage.ts';

/** Tests the redaction of a verification, which keeps its verdict. */
export function testRedaction(tools: Tools): void {
  const { stage, open, keep } = tools;
  const started = async (firstName: string) => {
    const parameters = { _scenario: 'face-mismatch', firstName, lastName: 'Redact' };
    return startJourney(stage().app, stage().testKey, { parameters });
  };
  const post = async (path: string, body: object) => {
    const token = await stage().app.token(stage().testKey);
    const answer = await stage().app.call(path, { method: 'POST', token, body: JSON.stringify(body) });
    assert.equal(answer.status, 200, answer.text);
  };
  const decided = async (firstName: string) => {
    const { user, processInstanceId } = await started(firstName);
    await walk(user);
    await post(`/api/process-manager/reviews/${processInstanceId}/approve`, { comment: 'Seen' });
    return processInstanceId;
  };

  it('a finished verification is redacted on its page, which then lists what is gone and what stays', async () => {
    const page = tools.page();
    const id = await decided('Yolanda');
    await open(`/instances/${id}`, /Yolanda Redact/);
    await page.getByRole('button', { name: 'Show personal data' }).click();
    await page.getByRole('button', { name: 'Redact…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Redact this verification' });
    await dialog.getByText('Images and faces, also in the search for duplicates').waitFor();
    await checkScreen(tools, 'redact-dialog');
    await dialog.getByLabel(id).fill(id);
    await dialog.getByRole('button', { name: 'Redact', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Redacted' }).waitFor();
    await page.getByText('The personal data was redacted').waitFor();
    await page.getByText('Accepted', { exact: true }).first().waitFor();
    for (const name of ['Redact…', 'Reopen', 'Download archive']) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    }
    await settled(page);
    assert.equal(await page.getByText('Yolanda').count(), 0);
    await checkScreen(tools, 'redacted');
    await page.getByRole('radiogroup', { name: 'Language' }).getByText('AR').click();
    await page.getByText('حُجبت البيانات الشخصية').first().waitFor();
    await settled(page);
    await keep('redacted-ar');
    await open(`/instances/${await decided('Zara')}`, /Zara Redact/);
    await page.getByRole('button', { name: 'حجب البيانات…' }).click();
    await page.getByRole('dialog', { name: 'حجب بيانات عملية التحقق هذه' }).waitFor();
    await checkScreen(tools, 'redact-dialog-ar');
    await page.keyboard.press('Escape');
    await page.getByRole('radiogroup', { name: 'اللغة' }).getByText('EN').click();
    // The page of its case shows the same.
    await open(`/reviews/${id}`, /Redacted/);
    await page.getByText('The personal data was redacted').waitFor();
  });

  it('several verifications are redacted together; an unfinished one is left unchanged', async () => {
    const page = tools.page();
    await decided('Wilhelmina');
    const { processInstanceId } = await started('Wilhelmina');
    await open('/instances?q=Wilhelmina', /Verifications/);
    for (const at of [0, 1])
      await page
        .getByRole('row', { name: /Wilhelmina/ })
        .nth(at)
        .getByRole('checkbox')
        .check();
    await page.getByRole('button', { name: 'Redact 2 verifications…' }).click();
    await page.getByRole('dialog').getByLabel('2').fill('2');
    await page.getByRole('dialog').getByRole('button', { name: 'Redact', exact: true }).click();
    await page.getByText('1 verification is redacted.').waitFor();
    await page.getByText('1 verification is not over and was not redacted.').waitFor();
    await page
      .getByRole('row', { name: /Wilhelmina/ })
      .nth(1)
      .waitFor({ state: 'detached' });
    await post(`/api/process-manager/processInstances/${processInstanceId}/cancel`, {});
    await open('/instances', /Verifications/);
    await page.getByRole('link', { name: 'Redacted', exact: true }).first().waitFor();
    await keep('instances-redacted');
  });
}
