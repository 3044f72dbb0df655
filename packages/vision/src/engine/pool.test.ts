import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { ImageFault } from '../images/image-fault.ts';
import { VisionFault } from './fault.ts';
import { openPool, type Pool, type PoolOptions } from './pool.ts';

const SCRIPT = new URL('../../test/pool-worker.ts', import.meta.url);

let pool: Pool | undefined;
afterEach(async () => {
  await pool?.stop();
  pool = undefined;
});

async function open(options: Partial<PoolOptions> = {}): Promise<Pool> {
  pool = await openPool({
    script: SCRIPT,
    workers: 1,
    queueLimit: 100,
    timeoutMs: 60_000,
    graceMs: 200,
    heapLimitMb: 64,
    residentLimitMb: 100_000,
    ...options,
  });
  return pool;
}

function counter(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(4));
}

function isFault(reason: string) {
  return (error: unknown) => error instanceof VisionFault && error.reason === reason;
}

describe('a pool of workers', () => {
  test('a pool answers every job with its own result', async () => {
    const { run } = await open({ workers: 2 });
    const inputs = Array.from({ length: 40 }, (_, at) => at);
    assert.deepEqual(await Promise.all(inputs.map((input) => run('echo', input))), inputs);
  });

  test('a pool gives a job whose worker died to another worker, once', async () => {
    const { run, stats } = await open();
    const deaths = counter();
    assert.equal(await run('dieOnce', deaths), 'alive');
    assert.equal(stats().replaced, 1);
    assert.equal(await run('echo', 'and goes on'), 'and goes on');
  });

  test('a pool gives up a job that kills its second worker too, and continues with the next', async () => {
    const { run } = await open();
    const deaths = counter();
    const killer = run('dieAlways', deaths);
    const next = run('echo', 'next');
    await assert.rejects(killer, isFault('crashed'));
    assert.equal(Atomics.load(deaths, 0), 2);
    assert.equal(await next, 'next');
  });

  test('a pool stops a job that takes too long, does not retry it, and continues with a new worker', async () => {
    const { run, stats } = await open({ timeoutMs: 300 });
    const starts = counter();
    await assert.rejects(run('spin', starts), isFault('timed_out'));
    assert.equal(await run('echo', 'next'), 'next');
    assert.equal(Atomics.load(starts, 0), 1);
    assert.equal(stats().replaced, 1);
  });

  test('a pool lets a worker that took too long finish, and ends it by force only if it never does', async () => {
    const { run, stats } = await open({ timeoutMs: 20, graceMs: 60_000 });
    const ends = counter();
    await assert.rejects(run('slowly', ends), isFault('timed_out'));
    assert.equal(stats().replaced, 1);
    await pool?.stop();
    assert.equal(Atomics.load(ends, 0), 1);
  });

  test('a pool does not end a worker inside a native library by force, and lets it make no further native call', async () => {
    const { run, stop } = await open({ graceMs: 1 });
    const [started, mayReturn, returned, next] = [counter(), counter(), counter(), counter()] as const;
    const ended = assert.rejects(run('inLibrary', [started, mayReturn, returned, next]), isFault('stopped'));
    while (Atomics.load(started, 0) === 0) await wait(5);
    const stopped = stop();
    // The grace period ends many times before the library returns.
    await wait(50);
    Atomics.store(mayReturn, 0, 1);
    Atomics.notify(mayReturn, 0);
    await Promise.all([stopped, ended]);
    assert.deepEqual([returned[0], next[0]], [1, 0]);
  });

  test('a pool survives a job that uses up its memory', async () => {
    const { run } = await open();
    await assert.rejects(run('hoard', null), isFault('crashed'));
    assert.equal(await run('echo', 'next'), 'next');
  });

  test('a pool with a full queue refuses jobs as busy, and accepts more when it has room', async () => {
    const { run } = await open({ queueLimit: 2 });
    const taken = [run('slow', 1), run('slow', 2), run('slow', 3)];
    await assert.rejects(run('slow', 4), isFault('busy'));
    assert.deepEqual(await Promise.all(taken), [1, 2, 3]);
    assert.equal(await run('slow', 5), 5);
  });

  test('a pool passes on why a picture was refused, and distinguishes it from a bug', async () => {
    const { run } = await open();
    await assert.rejects(run('refuse', null), (error) => error instanceof ImageFault && error.reason === 'corrupt');
    await assert.rejects(run('fail', null), (error) => error instanceof Error && error.message === 'a bug');
    await assert.rejects(run('constructor', null), isFault('not_available'));
  });

  test('a pool renews a worker when the process holds too much memory', async () => {
    const { run, stats } = await open({ residentLimitMb: 1 });
    for (let job = 0; job < 60; job += 1) await run('echo', job);
    assert.equal(stats().replaced, 1);
  });

  test('a stopped pool ends waiting and running jobs', async () => {
    const { run, stop } = await open();
    const ends = [run('slow', 1), run('slow', 2)].map((job) => assert.rejects(job, isFault('stopped')));
    await stop();
    await Promise.all(ends);
    await assert.rejects(run('echo', 1), isFault('stopped'));
  });

  test('a pool does not open if its workers cannot start', async () => {
    const script = new URL('data:text/javascript,throw new Error("no models")');
    await assert.rejects(open({ script }), isFault('crashed'));
  });

  test('a pool gives turns to shares: many jobs of one do not keep another waiting', async () => {
    const { run } = await open();
    const order: string[] = [];
    const submit = (share: string, name: string) => run('echo', name, share).then(() => order.push(name));
    const jobs = ['a1', 'a2', 'a3', 'a4'].map((name) => submit('a', name));
    jobs.push(submit('b', 'b1'), submit('c', 'c1'), submit('b', 'b2'));
    await Promise.all(jobs);
    assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('a pool refuses a share that fills its half of the queue as busy, and takes jobs of another', async () => {
    const { run } = await open({ queueLimit: 4 });
    const outcomes = ['a', 'a', 'a', 'a', 'b', 'b'].map((share) =>
      run('echo', share, share).catch((error: VisionFault) => error.reason),
    );
    // The first job runs. Two more of its share may wait, then one of the other.
    assert.deepEqual(await Promise.all(outcomes), ['a', 'a', 'a', 'busy', 'b', 'busy']);
  });
});
