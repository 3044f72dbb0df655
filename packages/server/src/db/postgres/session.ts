import { revocable, type Sql, type Value, type Writes } from '../db.ts';
import type { Checkout } from './connection.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import { IDLE_IN_TRANSACTION_MS, QUERY_TIMEOUT_MS } from './pool.ts';
import { type Answer, forRows, isUnavailable, rowCountOf } from './statements.ts';

/**
 * How statements of a tenant run on a connection. Row-level security is the second wall: the server knows in `app.tenant`
 * whom it works for, and the policies show no other tenant's rows, whatever the SQL says.
 */
export type Session = {
  read(checkout: Checkout, tenant: string, reads: readonly Lookup[]): Promise<ReadResult[]>;
  write<T>(checkout: Checkout, tenant: string, work: (tx: Writes) => Promise<T>): Promise<T>;
};

export type Lookup = { readonly statement: Sql; readonly values: readonly Value[] };

/** Of the reads that have no answer, the first has failed and the others did not run. */
export type ReadResult = PromiseSettledResult<Answer>;

const BEGIN: Sql = { name: 'grove_begin', text: 'BEGIN' };
const COMMIT: Sql = { name: 'grove_commit', text: 'COMMIT' };
/** Each number of rows is a prepared statement of its own on every connection. */
const MAX_ROWS_TOGETHER = 8;
/** A statement that changes nothing, though it may lock. */
const IS_READ = /^\s*SELECT\b/i;
const SET_TENANT: Sql = { name: 'grove_set_tenant', text: "SELECT set_config('app.tenant', $1, false)" };
const SET_TENANT_HERE: Sql = {
  text: `SELECT set_config('app.tenant', $1, true), set_config('statement_timeout', '${QUERY_TIMEOUT_MS}', true),
    set_config('idle_in_transaction_session_timeout', '${IDLE_IN_TRANSACTION_MS}', true)`,
};

/** Our own connections remember their tenant, so the second wall costs nothing when the same tenant comes again. */
export const ownSession: Session = {
  async read(checkout, tenant, reads) {
    const pipeline = openPipeline(checkout, { isNamed: true });
    const remember = setTenant(checkout, pipeline, tenant);
    const results = await readOn(pipeline, reads);
    if (!hasFailed(results)) remember();
    return results;
  },
  write(checkout, tenant, work) {
    const pipeline = openPipeline(checkout, { isNamed: true });
    pipeline.send(BEGIN, []);
    return transaction(checkout, pipeline, work, setTenant(checkout, pipeline, tenant));
  },
};

/**
 * Sets the tenant if the connection works for another. What is set is taken back with the statements that came along, so it
 * is remembered only once they are done.
 */
function setTenant({ connection }: Checkout, pipeline: Pipeline, tenant: string): () => void {
  if (connection.groveTenant === tenant) return () => undefined;
  connection.groveTenant = undefined;
  pipeline.send(SET_TENANT, [tenant]);
  return () => {
    connection.groveTenant = tenant;
  };
}

/**
 * Behind a pooler that lends its connections for one transaction, as PgBouncer does with `pool_mode = transaction`. What is
 * set on a session, or prepared there, would reach another caller next time. So the tenant is set in every transaction, each
 * read is in a transaction as well, and no statement has a name.
 */
export const lentSession: Session = {
  async read(checkout, tenant, reads) {
    const pipeline = beginFor(checkout, tenant);
    const reading = readOn(pipeline, reads);
    const committing = pipeline.ask(COMMIT, []).catch(() => undefined);
    const results = await reading;
    await (hasFailed(results) ? pipeline.rollBack() : committing);
    return results;
  },
  write: (checkout, tenant, work) => transaction(checkout, beginFor(checkout, tenant), work),
};

function beginFor(checkout: Checkout, tenant: string): Pipeline {
  const pipeline = openPipeline(checkout, { isNamed: false });
  pipeline.send(BEGIN, []);
  pipeline.send(SET_TENANT_HERE, [tenant]);
  return pipeline;
}

async function readOn(pipeline: Pipeline, reads: readonly Lookup[]): Promise<ReadResult[]> {
  const results = await Promise.allSettled(reads.map(({ statement, values }) => pipeline.ask(statement, values)));
  // The connection is thrown away with it.
  for (const result of results) if (result.status === 'rejected' && isUnavailable(result.reason)) throw result.reason;
  return results;
}

const hasFailed = (results: readonly ReadResult[]) => results.some(({ status }) => status === 'rejected');

async function transaction<T>(
  checkout: Checkout,
  pipeline: Pipeline,
  work: (tx: Writes) => Promise<T>,
  onCommitted: () => void = () => undefined,
): Promise<T> {
  let hasWritten = false;
  let committing: Promise<Answer> | undefined;
  const ask = (statement: Sql, values: readonly Value[]) => {
    hasWritten ||= !IS_READ.test(statement.text);
    return pipeline.ask(statement, values);
  };
  const tx = revocable({
    get: async <R>(statement: Sql, values: readonly Value[]) => (await ask(statement, values)).rows[0] as R | undefined,
    all: async <R>(statement: Sql, values: readonly Value[]) => (await ask(statement, values)).rows as R[],
    run: async (statement, values) => rowCountOf(await ask(statement, values)),
    send(statement, values) {
      hasWritten = true;
      pipeline.send(statement, values);
    },
    sendAll(statement, rows) {
      hasWritten ||= rows.length > 0;
      for (let from = 0; from < rows.length; from += MAX_ROWS_TOGETHER) {
        const some = rows.slice(from, from + MAX_ROWS_TOGETHER);
        pipeline.send(forRows(statement, some.length), some.flat());
      }
    },
    connection: checkout.connection.groveNumber ?? 0,
    async last<R>(statement: Sql, values: readonly Value[]) {
      const answer = pipeline.ask(statement, values);
      committing = pipeline.ask(COMMIT, []);
      committing.catch(() => undefined);
      return (await answer).rows as R[];
    },
  });
  let result: T;
  let isOpen = true;
  try {
    result = await work(tx.calls);
    tx.revoke();
    // What was read is known, whatever becomes of the end.
    if (!hasWritten && !committing) {
      checkout.ending = pipeline.end(COMMIT).then(onCommitted);
      return result;
    }
    const { command } = await (committing ?? pipeline.ask(COMMIT, []));
    isOpen = false;
    // After a statement that failed before, PostgreSQL answers COMMIT with ROLLBACK, and without an error.
    if (command !== 'COMMIT') throw new Error('a statement failed and its error was ignored: nothing was committed');
  } catch (error) {
    tx.revoke();
    if (isOpen && committing) isOpen = await committing.then(() => false).catch(() => true);
    // A connection that does not answer would only let the caller wait twice; it is thrown away, and so is its work.
    if (isOpen && !isUnavailable(error)) await pipeline.rollBack();
    throw error;
  }
  onCommitted();
  return result;
}
