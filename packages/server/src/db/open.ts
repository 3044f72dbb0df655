import type { Db } from './db.ts';
import { type MigrationState, migratePostgres, migrateSqlite, type OnMigration } from './migrate.ts';
import { openPostgres } from './postgres/postgres.ts';
import { openSqlite } from './sqlite/sqlite.ts';

/** Where the data lives: a file in the data folder, or a PostgreSQL database. */
export type DbPlace = FilePlace | { engine: 'postgres'; url: string; maxConnections: number };
type FilePlace = { engine: 'sqlite'; file: string };

/** True if the database is a file of this machine, and so belongs to one server at a time. */
export function isFile(databasePlace: DbPlace): databasePlace is FilePlace {
  return databasePlace.engine === 'sqlite';
}

export async function migrate(databasePlace: DbPlace, onMigration?: OnMigration): Promise<MigrationState> {
  return databasePlace.engine === 'sqlite'
    ? migrateSqlite(databasePlace.file, undefined, onMigration)
    : migratePostgres(databasePlace.url, undefined, onMigration);
}

export function openDb(databasePlace: DbPlace, onIdleError: (error: Error) => void): Db {
  return databasePlace.engine === 'sqlite'
    ? openSqlite(databasePlace.file)
    : openPostgres({ ...databasePlace, onIdleError });
}
