import type pg from 'pg';

/** Servers of PostgreSQL, one of which leads, as the faults and the checks see them. */
export type DatabaseServers = {
  /** One line that describes them. */
  readonly description: string;
  /** The address of a database, with every server in it. */
  urlOf(role: string, database: string): string;
  /** The address of a database on the server that leads. */
  leaderUrl(role: string, database: string): Promise<string>;
  /** Runs one statement of a superuser on the server that leads. */
  administrate(statement: string): Promise<pg.QueryResult>;
  /** Whether a change is committed now, if that can change by itself. */
  takesWrites?(): Promise<boolean>;
  stop(): Promise<void>;
};
