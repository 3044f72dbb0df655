import { type Waiting, waitingLines } from '../../kernel/waiting-lines.ts';
import { DbError } from '../db.ts';
import { translated } from './faults.ts';
import { type Answer, batchRunner, type Job, statementsOf, type Transaction, type Writer } from './run-batch.ts';
import { watchdog } from './watchdog.ts';

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

export type GroupCommitOptions = { readonly transactionTimeoutMs: number; onCommit(): void };

const MAX_BATCH = 256;
const MAX_QUEUE = 10_000;
/** How many turns of the event loop a commit waits for more writers, as long as each brings some. */
const MOST_TURNS = 2;

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

  const commitTogether = async (batch: Waiting<Job>[]) => {
    const watch = watchdog(transactionTimeoutMs);
    let answers: Answer[];
    try {
      begin.run();
      answers = await runBatch(batch, watch);
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
