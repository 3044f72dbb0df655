import type { DatabaseSync } from 'node:sqlite';
import { type Change, DbError, revocable, type Writes } from './db.ts';
import { translated } from './sqlite-faults.ts';
import { OF_INSTALLATION, type Waiting, writeLines } from './write-lines.ts';

/**
 * Transactions that arrive together share one durable commit, and each is answered only after it. Those with code of
 * their own run one after another, each in a savepoint. Those that are known beforehand need none: they run first, without
 * waiting for anything, and only if one of them fails are they undone and made again each in a savepoint. Tenants take
 * turns; `owner` says whose transaction it is.
 */
export type GroupCommit = {
  write(owner: string, work: (tx: Writes) => Promise<unknown>): Promise<unknown>;
  /** True if the first of them changed a row, and so all were made. */
  writeIf(owner: string, changes: readonly Change[]): Promise<boolean>;
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

type Answerer<Answer> = { resolve(value: Answer): void; reject(error: unknown): void };
type CodeJob = Answerer<unknown> & { work(tx: Writes): Promise<unknown> };
type KnownJob = Answerer<boolean> & { readonly changes: readonly Change[] };
type Job = CodeJob | KnownJob;
type CodeTurn = Waiting<CodeJob>;
type KnownTurn = Waiting<KnownJob>;

const MAX_BATCH = 256;
const MAX_QUEUE = 10_000;
/** How long a batch goes on with transactions that have code while another tenant waits. */
const MAX_SHARED_MS = 20;
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

  const lines = writeLines<Job>(MAX_QUEUE);
  let running: Promise<void> | undefined;
  let closed = false;

  const enqueue = <Answer>(owner: string, jobOf: (answerer: Answerer<Answer>) => Job): Promise<Answer> => {
    if (closed) return Promise.reject(new DbError('unavailable', new Error('the database is closed')));
    return new Promise((resolve, reject) => {
      if (!lines.add(owner, jobOf({ resolve, reject }))) {
        return reject(new DbError('busy', new Error('too many writers are waiting')));
      }
      running ??= gathered().then(drain);
    });
  };

  /** Every request that has already arrived joins the same commit: a larger one costs each of them less. */
  const gathered = async () => {
    let known = 0;
    for (let turn = 0; turn <= MOST_TURNS && lines.size > known; turn++) {
      known = lines.size;
      await nextTurn();
    }
  };

  const drain = async () => {
    while (lines.size > 0) {
      await commitTogether(lines.take(MAX_BATCH));
      // Whoever writes again as soon as it is answered must not keep everybody else from the event loop.
      if (lines.size > 0) await gathered();
    }
    running = undefined;
  };

  /** Runs those that have code until there is no time left, as long as somebody else waits; what is left comes next. */
  const runInTurn = async (batch: readonly CodeTurn[], watch: Watchdog): Promise<(() => void)[]> => {
    const [first] = batch;
    const isMixed = batch.some(({ owner }) => owner !== first?.owner);
    const until = performance.now() + MAX_SHARED_MS;
    const answers: (() => void)[] = [];
    for (const { job } of batch) {
      const isLate = answers.length > 0 && performance.now() > until;
      if (isLate && (isMixed || lines.hasOthersThan(first?.owner ?? OF_INSTALLATION))) break;
      answers.push(await runOne(job, watch));
    }
    return answers;
  };

  const commitTogether = async (batch: Waiting<Job>[]) => {
    const watch = watchdog(transactionTimeoutMs);
    const known = batch.filter((each): each is KnownTurn => isKnown(each.job));
    const withCode = batch.filter((each): each is CodeTurn => !isKnown(each.job));
    const answers: (() => void)[] = [];
    try {
      begin.run();
      answers.push(...makeKnown(known.map(({ job }) => job)));
      answers.push(...(await runInTurn(withCode, watch)));
      commit.run();
      onCommit();
    } catch (error) {
      // Nothing of this batch is durable, so nobody is told otherwise.
      if (database.isTransaction) rollback.run();
      const fault = translated(error);
      for (const { job } of batch) job.reject(fault);
      return;
    } finally {
      watch.end();
    }
    const served = [...known, ...withCode].slice(0, answers.length);
    const unserved = withCode.slice(answers.length - known.length);
    if (lines.size > 0 || unserved.length > 0) lines.putBack(unserved, served);
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
    write: (owner, work) => enqueue(owner, (answerer) => ({ ...answerer, work })),
    writeIf: (owner, changes) => enqueue(owner, (answerer) => ({ ...answerer, changes })),
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
