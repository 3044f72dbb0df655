import type { DatabaseSync } from 'node:sqlite';
import { OF_INSTALLATION, type Waiting, type WaitingLines } from '../../kernel/waiting-lines.ts';
import { revocable, type Writes } from '../db.ts';
import type { Watchdog } from './watchdog.ts';

/** Runs the transactions of a batch, between its BEGIN and its COMMIT. */

export type Transaction = {
  work(tx: Writes): Promise<unknown>;
  /** Whether the work may be called a second time. */
  readonly runsAgain: boolean;
};

/** The connection that writes. `changes` counts the statements that may have changed something. */
export type Writer = { readonly database: DatabaseSync; readonly calls: Writes; changes(): number };

export type Job = Transaction & {
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

/** Tells the owner of a transaction how it ended, once the batch is durable. */
export type Answer = () => void;
type Batch = readonly Waiting<Job>[];

/** The time after which a batch ends if another tenant waits. */
const MAX_SHARED_MS = 20;
/** The number of batches with savepoints after one had to run twice, so that a caller that always fails costs little. */
const CAREFUL_BATCHES = 32;

export type Statements = ReturnType<typeof statementsOf>;

export function statementsOf(database: DatabaseSync) {
  return {
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    rollback: database.prepare('ROLLBACK'),
    savepoint: database.prepare('SAVEPOINT one'),
    release: database.prepare('RELEASE one'),
    undo: database.prepare('ROLLBACK TO one'),
  };
}

export function batchRunner(
  writer: Writer,
  statements: Statements,
  lines: Pick<WaitingLines<Job>, 'hasOthersThan'>,
): (batch: Batch, watch: Watchdog) => Promise<Answer[]> {
  const { database, calls, changes } = writer;
  let careful = 0;

  /** Runs the jobs at the head that may run again, without savepoints. If one fails, all are rolled back: returns none. */
  const runBare = async (batch: Batch, watch: Watchdog, isLate: () => boolean) => {
    const answers: Answer[] = [];
    for (const { job } of batch) {
      if (!job.runsAgain || (answers.length > 0 && isLate())) break;
      const before = changes();
      const tx = revocable(calls);
      try {
        const value = await watch.over(job.work(tx.calls));
        // If the work caught the error of a full disk, SQLite has rolled back the batch, and no transaction is open.
        if (!database.isTransaction) throw new Error('the transaction was rolled back by the database');
        answers.push(() => job.resolve(value));
      } catch (error) {
        if (!database.isTransaction) throw error;
        // Usually a refusal before the first change: there is nothing to undo.
        if (changes() === before) answers.push(() => job.reject(error));
        else return rollBackBatch();
      } finally {
        tx.revoke();
      }
    }
    return answers;
  };

  const rollBackBatch = (): [] => {
    careful = CAREFUL_BATCHES + 1;
    statements.rollback.run();
    statements.begin.run();
    return [];
  };

  /** Runs the batch. If others wait, it stops after `MAX_SHARED_MS`; the rest runs in the next batch. */
  return async (batch, watch) => {
    const [first] = batch;
    const isMixed = batch.some(({ owner }) => owner !== first?.owner);
    const until = performance.now() + MAX_SHARED_MS;
    const isLate = () => performance.now() > until && (isMixed || lines.hasOthersThan(first?.owner ?? OF_INSTALLATION));
    const answers = careful > 0 ? [] : await runBare(batch, watch, isLate);
    careful = Math.max(0, careful - 1);
    for (const { job } of batch.slice(answers.length)) {
      if (answers.length > 0 && isLate()) break;
      answers.push(await runInSavepoint(writer, statements, job, watch));
    }
    return answers;
  };
}

async function runInSavepoint(
  { database, calls }: Writer,
  { savepoint, release, undo }: Statements,
  job: Job,
  watch: Watchdog,
): Promise<Answer> {
  savepoint.run();
  const tx = revocable(calls);
  try {
    const value = await watch.over(job.work(tx.calls));
    release.run();
    return () => job.resolve(value);
  } catch (error) {
    // On a full disk SQLite rolls back by itself: the whole batch is lost and refused.
    if (!database.isTransaction) throw error;
    undo.run();
    release.run();
    return () => job.reject(error);
  } finally {
    tx.revoke();
  }
}
