import type { Db } from '../../db/db.ts';
import { type Blobs, SHARDS, type StoredBlob } from '../../engines/blobs/blobs.ts';
import { defineJob, ensureClock, type JobDefinition } from '../../jobs/define-job.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { KNOWN_AT_ONCE, knownBlobs } from './images.repository.ts';

export type SweepDeps = { db: Db; blobs: Pick<Blobs, 'list'>; everyTenantId(): AsyncIterable<TenantId> };

const SWEEP_EVERY_MS = HOUR;
/** An upload takes minutes at most; what is younger may be about to be recorded. */
const MIN_AGE_MS = 24 * HOUR;
/** In 22 hours all of them have had their turn. */
const SHARDS_PER_RUN = 48;
const MAX_BLOBS_PER_RUN = 500_000;

/**
 * Removes blobs that no row knows: a server that died after it stored an image and before it recorded it has left one, and
 * one that died while it wrote has left a half. Which part of the store is looked at follows from the time alone, so there
 * is nothing to remember.
 */
export function sweepBlobsJob(deps: SweepDeps): JobDefinition<object> {
  return defineJob<object>({
    kind: 'process-manager.sweep-blobs',
    does: 'removes blobs that belong to no image',
    maxAttempts: 2,
    backoff: { firstMs: MINUTE, mostMs: MINUTE },
    timeoutMs: 30 * MINUTE,
    recurs: { everyMs: SWEEP_EVERY_MS, key: 'hourly' },
    async run(_payload, context) {
      ensureClock(context);
      const { now, signal } = context;
      const first = (Math.floor(now / SWEEP_EVERY_MS) * SHARDS_PER_RUN) % SHARDS.length;
      let examined = 0;
      for (let at = 0; at < SHARDS_PER_RUN && examined < MAX_BLOBS_PER_RUN; at++) {
        let old: StoredBlob[] = [];
        for await (const stored of deps.blobs.list(SHARDS[(first + at) % SHARDS.length] as string)) {
          signal.throwIfAborted();
          examined += 1;
          if (now - stored.storedAt < MIN_AGE_MS) continue;
          old.push(stored);
          if (old.length < KNOWN_AT_ONCE) continue;
          await removeUnknown(deps, old);
          old = [];
        }
        await removeUnknown(deps, old);
      }
    },
  });
}

async function removeUnknown({ db, everyTenantId }: SweepDeps, stored: readonly StoredBlob[]): Promise<void> {
  const unknown = new Map(stored.flatMap((each) => (each.key === undefined ? [] : [[each.key, each] as const])));
  if (unknown.size > 0) {
    for await (const tenantId of everyTenantId()) {
      if (unknown.size === 0) break;
      for (const key of await knownBlobs(db.of(tenantId), [...unknown.keys()])) unknown.delete(key);
    }
  }
  for (const each of stored) if (each.key === undefined || unknown.has(each.key)) await each.remove();
}
