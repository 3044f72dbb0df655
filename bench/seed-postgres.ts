import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { temporaryFolder } from './clean-up.ts';
import { type Installation, type SeedOptions, seed } from './seed.ts';

/**
 * A database of its own on the server that `url` names, dropped afterwards. A database that is there already is never
 * touched: it may be sealed by a master key that the bench does not have.
 */
export async function postgresInstallation(url: string, options: SeedOptions): Promise<Installation> {
  const name = `grove_bench_${randomBytes(6).toString('hex')}`;
  const own = new URL(url);
  own.pathname = `/${name}`;
  const folder = temporaryFolder();
  await administrate(url, `CREATE DATABASE ${name}`);
  const remove = async () => {
    folder.remove();
    await administrate(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  try {
    const place = { dataFolder: folder.path, databaseUrl: own.href };
    return { place, seeded: await seed(place, options), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function administrate(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
