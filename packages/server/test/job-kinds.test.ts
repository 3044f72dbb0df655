import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import type { JobKind } from '../src/jobs/jobs.ts';
import { DAY, HOUR, MINUTE } from '../src/kernel/clock.ts';
import { openTestApp, testPlaces } from './harness.ts';

const PAGE = new URL('../../../docs/operating.md', import.meta.url);

const places = testPlaces();

it('docs/operating.md lists every kind of job as the features declare it', async (t) => {
  const grove = await openTestApp(await places.create());
  t.after(() => grove.stop());
  const expected = grove.app.jobs.kinds().map((kind) => `| \`${kind.kind}\` | ${whenOf(kind)} | ${kind.does} |`);
  const page = readFileSync(PAGE, 'utf8').replaceAll(/ +\|/g, ' |');
  const listed = page.split('\n').filter((line) => /^\| `[a-z-]+\.[a-z-]+` \|/.test(line));
  assert.ok(expected.length > 20);
  assert.deepEqual(listed, expected);
});

function whenOf({ schedule }: JobKind): string {
  if (!schedule) return 'when it is needed';
  if ('dailyAt' in schedule) return `daily at ${schedule.dailyAt}, UTC`;
  const { everyMs } = schedule;
  if (everyMs === HOUR) return 'hourly';
  return everyMs < MINUTE || everyMs % MINUTE !== 0 || everyMs >= DAY
    ? `every ${everyMs / 1000} s`
    : `every ${everyMs / MINUTE} min`;
}
