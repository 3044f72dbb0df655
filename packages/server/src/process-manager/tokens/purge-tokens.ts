import type { TenantDb } from '../../db/db.ts';
import { DAY } from '../../kernel/clock.ts';
import { type EndedToken, removeIfOver, tokensOver } from './process-tokens.repository.ts';

/** The days for which an expired token can still be read or prolonged. */
export const OVER_TOKENS_KEPT_DAYS = 30;
const BATCH = 500;

/**
 * Removes tokens that create no more instances: they are used up, or their time was over 30 days ago. A token with instances
 * stays until retention has removed the last of them, because they refer to it.
 */
export async function purgeTokens(db: TenantDb, now: number, signal?: AbortSignal): Promise<number> {
  const over = now - OVER_TOKENS_KEPT_DAYS * DAY;
  let removed = 0;
  for (const kind of ['usedUp', 'ended'] as const) {
    let after = { id: '', at: 0 };
    for (let more = true; more; ) {
      signal?.throwIfAborted();
      const tokens = await tokensOver(db, kind, { over, after, limit: BATCH });
      more = tokens.length === BATCH;
      after = tokens.at(-1) ?? after;
      removed += await removeAll(db, tokens, over);
    }
  }
  return removed;
}

function removeAll(db: TenantDb, tokens: readonly EndedToken[], over: number): Promise<number> {
  return db.write(async (tx) => {
    let removed = 0;
    for (const token of tokens) if (await removeIfOver(tx, token, over)) removed += 1;
    return removed;
  });
}
