import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkScreen } from './case-work.ts';
import { write } from './definition-work.ts';
import type { Owner } from './owner.ts';
import { settled } from './stage.ts';

const DEFINITIONS = '/api/process-manager/processDefinitions';
/** The step types that the design of the console lists. */
const PALETTE = [
  'consent',
  'form',
  'document',
  'face',
  'watchlist',
  'passkey',
  'totp',
  'webhook',
  'subprocess',
  'customPage',
  'decision',
];

/** Tests what a definition may consist of, and what happens to a deployed one. */
export function testDesigns(owner: () => Owner): void {
  it('every type of step is offered; each fault is listed with its place, and such a version is not deployed', async () => {
    const { page: ownPage, open } = owner();
    const page = ownPage();
    await open('/definitions/new', /New definition/);
    await page.getByRole('combobox', { name: 'Add a step' }).press('ArrowDown');
    const offered = await page.getByRole('option').allInnerTexts();
    for (const type of PALETTE) {
      assert.ok(
        offered.some((each) => each.toLowerCase().startsWith(type.toLowerCase())),
        `${type} in ${offered.join(', ')}`,
      );
    }
    await page.keyboard.press('Escape');
    await page.getByText('Document', { exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Document' });
    const steps = [
      { id: 'page', type: 'customPage', page: 'not-there' },
      { id: 'odd', type: 'consent', key: 'odd', colour: 'red' },
      { id: 'decide', type: 'decision' },
      { id: 'never', type: 'consent', key: 'never' },
    ];
    const faults = page.getByRole('status').getByRole('listitem');
    await write(editor, JSON.stringify({ name: 'faulty', steps }, null, 2));
    for (const place of ['/steps/0/page', '/steps/1/colour', '/steps/3']) {
      await page
        .getByRole('button', { name: new RegExp(`: ${place}`) })
        .first()
        .waitFor();
    }
    await checkScreen(owner(), 'definition-faults');
    await write(editor, JSON.stringify({ name: 'endless', steps: steps.slice(3) }, null, 2));
    await faults.filter({ hasText: 'has no end' }).first().waitFor();
    page.once('dialog', (dialog) => dialog.accept());
  });

  it('a deployed version never changes: it keeps its days, is tagged and run as a test; a change becomes the next version', async () => {
    const { page: ownPage, open, post, get } = owner();
    const page = ownPage();
    await open('/definitions/new', /New definition/);
    await page.getByRole('textbox', { name: 'Name' }).fill('of-the-shop');
    await page.getByRole('textbox', { name: 'Kept for (days)' }).fill('45');
    await page.getByText('No faults.').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'of-the-shop v1' }).waitFor();
    await page.getByRole('button', { name: 'Deploy' }).click();
    await page.getByText('Deployed', { exact: true }).first().waitFor();
    await settled(page);
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0, 'it cannot be removed');
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0, 'it cannot be changed');
    await page.getByRole('button', { name: 'Save as the next version' }).waitFor();
    await page.getByRole('textbox', { name: 'New tag' }).fill('shop');
    await page.getByRole('button', { name: 'Add', exact: true }).last().click();
    await page.getByRole('button', { name: 'Remove: shop' }).waitFor();
    await checkScreen(owner(), 'definition-deployed');
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.locator('.mantine-Notifications-notification').getByText(/shop/).first().waitFor();
    await page.getByRole('link', { name: 'Run as a test' }).click();
    await page.getByRole('button', { name: 'Start a test verification' }).click();
    await page.frameLocator('iframe.phone').getByRole('button', { name: 'Start' }).waitFor();
    await open('/definitions?name=of-the-shop', /Definitions/);
    await page.getByRole('row', { name: /of-the-shop v1 Deployed shop .* 45 / }).waitFor();
    const { content } = await get('/api/process-manager/processInstances?size=1');
    await post(`/api/process-manager/processInstances/${content[0]?.id}/cancel`);
    assert.equal((await get(`${DEFINITIONS}?name=of-the-shop`)).content[0]?.retentionDays, 45);
  });
}
