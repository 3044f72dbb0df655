import type pg from 'pg';
import type { Sql, Value } from '../db.ts';
import { type QueryOptions, query } from './statements.ts';

/**
 * Statements of one caller on one connection, in their order. What nobody waits for stays here until somebody waits for a
 * statement after it; then all of them go to the server in one packet, and one journey to the server and back is enough.
 */
export type Pipeline = {
  /** A fault of it fails the next statement that is awaited. */
  send(statement: Sql, values: readonly Value[], onDone?: () => void): void;
  ask(statement: Sql, values: readonly Value[]): Promise<pg.QueryResult>;
  /** Sends the last statement. Nobody waits for it, so it costs no round trip. */
  end(statement: Sql): Promise<unknown>;
  /** Drops what still waits, and takes back what the server has done. */
  rollBack(): Promise<void>;
};

/** All statements, and how often somebody waited for the server. */
export type Traffic = { statements: number; roundTrips: number };

type Waiting = { statement: Sql; values: readonly Value[]; onDone: (() => void) | undefined };
type Streamed = { connection: { stream: { cork(): void; uncork(): void } } };

const ROLLBACK: Sql = { text: 'ROLLBACK' };

export function openPipeline(connection: pg.PoolClient, traffic: Traffic, options: QueryOptions): Pipeline {
  const { stream } = (connection as unknown as Streamed).connection;
  let waiting: Waiting[] = [];
  let hasSent = false;
  let underWay = 0;
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
  };
  const run = (statement: Sql, values: readonly Value[]) => {
    traffic.statements += 1;
    hasSent = true;
    return query(connection, statement, values, options);
  };
  /** Sends what waits before it in the same packet. */
  const runAfterOthers = async (statement: Sql, values: readonly Value[]): Promise<pg.QueryResult> => {
    const before = waiting;
    waiting = [];
    stream.cork();
    const others = before.map((each) => run(each.statement, each.values).then(each.onDone, fail));
    const last = run(statement, values);
    stream.uncork();
    const [answer] = await Promise.allSettled([last, ...others]);
    // The first fault is the cause; those after it only say that the transaction has failed.
    if (failure) throw failure;
    if (answer.status === 'rejected') throw answer.reason;
    return answer.value;
  };
  return {
    send(statement, values, onDone) {
      waiting.push({ statement, values, onDone });
    },
    async ask(statement, values) {
      if (underWay === 0) traffic.roundTrips += 1;
      underWay += 1;
      try {
        return await (waiting.length > 0 ? runAfterOthers(statement, values) : run(statement, values));
      } finally {
        underWay -= 1;
      }
    },
    end: (statement) => (waiting.length > 0 ? runAfterOthers(statement, []) : run(statement, [])),
    async rollBack() {
      waiting = [];
      if (!hasSent) return;
      traffic.roundTrips += 1;
      await run(ROLLBACK, []);
    },
  };
}
