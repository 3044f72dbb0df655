import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { startJourney } from '../../server/test/end-user.ts';
import { checkScreen, type Tools } from './case-work.ts';
import { settled } from './stage.ts';

/** Tests exports from the console. */
export function testExports(tools: Tools): void {
  const { stage, open } = tools;

  it('a list is exported in the background, and the file is kept for the operator who started it', async () => {
    const page = tools.page();
    const parameters = { firstName: 'Xenia', lastName: 'Export' };
    const { processInstanceId: id } = await startJourney(stage().app, stage().testKey, { parameters });
    await open('/instances?q=Xenia', /Verifications/);
    await page.getByRole('button', { name: 'Export in the background' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export in the background' });
    await dialog.getByRole('radio', { name: 'JSON, for programs' }).check();
    await checkScreen(tools, 'export-start');
    await dialog.getByRole('button', { name: 'Prepare the file' }).click();
    await page.getByRole('heading', { level: 1, name: 'Exports' }).waitFor();
    const row = page.getByRole('row', { name: /Search: Xenia/ });
    await row.getByText('Done', { exact: true }).waitFor();
    await row.getByText('1 row').waitFor();
    await settled(page);
    await checkScreen(tools, 'exports');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      row.getByRole('button', { name: 'Download' }).click(),
    ]);
    assert.match(file.suggestedFilename(), /^verifications-[\d-]{10}\.json$/);
    const items = JSON.parse(readFileSync(await file.path(), 'utf8'));
    assert.deepEqual(
      items.map((item: { id: string; firstName: string }) => [item.id, item.firstName]),
      [[id, 'Xenia']],
    );
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No export has been prepared.').waitFor();
    const token = await stage().app.token(stage().testKey);
    const audit = await stage().app.call('/api/process-manager/auditEvents?action=export.downloaded', { token });
    assert.match(audit.body.content[0].actor, /^Olga Owner/);
    await stage().app.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE', token });
  });
}
