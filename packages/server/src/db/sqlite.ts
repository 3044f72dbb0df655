import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { TenantId } from '../kernel/ids.ts';
import {
  type Db,
  DbError,
  forEngine,
  type RowOf,
  revocable,
  type Sql,
  type TenantDb,
  tenantDb,
  toAnonymous,
  type Value,
  type Writes,
} from './db.ts';
import { rowMaker } from './row-maker.ts';

/**
 * SQLite in this process. Readers have a connection of their own and never wait for the writer (WAL). Writers are
 * group-committed: transactions that arrive in the same turn of the event loop share one durable commit
 * (`synchronous=FULL`), each in a savepoint of its own, and each is answered only after that commit.
 */
const MAX_BATCH = 256;
const MAX_QUEUE = 10_000;
const MAX_HANDLES = 1000;

export type SqliteLimits = { busyTimeoutMs: number; transactionTimeoutMs: number };
const LIMITS: SqliteLimits = { busyTimeoutMs: 5000, transactionTimeoutMs: 5000 };

type Job = {
  work(tx: Writes): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
};

type Prepared = { statement: StatementSync; order: number[] | undefined; toRow: RowOf };

export function openSqlite(file: string, { busyTimeoutMs, transactionTimeoutMs } = LIMITS): Db {
  const writer = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16000; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;
    PRAGMA wal_autocheckpoint = 4000;`);
  const reader = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true });
  // The pages of the file are read where the system keeps them, instead of being copied one by one.
  reader.exec('PRAGMA cache_size = -16000; PRAGMA mmap_size = 1073741824; PRAGMA trusted_schema = OFF;');

  const snapshot = sharedSnapshot(reader);
  const reads = connection(reader, snapshot.enter);
  const group = groupCommit(writer, transactionTimeoutMs, snapshot.leave);
  const write = <T>(work: (tx: Writes) => Promise<T>) => group.enqueue(work) as Promise<T>;

  const handles = boundedMap<TenantId, TenantDb>(MAX_HANDLES);
  return {
    engine: 'sqlite',
    of(tenantId: TenantId) {
      let handle = handles.get(tenantId);
      if (!handle) {
        handle = tenantDb({ tenantId, engine: 'sqlite', reads, write });
        handles.set(tenantId, handle);
      }
      return handle;
    },
    system: { get: reads.get, all: reads.all, write },
    now: async () => Date.now(),
    async close() {
      await group.close();
      snapshot.leave();
      reader.close();
      writer.close();
    },
  };
}

/**
 * Reads of one turn of the event loop share a snapshot: taking one costs more than reading a row. A commit ends it, so
 * nobody who was told of a write reads from before it.
 */
function sharedSnapshot(database: DatabaseSync): { enter(): void; leave(): void } {
  const begin = database.prepare('BEGIN');
  const commit = database.prepare('COMMIT');
  let open = false;
  const leave = () => {
    if (!open) return;
    open = false;
    commit.run();
  };
  return {
    enter() {
      if (open) return;
      begin.run();
      open = true;
      setImmediate(leave);
    },
    leave,
  };
}

/** The three calls on one connection, with its statements kept prepared. */
function connection(database: DatabaseSync, beforeRead?: () => void): Writes {
  const kept = new Map<string, Prepared>();
  const prepare = ({ text, name, row }: Sql): Prepared => {
    const known = name && kept.get(name);
    if (known) return known;
    const { text: anonymous, order } = toAnonymous(text.includes('/*sqlite ') ? forEngine(text, 'sqlite') : text);
    const statement = database.prepare(anonymous);
    // SQLite gives arrays in half the time of objects.
    statement.setReturnArrays(true);
    const prepared = { statement, order, toRow: row ?? rowMaker(statement.columns().map(({ name }) => name)) };
    if (name) kept.set(name, prepared);
    return prepared;
  };
  const bind = (order: number[] | undefined, values: readonly Value[]): Value[] =>
    order ? order.map((index) => values[index] as Value) : (values as Value[]);
  const guarded = <T>(work: () => T): Promise<T> => {
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(translated(error));
    }
  };
  return {
    get: <R>(statement: Sql, values: readonly Value[]) =>
      guarded(() => {
        beforeRead?.();
        const { statement: prepared, order, toRow } = prepare(statement);
        const row = prepared.get(...bind(order, values)) as unknown as Value[] | undefined;
        return row && (toRow(row) as R);
      }),
    all: <R>(statement: Sql, values: readonly Value[]) =>
      guarded(() => {
        beforeRead?.();
        const { statement: prepared, order, toRow } = prepare(statement);
        const rows = prepared.all(...bind(order, values)) as unknown as Value[][];
        return rows.map(toRow) as R[];
      }),
    run: (statement, values) =>
      guarded(() => {
        const { statement: prepared, order } = prepare(statement);
        return Number(prepared.run(...bind(order, values)).changes);
      }),
  };
}

function groupCommit(database: DatabaseSync, transactionTimeoutMs: number, onCommit: () => void) {
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
      // Whoever writes again as soon as it is answered must not keep everybody else from the event loop.
      if (queue.length > 0) await new Promise((turn) => setImmediate(turn));
    }
    running = undefined;
  };

  const commitTogether = async (batch: Job[]) => {
    const answers: (() => void)[] = [];
    const watch = watchdog(transactionTimeoutMs);
    try {
      begin.run();
      for (const job of batch) answers.push(await runOne(job, watch));
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

  const runOne = async (job: Job, watch: Watchdog): Promise<() => void> => {
    savepoint.run();
    const tx = revocable(calls);
    try {
      const value = await watch.over(job.work(tx.calls));
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
