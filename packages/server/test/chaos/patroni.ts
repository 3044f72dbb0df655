import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../free-port.ts';
import type { DatabaseServers } from './servers.ts';

/**
 * Three members of Patroni with one etcd, as an operator runs them, in a temporary folder. Patroni alone decides who
 * leads. One etcd is enough here, because no fault kills it; in production it has three or five members.
 */
export type Patroni = DatabaseServers & {
  /** Kills Patroni and PostgreSQL of the leader, and waits until another member accepts writes. */
  killLeader(): Promise<void>;
  /** Pauses both until another member accepts writes, and then resumes them. */
  hangLeader(): Promise<void>;
  /** Asks Patroni to make the synchronous standby the leader. */
  switchOver(): Promise<void>;
  /** Stops etcd for longer than the leader may lead without it. */
  hangEtcd(): Promise<void>;
  /** Starts the killed members, and waits until all follow one leader. */
  rebuild(): Promise<void>;
};

export type PatroniOptions = {
  /** A commit waits for a standby, and only that standby may be promoted (`synchronous_mode`). */
  isSynchronous: boolean;
  /** The time for which a silent leader keeps the lead. */
  ttlSeconds: number;
};

/** The programs, and the Debian packages that contain them. */
const PROGRAMS = { patroni: 'patroni', etcd: 'etcd-server' };
const VERSIONS = '/usr/lib/postgresql';
const NOBODY = 65_534;
const MEMBERS = ['one', 'two', 'three'];
const WITHIN_MS = 180_000;
const RESTART_AFTER_MS = 60_000;
const LOOK_EVERY_MS = 50;
const PROBE_MS = 2000;
const PROBE = 'CREATE TABLE IF NOT EXISTS probe (id INTEGER PRIMARY KEY, value BIGINT NOT NULL)';
const WRITE = 'INSERT INTO probe VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET value = probe.value + 1';

type Member = { name: string; folder: string; data: string; port: number; restPort: number; child?: ChildProcess };
type MemberState = { name: string; role: string; state: string };
type Account = { uid?: number; gid?: number };

/** The Debian packages that are not installed. */
export function missingForPatroni(): string[] {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const missing = Object.entries(PROGRAMS)
    .filter(([program]) => !folders.some((folder) => existsSync(join(folder, program))))
    .map(([, name]) => name);
  return postgresFolder() ? missing : [...missing, 'postgresql'];
}

/** The newest version: Patroni needs `pg_basebackup` and `pg_rewind` beside the server. */
function postgresFolder(): string | undefined {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  return versions
    .toSorted((one, other) => Number(other) - Number(one))
    .map((version) => join(VERSIONS, version, 'bin'))
    .find((folder) => ['postgres', 'pg_rewind', 'pg_basebackup'].every((name) => existsSync(join(folder, name))));
}

export async function startPatroni(options: PatroniOptions): Promise<Patroni> {
  const folder = mkdtempSync(join(tmpdir(), 'grove-patroni-'));
  const account: Account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  chmodSync(folder, 0o755);
  const own = (path: string) => {
    mkdirSync(path, { mode: 0o700 });
    if (account.uid !== undefined) chownSync(path, NOBODY, NOBODY);
    return path;
  };
  const launch = (program: string, args: string[], cwd: string) => {
    // Debian's etcd needs a permission to run on ARM.
    const env = { PATH: process.env.PATH, LC_ALL: 'C', ETCD_UNSUPPORTED_ARCH: 'arm64', HOME: cwd };
    const child = spawn(program, args, { ...account, cwd, env, stdio: 'ignore' });
    child.on('error', () => undefined);
    return child;
  };
  const [clientPort, peerPort] = [await freePort(), await freePort()];
  const etcd = launch('etcd', etcdFlags({ folder: own(join(folder, 'etcd')), clientPort, peerPort }), folder);
  const members: Member[] = [];
  for (const name of MEMBERS) {
    const home = own(join(folder, name));
    members.push({
      name,
      folder: home,
      data: join(home, 'data'),
      port: await freePort(),
      restPort: await freePort(),
    });
  }
  const start = (member: Member) => {
    const file = join(member.folder, 'patroni.yml');
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify(configuration(member, clientPort, options)), { mode: 0o644 });
    member.child = launch('patroni', [file], member.folder);
  };
  const killAll = () => {
    for (const member of members) signalMember(member, 'SIGKILL');
    etcd.kill('SIGKILL');
  };
  process.once('exit', killAll);
  const servers = patroniOf({ members, etcd, start, ttlSeconds: options.ttlSeconds });
  const stop = async () => {
    killAll();
    await Promise.all([etcd, ...members.map(({ child }) => child)].map(untilEnd));
    process.off('exit', killAll);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    await servers.rebuild();
    await servers.administrate('CREATE ROLE grove_test LOGIN');
    await servers.administrate(PROBE);
    const mode = options.isSynchronous ? 'synchronous mode' : 'asynchronous replication';
    return { ...servers, description: `three members of Patroni (${mode}) and one etcd`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Parts = { members: readonly Member[]; etcd: ChildProcess; start(member: Member): void; ttlSeconds: number };

function patroniOf({ members, etcd, start, ttlSeconds }: Parts): Omit<Patroni, 'description' | 'stop'> {
  const leader = () => until('a member leads', () => leaderOf(members));
  const urlOn = ({ port }: Member, role: string, database: string) =>
    `postgres://${role}@127.0.0.1:${port}/${database}`;
  const administrate = async (statement: string) => ask(urlOn(await leader(), 'admin', 'postgres'), statement);
  const takesWrites = async (without?: Member) => {
    for (const member of members) {
      if (member === without) continue;
      const isWritten = await ask(urlOn(member, 'admin', 'postgres'), WRITE, PROBE_MS).then(
        () => true,
        () => false,
      );
      if (isWritten) return true;
    }
    return false;
  };
  const writable = (without?: Member) =>
    until('a member takes writes', async () => (await takesWrites(without)) || undefined);
  return {
    urlOf(role, database) {
      const hosts = members.map(({ port }) => `127.0.0.1:${port}`).join(',');
      return `postgres://${role}@${hosts}/${database}?target_session_attrs=read-write`;
    },
    leaderUrl: async (role, database) => urlOn(await leader(), role, database),
    administrate,
    takesWrites: () => takesWrites(),
    async killLeader() {
      const old = await leader();
      signalMember(old, 'SIGKILL');
      await untilEnd(old.child);
      // If no standby was in sync then, none may be promoted: the leader has to come back, as systemd would start it.
      const restart = setTimeout(() => start(old), RESTART_AFTER_MS);
      try {
        await writable();
      } finally {
        clearTimeout(restart);
      }
    },
    async hangLeader() {
      const old = await leader();
      signalMember(old, 'SIGSTOP');
      try {
        await writable(old);
      } finally {
        signalMember(old, 'SIGCONT');
      }
    },
    async switchOver() {
      const old = await leader();
      const states = await statesOf(members);
      const candidate =
        states.find(({ role }) => role === 'sync_standby') ?? states.find(({ name }) => name !== old.name);
      const body = JSON.stringify({ leader: old.name, candidate: candidate?.name });
      const answer = await fetch(`http://127.0.0.1:${old.restPort}/switchover`, { method: 'POST', body });
      if (!answer.ok) throw new Error(`Patroni refuses the switchover: ${await answer.text()}`);
      await writable(old);
    },
    async hangEtcd() {
      etcd.kill('SIGSTOP');
      await sleep(ttlSeconds * 2000);
      etcd.kill('SIGCONT');
      await writable();
    },
    async rebuild() {
      for (const member of members) if (!isRunning(member.child)) start(member);
      await until('all members follow one leader', async () => {
        const states = await statesOf(members);
        const isWhole =
          states.length === members.length && states.every(({ state }) => ['running', 'streaming'].includes(state));
        const roles = states.map(({ role }) => role);
        // Whether a synchronous standby is expected is in the configuration that the members share.
        const isSynchronous = (await sharedConfiguration(members)).synchronous_mode === true;
        return (isWhole && roles.includes('leader') && (!isSynchronous || roles.includes('sync_standby'))) || undefined;
      });
    },
  };
}

function etcdFlags({ folder, clientPort, peerPort }: { folder: string; clientPort: number; peerPort: number }) {
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  const flags = {
    name: 'etcd',
    'data-dir': join(folder, 'data'),
    'initial-cluster': `etcd=${peer}`,
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
  };
  return Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Faults kill processes and never the machine, so nothing has to reach the disk. */
const PARAMETERS = { max_connections: 100, shared_buffers: '32MB', fsync: 'off', wal_keep_size: '512MB' };

function configuration(member: Member, etcdPort: number, { isSynchronous, ttlSeconds }: PatroniOptions): object {
  const { name, folder, data, port, restPort } = member;
  const loopSeconds = Math.max(1, Math.floor(ttlSeconds / 6));
  return {
    scope: 'grove',
    name,
    log: { level: 'INFO', dir: folder },
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ttl: ttlSeconds,
        loop_wait: loopSeconds,
        retry_timeout: Math.max(1, Math.floor((ttlSeconds - loopSeconds) / 2)),
        synchronous_mode: isSynchronous,
        // Otherwise a new leader would acknowledge without a standby for a moment, and these commits could be lost.
        synchronous_mode_strict: isSynchronous,
        postgresql: { use_pg_rewind: true, parameters: PARAMETERS },
      },
      initdb: [{ encoding: 'UTF8' }, { auth: 'trust' }, 'no-sync'],
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust', 'local all all trust'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: postgresFolder(),
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'admin', password: 'admin' },
        replication: { username: 'replicator', password: 'replicator' },
      },
      parameters: { unix_socket_directories: folder },
    },
  };
}

async function statesOf(members: readonly Member[]): Promise<MemberState[]> {
  const body = await anyAnswer<{ members?: MemberState[] }>(members, '/cluster');
  return body?.members ?? [];
}

async function sharedConfiguration(members: readonly Member[]): Promise<{ synchronous_mode?: boolean }> {
  return (await anyAnswer<{ synchronous_mode?: boolean }>(members, '/config')) ?? {};
}

async function anyAnswer<T>(members: readonly Member[], path: string): Promise<T | undefined> {
  for (const { restPort, child } of members) {
    if (!isRunning(child)) continue;
    const signal = AbortSignal.timeout(PROBE_MS);
    const body = await fetch(`http://127.0.0.1:${restPort}${path}`, { signal }).then(
      (answer) => (answer.ok ? answer.json() : undefined),
      () => undefined,
    );
    if (body) return body as T;
  }
  return undefined;
}

/** The leader as PostgreSQL reports it, because Patroni's list may be outdated. */
async function leaderOf(members: readonly Member[]): Promise<Member | undefined> {
  const states = await statesOf(members);
  const name = states.find(({ role, state }) => role === 'leader' && state === 'running')?.name;
  return members.find((member) => member.name === name && isRunning(member.child));
}

async function ask(connectionString: string, statement: string, timeoutMs = WITHIN_MS): Promise<pg.QueryResult> {
  const times = { connectionTimeoutMillis: Math.min(timeoutMs, PROBE_MS), query_timeout: timeoutMs };
  const client = new pg.Client({ connectionString, ...times });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.query(statement);
  } finally {
    client.end().catch(() => undefined);
  }
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + WITHIN_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
    const result = await look().catch(() => undefined);
    if (result !== undefined) return result;
  }
  throw new Error(`it does not happen that ${what}`);
}

/** Patroni is killed first, because it would start its PostgreSQL again. */
function signalMember({ child, data }: Member, signal: NodeJS.Signals): void {
  if (isRunning(child)) child?.kill(signal);
  const file = join(data, 'postmaster.pid');
  const postmaster = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  // The file of a killed server stays, and its process id may belong to another process by now.
  if (!postmaster || !isPostgresIn(postmaster, data)) return;
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
  for (const pid of [postmaster, ...stdout.split('\n').map(Number)]) {
    try {
      if (pid > 0) process.kill(pid, signal);
    } catch {
      // The process has ended already.
    }
  }
}

function isPostgresIn(pid: number, data: string): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.includes(data);
}

function isRunning(child: ChildProcess | undefined): boolean {
  return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

function untilEnd(child: ChildProcess | undefined): Promise<void> {
  if (!child || !isRunning(child)) return Promise.resolve();
  return new Promise((done) => child.once('exit', () => done()));
}
