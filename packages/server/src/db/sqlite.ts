import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { TenantId } from '../kernel/ids.ts';
import { type Db, DbError, revocable, type Sql, toAnonymous, type Value, type Writes } from './db.ts';

/**
 * SQLite in this process. Readers have a connection of their own and never wait for the writer (WAL). Writers are
 * group-committed: transactions that arrive in the same turn of the event loop share one durable commit
 * (`synchronous=FULL`), each in a savepoint of its own, and each is answered only after that commit.
 */
const MAX_BATCH = 256;
const MAX_QUEUE = 10_000;

export type SqliteLimits = { busyTimeoutMs: number; transactionTimeoutMs: number };
const LIMITS: SqliteLimits = { busyTimeoutMs: 5000, transactionTimeoutMs: 5000 };

type Job = {
  work(tx: Writes): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

type Prepared = { statement: StatementSync; order: number[] | undefined };

export function openSqlite(file: string, { busyTimeoutMs, transactionTimeoutMs } = LIMITS): Db {
  const writer = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16000; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;`);
  const reader = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true });
  reader.exec('PRAGMA cache_size = -16000; PRAGMA trusted_schema = OFF;');

  const reads = connection(reader);
  const group = groupCommit(writer, transactionTimeoutMs);
  const write = <T>(work: (tx: Writes) => Promise<T>) => group.enqueue(work) as Promise<T>;

  return {
    engine: 'sqlite',
    of: (tenantId: TenantId) => ({
      tenantId,
      inTransaction: false,
      get: reads.get,
      all: reads.all,
      write: (work) => write((tx) => work({ ...tx, tenantId, inTransaction: true })),
    }),
    system: { get: reads.get, all: reads.all, write },
    now: async () => Date.now(),
    async close() {
      await group.close();
      reader.close();
      writer.close();
    },
  };
}

/** The three calls on one connection, with its statements kept prepared. */
function connection(database: DatabaseSync): Writes {
  const kept = new Map<string, Prepared>();
  const prepare = ({ text, name }: Sql): Prepared => {
    const known = name && kept.get(name);
    if (known) return known;
    const { text: anonymous, order } = toAnonymous(text);
    const prepared = { statement: database.prepare(anonymous), order };
    if (name) kept.set(name, prepared);
    return prepared;
  };
  const bind = (order: number[] | undefined, values: readonly Value[]): Value[] =>
    order ? order.map((index) => values[index] as Value) : (values as Value[]);
  return {
    async get<R>(statement: Sql, values: readonly Value[]) {
      try {
        const prepared = prepare(statement);
        return prepared.statement.get(...bind(prepared.order, values)) as R | undefined;
      } catch (error) {
        throw translated(error);
      }
    },
    async all<R>(statement: Sql, values: readonly Value[]) {
      try {
        const prepared = prepare(statement);
        return prepared.statement.all(...bind(prepared.order, values)) as R[];
      } catch (error) {
        throw translated(error);
      }
    },
    async run(statement, values) {
      try {
        const prepared = prepare(statement);
        return Number(prepared.statement.run(...bind(prepared.order, values)).changes);
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

function groupCommit(database: DatabaseSync, transactionTimeoutMs: number) {
  const calls = connection(database);
  const begin = database.prepare('BEGIN IMMEDIATE');
  const commit = database.prepare('COMMIT');
  const rollback = database.prepare('ROLLBACK');
  const savepoint = database.prepare('SAVEPOINT one');
  const release = database.prepare('RELEASE one');
  const undo = database.prepare('ROLLBACK TO one');

  let queue: Job[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  const enqueue = (work: Job['work']): Promise<unknown> => {
    if (closed) return Promise.reject(new DbError('unavailable', new Error('the database is closed')));
    if (queue.length >= MAX_QUEUE)
      return Promise.reject(new DbError('busy', new Error('too many writers are waiting')));
    return new Promise((resolve, reject) => {
      queue.push({ work, resolve, reject });
      // The turn is finished first, so that every request which has already arrived joins the same commit.
      running ??= new Promise((done) => {
        setImmediate(() => drain().then(done));
      });
    });
  };

  const drain = async () => {
    while (queue.length > 0) {
      const batch = queue.slice(0, MAX_BATCH);
      queue = queue.slice(MAX_BATCH);
      await commitTogether(batch);
    }
    running = undefined;
  };

  const commitTogether = async (batch: Job[]) => {
    const answers: (() => void)[] = [];
    try {
      begin.run();
      for (const job of batch) answers.push(await runOne(job));
      commit.run();
    } catch (error) {
      // Nothing of this batch is durable, so nobody is told otherwise.
      if (database.isTransaction) rollback.run();
      const fault = translated(error);
      for (const job of batch) job.reject(fault);
      return;
    }
    for (const answer of answers) answer();
  };

  const runOne = async (job: Job): Promise<() => void> => {
    savepoint.run();
    const tx = revocable(calls);
    try {
      const value = await withTimeout(job.work(tx.calls), transactionTimeoutMs);
      release.run();
      return () => job.resolve(value);
    } catch (error) {
      // A full disk makes SQLite roll back by itself: the whole batch is lost then, and commitTogether says so.
      if (!database.isTransaction) throw error;
      undo.run();
      release.run();
      return () => job.reject(error);
    } finally {
      tx.revoke();
    }
  };

  return {
    enqueue,
    /** What has begun is committed; what comes later is refused. */
    async close() {
      closed = true;
      await running;
    },
  };
}

/** Other writers wait for this one, so a transaction that waits for the outside world is cut off. */
async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the transaction took too long')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const UNIQUE = 2067;
const PRIMARY_KEY = 1555;
const BUSY = 5;
const FULL = 13;

function translated(error: unknown): unknown {
  const code = (error as { errcode?: number } | null)?.errcode;
  if (code === undefined) return error;
  if (code === UNIQUE || code === PRIMARY_KEY) return new DbError('unique', error);
  if ((code & 0xff) === BUSY) return new DbError('busy', error);
  if ((code & 0xff) === FULL) return new DbError('full', error);
  return error;
}
