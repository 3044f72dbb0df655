import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { jobTable } from '../src/jobs/job-table.ts';
import { openTestApp, testPlaces } from './harness.ts';

const PAGE = new URL('../../../docs/operating.md', import.meta.url);

const places = testPlaces();

it('docs/operating.md lists every kind of job as the features declare it', async (t) => {
  const grove = await openTestApp(await places.create());
  t.after(() => grove.stop());
  const kinds = grove.app.jobs.kinds();
  assert.ok(kinds.length > 20);
  assert.ok(readFileSync(PAGE, 'utf8').includes(jobTable(kinds)), 'run node packages/server/src/write-tables.ts');
});
