import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { grove, groveJson, startGrove, temporaryFolder } from '../../test/grove.ts';

type JobCounts = { jobs: { kind: string; state: string; count: number; oldestAgeSeconds: number }[] };
type DeadJobs = { jobs: { id: string; kind: string; tenantId: string | null; attempts: number; lastError: string }[] };

/** Adds dead jobs of a kind that no release knows, so that a running server leaves them alone. */
function addDead(folder: string, ...ids: string[]): void {
  const database = new DatabaseSync(`${folder}/grove.sqlite`);
  const add = database.prepare(`INSERT INTO jobs (id, kind, payload, state, run_at, attempts, max_attempts, lease_until,
    last_error, created_at) VALUES (?, 'test.dead', '{}', 'DEAD', 0, 3, 3, 0, 'gone', 0)`);
  for (const id of ids) add.run(id);
  database.close();
}

test('the schedules of a running server are in the list, with the age of the oldest', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  await startGrove(t, env);
  const { jobs } = await groveJson<JobCounts>(['jobs', 'list'], env);
  const found = jobs.find(({ kind }) => kind === 'http.purge-answers');
  assert.deepEqual(found, { kind: 'http.purge-answers', state: 'READY', count: 1, oldestAgeSeconds: 0 });
});

test('dead jobs are listed with their reason, and are retried one by one or by kind', async (t) => {
  const folder = temporaryFolder(t);
  const env = { GROVE_DATA: folder };
  await groveJson(['tenant', 'create', 'acme'], env);
  assert.match((await grove(['jobs', 'dead'], env)).stdout, /There are no dead jobs/);
  addDead(folder, 'A', 'B', 'C');
  const { jobs } = await groveJson<DeadJobs>(['jobs', 'dead', '--kind', 'test.dead'], env);
  assert.deepEqual(
    jobs.map(({ id, tenantId, attempts, lastError }) => [id, tenantId, attempts, lastError]),
    ['C', 'B', 'A'].map((id) => [id, null, 3, 'gone']),
  );
  assert.deepEqual(await groveJson(['jobs', 'retry', 'B'], env), { retried: 1 });
  const again = await grove(['jobs', 'retry', 'B'], env);
  assert.deepEqual([again.code, again.stderr], [1, 'grove: There is no dead job B\n']);
  assert.deepEqual(await groveJson(['jobs', 'retry', '--kind', 'test.dead'], env), { retried: 2 });
  const { stdout } = await grove(['jobs', 'list'], env);
  assert.match(stdout, /test\.dead +READY +3/);
});

test('retry without an id and a kind, or with both, exits with 2', async (t) => {
  const env = { GROVE_DATA: temporaryFolder(t) };
  for (const args of [[], ['A', '--kind', 'test.dead']]) {
    assert.equal((await grove(['jobs', 'retry', ...args], env)).code, 2);
  }
});
