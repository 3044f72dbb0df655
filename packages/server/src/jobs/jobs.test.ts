import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { after, before, beforeEach, describe, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines, type TestClock, testClock } from '../../test/harness.ts';
import { enqueueByName, gate, namedJob, openTestJobs, storedJobs } from '../../test/jobs.ts';
import { type Db, sql } from '../db/db.ts';
import { DAY, HOUR, MINUTE } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { defineJob, JobError } from './define-job.ts';
import { MAX_PAYLOAD_BYTES } from './jobs.ts';

const EMPTY = sql('DELETE FROM jobs');
const LEASE = sql(`UPDATE jobs SET lease_until = $1, lease_token = 'x' WHERE payload LIKE '%leased%'`);

onBothEngines('a job', (engine, places) => {
  let db: Db;
  let acme: TenantId;
  let other: TenantId;
  let clock: TestClock;
  before(async () => {
    db = await openTestDb(await places.create());
    [acme, other] = await addTestTenants(db, 'acme', 'other');
  });
  beforeEach(async () => {
    clock = testClock();
    await db.system.write((tx) => tx.run(EMPTY, []));
  });
  after(() => db.close());

  const setUp = (run: Parameters<typeof namedJob>[0], options: Parameters<typeof namedJob>[1] = {}) => {
    const jobs = openTestJobs(db, clock);
    const definition = namedJob(run, options);
    jobs.register(definition);
    const enqueue = (...names: string[]) => enqueueByName({ jobs, db, tenantId: acme }, definition, ...names);
    return { jobs, definition, enqueue };
  };

  it('a job exists exactly if the transaction of its caller commits', async () => {
    const names: string[] = [];
    const { jobs, definition, enqueue } = setUp(async ({ name }) => void names.push(name));
    const failing = db.of(acme).write(async (tx) => {
      await jobs.enqueue(tx, definition, { name: 'rolled back' });
      throw new Error('as planned');
    });
    await assert.rejects(failing, /as planned/);
    await enqueue('committed');
    assert.equal(await jobs.runDue(), 1);
    assert.deepEqual(names, ['committed']);
    assert.deepEqual(await storedJobs(db), []);
  });

  it('a job that has run is over for everybody who waited for it, also in a call that did not claim it', async () => {
    const committed = gate();
    const answer = gate();
    // The claim is committed, and its answer has not arrived yet.
    const write: Db['system']['write'] = async (work) => {
      const result = await db.system.write(work);
      committed.open();
      await answer.opened;
      return result;
    };
    const jobs = openTestJobs({ ...db, aside: { ...db.aside, system: { ...db.system, write } } }, clock);
    const endedNames: string[] = [];
    const definition = namedJob(async ({ name }) => void endedNames.push(name));
    jobs.register(definition);
    await enqueueByName({ jobs, db, tenantId: acme }, definition, 'one');
    const first = jobs.runDue();
    await committed.opened;
    const second = jobs.runDue().then(() => [...endedNames]);
    setImmediate(answer.open);
    assert.deepEqual(await second, ['one']);
    await first;
  });

  it('a job that cannot begin because the database is unavailable is given back, and runs later as the same attempt', async () => {
    let away = true;
    const suspended = async () => {
      if (!away) return new Set<string>();
      away = false;
      throw new Error('away');
    };
    const jobs = openTestJobs(db, clock, { suspended });
    const attempts: number[] = [];
    const definition = namedJob(async (_payload, { attempt }) => void attempts.push(attempt));
    jobs.register(definition);
    await enqueueByName({ jobs, db, tenantId: acme }, definition, 'one');
    await jobs.runDue();
    assert.deepEqual([attempts, jobs.logged], [[1], ['could not begin one of the jobs']]);
  });

  it('a job that adds another keeps callers waiting for both, also in a call that did not claim it', async () => {
    const firstBegin = gate();
    const hold = gate();
    const endedNames: string[] = [];
    const { jobs, enqueue } = setUp(async ({ name }) => {
      if (name === 'first') {
        firstBegin.open();
        await hold.opened;
        await enqueue('second');
      }
      endedNames.push(name);
    });
    await enqueue('first');
    const claimer = jobs.runDue();
    await firstBegin.opened;
    const other = jobs.runDue().then(() => [...endedNames]);
    hold.open();
    assert.deepEqual(await other, ['first', 'second']);
    await claimer;
  });

  it('a job gets its payload, its attempt and its tenant, and runs when it is due and not before', async () => {
    const runs: unknown[] = [];
    const { jobs, definition } = setUp(async (payload, { attempt, now, tenant }) => {
      runs.push({ payload, attempt, now, tenantId: tenant().tenantId });
    });
    const runAt = clock.now() + 10_000;
    await db.of(other).write((tx) => jobs.enqueue(tx, definition, { name: 'late' }, { runAt }));
    clock.advance(9999);
    assert.equal(await jobs.runDue(), 0);
    clock.advance(1);
    assert.equal(await jobs.runDue(), 1);
    assert.deepEqual(runs, [{ payload: { name: 'late' }, attempt: 1, now: runAt, tenantId: other }]);
  });

  it('a job of the installation has no tenant, and fails if it asks for one', async () => {
    const { jobs } = setUp(async (_payload, { tenant }) => void tenant());
    jobs.schedule({ kind: 'test.named', everyMs: 1000, key: 'often' });
    await jobs.tend();
    clock.advance(1000);
    await jobs.runDue();
    const [stored] = await storedJobs(db);
    assert.deepEqual([stored?.owner_tenant_id, stored?.last_error], [null, 'Error']);
  });

  it('a job that fails is tried again after intervals that double up to the longest, and is dead after the last', async () => {
    const at: number[] = [];
    const { jobs, enqueue } = setUp(
      async () => {
        at.push(clock.now());
        throw new JobError('the other side is down');
      },
      { maxAttempts: 6 },
    );
    await enqueue('failing');
    const started = clock.now();
    for (let second = 0; second <= 30; second++) {
      await jobs.runDue();
      clock.advance(1000);
    }
    assert.deepEqual(
      at.map((ms) => (ms - started) / 1000),
      [0, 1, 3, 7, 12, 17],
    );
    const [dead] = await jobs.listDead();
    assert.deepEqual(
      [dead?.kind, dead?.attempts, dead?.last_error, dead?.owner_tenant_id, dead?.run_at],
      ['test.named', 6, 'the other side is down', acme, started + 17_000],
    );
  });

  it('a job that was added, postponed or leased while the clock was ahead runs once the clock is corrected', async () => {
    const beginnings: string[] = [];
    let isAhead = true;
    const { jobs, enqueue } = setUp(
      async ({ name }) => {
        beginnings.push(name);
        if (isAhead && name === 'put off') throw new JobError('not yet');
      },
      { maxAttempts: 6 },
    );
    await jobs.extendLeases();
    const rightTime = clock.now();
    await enqueue('put off');
    clock.advance(365 * DAY);
    await jobs.extendLeases();
    await jobs.runDue();
    await enqueue('added');
    await enqueue('leased');
    await db.system.write((tx) => tx.run(LEASE, [clock.now() + MINUTE]));
    clock.set(rightTime + MINUTE);
    isAhead = false;
    assert.equal(await jobs.runDue(), 0);
    await jobs.extendLeases();
    assert.equal(await jobs.runDue(), 3);
    assert.deepEqual(beginnings.sort(), ['added', 'leased', 'put off', 'put off']);
    const runAt = clock.now() + HOUR;
    const late = namedJob(async () => undefined);
    await db.of(other).write((tx) => jobs.enqueue(tx, late, { name: 'late' }, { runAt }));
    await jobs.extendLeases();
    assert.equal(await jobs.runDue(), 0, 'a delay by the right clock stays');
  });

  it('a job stores the message of an error only if the message is meant to be stored', async () => {
    const { jobs, enqueue } = setUp(async ({ name }) => {
      if (name === 'ours') throw new JobError(`x${'y'.repeat(300)}`, { retry: false });
      throw new TypeError('https://user:password@example.org');
    });
    await enqueue('ours', 'theirs');
    await jobs.runDue();
    const errors = (await storedJobs(db)).map(({ last_error, state }) => [state, last_error?.length, last_error?.[0]]);
    assert.deepEqual(errors.sort(), [
      ['DEAD', 200, 'x'],
      ['READY', 9, 'T'],
    ]);
  });

  it('a dead job can be listed and tried again, alone or with all of its kind', async () => {
    let works = false;
    const names: string[] = [];
    const { jobs, enqueue } = setUp(
      async ({ name }) => {
        if (!works) throw new Error('not yet');
        names.push(name);
      },
      { maxAttempts: 1 },
    );
    await enqueue('one', 'two', 'three');
    await jobs.runDue();
    assert.equal(await jobs.runDue(), 0);
    const [first] = await jobs.listDead({ kind: 'test.named', limit: 1 });
    assert.ok(first);
    assert.equal((await jobs.listDead()).length, 3);
    assert.equal((await jobs.listDead({ kind: 'test.unknown' })).length, 0);
    clock.advance(5000);
    const [stateCount] = await jobs.counts();
    assert.deepEqual([stateCount?.kind, stateCount?.state, stateCount?.count], ['test.named', 'DEAD', 3]);
    assert.equal(stateCount?.oldestAgeMs, 5000);
    works = true;
    assert.equal(await jobs.retryDead(first.id), true);
    assert.equal(await jobs.retryDead(first.id), false);
    assert.equal(await jobs.runDue(), 1);
    assert.equal(await jobs.retryAllDead('test.named'), 2);
    assert.equal(await jobs.retryAllDead('test.named'), 0);
    assert.equal(await jobs.runDue(), 2);
    assert.deepEqual(names.sort(), ['one', 'three', 'two']);
  });

  it('a job that never ends is aborted at its time-out, learns of it by its signal, and is tried again', async () => {
    const signals: AbortSignal[] = [];
    const { jobs, enqueue } = setUp(
      async (_payload, { attempt, signal }) => {
        signals.push(signal);
        if (attempt === 1) await new Promise(() => undefined);
      },
      { timeoutMs: 5 },
    );
    await enqueue('endless');
    assert.equal(await jobs.runDue(), 1);
    assert.equal((await storedJobs(db))[0]?.last_error, 'cut off after 5 ms');
    clock.advance(1000);
    assert.equal(await jobs.runDue(), 1);
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, false],
    );
    assert.deepEqual(await storedJobs(db), []);
  });

  it('a job of an unknown kind stays unchanged, and the operator is told once', async () => {
    const { definition } = setUp(async () => undefined);
    const { jobs: newer } = setUp(async () => undefined, { kind: 'test.other' });
    await enqueueByName({ jobs: newer, db, tenantId: acme }, definition, 'kept');
    const [before] = await storedJobs(db);
    assert.equal(await newer.runDue(), 0);
    for (let times = 0; times < 3; times++) await newer.tend();
    assert.deepEqual(await storedJobs(db), [before]);
    assert.equal(newer.logged.filter((text) => /does not know/.test(text)).length, 1);
  });

  it('a job with a payload that is too large is refused together with its transaction; one of the largest allowed size runs', async () => {
    const lengths: number[] = [];
    const { jobs, enqueue } = setUp(async ({ name }) => void lengths.push(name.length));
    const around = JSON.stringify({ name: '' }).length;
    await assert.rejects(
      enqueue('small', 'x'.repeat(MAX_PAYLOAD_BYTES - around + 1)),
      /65537 bytes; 65536 are allowed/,
    );
    await enqueue('x'.repeat(MAX_PAYLOAD_BYTES - around));
    await jobs.runDue();
    assert.deepEqual(lengths, [MAX_PAYLOAD_BYTES - around]);
  });

  it('a job with a unique key exists once for each tenant until it is done', async () => {
    const { jobs, definition } = setUp(async () => undefined);
    const add = (tenantId: TenantId) =>
      db.of(tenantId).write((tx) => jobs.enqueue(tx, definition, { name: 'x' }, { uniqueKey: 'the one' }));
    const added = await Promise.all([add(acme), add(acme), add(acme), add(other)]);
    assert.deepEqual(added.slice(0, 3).sort(), [false, false, true]);
    assert.equal(added[3], true);
    assert.equal(await jobs.runDue(), 2);
    assert.equal(await add(acme), true);
  });

  it('a job begins as soon as this process has committed it, and its end is written', async () => {
    const beginGate = gate();
    const { jobs, enqueue } = setUp(async () => beginGate.open());
    jobs.start();
    await enqueue('now');
    await beginGate.opened;
    await jobs.stop();
    assert.deepEqual(await storedJobs(db), []);
  });

  it('a job can be added by a connection for its tenant, but not for another tenant, and that connection cannot read it', async () => {
    const { enqueue } = setUp(async () => undefined);
    await enqueue('mine');
    if (engine === 'sqlite') return;
    assert.deepEqual(await db.of(acme).all(sql('SELECT id FROM jobs'), []), []);
    const changed = await db.of(acme).write((tx) => tx.run(sql('UPDATE jobs SET attempts = 9'), []));
    assert.equal(changed, 0);
    const forged = sql(`INSERT INTO jobs (id, owner_tenant_id, kind, payload, state, run_at, attempts, max_attempts,
      lease_until, created_at) VALUES ('x', 'other', 'test.named', '{}', 'READY', 0, 0, 1, 0, 0)`);
    await assert.rejects(
      db.of(acme).write((tx) => tx.run(forged, [])),
      /row-level security/,
    );
  });
});

describe('the table of jobs', () => {
  it('the table of jobs is used by no code outside jobs/', () => {
    const folder = new URL('..', import.meta.url).pathname;
    const files = globSync('**/*.ts', { cwd: folder }).filter((file) => !/^jobs\/|\.test\.ts$/.test(file));
    assert.ok(files.length > 50);
    const users = files.filter((file) =>
      /\b(FROM|INTO|UPDATE|JOIN)\s+jobs\b/i.test(readFileSync(`${folder}/${file}`, 'utf8')),
    );
    assert.deepEqual(users, []);
  });
});

describe('the definition of a job', () => {
  it('the definition of a job that cannot work is refused when it is created', () => {
    const backoff = { firstMs: 1, mostMs: 1 };
    const good = { kind: 'a.b', does: 'nothing', maxAttempts: 1, backoff, timeoutMs: 1, run: async () => undefined };
    for (const wrong of [
      { kind: 'nofolder' },
      { kind: 'A.b' },
      { kind: 'a."b"' },
      { maxAttempts: 0 },
      { maxAttempts: 101 },
      { timeoutMs: 0 },
      { timeoutMs: 2 ** 31 },
      { backoff: { firstMs: 2, mostMs: 1 } },
    ]) {
      assert.throws(() => defineJob({ ...good, ...wrong }), /^Error: job "/, JSON.stringify(wrong));
    }
    assert.equal(defineJob(good).kind, 'a.b');
  });
});
