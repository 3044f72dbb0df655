import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines, type TestClock, testClock } from '../../test/harness.ts';
import { enqueueByName, gate, namedJob, openTestJobs, storedJobs } from '../../test/jobs.ts';
import { type Db, sql } from '../db/db.ts';
import { newId, type TenantId } from '../kernel/ids.ts';
import { MAX_BATCH } from '../leases/results.ts';

const EMPTY = sql('DELETE FROM jobs');
/** One statement adds all of them, because the test is about claiming. */
const FLOOD =
  sql(`INSERT INTO jobs (id, owner_tenant_id, kind, payload, state, run_at, attempts, max_attempts, lease_until, created_at)
  WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10000)
  SELECT $1 || n, $2, 'test.named', '{"name":"flood"}', 'READY', $3, 0, 3, 0, $3 FROM counted`);

onBothEngines('the turns of tenants for jobs', (_engine, places) => {
  let db: Db;
  let clock: TestClock;
  let flooding: TenantId;
  let small: TenantId;
  let third: TenantId;
  before(async () => {
    db = await openTestDb(await places.create());
    [flooding, small, third] = await addTestTenants(db, 'flooding', 'small', 'third');
  });
  beforeEach(async () => {
    clock = testClock();
    await db.system.write((tx) => tx.run(EMPTY, []));
  });
  after(() => db.close());

  const flood = () => db.system.write((tx) => tx.run(FLOOD, [newId(clock.now()), flooding, clock.now() - 60_000]));

  it('jobs of several tenants take turns: the newest of one begins among the first, although another has 10,000 older ones', async () => {
    await flood();
    const beginnings: string[] = [];
    const stop = gate();
    const definition = namedJob(async ({ name }) => {
      beginnings.push(name);
      if (beginnings.length >= 100) await stop.opened;
    });
    const jobs = openTestJobs(db, clock, { stopWithinMs: 0 });
    jobs.register(definition);
    await enqueueByName({ jobs, db, tenantId: small }, definition, 'small');
    await enqueueByName({ jobs, db, tenantId: third }, definition, 'third 1', 'third 2');
    jobs.start();
    while (beginnings.length < 100) await new Promise((turn) => setImmediate(turn));
    stop.open();
    await jobs.stop();
    const places = ['small', 'third 1', 'third 2'].map((name) => beginnings.indexOf(name));
    assert.ok(
      places.every((at) => at >= 0 && at < 20),
      `they began as numbers ${places}`,
    );
  });

  it('a process claims no more jobs than it has room for, although kinds with a limit of their own are claimed separately', async () => {
    const stop = gate();
    const kinds = Array.from({ length: 4 }, (_, at) =>
      namedJob(() => stop.opened, { kind: `test.named${at}`, atOnce: 10 * MAX_BATCH }),
    );
    const jobs = openTestJobs(db, clock, { concurrency: 4, stopWithinMs: 0 });
    const names = Array.from({ length: MAX_BATCH }, (_, at) => `${at}`);
    for (const definition of kinds) {
      jobs.register(definition);
      await enqueueByName({ jobs, db, tenantId: small }, definition, ...names);
    }
    jobs.start();
    const leased = async () => (await storedJobs(db)).filter(({ lease_until }) => lease_until > 0).length;
    while ((await leased()) < 4 + 2 * MAX_BATCH) await new Promise((turn) => setImmediate(turn));
    const most = await leased();
    stop.open();
    await jobs.stop();
    assert.equal(most, 4 + 2 * MAX_BATCH);
  });

  it('jobs of one tenant leave places to a tenant that comes later, however long they take', async () => {
    await flood();
    const beginnings: string[] = [];
    const stop = gate();
    const definition = namedJob(({ name }) => {
      beginnings.push(name);
      return name === 'flood' ? stop.opened : Promise.resolve();
    });
    const jobs = openTestJobs(db, clock, { concurrency: 4, stopWithinMs: 0 });
    jobs.register(definition);
    jobs.start();
    const until = async (count: number) => {
      while (beginnings.length < count) await new Promise((turn) => setImmediate(turn));
    };
    await until(3);
    await enqueueByName({ jobs, db, tenantId: small }, definition, 'small');
    await until(4);
    await enqueueByName({ jobs, db, tenantId: third }, definition, 'third');
    await until(5);
    const stopped = jobs.stop();
    stop.open();
    await stopped;
    assert.deepEqual(beginnings.slice(0, 5), ['flood', 'flood', 'flood', 'small', 'third']);
  });

  it('jobs that wait for another server free their place; one too many begins again later, which does not count as an attempt', async () => {
    const beginnings: string[] = [];
    const answerGate = gate();
    const definition = namedJob(async ({ name }, { outside, attempt }) => {
      if (name !== 'outside') return void beginnings.push(name);
      await outside('live', async () => {
        beginnings.push(`${name} ${attempt}`);
        await answerGate.opened;
      });
    });
    const jobs = openTestJobs(db, clock, { concurrency: 1, stopWithinMs: 0 });
    jobs.register(definition);
    await enqueueByName({ jobs, db, tenantId: flooding }, definition, 'outside', 'outside');
    jobs.start();
    while (!(await storedJobs(db)).some(({ run_at }) => run_at > clock.now()))
      await new Promise((turn) => setImmediate(turn));
    await enqueueByName({ jobs, db, tenantId: small }, definition, 'inside');
    while (beginnings.length < 2) await new Promise((turn) => setImmediate(turn));
    assert.deepEqual(beginnings, ['outside 1', 'inside']);
    answerGate.open();
    while ((await storedJobs(db)).length > 1) await new Promise((turn) => setImmediate(turn));
    clock.advance(2000);
    while (beginnings.length < 3) await new Promise((turn) => setImmediate(turn));
    await jobs.stop();
    assert.equal(beginnings[2], 'outside 1');
  });
});
