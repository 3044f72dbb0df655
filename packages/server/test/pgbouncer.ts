import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';

/** Debian's PgBouncer in front of a PostgreSQL of the tests, in transaction mode. */
export const PGBOUNCER = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'].find((path) =>
  existsSync(path),
);

export type PgBouncer = {
  /** The address of a database through the pooler. */
  through(url: string): string;
  stop(): Promise<void>;
};

const PORT = 6432;
const NOBODY = 65_534;
const READY_WITHIN_MS = 10_000;

export async function startPgBouncer(postgresFolder: string, connections: number): Promise<PgBouncer> {
  if (!PGBOUNCER) throw new Error('there is no pgbouncer');
  const folder = mkdtempSync(join(tmpdir(), 'grove-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  writeFileSync(users, '"admin" ""\n"grove_test" ""\n');
  writeFileSync(
    file,
    `[databases]
* = host=${postgresFolder}
[pgbouncer]
unix_socket_dir = ${folder}
listen_port = ${PORT}
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 200
`,
  );
  chmodSync(folder, 0o755);
  chmodSync(file, 0o644);
  const asRoot = process.getuid?.() === 0;
  if (asRoot) chownSync(folder, NOBODY, NOBODY);
  const child = spawn(PGBOUNCER, [file], { stdio: 'ignore', ...(asRoot && { uid: NOBODY, gid: NOBODY }) });
  process.once('exit', () => child.kill('SIGKILL'));
  const through = (url: string) => {
    const address = new URL(url);
    address.port = String(PORT);
    address.searchParams.set('host', folder);
    address.searchParams.set('pgbouncer', 'true');
    return address.href;
  };
  await untilReady(folder, child);
  return {
    through,
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(folder: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const client = new pg.Client({ host: folder, port: PORT, user: 'admin', database: 'postgres' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (Date.now() > deadline || child.exitCode !== null) throw error;
      await new Promise((later) => setTimeout(later, 50));
    }
  }
}
