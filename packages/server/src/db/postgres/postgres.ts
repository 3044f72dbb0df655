import pg from 'pg';
import type { TenantId } from '../../kernel/ids.ts';
import {
  type Db,
  DbError,
  forEngine,
  type PersonalSeals,
  revocable,
  type Sql,
  tenantDb,
  type Value,
  type Writes,
} from '../db.ts';
import { hostUrls, isWritable } from './hosts.ts';
import { openPostgresSignals } from './signals.ts';

/**
 * PostgreSQL. Row-level security is the second wall: every connection carries the tenant it currently works for in
 * `app.tenant`, and the policies show no other tenant's rows, whatever the SQL says. A connection is told only when the
 * tenant changes, so the wall costs nothing to a caller who keeps coming.
 */
const QUERY_TIMEOUT_MS = 4000;
const CONNECT_TIMEOUT_MS = 4000;
const NO_TENANT = '';

type Connection = pg.PoolClient & { groveTenant?: string; groveCanWrite?: boolean };

export type PostgresOptions = { url: string; maxConnections: number; onIdleError(error: Error): void };

export function openPostgres({ url, maxConnections, onIdleError }: PostgresOptions): Db {
  const urls = hostUrls(url) ?? [url];
  const pool = new pg.Pool({
    connectionString: urls[0],
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS / urls.length,
    query_timeout: QUERY_TIMEOUT_MS,
    statement_timeout: QUERY_TIMEOUT_MS,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
    application_name: 'grove',
    types: { getTypeParser: typeParser },
  });
  // A connection that dies while idle is replaced at the next use.
  pool.on('error', onIdleError);
  // One that dies in use, between two statements, is found out by the next of them; unheard, it would end the process.
  pool.on('connect', (connection) => connection.on('error', () => undefined));

  const connect = connectOneOf(pool, urls);
  let users = 0;
  let closed = false;
  let lastHasLeft = () => {};
  const within = async <T>(tenant: string, work: (connection: Connection) => Promise<T>): Promise<T> => {
    if (closed) throw new DbError('unavailable', new Error('the database is closed'));
    users += 1;
    try {
      return await use(connect, tenant, work);
    } finally {
      users -= 1;
      if (users === 0) lastHasLeft();
    }
  };

  const readsOf = (tenant: string): Writes => ({
    get: async <R>(statement: Sql, values: readonly Value[]) =>
      (await within(tenant, (connection) => query(connection, statement, values))).rows[0] as R | undefined,
    all: async <R>(statement: Sql, values: readonly Value[]) =>
      (await within(tenant, (connection) => query(connection, statement, values))).rows as R[],
    run: async (statement, values) =>
      (await within(tenant, (connection) => query(connection, statement, values))).rowCount ?? 0,
  });
  const writeOf = <T>(tenant: string, work: (tx: Writes) => Promise<T>): Promise<T> =>
    within(tenant, (connection) => transaction(connection, work));

  const { get, all } = readsOf(NO_TENANT);
  const signals = openPostgresSignals({
    url,
    notify: (channel, payload) => get({ text: 'SELECT pg_notify($1, $2)' }, [channel, payload]),
  });
  const seals: PersonalSeals = {};
  return {
    engine: 'postgres',
    isSingleServer: false,
    seals,
    signals,
    of: (tenantId: TenantId) =>
      tenantDb({
        tenantId,
        seals,
        engine: 'postgres',
        reads: readsOf(tenantId),
        write: (work) => writeOf(tenantId, work),
      }),
    system: { get, all, write: (work) => writeOf(NO_TENANT, work) },
    ready: () =>
      within(NO_TENANT, async (connection) => {
        const canWrite = await isWritable(connection).catch((error) => {
          throw translated(error);
        });
        if (!canWrite) throw new DbError('unavailable', new Error('the database can be read and not written'));
      }),
    pool: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async now() {
      const row = await get<{ now: number }>(
        { text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now' },
        [],
      );
      if (!row) throw new Error('the database did not tell the time');
      return row.now;
    },
    async close() {
      closed = true;
      await signals.close();
      // A pool that ends forgets those who wait for a connection, and they would wait in vain.
      await new Promise<void>((done) => {
        lastHasLeft = done;
        if (users === 0) done();
      });
      await pool.end();
    },
  };
}

/**
 * A connection to the server that can be written to. If the present one cannot be reached or only reads, the others are
 * tried in turn, each once, and new connections go to the one that was found.
 */
function connectOneOf(pool: pg.Pool, urls: readonly string[]): () => Promise<Connection> {
  let current = 0;
  const leave = (host: number) => {
    // Whoever came first has gone on already.
    if (host !== current) return;
    current = (current + 1) % urls.length;
    pool.options.connectionString = urls[current];
  };
  const connectTo = async (host: number): Promise<Connection> => {
    try {
      return await pool.connect();
    } catch (error) {
      // Nobody gave a connection back in time: that says nothing of the server.
      if (pool.totalCount < pool.options.max) leave(host);
      throw new DbError('unavailable', error);
    }
  };
  return async () => {
    let failure: unknown;
    for (let tries = 0; tries < urls.length; tries++) {
      const host = current;
      try {
        const connection = await connectTo(host);
        if (urls.length === 1 || connection.groveCanWrite) return connection;
        connection.groveCanWrite = await isWritable(connection).catch(() => false);
        if (connection.groveCanWrite) return connection;
        failure = new DbError('unavailable', new Error('no server of DATABASE_URL can be written to'));
        connection.release(true);
        leave(host);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  };
}

async function use<T>(
  connect: () => Promise<Connection>,
  tenant: string,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect();
  let broken: Error | undefined;
  try {
    if (connection.groveTenant !== tenant) {
      await query(connection, SET_TENANT, [tenant]);
      connection.groveTenant = tenant;
    }
    return await work(connection);
  } catch (error) {
    if (isUnavailable(error)) broken = error;
    throw error;
  } finally {
    // A broken connection is thrown away: what it still does or knows is uncertain.
    connection.release(broken);
  }
}

function isUnavailable(error: unknown): error is DbError {
  return error instanceof DbError && error.fault === 'unavailable';
}

const SET_TENANT: Sql = { name: 'grove_set_tenant', text: "SELECT set_config('app.tenant', $1, false)" };

async function transaction<T>(connection: Connection, work: (tx: Writes) => Promise<T>): Promise<T> {
  await query(connection, { text: 'BEGIN' }, []);
  const tx = revocable({
    get: async <R>(statement: Sql, values: readonly Value[]) =>
      (await query(connection, statement, values)).rows[0] as R | undefined,
    all: async <R>(statement: Sql, values: readonly Value[]) =>
      (await query(connection, statement, values)).rows as R[],
    run: async (statement, values) => (await query(connection, statement, values)).rowCount ?? 0,
  });
  let result: T;
  try {
    result = await work(tx.calls);
  } catch (error) {
    tx.revoke();
    // A connection that does not answer would only let the caller wait twice; it is thrown away, and so is its work.
    if (!isUnavailable(error)) await query(connection, { text: 'ROLLBACK' }, []);
    throw error;
  }
  tx.revoke();
  // After a failed statement PostgreSQL answers COMMIT with ROLLBACK, and without an error.
  const { command } = await query(connection, { text: 'COMMIT' }, []);
  if (command !== 'COMMIT') throw new Error('a statement failed and its error was ignored: nothing was committed');
  return result;
}

const texts = new WeakMap<Sql, string>();

function textOf(statement: Sql): string {
  let text = texts.get(statement);
  if (text === undefined) {
    text = forEngine(statement.text, 'postgres');
    texts.set(statement, text);
  }
  return text;
}

async function query(connection: Connection, statement: Sql, values: readonly Value[]): Promise<pg.QueryResult> {
  const { name, row } = statement;
  try {
    const text = textOf(statement);
    const query = { text, values: values as Value[], ...(name && { name }), ...(row && { rowMode: 'array' as const }) };
    const result = await connection.query(query);
    return row ? { ...result, rows: (result.rows as unknown as Value[][]).map(row) } : result;
  } catch (error) {
    throw translated(error);
  }
}

const BYTEA = 17;
const INT8 = 20;
const HEX_PREFIX = '\\x';

// Counters and times fit a double exactly; pg would give them as text.
function typeParser(oid: number, format?: unknown) {
  if (oid === INT8) return Number;
  if (oid === BYTEA) return ownBytes;
  return pg.types.getTypeParser(oid, format as 'text');
}

/**
 * Bytes in memory of their own. A small `Buffer.from` is a slice of a pool of 64 KiB, and a cache that keeps the slice keeps
 * all of the pool.
 */
function ownBytes(hex: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow((hex.length - HEX_PREFIX.length) / 2);
  bytes.write(hex.slice(HEX_PREFIX.length), 'hex');
  return bytes;
}

/** Class 08: the connection is lost. 57P: the server goes down or comes up. 53: it has no memory or connection left. */
const UNAVAILABLE_CLASSES = ['08', '57P', '53'];
/** The server is a standby or was demoted to one; it cannot read or write its files. */
const UNAVAILABLE_CODES = ['25006', '58030'];

function translated(error: unknown): unknown {
  // What the server did not say is a connection that failed; its codes can look like the server's, as EPIPE does.
  if (!(error instanceof pg.DatabaseError) || !error.code) return new DbError('unavailable', error);
  const { code } = error;
  if (code === '23505') return new DbError('unique', error);
  if (code === '53100') return new DbError('full', error);
  if (code === '57014' || code === '55P03' || code === '40P01') return new DbError('busy', error);
  const isAway = UNAVAILABLE_CODES.includes(code) || UNAVAILABLE_CLASSES.some((start) => code.startsWith(start));
  return isAway ? new DbError('unavailable', error) : error;
}
