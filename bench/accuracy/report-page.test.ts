import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { drawHistograms } from './histogram.ts';
import { writeSection } from './report-page.ts';

test('the report has the sections of all runs, and the text of a section cannot add markup', () => {
  const folder = mkdtempSync(join(tmpdir(), 'grove-report-'));
  try {
    const series = [{ name: 'strangers', values: [-1, 0.1, 0.1, 2] }];
    const plots = [drawHistograms({ title: 'Cosine', from: 0, to: 1, bounds: [0.5], series })];
    writeSection({ name: 'faces', title: 'Faces <b>', columns: ['what'], rows: [['a & b']], plots }, folder);
    const page = writeSection({ name: 'attacks', title: 'Attacks', columns: ['what'], rows: [], plots: [] }, folder);
    const html = readFileSync(page, 'utf8');
    assert.match(html, /id="attacks".*id="faces"/s);
    assert.match(html, /Faces &lt;b&gt;.*a &amp; b/s);
    // The values beyond the ends are in the first and the last bar.
    assert.equal(html.match(/<rect /g)?.length, 3);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
