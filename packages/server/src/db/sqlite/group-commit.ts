import { type Waiting, waitingLines } from '../../kernel/waiting-lines.ts';
import { DbError } from '../db.ts';
import { toDbError } from './faults.ts';
import { type Answer, batchRunner, type Job, statementsOf, type Transaction, type Writer } from './run-batch.ts';
import { watchdog } from './watchdog.ts';

/**
 * Transactions that arrive together share one durable commit, and each is answered only after it. They run one after
 * another, each in a savepoint. With a savepoint, SQLite copies every page before a change, so the first transactions of a
 * batch run without one if they may run again: if one fails, the batch is rolled back and all run again in savepoints.
 * Tenants take turns; `owner` is the tenant of the transaction.
 */
export type GroupCommit = {
  write(owner: string, transaction: Transaction): Promise<unknown>;
  /** Commits the transactions that have begun, and refuses later ones. */
  close(): Promise<void>;
};

export type GroupCommitOptions = { readonly transactionTimeoutMs: number; onCommit(): void };

const MAX_BATCH = 256;
const MAX_QUEUE = 10_000;
/** The turns of the event loop for which a commit waits for more writers, as long as each turn brings some. */
const MAX_TURNS = 2;

export function groupCommit(writer: Writer, { transactionTimeoutMs, onCommit }: GroupCommitOptions): GroupCommit {
  const { database } = writer;
  const statements = statementsOf(database);
  const { begin, commit, rollback } = statements;
  const lines = waitingLines<Job>(MAX_QUEUE);
  const runBatch = batchRunner(writer, statements, lines);
  let running: Promise<void> | undefined;
  let closed = false;

  const enqueue = (owner: string, { work, runsAgain }: Transaction): Promise<unknown> => {
    if (closed) return Promise.reject(new DbError('unavailable', new Error('the database is closed')));
    return new Promise((resolve, reject) => {
      if (!lines.add(owner, { work, runsAgain, resolve, reject })) {
        return reject(new DbError('busy', new Error('too many writers are waiting')));
      }
      running ??= gatherRequests().then(drain);
    });
  };

  /** Waits for all requests that have already arrived: a larger commit costs less for each of them. */
  const gatherRequests = async () => {
    let lastSize = 0;
    for (let turn = 0; turn <= MAX_TURNS && lines.size > lastSize; turn++) {
      lastSize = lines.size;
      await nextTurn();
    }
  };

  const drain = async () => {
    while (lines.size > 0) {
      await commitTogether(lines.take(MAX_BATCH));
      // A caller that writes again at once must not keep all others from the event loop.
      if (lines.size > 0) await gatherRequests();
    }
    running = undefined;
  };

  const commitTogether = async (batch: Waiting<Job>[]) => {
    const watch = watchdog(transactionTimeoutMs);
    let answers: Answer[];
    try {
      begin.run();
      answers = await runBatch(batch, watch);
      commit.run();
      onCommit();
    } catch (error) {
      // Nothing in this batch is durable, so all of its jobs fail.
      if (database.isTransaction) rollback.run();
      const fault = toDbError(error);
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
