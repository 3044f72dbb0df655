import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Tools } from './case-work.ts';
import { settled } from './stage.ts';

const NUM_STEPS = 100;
const NUM_CHANGES = 50;

/** A definition as long as one may be. */
export function testLongDefinition(tools: Tools): void {
  const { stage, open } = tools;

  it('the canvas shows a hundred steps, is moved through by keyboard, and fifty changes are undone', async (t) => {
    const page = tools.page();
    const { app, testKey } = stage();
    const steps = Array.from({ length: NUM_STEPS - 1 }, (_, at) => ({
      id: `consent${at + 1}`,
      type: 'consent',
      key: `consent${at + 1}`,
    }));
    const body = JSON.stringify({ name: 'long', steps: [...steps, { id: 'decide', type: 'decision' }] });
    const path = '/api/process-manager/processDefinitions';
    const made = await app.call(path, { method: 'POST', token: await app.token(testKey), body });
    assert.equal(made.status, 201, made.text);
    await open(`/definitions/${made.body.id}`, /long v1/);
    await page.getByText('Canvas', { exact: true }).click();
    const flow = page.getByRole('listbox', { name: 'Steps' });
    const nodes = flow.getByRole('option');
    await nodes.nth(NUM_STEPS - 1).waitFor();
    assert.equal(await nodes.count(), NUM_STEPS);
    const frames = await flow.evaluate(async (element) => {
      const from = performance.now();
      let count = 0;
      for (; performance.now() - from < 1000; count += 1) {
        element.scrollTop += 40;
        await new Promise(requestAnimationFrame);
      }
      return Math.round((count * 1000) / (performance.now() - from));
    });
    // What it says depends on how busy the machine is.
    t.diagnostic(`${frames} frames a second while ${NUM_STEPS} steps are moved through`);
    await nodes.first().focus();
    for (let change = 0; change < NUM_CHANGES; change += 1) await page.keyboard.press('Alt+ArrowDown');
    await flow
      .getByRole('option', { name: `${NUM_CHANGES + 1}. consent1`, exact: false })
      .first()
      .waitFor();
    const undo = page.getByRole('button', { name: 'Undo' });
    for (let change = 0; change < NUM_CHANGES; change += 1) await undo.press('Enter');
    assert.match(await nodes.first().innerText(), /^1\. consent1\b/);
    assert.ok(await undo.isDisabled(), 'all changes are undone');
    await settled(page);
  });
}
