import { readCounters, takeCounters } from '../../db/counters.ts';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { byBytes, LIMIT } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';

/**
 * The uses of tokens. A limited token counts in its own row, which creators lock one after another, so that the limit is
 * exact. Nothing depends on the number of an UNLIMITED token: its uses are in a counter of several rows, so that its creators
 * do not wait for each other. See docs/decisions/2026-11-17-uses-of-unlimited-tokens.md.
 */
const USES = 'processTokenUses/';
export const usesOf = (tokenId: string) => `${USES}${tokenId}`;

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
  const uses = await takeCounters(tx, [usesOf(id)]);
  if (uses > 0) ADD_USES.send(tx, { id, uses });
}

const STRAY = query<{ id: string }>()(`SELECT substr(name, ${USES.length + 1}) AS id FROM counters
  WHERE tenant_id = :tenant_id AND ${byBytes('name')} > :after AND ${byBytes('name')} < '${USES.replace('/', '0')}'
    AND NOT EXISTS (SELECT 1 FROM process_tokens t WHERE t.tenant_id = :tenant_id AND t.type = 'UNLIMITED'
      AND t.id = substr(counters.name, ${USES.length + 1}))
  GROUP BY name ORDER BY ${byBytes('name')} ${LIMIT}`);

/**
 * The next tokens that have a counter but are limited or gone. A creation leaves one if its token gets a limit, or is
 * deleted, while the creation runs.
 */
export async function tokensWithStrayUses(db: TenantReads, after: string, limit: number): Promise<string[]> {
  return (await STRAY.all(db, { after: usesOf(after), limit })).map(({ id }) => id);
}
