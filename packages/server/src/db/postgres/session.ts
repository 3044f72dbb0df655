import { revocable, type Sql, type Value, type Writes } from '../db.ts';
import type { Checkout } from './connection.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import { IDLE_IN_TRANSACTION_MS, QUERY_TIMEOUT_MS } from './pool.ts';
import { type Answer, forRows, isUnavailable, rowCountOf } from './statements.ts';

/**
 * Runs statements of a tenant on a connection. Row-level security is the second wall: `app.tenant` names the current tenant,
 * and the policies show no other tenant's rows, even if the SQL is wrong.
 */
export type Session = {
  read(checkout: Checkout, tenant: string, reads: readonly Lookup[]): Promise<ReadResult[]>;
  write<T>(checkout: Checkout, tenant: string, work: (tx: Writes) => Promise<T>): Promise<T>;
};

export type Lookup = { readonly statement: Sql; readonly values: readonly Value[] };

/** Of the reads without an answer, the first failed and the others did not run. */
export type ReadResult = PromiseSettledResult<Answer>;

const BEGIN: Sql = { name: 'grove_begin', text: 'BEGIN' };
const COMMIT: Sql = { name: 'grove_commit', text: 'COMMIT' };
/** Each number of rows is a separate prepared statement on every connection. */
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
 * Sets the tenant if the connection has another. A rollback of the statements in the same packet also resets the tenant, so
 * the connection remembers it only after they succeeded.
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
 * For a pooler that lends its connections for one transaction, as PgBouncer does with `pool_mode = transaction`. Settings and
 * prepared statements of a session would reach another caller next time. So the tenant is set in every transaction, each
 * read is in a transaction as well, and no statement has a name.
 */
export const pooledSession: Session = {
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
  // The thrown error also closes the connection.
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
    // The rows were read, so the caller need not wait for the commit.
    if (!hasWritten && !committing) {
      checkout.ending = pipeline.end(COMMIT).then(onCommitted);
      return result;
    }
    const { command } = await (committing ?? pipeline.ask(COMMIT, []));
    isOpen = false;
    // If an earlier statement failed, PostgreSQL answers COMMIT with ROLLBACK and without an error.
    if (command !== 'COMMIT') throw new Error('a statement failed and its error was ignored: nothing was committed');
  } catch (error) {
    tx.revoke();
    if (isOpen && committing) isOpen = await committing.then(() => false).catch(() => true);
    // A connection that does not answer would let the caller wait twice. It is closed, which rolls its work back.
    if (isOpen && !isUnavailable(error)) await pipeline.rollBack();
    throw error;
  }
  onCommitted();
  return result;
}
