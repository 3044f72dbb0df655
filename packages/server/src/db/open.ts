import type { Db } from './db.ts';
import { type MigrationState, migratePostgres, migrateSqlite } from './migrate.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** Where the data lives: a file in the data folder, or a PostgreSQL database. */
export type DbPlace = { engine: 'sqlite'; file: string } | { engine: 'postgres'; url: string; maxConnections: number };

export async function migrate(place: DbPlace): Promise<MigrationState> {
  return place.engine === 'sqlite' ? migrateSqlite(place.file) : migratePostgres(place.url);
}

export function openDb(place: DbPlace, onIdleError: (error: Error) => void): Db {
  return place.engine === 'sqlite' ? openSqlite(place.file) : openPostgres({ ...place, onIdleError });
}
