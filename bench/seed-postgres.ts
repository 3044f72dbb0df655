import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { temporaryFolder } from './clean-up.ts';
import { parentOf, programOf } from './process-stats.ts';
import { type Installation, type SeedOptions, seed } from './seed.ts';

/**
 * Creates a database on the server that `url` names, and drops it afterwards. An existing database is never touched: it may
 * be sealed by a master key that the bench does not have.
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
    const place = { dataFolder: folder.path, databaseUrl: own.href, databasePid: await firstProcess(url) };
    const seeded = await seed(place, options);
    // PostgreSQL does so by itself within a minute. Until then it reads whole tables, so the figures would depend on chance.
    await administrate(own.href, 'ANALYZE');
    return { place, seeded, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The main process of PostgreSQL, which starts a process for each connection. Undefined if it runs on another machine. */
async function firstProcess(url: string): Promise<number | undefined> {
  return connected(url, async (client) => {
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const pid = rows[0]?.pid ?? 0;
    // If PostgreSQL runs on another machine, this id may belong to another program here.
    return programOf(pid) === 'postgres' ? parentOf(pid) : undefined;
  });
}

async function administrate(url: string, statement: string): Promise<void> {
  await connected(url, (client) => client.query(statement));
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
