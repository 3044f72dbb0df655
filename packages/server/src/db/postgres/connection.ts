import type pg from 'pg';
import type { RowOf } from '../db.ts';

/** A connection to PostgreSQL, with our notes about it. */
export type Connection = pg.PoolClient & {
  /** The current tenant of the session, where a session outlives its caller. */
  groveTenant?: string | undefined;
  groveCanWrite?: boolean;
  /** A number that is unique in this pool. */
  groveNumber?: number;
  /** The row readers of its prepared statements, by name. */
  groveReaders?: Map<string, RowReader>;
};

/** Reads the rows of a statement. The columns of a prepared one never change: PostgreSQL would refuse to run it. */
export type RowReader = { readonly parsers: readonly ((text: string) => unknown)[]; readonly toRow: RowOf };

/** The number of statements, and of waits for the server. */
export type Traffic = { statements: number; roundTrips: number };

/** A connection while a caller has it. */
export type Checkout = {
  readonly connection: Connection;
  readonly traffic: Traffic;
  /** The caller already has its answer; the connection is given back after this. */
  ending?: Promise<unknown>;
};
