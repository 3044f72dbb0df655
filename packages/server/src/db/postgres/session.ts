import type pg from 'pg';
import { revocable, type Sql, type Value, type Writes } from '../db.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import { type Checkout, IDLE_IN_TRANSACTION_MS, QUERY_TIMEOUT_MS } from './pool.ts';
import { isUnavailable } from './statements.ts';

/**
 * How statements of a tenant run on a connection. Row-level security is the second wall: the server knows in `app.tenant`
 * whom it works for, and the policies show no other tenant's rows, whatever the SQL says.
 */
export type Session = {
  read(checkout: Checkout, tenant: string, statement: Sql, values: readonly Value[]): Promise<pg.QueryResult>;
  write<T>(checkout: Checkout, tenant: string, work: (tx: Writes) => Promise<T>): Promise<T>;
};

const BEGIN: Sql = { text: 'BEGIN' };
const COMMIT: Sql = { text: 'COMMIT' };
/** A statement that changes nothing, though it may lock. */
const IS_READ = /^\s*SELECT\b/i;
const SET_TENANT: Sql = { name: 'grove_set_tenant', text: "SELECT set_config('app.tenant', $1, false)" };
const SET_TENANT_HERE: Sql = {
  text: `SELECT set_config('app.tenant', $1, true), set_config('statement_timeout', '${QUERY_TIMEOUT_MS}', true),
    set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', true)`,
};

/** Our own connections remember their tenant, so the second wall costs nothing when the same tenant comes again. */
export const ownSession: Session = {
  read: (checkout, tenant, statement, values) => workFor(checkout, tenant).ask(statement, values),
  write(checkout, tenant, work) {
    const pipeline = workFor(checkout, tenant);
    pipeline.send(BEGIN, []);
    return transaction(checkout, pipeline, work);
  },
};

function workFor({ connection, traffic }: Checkout, tenant: string): Pipeline {
  const pipeline = openPipeline(connection, traffic, { isNamed: true });
  if (connection.groveTenant !== tenant) {
    pipeline.send(SET_TENANT, [tenant], () => {
      connection.groveTenant = tenant;
    });
  }
  return pipeline;
}

/**
 * Behind a pooler that lends its connections for one transaction, as PgBouncer does with `pool_mode = transaction`. What is
 * set on a session, or prepared there, would reach another caller next time. So the tenant is set in every transaction, each
 * read is a transaction as well, and no statement has a name.
 */
export const lentSession: Session = {
  async read(checkout, tenant, statement, values) {
    const pipeline = beginFor(checkout, tenant);
    const answer = pipeline.ask(statement, values);
    await Promise.allSettled([answer, pipeline.ask(COMMIT, [])]);
    return answer;
  },
  write: (checkout, tenant, work) => transaction(checkout, beginFor(checkout, tenant), work),
};

function beginFor({ connection, traffic }: Checkout, tenant: string): Pipeline {
  const pipeline = openPipeline(connection, traffic, { isNamed: false });
  pipeline.send(BEGIN, []);
  pipeline.send(SET_TENANT_HERE, [tenant]);
  return pipeline;
}

async function transaction<T>(checkout: Checkout, pipeline: Pipeline, work: (tx: Writes) => Promise<T>): Promise<T> {
  let hasWritten = false;
  let committed: ReturnType<Pipeline['ask']> | undefined;
  const ask = (statement: Sql, values: readonly Value[]) => {
    hasWritten ||= !IS_READ.test(statement.text);
    return pipeline.ask(statement, values);
  };
  const tx = revocable({
    get: async <R>(statement: Sql, values: readonly Value[]) => (await ask(statement, values)).rows[0] as R | undefined,
    all: async <R>(statement: Sql, values: readonly Value[]) => (await ask(statement, values)).rows as R[],
    run: async (statement, values) => (await ask(statement, values)).rowCount ?? 0,
    send(statement, values) {
      hasWritten = true;
      pipeline.send(statement, values);
    },
    async last<R>(statement: Sql, values: readonly Value[]) {
      const answer = pipeline.ask(statement, values);
      committed = pipeline.ask(COMMIT, []);
      committed.catch(() => undefined);
      return (await answer).rows as R[];
    },
  });
  let result: T;
  try {
    result = await work(tx.calls);
  } catch (error) {
    tx.revoke();
    // A connection that does not answer would only let the caller wait twice; it is thrown away, and so is its work.
    if (committed) await committed.catch(() => undefined);
    else if (!isUnavailable(error)) await pipeline.rollBack();
    throw error;
  }
  tx.revoke();
  // What was read is known, whatever becomes of the end.
  if (!hasWritten && !committed) {
    checkout.ending = pipeline.end(COMMIT);
    return result;
  }
  // After a failed statement PostgreSQL answers COMMIT with ROLLBACK, and without an error.
  const { command } = await (committed ?? pipeline.ask(COMMIT, []));
  if (command !== 'COMMIT') throw new Error('a statement failed and its error was ignored: nothing was committed');
  return result;
}
