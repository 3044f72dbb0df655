import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { jobTable } from '../src/jobs/job-table.ts';
import { SECOND } from '../src/kernel/clock.ts';
import { LONGEST_PAUSE_MS } from '../src/leases/poll.ts';
import { LOOK_STEP } from '../src/process-manager/runtime/job-kinds.ts';
import { openTestApp, testPlaces } from './harness.ts';

const PAGE = new URL('../../../docs/operating.md', import.meta.url);

const places = testPlaces();

it('another process takes over the image analysis of a killed one within five seconds', () => {
  assert.ok((LOOK_STEP.leaseMs ?? Number.POSITIVE_INFINITY) + LONGEST_PAUSE_MS <= 5 * SECOND);
});

it('docs/operating.md lists every kind of job as the features declare it', async (t) => {
  const grove = await openTestApp(await places.create());
  t.after(() => grove.stop());
  const kinds = grove.app.jobs.kinds();
  assert.ok(kinds.length > 20);
  assert.ok(readFileSync(PAGE, 'utf8').includes(jobTable(kinds)), 'run node packages/server/src/write-tables.ts');
});
