import { DatabaseSync } from 'node:sqlite';
import { forEngine } from '../db.ts';
import { MIGRATIONS_TABLE, readMigrations } from '../migrate.ts';

/**
 * Ensures that a backup consists of the tables and indexes that its migrations create, and of nothing else. An attacker who
 * can change a backup could otherwise add a trigger that removes audit events, or remove the index that keeps a code from
 * being used twice. Rows are trusted.
 */
type SchemaObject = { type: string; name: string; sql: string };

/** Indexes of keys have no text. The tables in this list are SQLite's own. */
const OBJECTS = `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
  AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))`;
/** Migrations are not always applied in the order of their numbers, and the order of columns depends on it. */
const APPLIED = 'SELECT version FROM schema_migrations ORDER BY applied_at, version';

/** Describes the first object that is missing, or that Grove did not create like this. */
export function schemaFault(database: DatabaseSync): string | undefined {
  const present = objectsOf(database);
  const migrations = new Map(readMigrations().map(({ version, text }) => [version, text]));
  const texts = database
    .prepare(APPLIED)
    .all()
    .map(({ version }) => migrations.get(Number(version)));
  const created = createdBy(texts.filter((text) => text !== undefined));
  // A later release applied migrations that this one does not know.
  const isLater = texts.includes(undefined);
  for (const [name, { type, sql }] of present) {
    const mayBeLater = isLater && /^CREATE (TABLE|(UNIQUE )?INDEX) /i.test(sql);
    if (!created.has(name) && !mayBeLater) return `has the ${type} "${name}", which Grove did not create`;
  }
  for (const [name, { type, sql }] of created) {
    const own = present.get(name);
    if (!own) return `lacks the ${type} "${name}"`;
    if (!isLater && plain(own.sql) !== plain(sql)) return `has another ${type} "${name}" than Grove creates`;
  }
  return undefined;
}

function createdBy(texts: readonly string[]): Map<string, SchemaObject> {
  const database = new DatabaseSync(':memory:');
  try {
    for (const text of [MIGRATIONS_TABLE, ...texts]) database.exec(forEngine(text, 'sqlite'));
    return objectsOf(database);
  } finally {
    database.close();
  }
}

function objectsOf(database: DatabaseSync): Map<string, SchemaObject> {
  const rows = database.prepare(OBJECTS).all() as SchemaObject[];
  return new Map(rows.map((row) => [row.name, row]));
}

/** The text without quotes and blanks, in which releases of SQLite differ after they change a table. */
function plain(sql: string): string {
  return sql.replace(/["`[\]\s]+/g, ' ').trim();
}
