import { randomUUID } from 'node:crypto';
import type { Db } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import type { Tracing } from '../kernel/tracing.ts';
import { JobError } from './define-job.ts';
import { type Claims, claimsOf, extendLeases, MAX_BATCH, ownerOf } from './jobs.repository.ts';
import type { JobLog } from './log.ts';
import { type Outcome, runJob, STOPPED } from './run-job.ts';
import type { Claimed, SettleDeps } from './settle.ts';
import { openEnds } from './write-ends.ts';

/**
 * Claims jobs in batches, runs a bounded number of them at once and writes in batches how they ended. Each claim has a
 * token; whoever holds the job's token answers for it, until the lease runs out and somebody else claims it.
 */
export type Worker = {
  /** Claims what is due if there is room, and begins with it. How many were claimed. */
  claim(): Promise<number>;
  /** Resolves when no claim is under way and nothing is held: all has run and is written down. */
  idle(): Promise<void>;
  /** How many jobs have run here. Each may have left another that is due. */
  runs(): number;
  /** Nobody else gets what is held here while this is called in time. */
  extendLeases(): Promise<void>;
  /** Nothing more is begun. */
  close(): void;
  /** Gives back what was not begun and waits for the rest, but not longer than this. */
  stop(withinMs: number): Promise<void>;
};

export type WorkerDeps = SettleDeps & {
  db: Db;
  clock: Clock;
  log: JobLog;
  concurrency: number;
  leaseMs: number;
  tracing?: Tracing | undefined;
  /** A job has ended: there may be room for more. */
  onRoom(): void;
};

type Running = { readonly job: Claimed; readonly abort: AbortController };
/** Claimed and not begun; begun and not ended. */
type Held = { waiting: Claimed[]; running: Set<Running> };

export function openWorker(deps: WorkerDeps): Worker {
  const { db, clock, definitions, concurrency, leaseMs } = deps;
  const maxHeld = concurrency + 2 * MAX_BATCH;
  const held: Held = { waiting: [], running: new Set() };
  const { waiting, running } = held;
  let claims: Claims | undefined;
  let claimsUnderWay = 0;
  let runs = 0;
  let stopping = false;
  let onIdle: (() => void)[] = [];

  const isIdle = () => claimsUnderWay + waiting.length + running.size === 0 && ends.isWritten;
  const tellIfIdle = () => {
    if (!isIdle()) return;
    for (const tell of onIdle) tell();
    onIdle = [];
  };
  const onWritten = () => {
    deps.onRoom();
    tellIfIdle();
  };
  const ends = openEnds({ ...deps, onWritten });
  const idle = () => (isIdle() ? Promise.resolve() : new Promise<void>((done) => onIdle.push(done)));

  const begin = async (job: Claimed) => {
    const each = { job, abort: new AbortController() };
    running.add(each);
    const outcome = await run(deps, each);
    running.delete(each);
    runs += 1;
    ends.add({ job, outcome });
    beginWaiting();
    deps.onRoom();
  };
  const beginWaiting = () => {
    while (running.size < concurrency && !stopping) {
      const job = takeNext(held);
      if (!job) return;
      begin(job);
    }
  };
  /** The owner whose turn was last: the next claim begins behind it. */
  let lastOwner = '';
  const turnsOf = (owners: readonly string[]): string[] => {
    const counts = countOwners([...waiting, ...Array.from(running, ({ job }) => job)]);
    // Whoever has enough waiting here leaves the room to others.
    const mayClaim = (owner: string) => waiting.length < concurrency || !waiting.some((job) => ownerOf(job) === owner);
    const key = (owner: string): [number, number] => [counts.get(owner) ?? 0, owner > lastOwner ? 0 : 1];
    return owners.filter(mayClaim).sort((one, other) => {
      const [[held, round], [otherHeld, otherRound]] = [key(one), key(other)];
      return held - otherHeld || round - otherRound || (one < other ? -1 : 1);
    });
  };

  const claimRows = async () => {
    const room = Math.min(MAX_BATCH, maxHeld - waiting.length - running.size - ends.size);
    if (stopping || room <= 0 || definitions.size === 0) return 0;
    claims ??= claimsOf([...definitions.keys()], db);
    const now = clock.now();
    // Mostly there is nothing; and where enough waits, only those whose jobs do not wait here may have more.
    const { claim, dueOwners } = claims;
    const isFull = waiting.length >= concurrency;
    if (isFull ? turnsOf(await dueOwners(db.system, now)).length === 0 : !(await claims.mayBeDue(db.system, now)))
      return 0;
    const lease = { token: randomUUID(), until: now + leaseMs };
    const share = { limit: isFull ? Math.min(room, concurrency) : room, isFull, turnsOf };
    const rows = await db.system.write((tx) => claim(tx, now, lease, share));
    lastOwner = ownerOf(rows.at(-1) ?? { owner_tenant_id: lastOwner });
    for (const row of rows) waiting.push({ ...row, token: lease.token });
    beginWaiting();
    return rows.length;
  };

  return {
    async claim() {
      claimsUnderWay += 1;
      try {
        return await claimRows();
      } finally {
        claimsUnderWay -= 1;
        tellIfIdle();
      }
    },
    idle,
    runs: () => runs,
    extendLeases: () => extendAll(db, held, ends.jobs(), clock.now() + leaseMs),
    close() {
      stopping = true;
    },
    async stop(withinMs) {
      stopping = true;
      ends.hurry();
      for (const job of waiting.splice(0)) ends.add({ job, outcome: { result: 'stopped' } });
      const cutOff = setTimeout(() => {
        for (const { abort } of running) abort.abort(STOPPED);
      }, withinMs);
      await idle();
      clearTimeout(cutOff);
    },
  };
}

function countOwners(jobs: readonly Claimed[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const job of jobs) counts.set(ownerOf(job), (counts.get(ownerOf(job)) ?? 0) + 1);
  return counts;
}

/** The oldest job of the owner that has the fewest at work. */
function takeNext({ waiting, running }: Held): Claimed | undefined {
  const counts = countOwners(Array.from(running, ({ job }) => job));
  let best = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (const [at, job] of waiting.entries()) {
    const count = counts.get(ownerOf(job)) ?? 0;
    if (count < fewest) [best, fewest] = [at, count];
  }
  return waiting.splice(best, 1)[0];
}

/** What another has claimed meanwhile is his: it is not begun here, and stopped if it was. */
async function extendAll(db: Db, { waiting, running }: Held, ended: readonly Claimed[], until: number): Promise<void> {
  const all = [...waiting, ...Array.from(running, ({ job }) => job), ...ended];
  for (const [token, jobs] of Map.groupBy(all, (job) => job.token)) {
    const ids = jobs.map(({ id }) => id);
    const kept = await db.system.write((tx) => extendLeases(tx, { token, until }, ids));
    const lost = new Set(jobs.filter(({ id }) => !kept.has(id)));
    for (const { job, abort } of running) if (lost.has(job)) abort.abort(new JobError('the lease was lost'));
    waiting.splice(0, waiting.length, ...waiting.filter((job) => !lost.has(job)));
  }
}

async function run({ db, clock, log, definitions, tracing }: WorkerDeps, { job, abort }: Running): Promise<Outcome> {
  const { id, kind, attempts, max_attempts, owner_tenant_id } = job;
  const definition = definitions.get(kind);
  // A job that ends its worker each time must not do so for ever.
  if (!definition || attempts > max_attempts) {
    const error = `its worker was lost ${attempts - 1} times`;
    return { result: 'failed', error, retry: false, cause: undefined };
  }
  const tenant = () => {
    if (owner_tenant_id === null) throw new Error(`job ${kind} belongs to no tenant`);
    return db.of(asTenantId(owner_tenant_id));
  };
  const context = { jobId: id, attempt: attempts, now: clock.now(), abort, tenant, tracing };
  const outcome = await runJob(definition, job.payload, context);
  if (outcome.result === 'failed') {
    const text = outcome.retry && attempts < max_attempts ? 'a job failed; it will be tried again' : 'a job is dead';
    log.warn({ jobId: id, kind, attempt: attempts, err: outcome.cause }, text);
  }
  return outcome;
}
