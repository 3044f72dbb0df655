import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postgresHome, untilReady, urlIn } from '../postgres.ts';
import { type Disk, mountDisk } from './disk.ts';
import type { DatabaseServers } from './servers.ts';
import { startWire } from './wire.ts';

/**
 * A leader and a standby that has every commit before it is acknowledged (synchronous replication). The test controls
 * them, in place of Patroni.
 */
export type Pair = DatabaseServers & {
  /** Kills every process of the leader, and makes the standby the leader. */
  failOver(): Promise<void>;
  /** Makes a new standby of the killed server. */
  rebuild(): Promise<void>;
  /** Shuts the leader down as an operator does, and starts it again. */
  restart(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** The network to both servers. */
  cut(): void;
  mend(): void;
  /** The disk of the leader; undefined if no disk of limited size can be mounted. */
  disk(): Disk | undefined;
};

type Server = ReturnType<typeof postgresHome> & { child?: ChildProcess; disk?: Disk | undefined };

const SETTINGS = [
  'listen_addresses=',
  'max_connections=100',
  'shared_buffers=32MB',
  'fsync=off',
  'wal_level=replica',
  'max_wal_senders=8',
  'wal_keep_size=512MB',
  'hot_standby=on',
  'wal_receiver_status_interval=1s',
  'wal_retrieve_retry_interval=200ms',
];

/** `onDisks`: each server has a disk of limited size, if one can be mounted. */
export async function startPair({ onDisks }: { onDisks: boolean }): Promise<Pair> {
  const servers: [Server, Server] = [home(onDisks), home(onDisks)];
  let leading = 0;
  const leader = () => servers[leading] as Server;
  const standby = () => servers[1 - leading] as Server;
  const first = leader();
  execFileSync(
    join(first.native, 'bin/initdb'),
    ['-D', first.data, '-U', 'admin', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    { ...first.options, stdio: 'pipe' },
  );
  const launch = async (server: Server, follows?: Server) => {
    const settings = follows ? [...SETTINGS, `primary_conninfo=host=${follows.folder} user=admin`] : SETTINGS;
    const flags = settings.flatMap((setting) => ['-c', setting]);
    server.child = spawn(join(server.native, 'bin/postgres'), ['-D', server.data, '-k', server.folder, ...flags], {
      ...server.options,
      stdio: 'ignore',
    });
    await untilReady(adminOf(server));
  };
  const rebuild = async () => {
    await copy(leader(), standby());
    await launch(standby(), leader());
    await run(leader(), "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await run(leader(), 'SELECT pg_reload_conf()');
  };
  process.once('exit', () => {
    for (const server of servers) {
      killAll(server, 'SIGKILL');
      server.disk?.remove();
    }
  });
  await launch(first);
  await run(first, 'CREATE ROLE grove_test LOGIN');
  await rebuild();
  const wires = await Promise.all(servers.map(({ folder }) => startWire(() => join(folder, '.s.PGSQL.5432'))));
  return {
    description: 'a leader of PostgreSQL and a synchronous standby, promoted by hand (no Patroni)',
    urlOf(role, database) {
      const hosts = wires.map(({ port }) => `127.0.0.1:${port}`).join(',');
      return `postgres://${role}@${hosts}/${database}?target_session_attrs=read-write`;
    },
    leaderUrl: async (role, database) => urlIn(leader().folder, role, database),
    administrate: (statement) => run(leader(), statement),
    async failOver() {
      const old = leader();
      killAll(old, 'SIGKILL');
      await untilEnd(old);
      leading = 1 - leading;
      await run(leader(), 'SELECT pg_promote()');
      // No standby follows yet, so a commit that waited for one would wait for ever.
      await run(leader(), "ALTER SYSTEM SET synchronous_standby_names = ''");
      await run(leader(), 'SELECT pg_reload_conf()');
    },
    rebuild,
    async restart() {
      leader().child?.kill('SIGINT');
      await untilEnd(leader());
      await launch(leader());
    },
    signal: (signal) => killAll(leader(), signal),
    cut: () => {
      for (const wire of wires) wire.cut();
    },
    mend: () => {
      for (const wire of wires) wire.mend();
    },
    disk: () => leader().disk,
    async stop() {
      for (const wire of wires) await wire.stop();
      for (const server of servers) {
        killAll(server, 'SIGKILL');
        await untilEnd(server);
        server.disk?.remove();
        rmSync(server.folder, { recursive: true, force: true });
      }
    },
  };
}

function home(onDisk: boolean): Server {
  const server = postgresHome();
  const disk = onDisk ? mountDisk(join(server.folder, 'disk')) : undefined;
  if (!disk) return server;
  const data = join(disk.folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  const { uid, gid } = server.options as { uid?: number; gid?: number };
  if (uid !== undefined && gid !== undefined) for (const each of [disk.folder, data]) chownSync(each, uid, gid);
  return { ...server, data, disk };
}

const adminOf = ({ folder }: Server) => urlIn(folder, 'admin', 'postgres');

async function run(server: Server, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: adminOf(server) });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

/** A copy of a running server: its log repairs what changes during the copy. */
async function copy(from: Server, to: Server): Promise<void> {
  const client = new pg.Client({ connectionString: adminOf(from) });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('chaos', true)");
    rmSync(to.data, { recursive: true, force: true });
    // A file that is removed during the copy was not needed.
    spawnSync('cp', ['-a', from.data, to.data], { stdio: 'ignore' });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    for (const own of ['postmaster.pid', 'postgresql.auto.conf']) rmSync(join(to.data, own), { force: true });
    const as = { uid: to.options.uid, gid: to.options.gid };
    writeOwn(join(to.data, 'backup_label'), rows[0]?.labelfile ?? '', as);
    writeOwn(join(to.data, 'standby.signal'), '', as);
  } finally {
    await client.end();
  }
}

function writeOwn(file: string, text: string, { uid, gid }: { uid?: number | undefined; gid?: number | undefined }) {
  writeFileSync(file, text);
  if (uid !== undefined && gid !== undefined) execFileSync('chown', [`${uid}:${gid}`, file]);
}

function killAll({ child }: Server, signal: NodeJS.Signals): void {
  if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
  // Each process has a session of its own, so no signal reaches all of them.
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' });
  for (const pid of [child.pid, ...stdout.split('\n').map(Number)]) {
    try {
      if (pid > 0) process.kill(pid, signal);
    } catch {
      // The process has ended already.
    }
  }
}

function untilEnd({ child }: Server): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((done) => child.once('exit', () => done()));
}
