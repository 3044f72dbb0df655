import type pg from 'pg';
import type { RowOf } from '../db.ts';

/** A connection to PostgreSQL, and what we know of it as long as it lives. */
export type Connection = pg.PoolClient & {
  /** The tenant that the session is set to, where a session outlives its caller. */
  groveTenant?: string | undefined;
  groveCanWrite?: boolean;
  /** A number that the other connections of this pool do not have. */
  groveNumber?: number;
  /** How to read the rows of the statements that are prepared on it, by their names. */
  groveReaders?: Map<string, RowReader>;
};

/** How to read the rows of a statement. Those of a prepared one never change: PostgreSQL would refuse to run it. */
export type RowReader = { readonly parsers: readonly ((text: string) => unknown)[]; readonly toRow: RowOf };

/** All statements, and how often somebody waited for the server. */
export type Traffic = { statements: number; roundTrips: number };

/** A connection that was taken from the pool, until it is given back. */
export type Checkout = {
  readonly connection: Connection;
  readonly traffic: Traffic;
  /** The caller has its answer, and the connection is given back after this. */
  ending?: Promise<unknown>;
};
