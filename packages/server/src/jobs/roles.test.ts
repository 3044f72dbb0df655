import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines, type TestClock, testClock } from '../../test/harness.ts';
import { enqueueByName, gate, namedJob, openTestJobs, storedJobs } from '../../test/jobs.ts';
import { type Db, sql } from '../db/db.ts';
import type { TenantId } from '../kernel/ids.ts';

const EMPTY = sql('DELETE FROM jobs');

onBothEngines('jobs of a process', (_engine, places) => {
  let db: Db;
  let clock: TestClock;
  let tenantId: TenantId;
  before(async () => {
    db = await openTestDb(await places.create());
    [tenantId] = (await addTestTenants(db, 'acme')) as [TenantId];
  });
  beforeEach(async () => {
    clock = testClock();
    await db.system.write((tx) => tx.run(EMPTY, []));
  });
  after(() => db.close());

  it('a process runs the jobs of its roles, and other jobs wait for a process with their role', async () => {
    const beginnings: string[] = [];
    const run = async ({ name }: { name: string }) => void beginnings.push(name);
    const usual = namedJob(run);
    const look = namedJob(run, { kind: 'test.look', role: 'vision' });
    const open = (...roles: string[]) => {
      const jobs = openTestJobs(db, clock, { roles });
      for (const definition of [usual, look]) jobs.register(definition);
      return jobs;
    };
    const api = open('api');
    await enqueueByName({ jobs: api, db, tenantId }, usual, 'usual');
    await enqueueByName({ jobs: api, db, tenantId }, look, 'look');
    assert.equal(await api.runDue(), 0);
    assert.equal(await open('worker').runDue(), 1);
    assert.deepEqual(beginnings, ['usual']);
    assert.equal(await open('vision').runDue(), 1);
    assert.deepEqual(beginnings, ['usual', 'look']);
  });

  it('jobs of a kind with a limit are claimed only as fast as they run, so that another process gets its share', async () => {
    const stop = gate();
    const beginnings: string[] = [];
    const definition = namedJob(
      async ({ name }) => {
        beginnings.push(name);
        await stop.opened;
      },
      { atOnce: 9 },
    );
    const open = () => {
      const jobs = openTestJobs(db, clock, { atOnce: { 'test.named': 2 } });
      jobs.register(definition);
      return jobs;
    };
    const [one, other] = [open(), open()];
    await enqueueByName({ jobs: one, db, tenantId }, definition, ...'abcde');
    const running = one.runDue();
    while (beginnings.length < 2) await new Promise((turn) => setImmediate(turn));
    const leased = (await storedJobs(db)).filter(({ lease_until }) => lease_until > clock.now());
    assert.equal(leased.length, 2);
    const runningToo = other.runDue();
    while (beginnings.length < 4) await new Promise((turn) => setImmediate(turn));
    stop.open();
    await Promise.all([running, runningToo]);
    assert.deepEqual(beginnings.toSorted(), [...'abcde']);
    assert.deepEqual(await storedJobs(db), []);
  });

  it('jobs that were claimed run although the claim for a kind with a limit failed after them', async () => {
    const beginnings: string[] = [];
    const run = async ({ name }: { name: string }) => void beginnings.push(name);
    const usual = namedJob(run);
    const limited = namedJob(run, { kind: 'test.limited', atOnce: 1 });
    let claims = 0;
    const write: Db['system']['write'] = (work) => {
      claims += 1;
      if (claims === 2) return Promise.reject(new Error('the database is busy'));
      return db.system.write(work);
    };
    const jobs = openTestJobs({ ...db, aside: { of: db.of, system: { ...db.system, write } } }, clock);
    for (const definition of [usual, limited]) jobs.register(definition);
    await enqueueByName({ jobs, db, tenantId }, usual, 'usual');
    await enqueueByName({ jobs, db, tenantId }, limited, 'limited');
    assert.equal(await jobs.runDue(), 2);
    assert.deepEqual(beginnings, ['usual', 'limited']);
    assert.deepEqual(await storedJobs(db), []);
  });
});
