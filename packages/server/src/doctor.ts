import { lookup } from 'node:dns/promises';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  type Stats,
  statfsSync,
  statSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Config, ConfigError, type Environment, readConfig } from './config.ts';
import { type View, viewSqlite } from './db/backup.ts';
import { type MigrationState, planMigrations, readMigrations } from './db/migrate.ts';
import { type DbPlace, openDb } from './db/open.ts';
import { type Clock, systemClock } from './kernel/clock.ts';
import { isTenantId, type TenantId } from './kernel/ids.ts';
import { type MasterKey, openMasterKey } from './secrets/master-key.ts';
import { sealedBy, unseal } from './secrets/sealing.ts';
import { findTenantKeys, listSystemSecrets } from './secrets/secrets.repository.ts';
import { systemSecretContext, tenantKeyContext } from './secrets/vault.ts';

/**
 * What is wrong with an installation, and what to do about it. Nothing is changed: no folder is made, no migration is
 * run, no file is touched.
 */
export type Check = { name: string; state: 'ok' | 'warning' | 'fault'; message: string; remedy?: string };

const NODE_MAJOR = 24;
const POSTGRES_MAJOR = 14;
const DISK_FAULT_BYTES = 100 * 1024 ** 2;
const DISK_WARNING_BYTES = 1024 ** 3;
const CLOCK_TOLERANCE_MS = 5000;
const HEALTH_TIMEOUT_MS = 2000;
const TENANTS_AT_ONCE = 1000;
const MAX_TOLD = 5;
const BUSY = 5;
const EARLIEST_YEAR = 2025;
const LATEST_YEAR = 2100;

const RESTORE = 'Stop the server and restore a backup: grove restore <file> --force.';

const ok = (name: string, message: string): Check => ({ name, state: 'ok', message });
const warning = (name: string, message: string, remedy: string): Check => ({ name, state: 'warning', message, remedy });
const fault = (name: string, message: string, remedy: string): Check => ({ name, state: 'fault', message, remedy });

export async function examine(environment: Environment, clock: Clock = systemClock): Promise<Check[]> {
  const node = checkNode(process.versions.node);
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [node, ...error.faults.map((each) => fault('configuration', each, 'See grove help configuration.'))];
  }
  return [
    node,
    ok('configuration', `Region ${config.region}, ${config.database.engine}, data in ${config.dataFolder}.`),
    ...checkFolder(config.dataFolder),
    ...(await checkData(config, clock.now())),
    await checkPort(config),
  ];
}

export function checkNode(version: string): Check {
  if (Number.parseInt(version, 10) >= NODE_MAJOR) return ok('node', `Node ${version}.`);
  return fault('node', `Node ${version} is too old.`, `Install Node ${NODE_MAJOR} or newer.`);
}

export function checkFolder(folder: string): Check[] {
  const name = 'data folder';
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) {
    return [
      warning(name, `${folder} does not exist.`, 'The first start makes it; or set GROVE_DATA.'),
      checkDisk(folder),
    ];
  }
  if (!stats.isDirectory()) return [fault(name, `${folder} is not a folder.`, 'Set GROVE_DATA to a folder.')];
  const checks: Check[] = [];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    checks.push(ok(name, `${folder} is writable.`));
  } catch {
    checks.push(fault(name, `${folder} is not writable by this user.`, 'Give the folder to the user of the server.'));
  }
  const open = openToOthers(stats);
  if (open) checks.push(warning(name, `Others may look into ${folder} (mode ${open}).`, `chmod 700 ${folder}`));
  return [...checks, checkDisk(folder)];
}

function checkDisk(folder: string): Check {
  let existing = folder;
  while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
  const { bavail, bsize } = statfsSync(existing);
  return checkFreeSpace(bavail * bsize);
}

export function checkFreeSpace(bytes: number): Check {
  const free = `${(bytes / 1024 ** 3).toFixed(1)} GiB are free.`;
  const remedy = 'Free some space, or move the data folder: a full disk stops every write.';
  if (bytes < DISK_FAULT_BYTES) return fault('disk', free, remedy);
  return bytes < DISK_WARNING_BYTES ? warning('disk', free, remedy) : ok('disk', free);
}

/** The mode, if others than the owner may do anything. Windows has no such modes. */
function openToOthers({ mode }: Stats): string | undefined {
  return process.platform !== 'win32' && (mode & 0o077) !== 0 ? (mode & 0o777).toString(8) : undefined;
}

/** Master key, database and clock: what one of them is worth, the others show. */
async function checkData(config: Config, now: number): Promise<Check[]> {
  const key = readKey(config);
  const place = config.database;
  if (place.engine === 'sqlite' && !existsSync(place.file)) {
    const none = warning('database', `${place.file} does not exist.`, 'The first start makes it; or grove restore.');
    return [...key.checks, ...notMade(key.missing), none, checkClock({ system: now })];
  }
  let view: View | undefined;
  try {
    view = openView(place);
    const checks = await (place.engine === 'sqlite'
      ? checkSqlite(place.file)
      : checkPostgres(view, place.maxConnections));
    const migrations = await checkMigrations(view);
    const opens = await checkKeyOpens(view, key);
    return [
      ...key.checks,
      ...opens,
      ...checks,
      ...migrations,
      checkClock({ system: now, ...(await databaseClocks(view)) }),
    ];
  } catch (error) {
    return [...key.checks, unreadable(place, error), checkClock({ system: now })];
  } finally {
    await view?.close();
  }
}

function unreadable(place: DbPlace, error: unknown): Check {
  const { message } = ((error as Error).cause ?? error) as Error;
  return place.engine === 'sqlite'
    ? fault('database', `${place.file} cannot be read: ${message}.`, RESTORE)
    : fault('database', `PostgreSQL does not answer: ${message}.`, 'Start the database, or correct DATABASE_URL.');
}

type Key = { checks: Check[]; master: MasterKey | undefined; missing: string | undefined };

function readKey({ masterKey }: Config): Key {
  const name = 'master key';
  const file = 'file' in masterKey ? masterKey.file : undefined;
  const stats = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
  if (file !== undefined && !stats) return { checks: [], master: undefined, missing: file };
  const checks: Check[] = [];
  const open = stats && openToOthers(stats);
  if (open)
    checks.push(
      fault(name, `Others may read ${file} (mode ${open}).`, `chmod 600 ${file}, then grove rotate master-key.`),
    );
  try {
    const master = openMasterKey(masterKey);
    const where = file ?? 'GROVE_MASTER_KEY';
    if (checks.length === 0) checks.push(ok(name, `Version ${master.current.version}, from ${where}.`));
    return { checks, master, missing: undefined };
  } catch (error) {
    const remedy = 'Put back the key that sealed this data; a new one would not open it.';
    return {
      checks: [...checks, fault(name, `${(error as Error).message}.`, remedy)],
      master: undefined,
      missing: undefined,
    };
  }
}

async function checkKeyOpens(view: View, { master, missing }: Key): Promise<Check[]> {
  const name = 'master key';
  const remedy = 'Put back the key that sealed this data, or set GROVE_MASTER_KEY or GROVE_MASTER_KEY_FILE.';
  if (missing !== undefined) {
    const sealed = (await hasTable(view, 'system_secrets')) && (await listSystemSecrets(view.system)).length > 0;
    if (sealed) return [fault(name, `${missing} is missing, and the database holds data that it sealed.`, remedy)];
    return notMade(missing);
  }
  if (!master || !(await hasTable(view, 'system_secrets'))) return [];
  const { sealed, faults } = await checkSeals(view, master);
  if (faults.length === 0) return [ok(name, `It opens everything it sealed (${sealed} keys and secrets).`)];
  const told = faults.slice(0, MAX_TOLD).join('; ');
  return [fault(name, `It does not open ${faults.length} of ${sealed} sealed keys and secrets: ${told}.`, remedy)];
}

function notMade(missing: string | undefined): Check[] {
  return missing === undefined
    ? []
    : [warning('master key', `${missing} does not exist.`, 'The first start makes it.')];
}

/** How many values the master key seals, which of its versions did so, and what it cannot open. */
export type Seals = { sealed: number; versions: Set<number>; faults: string[] };

export async function checkSeals(view: View, master: MasterKey): Promise<Seals> {
  const seals: Seals = { sealed: 0, versions: new Set(), faults: [] };
  const open = (what: string, context: string, sealed: Uint8Array) => {
    seals.sealed += 1;
    try {
      const by = sealedBy(sealed);
      seals.versions.add(by);
      unseal(master.key(by).key, context, sealed);
    } catch (error) {
      seals.faults.push(`${what} (${(error as Error).message})`);
    }
  };
  for (const { name, version, sealed } of await listSystemSecrets(view.system)) {
    open(name, systemSecretContext(name, version), sealed);
  }
  for await (const tenantId of tenantIdsOf(view)) {
    for (const { version, sealed } of await findTenantKeys(view.of(tenantId))) {
      open(`the key of tenant ${tenantId}`, tenantKeyContext(tenantId, version), sealed);
    }
  }
  return seals;
}

/** Every tenant, however many there are. */
export async function* tenantIdsOf(view: View): AsyncGenerator<TenantId> {
  const text = `SELECT id FROM tenants WHERE id > $1 ORDER BY id LIMIT ${TENANTS_AT_ONCE}`;
  for (let after = '', more = true; more; ) {
    const page = await view.system.all<{ id: string }>({ text }, [after]);
    for (const { id } of page) if (isTenantId(id)) yield id;
    after = page.at(-1)?.id ?? '';
    more = page.length === TENANTS_AT_ONCE;
  }
}

async function checkSqlite(file: string): Promise<Check[]> {
  const name = 'database';
  const view = viewSqlite(file);
  try {
    const [found] = view.pragma('quick_check(1)');
    if (found?.quick_check !== 'ok')
      return [fault(name, `${file} is damaged: ${String(found?.quick_check)}.`, RESTORE)];
  } finally {
    await view.close();
  }
  const checks = [ok(name, `${file} is whole.`)];
  const open = openToOthers(statSync(file));
  if (open) checks.push(warning(name, `Others may read ${file} (mode ${open}).`, `chmod 600 ${file}`));
  if (!isWal(file))
    checks.push(warning(name, 'It is not in WAL mode: readers wait for writers.', 'The next start sets it.'));
  return checks;
}

/** The file format itself says it: byte 18 is 2 for a write-ahead log. */
function isWal(file: string): boolean {
  const handle = openSync(file, 'r');
  try {
    const byte = Buffer.alloc(1);
    return readSync(handle, byte, 0, 1, 18) === 1 && byte[0] === 2;
  } finally {
    closeSync(handle);
  }
}

type PostgresFacts = {
  version: number;
  role: string;
  superuser: boolean;
  bypasses: boolean;
  allowed: number;
  used: number;
};

const FACTS = `SELECT current_setting('server_version_num')::int / 10000 AS version, rolname AS role,
  rolsuper AS superuser, rolbypassrls AS bypasses, current_setting('max_connections')::int AS allowed,
  (SELECT count(*)::int FROM pg_stat_activity) AS used FROM pg_roles WHERE rolname = current_user`;

const UNFORCED = `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
    AND NOT a.attisdropped AND NOT (c.relrowsecurity AND c.relforcerowsecurity) ORDER BY c.relname LIMIT 100`;

async function checkPostgres(view: View, wanted: number): Promise<Check[]> {
  const facts = await view.system.get<PostgresFacts>({ text: FACTS }, []);
  if (!facts) throw new Error('the database does not know the role that asks');
  const unforced = (await view.system.all<{ name: string }>({ text: UNFORCED }, [])).map(({ name }) => name);
  return checkPostgresFacts({ ...facts, unforced, wanted });
}

export function checkPostgresFacts(facts: PostgresFacts & { unforced: string[]; wanted: number }): Check[] {
  const { version, role, superuser, bypasses, allowed, used, unforced, wanted } = facts;
  const name = 'database';
  const powers = superuser ? 'a superuser' : 'exempt from row-level security (BYPASSRLS)';
  return [
    version >= POSTGRES_MAJOR
      ? ok(name, `PostgreSQL ${version} answers.`)
      : warning(name, `PostgreSQL ${version} is old.`, `Use PostgreSQL ${POSTGRES_MAJOR} or newer.`),
    superuser || bypasses
      ? fault(name, `The role ${role} is ${powers}.`, 'Connect as an ordinary role that owns the tables.')
      : ok(name, `The role ${role} is subject to row-level security.`),
    unforced.length === 0
      ? ok(name, 'Row-level security is forced on every table of tenants.')
      : fault(
          name,
          `Row-level security is not forced on ${unforced.join(', ')}.`,
          'ALTER TABLE … FORCE ROW LEVEL SECURITY',
        ),
    used + wanted <= allowed
      ? ok(name, `${used} of ${allowed} connections are in use; this server keeps up to ${wanted}.`)
      : warning(
          name,
          `${used} of ${allowed} connections are in use; there may be no room for the ${wanted} of this server.`,
          'Lower DATABASE_POOL, or raise max_connections.',
        ),
  ];
}

async function checkMigrations(view: View): Promise<Check[]> {
  const name = 'migrations';
  const done = await appliedTo(view);
  try {
    const { applied, pending } = planMigrations(done, readMigrations());
    if (pending.length === 0) return [ok(name, `All ${applied.length} are applied.`)];
    const names = pending.map((each) => each.name).join(', ');
    return [warning(name, `Not yet applied: ${names}.`, 'Run grove migrate; the next start does so, too.')];
  } catch (error) {
    return [fault(name, (error as Error).message, 'Run the release that made this database, or a later one.')];
  }
}

/** What has been applied to a database and what has not, without applying anything. */
export async function readMigrationState(place: DbPlace): Promise<MigrationState> {
  if (place.engine === 'sqlite' && !existsSync(place.file)) return planMigrations([], readMigrations());
  const view = openView(place);
  try {
    return planMigrations(await appliedTo(view), readMigrations());
  } finally {
    await view.close();
  }
}

async function appliedTo(view: View): Promise<{ version: number; name: string; checksum: string }[]> {
  if (!(await hasTable(view, 'schema_migrations'))) return [];
  return view.system.all({ text: 'SELECT version, name, checksum FROM schema_migrations ORDER BY version' }, []);
}

async function hasTable({ engine, system }: View, table: string): Promise<boolean> {
  const text = {
    sqlite: "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = $1",
    postgres: 'SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL',
  }[engine];
  return (await system.get({ text }, [table])) !== undefined;
}

export function openView(place: DbPlace): View {
  return place.engine === 'sqlite' ? viewSqlite(place.file) : openDb({ ...place, maxConnections: 1 }, () => undefined);
}

type Clocks = { system: number; database?: number; latest?: number };

async function databaseClocks(view: View): Promise<Omit<Clocks, 'system'>> {
  const text = 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';
  const database = view.engine === 'postgres' ? await view.system.get<{ now: number }>({ text }, []) : undefined;
  const applied = (await hasTable(view, 'schema_migrations'))
    ? await view.system.get<{ latest: number | null }>(
        { text: 'SELECT max(applied_at) AS latest FROM schema_migrations' },
        [],
      )
    : undefined;
  return {
    ...(database && { database: database.now }),
    ...(applied?.latest && { latest: applied.latest }),
  };
}

/** Tokens, expiries and one-time codes all stand on the clock. */
export function checkClock({ system, database = system, latest = 0 }: Clocks): Check {
  const name = 'clock';
  const remedy = 'Set the clock; let the machine keep it with NTP.';
  const year = new Date(system).getUTCFullYear();
  const shown = new Date(system).toISOString();
  if (year < EARLIEST_YEAR || year > LATEST_YEAR) return fault(name, `It cannot be ${shown}.`, remedy);
  const apart = Math.abs(system - database);
  if (apart > CLOCK_TOLERANCE_MS) {
    return fault(name, `This machine and the database are ${(apart / 1000).toFixed(1)} seconds apart.`, remedy);
  }
  if (latest > system + CLOCK_TOLERANCE_MS) {
    return fault(name, `It is ${shown}, but the database was changed at ${new Date(latest).toISOString()}.`, remedy);
  }
  return ok(name, `It is ${shown}.`);
}

async function checkPort({ port, host, dataFolder, database }: Config): Promise<Check> {
  const name = 'port';
  const remedy = 'Stop what holds it, or set PORT to another.';
  if (port === 0) return ok(name, 'Any free port will do.');
  const refused = await listenFault(host, port);
  if (refused === undefined) return ok(name, `Port ${port} of ${host} is free.`);
  if (refused !== 'EADDRINUSE')
    return fault(name, `Port ${port} of ${host} cannot be used (${refused}).`, 'Set PORT or HOST.');
  const holder = await healthOf(host, port);
  if (holder === 'other') return fault(name, `Port ${port} is held by another program.`, remedy);
  if (database.engine === 'sqlite' && !isFolderLocked(dataFolder)) {
    return fault(name, `Port ${port} is held by a Grove server of another data folder.`, remedy);
  }
  if (holder === 'ready') return ok(name, `Port ${port} is held by a Grove server that is ready.`);
  return fault(name, `Port ${port} is held by a Grove server that is not ready.`, 'Look into its log.');
}

/** Listens for a moment, on every address that the name has; nothing is accepted. */
async function listenFault(host: string, port: number): Promise<string | undefined> {
  try {
    for (const { address } of await lookup(host, { all: true })) {
      const server = createServer();
      await new Promise<void>((done, failed) => {
        server.once('error', failed).listen({ port, host: address, exclusive: true }, () => server.close(() => done()));
      });
    }
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  }
}

async function healthOf(host: string, port: number): Promise<'ready' | 'unready' | 'other'> {
  const asked = /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  try {
    const answer = await fetch(`http://${asked}:${port}/health/ready`, {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    const body = (await answer.json()) as { status?: unknown; code?: unknown };
    if (answer.status === 200 && body.status === 'ready') return 'ready';
    return typeof body.code === 'number' ? 'unready' : 'other';
  } catch {
    return 'other';
  }
}

/** True while a server runs on the folder. The lock is asked for only to read, so nothing is made and nothing is held. */
export function isFolderLocked(folder: string): boolean {
  const file = `${folder}/server.lock`;
  if (!existsSync(file)) return false;
  const database = new DatabaseSync(file, { readOnly: true, timeout: 0 });
  try {
    database.prepare('PRAGMA schema_version').get();
    return false;
  } catch (error) {
    return ((error as { errcode?: number }).errcode ?? 0) % 256 === BUSY;
  } finally {
    database.close();
  }
}
