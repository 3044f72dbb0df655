import { existsSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { BackupError } from '../sqlite/backup.ts';

/** A table of the source. Its rows are read in the order of its primary key, so a copy can continue after its last row. */
export type SourceTable = {
  readonly name: string;
  readonly columns: readonly string[];
  /** Positions in `columns`. */
  readonly key: readonly number[];
  readonly fractions: readonly number[];
  readonly rows: number;
};

export type Source = {
  /** Changes when the file changes. */
  readonly identity: string;
  readonly tables: readonly SourceTable[];
  rowsAfter(table: SourceTable, key: readonly SQLInputValue[] | undefined): Iterable<SQLOutputValue[]>;
  close(): void;
};

const BUSY_TIMEOUT_MS = 5000;
/** Tables of the schema, which the target creates itself. */
const NOT_COPIED = new Set(['schema_migrations']);

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** The caller ensures that nobody writes. One open read transaction then shows all tables at one moment. */
export function openSource(file: string): Source {
  foldLog(file);
  const url = pathToFileURL(file);
  // After the checkpoint, the file alone is the whole database.
  url.searchParams.set('immutable', '1');
  const { size, mtimeMs } = statSync(file);
  const database = new DatabaseSync(url, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA mmap_size = 1073741824; BEGIN');
  const schemaTables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all() as { name: string }[];
  const tables = schemaTables.filter(({ name }) => !NOT_COPIED.has(name)).map(({ name }) => tableOf(database, name));
  return {
    identity: `${size}:${Math.floor(mtimeMs)}`,
    tables,
    *rowsAfter({ name, columns, key }, after) {
      const list = columns.map(quote).join(', ');
      const order = key.map((at) => quote(columns[at] as string)).join(', ');
      const places = key.map(() => '?').join(', ');
      const where = after ? `WHERE (${order}) > (${places})` : '';
      const statement = database.prepare(`SELECT ${list} FROM ${quote(name)} ${where} ORDER BY ${order}`);
      statement.setReturnArrays(true);
      yield* statement.iterate(...(after ?? [])) as unknown as Iterable<SQLOutputValue[]>;
    },
    close: () => database.close(),
  };
}

/** Writes the write-ahead log, which holds the last changes, into the database file. */
function foldLog(file: string): void {
  if (!existsSync(`${file}-wal`)) return;
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    const [done] = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all();
    if (done?.busy !== 0) throw new BackupError(`Another process is using ${file}. Let it finish, then move again.`);
  } finally {
    database.close();
  }
}

type Column = { name: string; type: string; pk: number };

function tableOf(database: DatabaseSync, name: string): SourceTable {
  const columns = database
    .prepare(`SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid`)
    .all(name) as Column[];
  const key = columns
    .map(({ pk }, at) => ({ pk, at }))
    .filter(({ pk }) => pk > 0)
    .sort((one, other) => one.pk - other.pk)
    .map(({ at }) => at);
  if (key.length === 0) throw new Error(`the table ${name} has no primary key`);
  const count = database.prepare(`SELECT count(*) AS rows FROM ${quote(name)}`).get() as { rows: number };
  return {
    name,
    key,
    rows: count.rows,
    columns: columns.map((column) => column.name),
    fractions: columns.flatMap(({ type }, at) => (/DOUBLE|REAL|FLOAT/i.test(type) ? [at] : [])),
  };
}
