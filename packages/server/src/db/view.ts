import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { TenantId } from '../kernel/ids.ts';
import { forEngine, type Reads, type Sql, type TenantReads, toAnonymous, type Value } from './db.ts';
import { openPostgres } from './postgres/postgres.ts';

/** A read-only database. An open `Db` is one, too. */
export type View = {
  readonly engine: 'sqlite' | 'postgres';
  readonly system: Reads;
  of(tenantId: TenantId): TenantReads;
  close(): Promise<void>;
};
export type SqliteView = View & { readonly engine: 'sqlite'; pragma(text: string): Record<string, unknown>[] };

/** The part of a `DbPlace` that is necessary to read. */
export type ViewPlace = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string };

const BUSY_TIMEOUT_MS = 5000;

export function openView(databasePlace: ViewPlace): View {
  return databasePlace.engine === 'sqlite'
    ? viewSqlite(databasePlace.file)
    : openPostgres({ url: databasePlace.url, maxConnections: 1, onIdleError: () => undefined });
}

/** Opens a database for reading without a trace: SQLite does not even create its files beside it. */
export function viewSqlite(file: string): SqliteView {
  const url = pathToFileURL(file);
  // Without a write-ahead log nobody writes, so the file alone is the whole database.
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  const all = async <R>({ text }: Sql, values: readonly Value[]): Promise<R[]> => {
    const { text: anonymous, order } = toAnonymous(forEngine(text, 'sqlite'));
    const bound = order ? order.map((at) => values[at] as Value) : [...values];
    return database.prepare(anonymous).all(...bound) as R[];
  };
  const reads: Reads = {
    all,
    get: async <R>(statement: Sql, values: readonly Value[]) => (await all<R>(statement, values))[0],
  };
  return {
    engine: 'sqlite',
    system: reads,
    of: (tenantId) => ({ ...reads, tenantId, inTransaction: false, personal: async () => undefined }),
    pragma: (text) => database.prepare(`PRAGMA ${text}`).all(),
    close: async () => database.close(),
  };
}

/** Whether the table exists: a database may be empty, or of an earlier release. */
export async function hasTable({ engine, system }: View, table: string): Promise<boolean> {
  const text = {
    sqlite: "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = $1",
    postgres: 'SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL',
  }[engine];
  return (await system.get({ text }, [table])) !== undefined;
}

/** The database's own clock; undefined on SQLite, which has only the clock of this machine. */
export async function readClock({ engine, system }: View): Promise<number | undefined> {
  if (engine === 'sqlite') return undefined;
  const text = 'SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) AS now';
  return (await system.get<{ now: number }>({ text }, []))?.now;
}
