import { type Blobs, SHARDS, type StoredBlob } from '../../engines/blobs/blobs.ts';
import { defineJob, ensureClock, type JobDefinition } from '../../jobs/define-job.ts';
import { UNTIL_ERASED } from '../../jobs/patience.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import type { Platform } from '../../kernel/feature.ts';
import { KNOWN_AT_ONCE, knownBlobs } from './images.repository.ts';

export type SweepDeps = Pick<Platform, 'db' | 'everyTenantId'> & {
  blobs: Pick<Blobs, 'list'>;
};

const SWEEP_EVERY_MS = HOUR;
/** An upload takes minutes at most. A younger blob may still get its row. */
const MIN_AGE_MS = 24 * HOUR;
/** All shards have had their turn within 22 hours. */
const SHARDS_PER_RUN = 48;
const MAX_BLOBS_PER_RUN = 500_000;

/**
 * Removes blobs without a row: a server that crashed after storing an image left a whole blob, and one that crashed
 * while writing left part of one. The time decides which shard is examined, so no progress needs to be stored.
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

type DeleteBlobs = { readonly keys: readonly string[] };

/** Deletes blobs whose rows are gone, and retries until it works. */
export function deleteBlobsJob(blobs: Pick<Blobs, 'deleteAll'>): JobDefinition<DeleteBlobs> {
  return defineJob<DeleteBlobs>({
    kind: 'process-manager.delete-blobs',
    does: 'removes blobs after their rows were deleted',
    ...UNTIL_ERASED,
    async run({ keys }, { signal }) {
      signal.throwIfAborted();
      await blobs.deleteAll(keys);
    },
  });
}
