import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { boundedMap } from '../../kernel/bounded-map.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { OF_INSTALLATION } from '../../kernel/waiting-lines.ts';
import {
  type Db,
  forEngine,
  type PersonalSeals,
  type RowOf,
  type Sql,
  type TenantDb,
  tenantDb,
  toAnonymous,
  type Value,
  type WriteOptions,
  type Writes,
} from '../db.ts';
import { NO_SIGNALS } from '../signals.ts';
import { rowMaker } from '../sql/row-maker.ts';
import { toDbError } from './faults.ts';
import { groupCommit } from './group-commit.ts';

/**
 * SQLite in this process. Readers have a separate connection and never wait for the writer (WAL). Writers are
 * group-committed: transactions that arrive together share one durable commit (`synchronous=FULL`).
 */
const MAX_HANDLES = 1000;

export type SqliteLimits = { busyTimeoutMs: number; transactionTimeoutMs: number };
const LIMITS: SqliteLimits = { busyTimeoutMs: 5000, transactionTimeoutMs: 5000 };

type PreparedStatement = { statement: StatementSync; order: number[] | undefined; toRow: RowOf; isSelect: boolean };

export function openSqlite(file: string, { busyTimeoutMs, transactionTimeoutMs } = LIMITS): Db {
  const writer = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  writer.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -16000; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;
    PRAGMA wal_autocheckpoint = 4000;`);
  const reader = new DatabaseSync(file, { timeout: busyTimeoutMs, readOnly: true });
  // A memory map of the file saves the copy of each page.
  reader.exec('PRAGMA cache_size = -16000; PRAGMA mmap_size = 1073741824; PRAGMA trusted_schema = OFF;');

  const snapshot = sharedSnapshot(reader);
  const reads = connection(reader, snapshot.enter);
  const calls = connection(writer);
  const group = groupCommit(
    { database: writer, calls, changes: calls.changes },
    { transactionTimeoutMs, onCommit: snapshot.leave },
  );
  const writeOf =
    (owner: string) =>
    <T>(work: (tx: Writes) => Promise<T>, { runsAgain = false }: WriteOptions = {}) =>
      group.write(owner, { work, runsAgain }) as Promise<T>;

  const handles = boundedMap<TenantId, TenantDb>(MAX_HANDLES);
  const seals: PersonalSeals = {};
  const own: Pick<Db, 'of' | 'system'> = {
    of(tenantId) {
      let handle = handles.get(tenantId);
      if (!handle) {
        handle = tenantDb({ tenantId, seals, engine: 'sqlite', reads, write: writeOf(tenantId) });
        handles.set(tenantId, handle);
      }
      return handle;
    },
    system: { get: reads.get, all: reads.all, write: writeOf(OF_INSTALLATION) },
  };
  return {
    engine: 'sqlite',
    isSingleServer: true,
    seals,
    signals: NO_SIGNALS,
    ...own,
    aside: own,
    ready: async () => undefined,
    now: async () => Math.round(performance.timeOrigin + performance.now()),
    async close() {
      await group.close();
      snapshot.leave();
      reader.close();
      writer.close();
    },
  };
}

/**
 * Reads of one turn of the event loop share a snapshot, because a new one takes longer than the read of a row. A commit ends
 * it, so that a caller who knows of a write also sees it.
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

/** The calls on one connection with its prepared statements. `changes` counts the statements that may change something. */
function connection(database: DatabaseSync, beforeRead?: () => void): Writes & { changes(): number } {
  const preparedByName = new Map<string, PreparedStatement>();
  let changes = 0;
  const prepare = ({ text, name, row }: Sql): PreparedStatement => {
    const cached = name && preparedByName.get(name);
    if (cached) return cached;
    const { text: anonymous, order } = toAnonymous(forEngine(text, 'sqlite'));
    const statement = database.prepare(anonymous);
    // Arrays take half the time of objects.
    statement.setReturnArrays(true);
    const toRow = row ?? rowMaker(statement.columns().map(({ name }) => name));
    const prepared = { statement, order, toRow, isSelect: /^\s*SELECT\b/i.test(anonymous) };
    if (name) preparedByName.set(name, prepared);
    return prepared;
  };
  const bind = (order: number[] | undefined, values: readonly Value[]): Value[] =>
    order ? order.map((index) => values[index] as Value) : (values as Value[]);
  const change = (statement: Sql, values: readonly Value[]): number => {
    const { statement: prepared, order } = prepare(statement);
    changes += 1;
    return Number(prepared.run(...bind(order, values)).changes);
  };
  const toPromise = <T>(work: () => T): Promise<T> => {
    try {
      return Promise.resolve(work());
    } catch (error) {
      return Promise.reject(toDbError(error));
    }
  };
  const all = <R>(statement: Sql, values: readonly Value[]) =>
    toPromise(() => {
      beforeRead?.();
      const { statement: prepared, order, toRow, isSelect } = prepare(statement);
      if (!isSelect) changes += 1;
      const rows = prepared.all(...bind(order, values)) as unknown as Value[][];
      return rows.map(toRow) as R[];
    });
  const send = (statement: Sql, values: readonly Value[]) => {
    try {
      change(statement, values);
    } catch (error) {
      throw toDbError(error);
    }
  };
  return {
    get: <R>(statement: Sql, values: readonly Value[]) =>
      toPromise(() => {
        beforeRead?.();
        const { statement: prepared, order, toRow, isSelect } = prepare(statement);
        if (!isSelect) changes += 1;
        const row = prepared.get(...bind(order, values)) as unknown as Value[] | undefined;
        return row && (toRow(row) as R);
      }),
    all,
    last: all,
    run: (statement, values) => toPromise(() => change(statement, values)),
    send,
    sendAll(statement, rows) {
      for (const values of rows) send(statement, values);
    },
    connection: 0,
    changes: () => changes,
  };
}
