import type { Writes } from '../db/db.ts';
import { inList, SKIP_LOCKED } from '../db/sql/dialect.ts';
import { prepare } from '../db/sql/statement.ts';

/**
 * A table whose rows are leased. A claim writes a random token and a time into each row. The server with that token is
 * responsible for the row until that time; then another server may claim it.
 */
export type LeaseTable = {
  /**
   * Extends the leases, and returns the items that the caller still holds. Items that another server has claimed stay
   * unchanged.
   */
  extend<I extends Leased>(tx: Writes, items: readonly I[], until: number): Promise<Set<I>>;
  /** Undoes the claims, and returns the items that the caller held. */
  giveBack<I extends Leased>(tx: Writes, items: readonly I[]): Promise<Set<I>>;
  /** Undoes claims by their tokens, if they were made by `claimedUntil`. Returns the number of their items. */
  giveBackClaims(tx: Writes, tokens: readonly string[], claimedUntil: number): Promise<number>;
  remove<I extends Leased>(tx: Writes, items: readonly I[]): Promise<Set<I>>;
  /** `remove` as the last statement of the transaction. */
  removeLast<I extends Leased>(tx: Writes, items: readonly I[]): Promise<Set<I>>;
  /**
   * For a single server: no other server holds a lease. With a time, frees only leases that end after it, which a clock
   * that was ahead has made.
   */
  freeAll(tx: Writes, after?: number): Promise<number>;
};

export type Lease = { readonly token: string; readonly until: number };
export type Leased = { readonly id: string; readonly token: string };

type Params = { ids: readonly string[]; keys: readonly string[] };
type Row = { key: string };

/**
 * `undo` is what a claim changed besides the lease, the other way round. `isClaimable` is a condition on the rows that a
 * claim could have found at `:claimedUntil`, if an index has it.
 */
export function leaseTable(name: string, undo = '', isClaimable = 'CAST(:claimedUntil AS BIGINT) >= 0'): LeaseTable {
  // The id alone is not enough: a server may have lost a row and claimed it again with another token.
  const key = "id || '/' || lease_token";
  const leased = `WHERE id ${inList(':ids')} AND lease_until > 0 AND ${key} ${inList(':keys')}`;
  // Skips locked rows: a result of this server that is being written locks rows in another order.
  const extend = prepare<Params & { until: number }, Row>(`UPDATE ${name} SET lease_until = :until
    WHERE id IN (SELECT id FROM ${name} ${leased} ${SKIP_LOCKED}) RETURNING ${key} AS key`);
  const list = prepare<Params, Row>(`SELECT ${key} AS key FROM ${name} ${leased}`);
  const giveBack = prepare<Params, Row>(`UPDATE ${name} SET lease_until = 0${undo} ${leased} RETURNING ${key} AS key`);
  const giveBackClaims = prepare<{ tokens: readonly string[]; claimedUntil: number }, never>(
    `UPDATE ${name} SET lease_until = 0, lease_token = NULL${undo}
    WHERE id IN (SELECT id FROM ${name} WHERE ${isClaimable} AND lease_until > 0 AND lease_token ${inList(':tokens')}
      ${SKIP_LOCKED})`,
  );
  const remove = prepare<Params, Row>(`DELETE FROM ${name} ${leased} RETURNING ${key} AS key`);
  const freeAll = prepare<{ after: number }, never>(
    `UPDATE ${name} SET lease_until = 0, lease_token = NULL WHERE lease_until > 0 AND lease_until > :after`,
  );
  return {
    async extend(tx, items, until) {
      const params = paramsOf(items);
      const rows = await extend.all(tx, { until, ...params });
      return among(items, rows.length === items.length ? rows : await list.all(tx, params));
    },
    giveBack: async (tx, items) => among(items, await giveBack.all(tx, paramsOf(items))),
    giveBackClaims: (tx, tokens, claimedUntil) => giveBackClaims.run(tx, { tokens, claimedUntil }),
    remove: async (tx, items) => among(items, await remove.all(tx, paramsOf(items))),
    removeLast: async (tx, items) => among(items, await remove.last(tx, paramsOf(items))),
    freeAll: (tx, after = 0) => freeAll.run(tx, { after }),
  };
}

const keyOf = ({ id, token }: Leased) => `${id}/${token}`;

function paramsOf(items: readonly Leased[]): Params {
  return { ids: items.map(({ id }) => id), keys: items.map(keyOf) };
}

function among<I extends Leased>(items: readonly I[], rows: readonly Row[]): Set<I> {
  const keys = new Set(rows.map(({ key }) => key));
  return new Set(items.filter((item) => keys.has(keyOf(item))));
}
