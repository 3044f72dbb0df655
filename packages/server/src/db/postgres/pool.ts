import { randomInt } from 'node:crypto';
import pg from 'pg';
import { DbError, type PoolState } from '../db.ts';
import type { Checkout, Connection, Traffic } from './connection.ts';
import { fairPlaces, type User } from './fair-places.ts';
import { isWritable } from './hosts.ts';
import { isUnavailable, typeParser } from './statements.ts';

/** Connections to the server that can be written to, lent to one caller at a time. */
export type Pool = {
  use<T>(user: User, work: (checkout: Checkout) => Promise<T>): Promise<T>;
  state(): PoolState;
  /** Resolves when all connections are given back. */
  close(): Promise<void>;
};

export type PoolOptions = {
  /** One URL for each server that DATABASE_URL names. */
  urls: readonly string[];
  maxConnections: number;
  /** Whether there is a pooler, which accepts no parameters of a session. */
  isPooled: boolean;
  onIdleError(error: Error): void;
};

/** The longest time for a statement, after which its connection is closed. */
export const QUERY_TIMEOUT_MS = 4000;
export const IDLE_IN_TRANSACTION_MS = 10_000;
const CONNECT_TIMEOUT_MS = 4000;
const MAX_FIRST_NUMBER = 1000;

export function openPool({ urls, maxConnections, isPooled, onIdleError }: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: urls[0],
    max: maxConnections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS / urls.length,
    query_timeout: QUERY_TIMEOUT_MS,
    ...(!isPooled && {
      statement_timeout: QUERY_TIMEOUT_MS,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    }),
    keepAlive: true,
    // A batch need not wait for the answer to the one before it.
    pipeline: true,
    application_name: 'grove',
    types: { getTypeParser: typeParser },
  });
  // A connection that dies while idle is replaced at the next use.
  pool.on('error', onIdleError);
  // If it dies between two statements, the next one fails; without a listener it would end the process.
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  numberConnections(pool);

  const connect = connectOneOf(pool, urls);
  const places = fairPlaces({
    count: maxConnections,
    timeoutMs: CONNECT_TIMEOUT_MS,
    fault: () => new DbError('unavailable', new Error('no connection was free in time')),
  });
  const traffic: Traffic = { statements: 0, roundTrips: 0 };
  let users = 0;
  let closed = false;
  let lastHasLeft = () => {};
  return {
    async use(user, work) {
      if (closed) throw new DbError('unavailable', new Error('the database is closed'));
      users += 1;
      let giveBack = () => {};
      const leave = () => {
        giveBack();
        users -= 1;
        if (users === 0) lastHasLeft();
      };
      let checkout: Checkout;
      try {
        giveBack = await places.take(user);
        checkout = { connection: await connect(), traffic };
      } catch (error) {
        leave();
        throw error;
      }
      return lend(checkout, work, leave);
    },
    state: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: places.waiting + pool.waitingCount,
      ...traffic,
    }),
    async close() {
      closed = true;
      // A pool that ends forgets the callers that wait for a connection, and they would wait for ever.
      await new Promise<void>((done) => {
        lastHasLeft = done;
        if (users === 0) done();
      });
      await pool.end();
    },
  };
}

/** Servers begin with different numbers, so that connections of two servers seldom have the same. */
function numberConnections(pool: pg.Pool): void {
  let number = randomInt(MAX_FIRST_NUMBER);
  pool.on('connect', (connection: Connection) => {
    connection.groveNumber = number;
    number += 1;
  });
}

async function lend<T>(
  checkout: Checkout,
  work: (checkout: Checkout) => Promise<T>,
  onReturned: () => void,
): Promise<T> {
  const giveBack = (error?: unknown) => {
    // A broken connection is closed, because its state is unknown.
    checkout.connection.release(isUnavailable(error) ? error : undefined);
    onReturned();
  };
  try {
    const result = await work(checkout);
    if (checkout.ending) checkout.ending.then(() => giveBack(), giveBack);
    else giveBack();
    return result;
  } catch (error) {
    giveBack(error);
    throw error;
  }
}

/**
 * Connects to the server that can be written to. If the current one cannot be reached or is read-only, the others are tried
 * in turn, each once, and new connections go to the first one that can be written to.
 */
function connectOneOf(pool: pg.Pool, urls: readonly string[]): () => Promise<Connection> {
  let current = 0;
  const leave = (host: number) => {
    // Another caller has moved on to the next server already.
    if (host !== current) return;
    current = (current + 1) % urls.length;
    pool.options.connectionString = urls[current];
  };
  const connectTo = async (host: number): Promise<Connection> => {
    try {
      return await pool.connect();
    } catch (error) {
      // An exhausted pool says nothing about the server.
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
