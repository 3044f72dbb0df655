import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { MOVE_MARK, migratePostgres, readMigrations } from '../migrate.ts';
import { BackupError } from '../sqlite/backup.ts';
import { addLine, EMPTY, sumOf, sumText, type Tally } from './copy-text.ts';
import type { Source, SourceTable } from './source.ts';

/**
 * The PostgreSQL database that a move fills. Meanwhile it has no row-level security for its owner, no secondary indexes and
 * no foreign keys; one transaction at the end restores them. Until then a mark among the migrations keeps every server from
 * starting on it, and two tables of the move record its progress.
 */
export type Progress = Tally & { lastKey: string | null };

export type Target = {
  progressOf(table: string): Progress;
  /** Writes the lines and the progress of the table in one transaction. */
  append(table: SourceTable, lines: readonly string[], progress: Progress): Promise<void>;
  /** Reads a table back and sums its rows. */
  tally(table: SourceTable): Promise<Tally>;
  /** Restores indexes, foreign keys and row-level security, and removes the mark. */
  finish(onStep: (done: number, of: number) => void): Promise<void>;
  close(): Promise<void>;
};

const STATE = 'grove_move';
const LATER = 'grove_move_later';
const ADVISORY_LOCK = 7_340_128;
const CONNECT_TIMEOUT_MS = 10_000;

export type TargetOptions = { url: string; source: Source; restart: boolean };

export async function openTarget({ url, source, restart }: TargetOptions): Promise<Target> {
  const client = await connect(url);
  try {
    await refuseOthers(client);
    const isResumed = await hasTable(client, STATE);
    if (isResumed) await ensureSame(client, source, restart);
    else await prepare(client, url, source);
    if (isResumed && restart) await empty(client, source);
    return target(client, await readProgress(client));
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'grove-move',
    keepAlive: true,
  });
  // A lost connection fails the statement that runs; without a listener it would end the process as well.
  client.on('error', () => undefined);
  await client.connect();
  // Only the last commit of the move waits for the disk; it makes all earlier ones durable as well.
  await client.query("SET bytea_output = 'hex'; SET synchronous_commit = off; SET client_encoding = 'UTF8'");
  return client;
}

async function refuseOthers(client: pg.Client): Promise<void> {
  const locked = await client.query('SELECT pg_try_advisory_lock($1) AS ours', [ADVISORY_LOCK]);
  if (!locked.rows[0].ours) throw new BackupError('Another grove move to this database is running.');
  const servers = await client.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'grove' LIMIT 1",
  );
  if (servers.rowCount) throw new BackupError('A server of Grove is connected to the target. Stop it, then move.');
}

async function hasTable(client: pg.Client, table: string): Promise<boolean> {
  const result = await client.query('SELECT to_regclass($1) IS NOT NULL AS found', [table]);
  return result.rows[0].found;
}

/** Ensures that a move continues with the same file and the same release. */
async function ensureSame(client: pg.Client, source: Source, restart: boolean): Promise<void> {
  const applied = await client.query('SELECT name FROM schema_migrations WHERE version > 0 ORDER BY version');
  const names = new Set(applied.rows.map(({ name }) => name));
  const migrations = readMigrations();
  if (names.size !== migrations.length || !migrations.every(({ name }) => names.has(name))) {
    throw new BackupError(
      'Another release of Grove began this move. Finish it with that release, or move into an empty database.',
    );
  }
  if (restart) return;
  const state = await client.query(`SELECT DISTINCT source FROM ${STATE}`);
  if (state.rows.some((row) => row.source !== source.identity)) {
    throw new BackupError('The SQLite database has changed since this move began. Add --restart to begin again.');
  }
}

async function prepare(client: pg.Client, url: string, source: Source): Promise<void> {
  await migratePostgres(url);
  await ensureTables(client, source);
  await client.query('BEGIN');
  await client.query(`CREATE TABLE ${STATE} (table_name TEXT PRIMARY KEY, source TEXT NOT NULL, last_key TEXT,
    rows BIGINT NOT NULL, sum TEXT NOT NULL)`);
  await client.query(`CREATE TABLE ${LATER} (position INTEGER PRIMARY KEY, statement TEXT NOT NULL)`);
  await client.query('INSERT INTO schema_migrations VALUES (0, $1, $2, $3)', [MOVE_MARK, '', Date.now()]);
  await putOff(client);
  await startTables(client, source);
  await client.query('COMMIT');
}

/** Ensures that the target is empty and has the same tables and columns as the source. */
async function ensureTables(client: pg.Client, { tables }: Source): Promise<void> {
  const targetTables = await client.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text) AS columns FROM pg_class c JOIN pg_attribute a
       ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND c.relname <> 'schema_migrations'
     GROUP BY c.relname`,
  );
  const columnsOf = new Map(targetTables.rows.map(({ name, columns }) => [name, [...columns].sort().join()]));
  const differ = tables.filter(({ name, columns }) => columnsOf.get(name) !== [...columns].sort().join());
  const extra = [...columnsOf.keys()].filter((name) => !tables.some((table) => table.name === name));
  if (differ.length > 0 || extra.length > 0) {
    const names = [...differ.map(({ name }) => name), ...extra].sort();
    throw new BackupError(`The target has tables that are not those of Grove: ${names.join(', ')}. Use an empty one.`);
  }
  for (const { name } of tables) {
    const full = await client.query(`SELECT 1 FROM ${client.escapeIdentifier(name)} LIMIT 1`);
    if (full.rowCount) throw new BackupError(`The target is not empty: ${name} has rows. Use an empty database.`);
  }
}

/** Drops row-level security, foreign keys and indexes, and stores the statements that restore them. */
async function putOff(client: pg.Client): Promise<void> {
  const schema = 'current_schema()::regnamespace';
  const statements = await client.query<{ off: string; back: string }>(
    `SELECT 1 AS kind, conname AS name, format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS off,
         format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS back
       FROM pg_constraint WHERE contype = 'f' AND connamespace = ${schema}
     UNION ALL
     SELECT 0, c.relname, format('DROP INDEX %s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
       WHERE c.relnamespace = ${schema} AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
     UNION ALL
     SELECT 2, relname, format('ALTER TABLE %s NO FORCE ROW LEVEL SECURITY', oid::regclass),
         format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', oid::regclass)
       FROM pg_class WHERE relforcerowsecurity AND relnamespace = ${schema}
     ORDER BY kind, name`,
  );
  // Foreign keys depend on indexes, so they go first and come back last.
  for (const { off } of [...statements.rows].reverse()) await client.query(off);
  for (const [position, { back }] of statements.rows.entries()) {
    await client.query(`INSERT INTO ${LATER} VALUES ($1, $2)`, [position, back]);
  }
}

async function startTables(client: pg.Client, { tables, identity }: Source): Promise<void> {
  for (const { name } of tables) {
    await client.query(`INSERT INTO ${STATE} VALUES ($1, $2, NULL, 0, $3)`, [name, identity, sumText(0n)]);
  }
}

async function empty(client: pg.Client, source: Source): Promise<void> {
  await client.query('BEGIN');
  const names = source.tables.map(({ name }) => client.escapeIdentifier(name)).join(', ');
  await client.query(`TRUNCATE ${names}`);
  await client.query(`DELETE FROM ${STATE}`);
  await startTables(client, source);
  await client.query('COMMIT');
}

type StateRow = { table_name: string; last_key: string | null; rows: string; sum: string };

async function readProgress(client: pg.Client): Promise<Map<string, Progress>> {
  const { rows } = await client.query<StateRow>(`SELECT table_name, last_key, rows, sum FROM ${STATE}`);
  return new Map(
    rows.map((row) => [row.table_name, { lastKey: row.last_key, rows: Number(row.rows), sum: sumOf(row.sum) }]),
  );
}

function target(client: pg.Client, progress: Map<string, Progress>): Target {
  const columnsOf = ({ columns }: SourceTable) => columns.map((name) => client.escapeIdentifier(name)).join(', ');
  return {
    progressOf: (table) => progress.get(table) ?? { ...EMPTY, lastKey: null },
    async append(table, lines, { rows, sum, lastKey }) {
      await client.query('BEGIN');
      const into = client.query(
        copyFrom(`COPY ${client.escapeIdentifier(table.name)} (${columnsOf(table)}) FROM STDIN`),
      );
      await pipeline(Readable.from([Buffer.from(`${lines.join('\n')}\n`)]), into);
      await client.query(`UPDATE ${STATE} SET last_key = $2, rows = $3, sum = $4 WHERE table_name = $1`, [
        table.name,
        lastKey,
        rows,
        sumText(sum),
      ]);
      await client.query('COMMIT');
      progress.set(table.name, { rows, sum, lastKey });
    },
    async tally(table) {
      const list = table.columns.map((name, at) => {
        const column = client.escapeIdentifier(name);
        return table.fractions.includes(at) ? `float8send(${column})` : column;
      });
      const out = client.query(
        copyTo(`COPY (SELECT ${list.join(', ')} FROM ${client.escapeIdentifier(table.name)}) TO STDOUT`),
      );
      return tallyLines(out);
    },
    async finish(onStep) {
      const later = await client.query<{ statement: string }>(`SELECT statement FROM ${LATER} ORDER BY position`);
      await client.query('SET synchronous_commit = on');
      await client.query('BEGIN');
      for (const [at, { statement }] of later.rows.entries()) {
        await client.query(statement);
        onStep(at + 1, later.rows.length);
      }
      await client.query(`DROP TABLE ${STATE}, ${LATER}`);
      await client.query('DELETE FROM schema_migrations WHERE version = 0');
      await client.query('COMMIT');
      await client.query('ANALYZE');
    },
    close: () => client.end(),
  };
}

const NEWLINE = 10;

/** COPY writes a newline only at the end of a row. Each row arrives in a chunk of its own, or several share one. */
async function tallyLines(chunks: AsyncIterable<Buffer>): Promise<Tally> {
  let tally = EMPTY;
  let rest: Buffer | undefined;
  for await (const chunk of chunks) {
    const bytes: Buffer = rest ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      tally = addLine(tally, bytes.subarray(start, end));
      start = end + 1;
    }
    rest = start < bytes.length ? bytes.subarray(start) : undefined;
  }
  if (rest) throw new Error('a table ended in the middle of a row');
  return tally;
}
