import type { Sql, Value } from '../db.ts';
import { type BatchEntry, parameterOf, sendBatch } from './batch.ts';
import { type CombinableEntry, combineChanges } from './combine.ts';
import type { Checkout } from './connection.ts';
import { type Answer, toDbError } from './statements.ts';

/**
 * Statements of one caller on one connection, in their order. A statement that nobody waits for stays here until somebody
 * waits for a later one. Then all go to the server in one packet, together with the others of that moment, which costs one
 * round trip.
 */
export type Pipeline = {
  /** If the statement fails, the next one that is awaited fails. */
  send(statement: Sql, values: readonly Value[]): void;
  ask(statement: Sql, values: readonly Value[]): Promise<Answer>;
  /** Sends the last statement. Nobody waits for it, so it costs no round trip. */
  end(statement: Sql): Promise<unknown>;
  /** Drops the statements that were not sent, and rolls back the others. */
  rollBack(): Promise<void>;
};

export type PipelineOptions = {
  /** Whether the connection keeps statements that have a name. */
  readonly isNamed: boolean;
};

const ROLLBACK: Sql = { name: 'grove_rollback', text: 'ROLLBACK' };

export function openPipeline({ connection, traffic }: Checkout, { isNamed }: PipelineOptions): Pipeline {
  let waiting: CombinableEntry[] = [];
  let isScheduled = false;
  let hasSent = false;
  let underWay = 0;
  const add = (statement: Sql, values: readonly Value[], settle?: BatchEntry['settle']) => {
    const isSent = settle === undefined;
    waiting.push({ statement, parameters: values.map(parameterOf), isSent, settle: settle ?? (() => undefined) });
  };
  const flush = () => {
    isScheduled = false;
    if (waiting.length === 0) return;
    const batch = combineChanges(waiting);
    waiting = [];
    hasSent = true;
    traffic.statements += batch.length;
    sendBatch(connection, batch, isNamed);
  };
  const submit = async (statement: Sql, values: readonly Value[]): Promise<Answer> => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    add(statement, values, (fault, answer) => (answer && !fault ? resolve(answer) : reject(fault)));
    // Statements that are added at the same time are sent together.
    if (!isScheduled) process.nextTick(flush);
    isScheduled = true;
    try {
      return await promise;
    } catch (error) {
      throw toDbError(error);
    }
  };
  return {
    send: (statement, values) => add(statement, values),
    async ask(statement, values) {
      if (underWay === 0) traffic.roundTrips += 1;
      underWay += 1;
      try {
        return await submit(statement, values);
      } finally {
        underWay -= 1;
      }
    },
    end: (statement) => submit(statement, []),
    async rollBack() {
      for (const { settle } of waiting.splice(0)) settle(new Error('the transaction was rolled back'));
      if (!hasSent) return;
      traffic.roundTrips += 1;
      await submit(ROLLBACK, []);
    },
  };
}
