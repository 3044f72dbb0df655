import type { TenantDb } from '../../db/db.ts';
import { DAY } from '../../kernel/clock.ts';
import { findTokenForUpdate, removeThoseOver, tokensOver } from './process-tokens.repository.ts';
import { gatherUses, tokensWithStrayUses } from './token-uses.repository.ts';

/** The days for which an expired token can still be read or prolonged. */
export const OVER_TOKENS_KEPT_DAYS = 30;
const BATCH = 500;

/**
 * Removes tokens that create no more instances: they are used up, or their time was over 30 days ago. A token with instances
 * stays until retention has removed the last of them, because they refer to it.
 */
export async function purgeTokens(db: TenantDb, now: number, signal?: AbortSignal): Promise<number> {
  await gatherStrayUses(db, signal);
  const over = now - OVER_TOKENS_KEPT_DAYS * DAY;
  let removed = 0;
  for (const kind of ['usedUp', 'ended'] as const) {
    let after = { id: '', at: 0 };
    for (let more = true; more; ) {
      signal?.throwIfAborted();
      const tokens = await tokensOver(db, kind, { over, after, limit: BATCH });
      more = tokens.length === BATCH;
      after = tokens.at(-1) ?? after;
      const ids = tokens.map(({ id }) => id);
      removed += await db.write((tx) => removeThoseOver(tx, ids, over));
    }
  }
  return removed;
}

/** Moves the uses of limited tokens into their rows, and forgets those of tokens that are gone. */
async function gatherStrayUses(db: TenantDb, signal: AbortSignal | undefined): Promise<void> {
  let after = '';
  for (let more = true; more; ) {
    const ids = await tokensWithStrayUses(db, after, BATCH);
    more = ids.length === BATCH;
    after = ids.at(-1) ?? after;
    for (const id of ids) {
      signal?.throwIfAborted();
      await db.write(async (tx) => {
        await findTokenForUpdate(tx, id);
        await gatherUses(tx, id);
      });
    }
  }
}
