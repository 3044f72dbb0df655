import type { TenantDb } from '../../db/db.ts';
import { DAY } from '../../kernel/clock.ts';
import { type OverToken, removeIfOver, tokensOver } from './process-tokens.repository.ts';

/** So long a token whose time is over can still be read, or given more time. */
export const OVER_TOKENS_KEPT_DAYS = 30;
const BATCH = 500;

/**
 * Removes tokens that make no more instances: every use was taken, or their time was over 30 days ago. One that still has
 * instances stays, because they name it; it goes when retention has removed the last of them.
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

function removeAll(db: TenantDb, tokens: readonly OverToken[], over: number): Promise<number> {
  return db.write(async (tx) => {
    let removed = 0;
    for (const token of tokens) if (await removeIfOver(tx, token, over)) removed += 1;
    return removed;
  });
}
