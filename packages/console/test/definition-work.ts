import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { checkScreen, type Tools } from './case-work.ts';
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

type Document = { steps: { id: string; type: string; [member: string]: unknown }[] };

/** The document as the editor shows it. Only lines near the visible ones are in the page, which are all of a short one. */
export async function documentOf(page: Page): Promise<Document> {
  const editor = page.getByRole('textbox', { name: 'Document' });
  await editor.waitFor();
  // The editor draws long documents in more than one frame. What it shows before that is no JSON.
  const document = await page.waitForFunction(
    (element) => {
      const lines = [...(element?.querySelectorAll('.cm-line') ?? [])].map((line) => line.textContent);
      try {
        return JSON.parse(lines.join('\n')) as Document;
      } catch {
        return null;
      }
    },
    await editor.elementHandle(),
  );
  return (await document.jsonValue()) as Document;
}

/** Writes over all that an editor holds. */
export async function write(editor: Locator, text: string): Promise<void> {
  await editor.press('Control+a');
  await editor.press('Delete');
  await editor.page().keyboard.insertText(text);
}

/** A definition as text. */
export function testDefinitionText(tools: Tools): void {
  const { open } = tools;

  it('a definition is edited as text: a fault is shown at its place, and a change is seen in the outline', async () => {
    const page = tools.page();
    await open('/definitions/new', /New definition/);
    await page.getByText('Document', { exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'Document' });
    const steps = [
      { id: 'document', type: 'document' },
      { id: 'terms', type: 'consent', key: 'terms', when: 'params.country ==' },
      { id: 'decide', type: 'decision' },
    ];
    await write(editor, JSON.stringify({ name: 'as-text', steps }, null, 2));
    const marked = page.locator('.code-editor .cm-lintRange-error');
    await marked.filter({ hasText: 'params.country' }).waitFor();
    await checkScreen(tools, 'definition-text');
    // A button of the outline leads to the position, too.
    await page.getByText('Outline', { exact: true }).click();
    await page.getByRole('button', { name: 'Show the place of the fault: /steps/1/when' }).click();
    await editor.and(page.locator(':focus')).waitFor();
    assert.equal(await page.evaluate(() => getSelection()?.toString()), '"when": "params.country =="');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('"when": "false"');
    await marked.waitFor({ state: 'detached' });
    await page.getByText('No faults.').waitFor();
    // A text that is not JSON has a marker at its fault; the Tab key leaves the editor.
    await page.keyboard.press('Control+End');
    await page.keyboard.type(',');
    const sign = page.locator('.code-editor .cm-lint-marker-error');
    await sign.waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await editor.and(page.locator(':focus')).count(), 0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await sign.waitFor({ state: 'detached' });
    assert.equal((await documentOf(page)).steps[1]?.when, 'false');
    await page.getByText('Outline', { exact: true }).click();
    await page.getByRole('listitem').filter({ hasText: '2. terms' }).getByText(/false/).waitFor();
    page.once('dialog', (dialog) => dialog.accept());
  });
}
