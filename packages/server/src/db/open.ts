import type { Db } from './db.ts';
import { type MigrationState, migratePostgres, migrateSqlite, type OnMigration } from './migrate.ts';
import { openPostgres } from './postgres/postgres.ts';
import { openSqlite } from './sqlite/sqlite.ts';

/** Where the data lives: a file in the data folder, or a PostgreSQL database. */
export type DbPlace = FilePlace | { engine: 'postgres'; url: string; maxConnections: number };
type FilePlace = { engine: 'sqlite'; file: string };

/** True if the database is a file of this machine, and so belongs to one server at a time. */
export function isFile(place: DbPlace): place is FilePlace {
  return place.engine === 'sqlite';
}

export async function migrate(place: DbPlace, onMigration?: OnMigration): Promise<MigrationState> {
  return place.engine === 'sqlite'
    ? migrateSqlite(place.file, undefined, onMigration)
    : migratePostgres(place.url, undefined, onMigration);
}

export function openDb(place: DbPlace, onIdleError: (error: Error) => void): Db {
  return place.engine === 'sqlite' ? openSqlite(place.file) : openPostgres({ ...place, onIdleError });
}
