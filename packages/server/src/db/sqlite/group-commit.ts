import type { DatabaseSync } from 'node:sqlite';
import { OF_INSTALLATION, type Waiting, waitingLines } from '../../kernel/waiting-lines.ts';
import { DbError, revocable, type Writes } from '../db.ts';
import { translated } from './faults.ts';

/**
 * Transactions that arrive together share one durable commit, and each is answered only after it. They run one after
 * another, each in a savepoint. In one, SQLite copies every page before it is changed, so those at the head of a batch that
 * may run again have none: if one of them fails, the batch is rolled back and all of them run again, each in a savepoint.
 * Tenants take turns; `owner` says whose transaction it is.
 */
export type GroupCommit = {
  write(owner: string, transaction: Transaction): Promise<unknown>;
  /** What has begun is committed; what comes later is refused. */
  close(): Promise<void>;
};

export type Transaction = {
  work(tx: Writes): Promise<unknown>;
  /** Whether the work may be called a second time. */
  readonly runsAgain: boolean;
};

/** The connection that writes. `changes`: how often it was told to change something. */
export type Writer = { readonly database: DatabaseSync; readonly calls: Writes; changes(): number };

export type GroupCommitOptions = { readonly transactionTimeoutMs: number; onCommit(): void };

type Job = Transaction & {
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

const MAX_BATCH = 256;
const MAX_QUEUE = 10_000;
/** How long a batch goes on while another tenant waits. */
const MAX_SHARED_MS = 20;
/** How many turns of the event loop a commit waits for more writers, as long as each brings some. */
const MOST_TURNS = 2;
/** After a batch had to run again, so many batches use savepoints: a caller that always fails makes few run twice. */
const CAREFUL_BATCHES = 32;

export function groupCommit(writer: Writer, { transactionTimeoutMs, onCommit }: GroupCommitOptions): GroupCommit {
  const { database, calls, changes } = writer;
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const savepoint = database.prepare('SAVEPOINT one');
  const release = database.prepare('RELEASE one');
  const undo = database.prepare('ROLLBACK TO one');

  const lines = waitingLines<Job>(MAX_QUEUE);
  let running: Promise<void> | undefined;
  let closed = false;
  let careful = 0;

  const enqueue = (owner: string, { work, runsAgain }: Transaction): Promise<unknown> => {
    if (closed) return Promise.reject(new DbError('unavailable', new Error('the database is closed')));
    return new Promise((resolve, reject) => {
      if (!lines.add(owner, { work, runsAgain, resolve, reject })) {
        return reject(new DbError('busy', new Error('too many writers are waiting')));
      }
      running ??= gatherRequests().then(drain);
    });
  };

  /** Every request that has already arrived joins the same commit: a larger one costs each of them less. */
  const gatherRequests = async () => {
    let lastSize = 0;
    for (let turn = 0; turn <= MOST_TURNS && lines.size > lastSize; turn++) {
      lastSize = lines.size;
      await nextTurn();
    }
  };

  const drain = async () => {
    while (lines.size > 0) {
      await commitTogether(lines.take(MAX_BATCH));
      // Whoever writes again as soon as it is answered must not keep everybody else from the event loop.
      if (lines.size > 0) await gatherRequests();
    }
    running = undefined;
  };

  /** Runs the batch. If others wait, it stops when its time is over; the rest runs in the next batch. */
  const runInTurn = async (batch: readonly Waiting<Job>[], watch: Watchdog): Promise<(() => void)[]> => {
    const [first] = batch;
    const isMixed = batch.some(({ owner }) => owner !== first?.owner);
    const until = performance.now() + MAX_SHARED_MS;
    const isLate = () => performance.now() > until && (isMixed || lines.hasOthersThan(first?.owner ?? OF_INSTALLATION));
    const answers = careful > 0 ? [] : await runBare(batch, watch, isLate);
    careful = Math.max(0, careful - 1);
    for (const { job } of batch.slice(answers.length)) {
      if (answers.length > 0 && isLate()) break;
      answers.push(await runOne(job, watch));
    }
    return answers;
  };

  /** Runs the jobs at the head that may run again, without savepoints. If one fails, all are rolled back: returns none. */
  const runBare = async (batch: readonly Waiting<Job>[], watch: Watchdog, isLate: () => boolean) => {
    const answers: (() => void)[] = [];
    for (const { job } of batch) {
      if (!job.runsAgain || (answers.length > 0 && isLate())) break;
      const before = changes();
      const tx = revocable(calls);
      try {
        const value = await watch.over(job.work(tx.calls));
        // The work may have caught the error of a full disk. SQLite has then rolled back the batch, and no transaction is open.
        if (!database.isTransaction) throw new Error('the transaction was rolled back by the database');
        answers.push(() => job.resolve(value));
      } catch (error) {
        if (!database.isTransaction) throw error;
        // Mostly a refusal that comes before anything is written: there is nothing to undo.
        if (changes() === before) answers.push(() => job.reject(error));
        else return rolledBack();
      } finally {
        tx.revoke();
      }
    }
    return answers;
  };

  const rolledBack = (): [] => {
    careful = CAREFUL_BATCHES + 1;
    rollback.run();
    begin.run();
    return [];
  };

  const commitTogether = async (batch: Waiting<Job>[]) => {
    const watch = watchdog(transactionTimeoutMs);
    let answers: (() => void)[];
    try {
      begin.run();
      answers = await runInTurn(batch, watch);
      commit.run();
      onCommit();
    } catch (error) {
      // Nothing of this batch is durable, so all of its jobs fail.
      if (database.isTransaction) rollback.run();
      const fault = translated(error);
      for (const { job } of batch) job.reject(fault);
      return;
    } finally {
      watch.end();
    }
    const served = batch.slice(0, answers.length);
    const unserved = batch.slice(answers.length);
    if (lines.size > 0 || unserved.length > 0) lines.putBack(unserved, served);
    for (const answer of answers) answer();
  };

  const runOne = async (job: Job, watch: Watchdog): Promise<() => void> => {
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
    write: enqueue,
    async close() {
      closed = true;
      await running;
    },
  };
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
