import { readCounters, takeCounter } from '../../db/counters.ts';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { statement } from '../../db/sql/statement.ts';

/**
 * The uses of tokens. A limited token counts in its own row, which creators lock one after another, so that the limit is
 * exact. Nothing depends on the number of an UNLIMITED token: its uses are in a counter of several rows, so that its creators
 * do not wait for each other. See docs/decisions/2026-11-17-uses-of-unlimited-tokens.md.
 */
export const usesOf = (tokenId: string) => `processTokenUses/${tokenId}`;

type CountedToken = { id: string; counter: number };

/** Adds the uses in counters to the tokens. */
export async function withUses<R extends CountedToken>(db: TenantReads, tokens: readonly R[]): Promise<void> {
  const names = tokens.map(({ id }) => usesOf(id));
  const uses = names.length > 0 ? await readCounters(db, names) : undefined;
  for (const token of tokens) token.counter += uses?.get(usesOf(token.id)) ?? 0;
}

const ADD_USES = statement(
  'UPDATE process_tokens SET counter = counter + :uses WHERE tenant_id = :tenant_id AND id = :id',
);

/** Moves the uses from the counter into the row of the token, which the caller has locked. */
export async function gatherUses(tx: TenantTx, id: string): Promise<void> {
  const uses = await takeCounter(tx, usesOf(id));
  if (uses > 0) ADD_USES.send(tx, { id, uses });
}
