import type { DatabaseSync } from 'node:sqlite';
import { type Change, DbError, revocable, type Writes } from './db.ts';
import { translated } from './sqlite-faults.ts';

/**
 * Transactions that arrive together share one durable commit, and each is answered only after it. Those with code of
 * their own run one after another, each in a savepoint. Those that are known beforehand need none: they run first, without
 * waiting for anything, and only if one of them fails are they undone and made again each in a savepoint.
 */
export type GroupCommit = {
  write(work: (tx: Writes) => Promise<unknown>): Promise<unknown>;
  /** True if the first of them changed a row, and so all were made. */
  writeIf(changes: readonly Change[]): Promise<boolean>;
  /** What has begun is committed; what comes later is refused. */
  close(): Promise<void>;
};

/** The connection that writes. */
export type Writer = {
  readonly database: DatabaseSync;
  readonly calls: Writes;
  /** At once, without a promise. */
  change(change: Change): number;
};

export type GroupCommitOptions = { readonly transactionTimeoutMs: number; onCommit(): void };

type Waiting<Answer> = { resolve(value: Answer): void; reject(error: unknown): void };
type CodeJob = Waiting<unknown> & { work(tx: Writes): Promise<unknown> };
type KnownJob = Waiting<boolean> & { readonly changes: readonly Change[] };
type Job = CodeJob | KnownJob;

const MAX_BATCH = 256;
const MAX_QUEUE = 10_000;
/** How many turns of the event loop a commit waits for more writers, as long as each brings some. */
const MOST_TURNS = 2;

export function groupCommit(writer: Writer, { transactionTimeoutMs, onCommit }: GroupCommitOptions): GroupCommit {
  const { database, calls, change } = writer;
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const savepoint = database.prepare('SAVEPOINT one');
  const release = database.prepare('RELEASE one');
  const undo = database.prepare('ROLLBACK TO one');

  let queue: Job[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  const enqueue = <Answer>(jobOf: (waiting: Waiting<Answer>) => Job): Promise<Answer> => {
    if (closed) return Promise.reject(new DbError('unavailable', new Error('the database is closed')));
    if (queue.length >= MAX_QUEUE)
      return Promise.reject(new DbError('busy', new Error('too many writers are waiting')));
    return new Promise((resolve, reject) => {
      queue.push(jobOf({ resolve, reject }));
      running ??= gathered().then(drain);
    });
  };

  /** Every request that has already arrived joins the same commit: a larger one costs each of them less. */
  const gathered = async () => {
    let known = 0;
    for (let turn = 0; turn <= MOST_TURNS && queue.length > known; turn++) {
      known = queue.length;
      await nextTurn();
    }
  };

  const drain = async () => {
    while (queue.length > 0) {
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      await commitTogether(batch);
      // Whoever writes again as soon as it is answered must not keep everybody else from the event loop.
      if (queue.length > 0) await gathered();
    }
    running = undefined;
  };

  const commitTogether = async (batch: Job[]) => {
    const watch = watchdog(transactionTimeoutMs);
    const answers: (() => void)[] = [];
    try {
      begin.run();
      answers.push(...makeKnown(batch.filter(isKnown)));
      for (const job of batch) if (!isKnown(job)) answers.push(await runOne(job, watch));
      commit.run();
      onCommit();
    } catch (error) {
      // Nothing of this batch is durable, so nobody is told otherwise.
      if (database.isTransaction) rollback.run();
      const fault = translated(error);
      for (const job of batch) job.reject(fault);
      return;
    } finally {
      watch.end();
    }
    for (const answer of answers) answer();
  };

  const makeKnown = (jobs: readonly KnownJob[]): (() => void)[] => {
    try {
      return jobs.map(makeOne);
    } catch (error) {
      if (!database.isTransaction) throw error;
      rollback.run();
      begin.run();
      return jobs.map(makeOneAlone);
    }
  };

  const makeOne = ({ changes, resolve }: KnownJob): (() => void) => {
    const [first, ...rest] = changes;
    const made = first !== undefined && change(first) > 0;
    if (made) for (const one of rest) change(one);
    return () => resolve(made);
  };

  const makeOneAlone = (job: KnownJob): (() => void) => {
    savepoint.run();
    try {
      const answer = makeOne(job);
      release.run();
      return answer;
    } catch (error) {
      return undone(job, translated(error));
    }
  };

  const runOne = async (job: CodeJob, watch: Watchdog): Promise<() => void> => {
    savepoint.run();
    const tx = revocable(calls);
    try {
      const value = await watch.over(job.work(tx.calls));
      release.run();
      return () => job.resolve(value);
    } catch (error) {
      return undone(job, error);
    } finally {
      tx.revoke();
    }
  };

  const undone = ({ reject }: Job, error: unknown): (() => void) => {
    // A full disk makes SQLite roll back by itself: the whole batch is lost then, and commitTogether says so.
    if (!database.isTransaction) throw error;
    undo.run();
    release.run();
    return () => reject(error);
  };

  return {
    write: (work) => enqueue((waiting) => ({ ...waiting, work })),
    writeIf: (changes) => enqueue((waiting) => ({ ...waiting, changes })),
    async close() {
      closed = true;
      await running;
    },
  };
}

function isKnown(job: Job): job is KnownJob {
  return 'changes' in job;
}

function nextTurn(): Promise<void> {
  return new Promise((turn) => {
    setImmediate(turn);
  });
}

type Watchdog = { over<T>(work: Promise<T>): Promise<T>; end(): void };

/** Other writers wait for this one, so a transaction that waits for the outside world is cut off. One timer for a batch. */
function watchdog(ms: number): Watchdog {
  let startedAt = performance.now();
  let cut: (error: Error) => void = () => undefined;
  const check = () => {
    const left = startedAt + ms - performance.now();
    if (left <= 0) cut(new Error('the transaction took too long'));
    timer = setTimeout(check, Math.max(left, 1));
  };
  let timer = setTimeout(check, ms);
  return {
    over<T>(work: Promise<T>) {
      startedAt = performance.now();
      return new Promise<T>((resolve, reject) => {
        cut = reject;
        work.then(resolve, reject);
      });
    },
    end: () => clearTimeout(timer),
  };
}
