import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { testChildren } from '../../test/child.ts';
import { CRASH_ROUNDS, chance } from '../../test/crash-rounds.ts';
import { addTestTenants, databaseOf, openTestDb, withLostAnswers } from '../../test/database.ts';
import { onBothEngines, type TestClock, type TestPlace, testClock } from '../../test/harness.ts';
import { enqueueByName, gate, namedJob, openTestJobs, storedJobs } from '../../test/jobs.ts';
import { addToCounter, readCounter } from '../db/counters.ts';
import { type Db, sql, type Writes } from '../db/db.ts';
import { openDb } from '../db/open.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { JobsOptions } from './job-queue.ts';
import { JOB_LEASES } from './jobs.repository.ts';

/** One worker at a time runs a job, and no job is lost with its worker. */
const EMPTY = sql('DELETE FROM jobs');
const LEASE_MS = 60_000;
// One worker takes over what another leaves, which needs two workers.
const ROUNDS = Math.max(2, CRASH_ROUNDS);
const JOBS_PER_ROUND = 150;

onBothEngines('a lease', (engine, places) => {
  let place: TestPlace;
  let db: Db;
  let acme: TenantId;
  let clock: TestClock;
  const children = testChildren();
  before(async () => {
    place = await places.create();
    db = await openTestDb(place);
    [acme] = await addTestTenants(db, 'acme');
  });
  beforeEach(async () => {
    clock = testClock();
    await db.system.write((tx) => tx.run(EMPTY, []));
  });
  after(() => db.close());

  type Run = Parameters<typeof namedJob>[0];
  const node = (run: Run, options: Partial<JobsOptions> = {}, maxAttempts = 3) => {
    const jobs = openTestJobs(options.db ?? db, clock, { leaseMs: LEASE_MS, ...options });
    const definition = namedJob(run, { maxAttempts });
    jobs.register(definition);
    return { jobs, enqueue: (...names: string[]) => enqueueByName({ jobs, db, tenantId: acme }, definition, ...names) };
  };
  const numbered = (count: number, word: string) => Array.from({ length: count }, (_, at) => `${word} ${at}`);

  it('a lease gives each of 2,000 jobs to exactly one of 20 workers that ask at once', async () => {
    const dbs =
      engine === 'sqlite' ? [db] : Array.from({ length: 4 }, () => openDb(databaseOf(place), () => undefined));
    const runs = new Map<string, number>();
    const count: Run = async ({ name }) => void runs.set(name, (runs.get(name) ?? 0) + 1);
    const workers = Array.from({ length: 20 }, (_, at) => node(count, { db: dbs[at % dbs.length] as Db }));
    await workers[0]?.enqueue(...numbered(2000, 'job'));
    const claimed = await Promise.all(workers.map(({ jobs }) => jobs.runDue()));
    if (engine === 'postgres') for (const each of dbs) await each.close();
    assert.equal(runs.size, 2000);
    assert.ok([...runs.values()].every((times) => times === 1));
    assert.equal(
      claimed.reduce((sum, each) => sum + each, 0),
      2000,
    );
    assert.ok(claimed.filter((each) => each > 0).length > 1, String(claimed));
    assert.deepEqual(await storedJobs(db), []);
  });

  it('a lease that expired gives the job to another worker, and the result of the late one is refused', async () => {
    for (const fails of [false, true]) {
      const beginGate = gate();
      const late = gate();
      const second = gate();
      const slow = node(async () => {
        beginGate.open();
        await late.opened;
        if (fails) throw new Error('late');
      });
      const quick = node(async (_payload, { attempt }) => {
        assert.equal(attempt, 2);
        second.open();
        await finish.opened;
      });
      const finish = gate();
      await slow.enqueue('slow');
      const slowly = slow.jobs.runDue();
      await beginGate.opened;
      clock.advance(LEASE_MS - 1);
      assert.equal(await quick.jobs.runDue(), 0);
      clock.advance(1);
      const quickly = quick.jobs.runDue();
      await second.opened;
      const heldJobs = await storedJobs(db);
      late.open();
      await slowly;
      assert.deepEqual(await storedJobs(db), heldJobs);
      assert.equal(slow.jobs.logged.filter((text) => /outlived their lease/.test(text)).length, 1);
      finish.open();
      assert.equal(await quickly, 1);
      assert.deepEqual(await storedJobs(db), []);
    }
  });

  const SHORT_MS = 4000;
  /** A server with a kind of job that has a short lease, and another kind with the usual lease. */
  const nodeWithShort = (runs: Record<'long' | 'short', Run>) => {
    const { jobs, enqueue } = node(runs.long);
    const short = namedJob(runs.short, { kind: 'test.short', leaseMs: SHORT_MS });
    jobs.register(short);
    return { jobs, enqueue, enqueueShort: () => enqueueByName({ jobs, db, tenantId: acme }, short, 'short') };
  };

  it('a lease of a kind can be shorter than others if another server can take over, and is renewed by as much', async () => {
    const end = gate();
    const [longBegun, shortBegun] = [gate(), gate()];
    const holdAfter = (beginGate: ReturnType<typeof gate>) => async () => {
      beginGate.open();
      await end.opened;
    };
    const stopped = nodeWithShort({ long: holdAfter(longBegun), short: holdAfter(shortBegun) });
    await stopped.enqueue('long');
    await stopped.enqueueShort();
    const running = stopped.jobs.runDue();
    await Promise.all([longBegun.opened, shortBegun.opened]);
    const runs: string[] = [];
    const note =
      (name: string): Run =>
      async () =>
        void runs.push(name);
    const other = nodeWithShort({ long: note('long'), short: note('short') });
    for (let times = 0; times < 3; times++) {
      clock.advance(SHORT_MS - 1);
      await stopped.jobs.extendLeases();
      assert.equal(await other.jobs.runDue(), 0);
    }
    clock.advance(SHORT_MS);
    await other.jobs.runDue();
    assert.deepEqual(runs, engine === 'sqlite' ? [] : ['short']);
    clock.advance(LEASE_MS);
    await other.jobs.runDue();
    assert.deepEqual(runs.toSorted(), ['long', 'short']);
    end.open();
    await running;
    assert.deepEqual(await storedJobs(db), []);
  });

  it('a lease that is not renewed expires after the time of its kind, so that nobody waits long for a killed server', async () => {
    const end = gate();
    const beginGate = gate();
    const hold: Run = async () => {
      beginGate.open();
      await end.opened;
    };
    const killed = nodeWithShort({ long: hold, short: hold });
    await killed.enqueueShort();
    const running = killed.jobs.runDue();
    await beginGate.opened;
    const runs: string[] = [];
    const note: Run = async ({ name }) => void runs.push(name);
    const other = nodeWithShort({ long: note, short: note });
    const leases = engine === 'sqlite' ? LEASE_MS : SHORT_MS;
    clock.advance(leases - 1);
    await other.jobs.runDue();
    assert.deepEqual(runs, []);
    clock.advance(1);
    await other.jobs.runDue();
    assert.deepEqual(runs, ['short']);
    end.open();
    await running;
  });

  it('a lease is renewed three times before the shortest one would expire', async (t) => {
    const intervals: number[] = [];
    const { setInterval } = globalThis;
    t.mock.method(globalThis, 'setInterval', (call: () => void, ms: number) => {
      intervals.push(ms);
      return setInterval(call, ms);
    });
    const { jobs } = nodeWithShort({ long: async () => undefined, short: async () => undefined });
    jobs.start();
    await jobs.stop();
    assert.ok(intervals.includes((engine === 'sqlite' ? LEASE_MS : SHORT_MS) / 3), String(intervals));
  });

  it('a lease that is extended in time is held for as long as the job runs', async () => {
    const beginGate = gate();
    const end = gate();
    const slow = node(async () => {
      beginGate.open();
      await end.opened;
    });
    const other = node(async () => assert.fail('the job is not theirs'));
    await slow.enqueue('long');
    const running = slow.jobs.runDue();
    await beginGate.opened;
    for (let times = 0; times < 5; times++) {
      clock.advance(LEASE_MS - 1);
      await slow.jobs.extendLeases();
      assert.equal(await other.jobs.runDue(), 0);
    }
    end.open();
    assert.equal(await running, 1);
    assert.deepEqual([await storedJobs(db), slow.jobs.logged], [[], []]);
  });

  it('the leases of a claim whose answer was lost are given back by the same server, and the attempt does not count', async () => {
    const lossy = withLostAnswers(db);
    const attempts: number[] = [];
    const server = node(async (_payload, { attempt }) => void attempts.push(attempt), { db: lossy.db });
    const other = node(async () => assert.fail('the job is not theirs'));
    await server.enqueue('one', 'two');
    lossy.loseNextAnswer();
    await assert.rejects(server.jobs.runDue(), /unavailable/);
    assert.ok((await storedJobs(db)).every(({ lease_until }) => lease_until > 0));
    assert.equal(await other.jobs.runDue(), 0);
    assert.equal(await server.jobs.runDue(), 2);
    assert.deepEqual(attempts, [1, 1]);
  });

  it('the leases of a lost claim are searched only among due jobs, by their index', async () => {
    const { enqueue } = node(async () => undefined);
    await enqueue(...numbered(2000, 'delayed'));
    await db.system.write((tx) => tx.run(sql('UPDATE jobs SET run_at = run_at + 1000000'), []));
    await db.system.write((tx) => tx.run(sql('ANALYZE jobs'), []));
    let plan: { detail?: string; 'QUERY PLAN'?: string }[] = [];
    const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    await db.system.write(async (tx) => {
      const explaining: Pick<Writes, 'run'> = {
        async run({ text }, values) {
          plan = await tx.all(sql(`${explain} ${text}`), values);
          return 0;
        },
      };
      await JOB_LEASES.giveBackClaims(explaining as Writes, ['a token'], clock.now());
    });
    const text = plan.map((line) => line.detail ?? line['QUERY PLAN']).join('\n');
    assert.match(text, /jobs_due/);
    assert.doesNotMatch(text, /Seq Scan on jobs|SCAN jobs/, text);
  });

  it('the leases of a lost claim are given back, and those that the same round had claimed of other kinds are kept', async () => {
    const lossy = withLostAnswers(db);
    const [beginGate, end, limitedRan] = [gate(), gate(), gate()];
    const runs: string[] = [];
    const hold: Run = async ({ name }) => {
      runs.push(name);
      beginGate.open();
      await end.opened;
    };
    const { jobs, enqueue } = node(hold, { db: lossy.db });
    const limited = namedJob(
      async ({ name }) => {
        runs.push(name);
        limitedRan.open();
      },
      { kind: 'test.limited', atOnce: 1 },
    );
    jobs.register(limited);
    await enqueue('kept');
    await enqueueByName({ jobs, db, tenantId: acme }, limited, 'given back');
    lossy.loseNextAnswer({ after: 1 });
    const running = jobs.runDue();
    await beginGate.opened;
    assert.deepEqual(runs, ['kept']);
    const again = jobs.runDue();
    await limitedRan.opened;
    end.open();
    await Promise.all([running, again]);
    assert.deepEqual([runs, await storedJobs(db)], [['kept', 'given back'], []]);
  });

  it('a lost lease is reported to its running job, and a job that has not begun does not begin', async () => {
    const beginGate = gate();
    const names: string[] = [];
    const losing = node(
      async ({ name }, { signal }) => {
        names.push(name);
        beginGate.open();
        await new Promise((done) => signal.addEventListener('abort', done));
      },
      { concurrency: 1 },
    );
    await losing.enqueue('first', 'second');
    const running = losing.jobs.runDue();
    await beginGate.opened;
    clock.advance(LEASE_MS);
    const other = node(async () => undefined);
    assert.equal(await other.jobs.runDue(), 2);
    await losing.jobs.extendLeases();
    await running;
    assert.equal(names.length, 1);
  });

  it('the lease of a dead worker goes to others until the last attempt; then the job is dead', async () => {
    const deadNodes: ReturnType<typeof node>[] = [];
    for (let worker = 0; worker < 3; worker++) {
      const beginGate = gate();
      const next = node(
        async () => {
          beginGate.open();
          await new Promise(() => undefined);
        },
        { stopWithinMs: 1 },
      );
      deadNodes.push(next);
      if (worker === 0) await next.enqueue('ends its worker');
      next.jobs.runDue();
      await beginGate.opened;
      clock.advance(LEASE_MS);
    }
    const last = node(async () => assert.fail('there were three attempts'));
    assert.equal(await last.jobs.runDue(), 1);
    const [dead] = await last.jobs.listDead();
    assert.equal(dead?.last_error, 'its worker was lost 3 times');
    for (const { jobs } of deadNodes) await jobs.stop();
    assert.deepEqual(await last.jobs.listDead(), [dead]);
  });

  it('the lease of a dead server delays nobody on SQLite, where the server that starts is the only one', async () => {
    const beginGate = gate();
    const deadNode = node(
      async () => {
        beginGate.open();
        await new Promise(() => undefined);
      },
      { stopWithinMs: 1 },
    );
    await deadNode.enqueue('left behind');
    deadNode.jobs.runDue();
    await beginGate.opened;
    const done = gate();
    const next = node(async () => done.open());
    next.jobs.start();
    if (engine === 'postgres') {
      // On PostgreSQL the other server may be alive.
      assert.equal(await next.jobs.runDue(), 0);
      clock.advance(LEASE_MS);
    }
    await done.opened;
    await next.jobs.stop();
    assert.deepEqual(await storedJobs(db), []);
    await deadNode.jobs.stop();
  });

  it('a worker that stops gives back the leases of jobs that have not begun, and finishes the others', async () => {
    const beginGate = gate();
    const end = gate();
    const names: string[] = [];
    const stopping = node(
      async ({ name }) => {
        beginGate.open();
        await end.opened;
        names.push(name);
      },
      { concurrency: 1 },
    );
    await stopping.enqueue(...numbered(5, 'job'));
    stopping.jobs.start();
    await beginGate.opened;
    const stopped = stopping.jobs.stop();
    end.open();
    await stopped;
    assert.equal(names.length, 1);
    const left = await storedJobs(db);
    assert.deepEqual(
      left.map(({ state, attempts, lease_until }) => [state, attempts, lease_until]),
      Array.from({ length: 4 }, () => ['READY', 0, 0]),
    );
    assert.equal(await node(async () => undefined).jobs.runDue(), 4);
  });

  it('a worker that stops gives back the lease of a job that does not end, and the attempt does not count', async () => {
    const beginGate = gate();
    let jobSignal: AbortSignal | undefined;
    const stopping = node(
      async (_payload, { signal }) => {
        jobSignal = signal;
        beginGate.open();
        await new Promise(() => undefined);
      },
      { stopWithinMs: 5 },
    );
    await stopping.enqueue('endless');
    stopping.jobs.start();
    await beginGate.opened;
    await stopping.jobs.stop();
    const [left] = await storedJobs(db);
    assert.deepEqual([jobSignal?.aborted, left?.attempts, left?.lease_until], [true, 0, 0]);
  });

  it(`the leases of a worker that is killed ${ROUNDS} times while it works go to others: no job is lost`, async (t) => {
    const names: string[] = [];
    const last = node(
      async ({ name }, { tenant }) => void (await tenant().write((tx) => addToCounter(tx, name, 1))),
      {},
      100,
    );
    let leftover = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const more = numbered(JOBS_PER_ROUND, `round ${round}`);
      clock.set(Date.now());
      await last.enqueue(...more);
      names.push(...more);
      const child = children.start('worker', place.environment);
      // There are always more jobs than it has run.
      for (let left = chance() * (JOBS_PER_ROUND / 2); left > 0; left--) await child.line();
      await child.kill('SIGKILL');
      leftover += (await storedJobs(db)).filter(({ lease_until }) => lease_until > 0).length;
    }
    clock.set(Date.now() + LEASE_MS);
    const finished = await last.jobs.runDue();
    assert.deepEqual(await storedJobs(db), []);
    const counts = await Promise.all(names.map((name) => readCounter(db.of(acme), name)));
    assert.equal(counts.filter((count) => count === 0).length, 0);
    const handedOver = await readCounter(db.of(acme), 'handed over');
    t.diagnostic(
      `${names.length} jobs, ${leftover} leased when their worker was killed, ${handedOver} of them run by the next, ${finished} left for the end`,
    );
    // Otherwise no worker was killed while it worked, and the test would prove nothing.
    assert.ok(leftover > ROUNDS && handedOver + finished > 0);
  });
});
