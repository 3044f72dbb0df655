import { Worker } from 'node:worker_threads';
import { ImageFault } from '../images/image-fault.ts';
import '../onnx/without-telemetry.ts';
import { forbidNativeCalls, isInNativeCall, type NativeCalls, newNativeCalls } from '../native-calls.ts';
import { VisionFault } from './fault.ts';
import type { FromWorker, ToWorker, WorkerData } from './protocol.ts';

export type PoolOptions = {
  /** The worker's file. It calls `serveTasks`. */
  script: URL;
  /** The options that every worker gets at its start. */
  workerData?: unknown;
  workers: number;
  /** The maximum number of waiting jobs; the next one is refused as `busy`. */
  queueLimit: number;
  /** The maximum time of a job. After it, its worker is replaced. */
  timeoutMs: number;
  /** The time for a worker to leave before it is terminated, outside native calls. */
  graceMs: number;
  /** The maximum JavaScript memory of a worker. Over it, it dies and is replaced. */
  heapLimitMb: number;
  /** The maximum resident memory of the process before an idle worker is renewed. */
  residentLimitMb: number;
};

export type PoolStats = { workers: number; waiting: number; running: number; replaced: number; residentMb: number };

export type Pool = {
  /**
   * Throws `ImageFault` for a bad picture and `VisionFault` if it could not be looked at. Jobs of different shares take
   * turns, and jobs of one share can never take more than half of the queue.
   */
  run(task: string, input: unknown, share?: string): Promise<unknown>;
  stats(): PoolStats;
  stop(): Promise<void>;
};

type Job = {
  readonly id: number;
  readonly task: string;
  /** Stored until the job is done, because a second worker may need it. */
  readonly input: unknown;
  readonly share: string | undefined;
  attempts: number;
  settle(outcome: { result: unknown } | { fault: Error }): void;
};

type Slot = {
  readonly worker: Worker;
  readonly nativeCalls: NativeCalls;
  ready: boolean;
  job: Job | null;
  timer: NodeJS.Timeout | null;
};

/** A job whose worker died is given to one other worker, because the job may not be at fault. */
const MAX_ATTEMPTS = 2;
/** The number of consecutive failed starts of a worker before the pool gives up. */
const MAX_FAILED_STARTS = 3;
/** Renewing workers more often than this would cost more than the memory is worth. */
const RENEW_EVERY_JOBS = 50;
/** The young generation must fit below the limit, or the process dies instead of the worker. Pixels do not count. */
const YOUNG_MB = 8;
/** The number of shares whose last turn the pool remembers. */
const MAX_SHARES = 1000;
const MB = 1024 * 1024;

/** Resolves when every worker has its models loaded and warm. */
export async function openPool(options: PoolOptions): Promise<Pool> {
  const pool: State = {
    options,
    slots: new Set(),
    leaving: new Set(),
    queue: [],
    servedAt: new Map(),
    stopped: false,
    nextId: 1,
    nextTurn: 1,
    replaced: 0,
    failedStarts: 0,
    jobsSinceRenewal: 0,
    opened: Promise.withResolvers<void>(),
  };
  for (let count = 0; count < options.workers; count += 1) startWorker(pool);
  await pool.opened.promise.catch(async (fault: unknown) => {
    await stop(pool);
    throw fault;
  });
  return {
    run: (task, input, share) => submit(pool, task, input, share),
    stats: () => statsOf(pool),
    stop: () => stop(pool),
  };
}

type State = {
  readonly options: PoolOptions;
  readonly slots: Set<Slot>;
  /** Workers that were asked to leave. They get no more jobs. */
  readonly leaving: Set<Slot>;
  readonly queue: Job[];
  /** The time of each share's last turn. The one that has waited longest comes first. */
  readonly servedAt: Map<string | undefined, number>;
  stopped: boolean;
  nextId: number;
  nextTurn: number;
  replaced: number;
  failedStarts: number;
  jobsSinceRenewal: number;
  readonly opened: PromiseWithResolvers<void>;
};

function startWorker(pool: State): void {
  const { script, workerData: options, heapLimitMb } = pool.options;
  const nativeCalls = newNativeCalls();
  const workerData: WorkerData<unknown> = { options, nativeCalls };
  const worker = new Worker(script, {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapLimitMb, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const slot: Slot = { worker, nativeCalls, ready: false, job: null, timer: null };
  let lastError: Error | undefined;
  pool.slots.add(slot);
  worker.on('message', (message: FromWorker) => hear(pool, slot, message));
  worker.on('error', (error: Error) => {
    lastError = error;
  });
  worker.on('exit', () => bury(pool, slot, lastError));
}

function submit(pool: State, task: string, input: unknown, share: string | undefined): Promise<unknown> {
  if (pool.stopped) return Promise.reject(new VisionFault('stopped'));
  if (!hasRoom(pool, share)) return Promise.reject(new VisionFault('busy'));
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const settle: Job['settle'] = (outcome) => ('fault' in outcome ? reject(outcome.fault) : resolve(outcome.result));
  pool.queue.push({ id: pool.nextId, task, input, share, attempts: 0, settle });
  pool.nextId += 1;
  handOut(pool);
  return promise;
}

/** A share may take only as many places as it leaves free, so that another share always finds one. */
function hasRoom({ queue, options }: State, share: string | undefined): boolean {
  const free = options.queueLimit - queue.length;
  return free > 0 && (share === undefined || queue.filter((job) => job.share === share).length < free);
}

/** The oldest job of the share with the fewest jobs under way; of several such shares, the one that has waited longest. */
function takeJob(pool: State): Job | undefined {
  const { queue, slots, servedAt } = pool;
  const turnOf = ({ share }: Job): [running: number, served: number] => [
    [...slots].filter(({ job }) => job?.share === share).length,
    servedAt.get(share) ?? 0,
  ];
  let best: { job: Job; turn: [number, number] } | undefined;
  for (const job of queue) {
    const turn = turnOf(job);
    const isBetter = !best || turn[0] < best.turn[0] || (turn[0] === best.turn[0] && turn[1] < best.turn[1]);
    if (isBetter) best = { job, turn };
  }
  if (!best) return undefined;
  const { job } = best;
  queue.splice(queue.indexOf(job), 1);
  noteTurn(pool, job.share);
  return job;
}

function noteTurn(pool: State, share: string | undefined): void {
  const { servedAt } = pool;
  servedAt.delete(share);
  servedAt.set(share, pool.nextTurn);
  pool.nextTurn += 1;
  if (servedAt.size <= MAX_SHARES) return;
  const [oldest] = servedAt.keys();
  servedAt.delete(oldest);
}

function handOut(pool: State): void {
  for (const slot of pool.slots) {
    if (!slot.ready || slot.job) continue;
    const job = takeJob(pool);
    if (!job) return;
    job.attempts += 1;
    slot.job = job;
    slot.timer = setTimeout(() => timeOut(pool, slot, job), pool.options.timeoutMs);
    const message: ToWorker = { kind: 'job', job: job.id, task: job.task, input: job.input };
    slot.worker.postMessage(message);
  }
}

function hear(pool: State, slot: Slot, message: FromWorker): void {
  if (pool.leaving.has(slot)) return;
  if (message.kind === 'ready') {
    slot.ready = true;
    pool.failedStarts = 0;
    if ([...pool.slots].every(({ ready }) => ready)) pool.opened.resolve();
  } else if (slot.job?.id === message.job) {
    const { job } = slot;
    release(slot);
    job.settle(outcomeOf(message));
    renewIfLarge(pool, slot);
  }
  handOut(pool);
}

/** Handles the exit of a worker, which was asked to leave or crashed, perhaps with a job. */
function bury(pool: State, slot: Slot, error: Error | undefined): void {
  const left = pool.leaving.delete(slot);
  pool.slots.delete(slot);
  const { job } = slot;
  release(slot);
  if (pool.stopped) return;
  if (left) {
    fillUp(pool);
    return;
  }
  if (!slot.ready) pool.failedStarts += 1;
  if (job && job.attempts < MAX_ATTEMPTS) pool.queue.unshift(job);
  else job?.settle({ fault: new VisionFault('crashed', error) });
  if (pool.failedStarts < MAX_FAILED_STARTS) fillUp(pool);
  else giveUp(pool, new VisionFault('crashed', error));
}

/** Starts a worker for each that is missing, but never more than twice as many threads, should no old one end. */
function fillUp(pool: State): void {
  const { workers } = pool.options;
  while (pool.slots.size < workers && pool.slots.size + pool.leaving.size < workers * 2) {
    pool.replaced += 1;
    startWorker(pool);
  }
}

/** Workers cannot start any more. Running ones continue; without any, the pool has failed. */
function giveUp(pool: State, fault: VisionFault): void {
  pool.opened.reject(fault);
  if (pool.slots.size > 0) return;
  pool.stopped = true;
  for (const job of pool.queue.splice(0)) job.settle({ fault });
}

function release(slot: Slot): void {
  if (slot.timer) clearTimeout(slot.timer);
  slot.timer = null;
  slot.job = null;
}

/** A job that ran too long would do so again, so it is not retried. */
function timeOut(pool: State, slot: Slot, job: Job): void {
  release(slot);
  job.settle({ fault: new VisionFault('timed_out') });
  dismiss(pool, slot);
  fillUp(pool);
}

/**
 * Asks a worker to leave. To terminate a thread while a native library computes kills the whole process, so it is asked
 * first, and makes no further native call. Only threads that never answer, for example in an endless loop, are
 * terminated, and never during a native call, however slow the machine is.
 */
function dismiss(pool: State, slot: Slot): void {
  pool.slots.delete(slot);
  pool.leaving.add(slot);
  forbidNativeCalls(slot.nativeCalls);
  const message: ToWorker = { kind: 'leave' };
  slot.worker.postMessage(message);
  const force = setInterval(() => {
    if (isInNativeCall(slot.nativeCalls)) return;
    clearInterval(force);
    slot.worker.terminate();
  }, pool.options.graceMs);
  slot.worker.once('exit', () => clearInterval(force));
}

/** Libraries keep some of the memory of large pictures; a new thread starts without it. */
function renewIfLarge(pool: State, slot: Slot): void {
  pool.jobsSinceRenewal += 1;
  if (pool.jobsSinceRenewal < RENEW_EVERY_JOBS) return;
  if (process.memoryUsage.rss() / MB < pool.options.residentLimitMb) return;
  pool.jobsSinceRenewal = 0;
  dismiss(pool, slot);
  fillUp(pool);
}

async function stop(pool: State): Promise<void> {
  pool.stopped = true;
  const unfinished = [...pool.queue.splice(0), ...[...pool.slots].flatMap(({ job }) => job ?? [])];
  for (const slot of pool.slots) release(slot);
  for (const job of unfinished) job.settle({ fault: new VisionFault('stopped') });
  // A worker that leaves while it loads its models exits with an error.
  const exits = [...pool.slots, ...pool.leaving].map(
    ({ worker }) => new Promise((resolve) => worker.once('exit', resolve)),
  );
  for (const slot of [...pool.slots]) dismiss(pool, slot);
  await Promise.all(exits);
}

function statsOf(pool: State): PoolStats {
  const running = [...pool.slots].filter(({ job }) => job).length;
  const residentMb = Math.round(process.memoryUsage.rss() / MB);
  return { workers: pool.slots.size, waiting: pool.queue.length, running, replaced: pool.replaced, residentMb };
}

function outcomeOf(message: Exclude<FromWorker, { kind: 'ready' }>): { result: unknown } | { fault: Error } {
  switch (message.kind) {
    case 'result':
      return { result: message.result };
    case 'image_fault':
      return { fault: new ImageFault(message.reason) };
    case 'unknown_task':
      return { fault: new VisionFault('not_available') };
    case 'error':
      return { fault: new Error(message.message) };
  }
}
