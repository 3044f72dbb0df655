import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDb } from '../../test/database.ts';
import { onBothEngines, openTestApp, testClock } from '../../test/harness.ts';
import { namedJob, openTestJobs, storedJobs } from '../../test/jobs.ts';
import { type Db, sql } from '../db/db.ts';
import { HOUR, MINUTE } from '../kernel/clock.ts';
import { nextRun } from './next-run.ts';

const START = Date.UTC(2026, 10, 15, 10, 30);

onBothEngines('a schedule', (_engine, places) => {
  const nodes = (db: Db, count: number, clock = testClock(START), fails = () => false, everyMs = HOUR) => {
    const runs: number[] = [];
    const nodes = Array.from({ length: count }, () => {
      const jobs = openTestJobs(db, clock);
      const run = async () => {
        if (fails()) throw new Error('as planned');
        runs.push(clock.now());
      };
      jobs.register(namedJob(run, { maxAttempts: 1 }));
      jobs.schedule({ kind: 'test.named', everyMs, key: 'hourly' });
      return jobs;
    });
    return { clock, runs, nodes: nodes };
  };

  it('a schedule on three nodes has one pending job, and one run for each moment', async () => {
    const db = await openTestDb(await places.create());
    const { clock, runs, nodes: three } = nodes(db, 3);
    await Promise.all(three.map((jobs) => jobs.tend()));
    for (let hour = 1; hour <= 3; hour++) {
      const stored = await storedJobs(db);
      assert.deepEqual(
        stored.map(({ run_at, owner_tenant_id }) => [run_at, owner_tenant_id]),
        [[START - 30 * MINUTE + hour * HOUR, null]],
      );
      clock.set(START - 30 * MINUTE + hour * HOUR);
      await Promise.all(three.map((jobs) => jobs.runDue()));
      await Promise.all(three.map((jobs) => jobs.tend()));
    }
    assert.equal(runs.length, 3);
    await db.close();
  });

  it('a schedule is written once: a server that finds it unchanged only reads it', async () => {
    const stored = await openTestDb(await places.create());
    let writes = 0;
    const write: Db['system']['write'] = (work) => {
      writes += 1;
      return stored.system.write(work);
    };
    const db = { ...stored, system: { ...stored.system, write } };
    const [first, second] = nodes(db, 2).nodes;
    await first?.tend();
    assert.equal(writes, 1);
    await first?.tend();
    await second?.tend();
    assert.equal(writes, 1);
    await stored.close();
  });

  it('a schedule continues after a restart, runs once for all missed runs, and neither postpones it', async () => {
    const place = await places.create();
    const first = await openTestDb(place);
    await nodes(first, 1).nodes[0]?.tend();
    await first.close();
    const db = await openTestDb(place);
    const { clock, runs, nodes: later } = nodes(db, 2, testClock(START + 5 * HOUR));
    for (const jobs of later) await jobs.tend();
    for (const jobs of later) await jobs.runDue();
    assert.deepEqual(runs, [clock.now()]);
    const [pending, ...others] = await storedJobs(db);
    assert.deepEqual([pending?.run_at, others], [START + 5.5 * HOUR, []]);
    await db.close();
  });

  it('a schedule with a shorter interval in a new release runs at its new time', async () => {
    const db = await openTestDb(await places.create());
    await nodes(db, 1).nodes[0]?.tend();
    await nodes(db, 1, testClock(START), undefined, 10 * MINUTE).nodes[0]?.tend();
    assert.deepEqual(
      (await storedJobs(db)).map(({ run_at }) => run_at),
      [START + 10 * MINUTE],
    );
    await db.close();
  });

  it('a schedule is renewed while jobs of several schedules end in another order, without a deadlock', async () => {
    const db = await openTestDb(await places.create());
    const clock = testClock(START);
    const release = (everyMs: number) => {
      const jobs = openTestJobs(db, clock);
      jobs.register(namedJob(async () => undefined));
      for (const key of ['first', 'second']) jobs.schedule({ kind: 'test.named', everyMs, key });
      return jobs;
    };
    await release(HOUR).tend();
    const remove = (key: string) => sql(`DELETE FROM jobs WHERE unique_key = '/${key}'`);
    let renewed: Promise<void> | undefined;
    await db.system.write(async (tx) => {
      await tx.run(remove('second'), []);
      // Both schedules have become shorter, so both are written.
      renewed = release(MINUTE).tend();
      // PostgreSQL: it has updated the first schedule and waits for the second. SQLite: it waits for its turn to write.
      await new Promise((done) => setTimeout(done, 200));
      await tx.run(remove('first'), []);
    });
    await renewed;
    assert.ok((await storedJobs(db)).length > 0);
    await db.close();
  });

  it('a schedule continues beside a dead job, which can be tried again', async () => {
    const db = await openTestDb(await places.create());
    let broken = true;
    const { clock, runs, nodes: one } = nodes(db, 1, undefined, () => broken);
    const [jobs] = one;
    assert.ok(jobs);
    await jobs.tend();
    clock.advance(HOUR);
    await jobs.runDue();
    assert.deepEqual((await storedJobs(db)).map(({ state }) => state).sort(), ['DEAD', 'READY']);
    broken = false;
    assert.equal(await jobs.retryAllDead('test.named'), 1);
    await jobs.runDue();
    clock.advance(HOUR);
    await jobs.runDue();
    assert.equal(runs.length, 2);
    assert.equal((await storedJobs(db)).length, 1);
    await db.close();
  });

  it('a schedule of the application removes stored answers that are older than a day, also of tenants without further requests', async () => {
    const grove = await openTestApp(await places.create());
    const { clock, app, tenantId } = grove;
    const headers = { 'Idempotency-Key': 'once' };
    const body = JSON.stringify({ name: 'kept for a day' });
    assert.equal((await grove.call('/api/arthr/apiKeys', { method: 'POST', headers, body })).status, 201);
    const answers = async () => {
      const count = sql('SELECT count(*) AS count FROM idempotency_keys WHERE tenant_id = $1');
      const tenant = (await app.tenants.list()).map(({ id }) => id).find((id) => id === tenantId);
      return (await app.db.of(tenant as never).get<{ count: number }>(count, [tenantId]))?.count;
    };
    await app.jobs.tend();
    clock.advance(23 * HOUR);
    await app.jobs.runDue();
    assert.equal(await answers(), 1);
    clock.advance(2 * HOUR);
    await app.jobs.runDue();
    assert.equal(await answers(), 0);
    const metrics = await (await fetch(`${grove.baseUrl}/metrics`)).text();
    assert.match(metrics, /^grove_jobs\{kind="http.purge-answers",state="READY"\} 1$/m);
    assert.match(metrics, /^grove_jobs_oldest_age_seconds\{kind="http.purge-answers",state="READY"\} 0$/m);
    assert.match(metrics, /^# TYPE process_cpu_seconds_total counter$/m);
    await grove.stop();
  });
});

describe('the next run of a schedule', () => {
  const at = (text: string) => Date.parse(`2026-11-15T${text}Z`);
  it('the next run of a schedule is after now, on a grid that does not depend on who computes it or when', () => {
    const hourly = { kind: 'a.b', key: 'k', everyMs: HOUR };
    assert.equal(nextRun(hourly, at('10:30:00')), at('11:00:00'));
    assert.equal(nextRun(hourly, at('10:59:59.999')), at('11:00:00'));
    assert.equal(nextRun(hourly, at('11:00:00')), at('12:00:00'));
  });
  it('the next run of a daily schedule is today if its time is still to come, otherwise tomorrow', () => {
    const daily = { kind: 'a.b', key: 'k', dailyAt: '03:15' };
    assert.equal(nextRun(daily, at('03:14:59.999')), at('03:15:00'));
    assert.equal(nextRun(daily, at('03:15:00')), at('03:15:00') + 24 * HOUR);
    assert.equal(nextRun(daily, at('23:00:00')), at('03:15:00') + 24 * HOUR);
    for (const dailyAt of ['24:00', '3:15', '03:60', '']) {
      assert.throws(() => nextRun({ ...daily, dailyAt }, 0), /not a time of day/);
    }
  });
});
