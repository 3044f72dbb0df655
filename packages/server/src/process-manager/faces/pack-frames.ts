import { type Db, DbError, type TenantDb, type TenantTx } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import { type BlobContent, BlobError, type Blobs } from '../../engines/blobs/blobs.ts';
import { defineJob, ensureClock, type JobContext, type JobDefinition } from '../../jobs/define-job.ts';
import { DAY, HOUR, MINUTE } from '../../kernel/clock.ts';
import type { Platform } from '../../kernel/feature.ts';
import { firstIdAt, newId } from '../../kernel/ids.ts';
import { sealedSize } from '../../secrets/seal-chunks.ts';
import type { Sealer, Vault } from '../../secrets/vault.ts';
import { forgetFormer, imagesOf, moveIntoPack, type PackedImage } from '../images/images.repository.ts';
import { imageContext, readImage } from '../images/read-image.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { findInstanceForUpdate } from '../instances/process-instances.repository.ts';
import { setPacked, UNPACKED_AT_ONCE, type UsedChallenge, unpackedChallenges } from './challenges.repository.ts';

export type PackDeps = Pick<Platform, 'db' | 'everyTenantId' | 'onError'> & {
  vault: Pick<Vault, 'openerFor' | 'sealerFor'>;
  blobs: Pick<Blobs, 'get' | 'put' | 'delete'>;
  /** Enqueues the deletion of blobs, in the transaction. */
  deleteBlobs(tx: TenantTx, keys: readonly string[]): Promise<unknown>;
};

/** By then the analysis is complete, and everybody who looked at the journey has left. */
export const PACKED_AFTER_MS = DAY;
/** A backup of the database made before the packing finds the images that it names for this long. */
export const FORMER_KEPT_MS = 7 * DAY;
/**
 * The previous release cannot read packed frames. After an update it can be started again, or run beside, for this
 * long.
 */
export const NOTHING_PACKED_MS = 7 * DAY;
/** Challenges of one tenant in a run, so that one backlog leaves time for other tenants. */
const MAX_PER_RUN = 100_000;
const PACKED_AT_ONCE = 4;
/** Images of an attempt beyond this size stay as they are: a bucket receives a blob as a whole. */
const MAX_PACK_BYTES = 32 * 2 ** 20;

/**
 * Packs the frames of each used challenge into one blob, and deletes the former blobs a week later. A blob is stored
 * before rows name it, and deleted when none does: a server that is killed in between leaves at most a blob that the
 * sweep removes. See docs/decisions/2026-11-18-frames-are-packed.md.
 */
export function packFramesJob(deps: PackDeps): JobDefinition<object> {
  return defineJob<object>({
    kind: 'process-manager.pack-frames',
    does: 'makes the frames of each used challenge one blob',
    maxAttempts: 3,
    backoff: { firstMs: MINUTE, mostMs: 5 * MINUTE },
    timeoutMs: HOUR,
    recurs: { everyMs: HOUR, key: 'hourly' },
    async run(_payload, context) {
      ensureClock(context);
      if (context.now - (await updatedAt(deps.db)) < NOTHING_PACKED_MS) return;
      for await (const tenantId of deps.everyTenantId()) {
        const db = deps.db.of(tenantId);
        await packTenant(deps, db, context);
        await deleteFormer(deps, db, context);
      }
    },
  });
}

const UPDATED_AT = query<{ applied_at: number }>()('SELECT applied_at FROM schema_migrations WHERE version = 56');

/** When the columns of packed images were added. */
async function updatedAt({ system }: Db): Promise<number> {
  return (await UPDATED_AT.get(system, {}))?.applied_at ?? 0;
}

type Run = Pick<JobContext, 'now' | 'signal'>;

async function packTenant(deps: PackDeps, db: TenantDb, { now, signal }: Run): Promise<void> {
  for (let packed = 0; packed < MAX_PER_RUN; ) {
    const challenges = await unpackedChallenges(db, now - PACKED_AFTER_MS);
    for (let first = 0; first < challenges.length; first += PACKED_AT_ONCE) {
      signal.throwIfAborted();
      const some = challenges.slice(first, first + PACKED_AT_ONCE);
      await Promise.all(some.map((challenge) => packOrLeave(deps, db, challenge, now)));
    }
    if (challenges.length < UNPACKED_AT_ONCE) return;
    packed += challenges.length;
  }
}

/** Leaves a challenge with a missing or damaged image as it is, so that it blocks no other. */
async function packOrLeave(deps: PackDeps, db: TenantDb, challenge: UsedChallenge, now: number): Promise<void> {
  try {
    await packFrames(deps, db, challenge, now);
  } catch (error) {
    if (error instanceof DbError || (error instanceof BlobError && error.fault !== 'missing')) throw error;
    deps.onError('could not pack the frames of a challenge', error);
    await db.write(async (tx) => setPacked(tx, { ...challenge, packed_at: now }));
  }
}

async function packFrames(deps: PackDeps, db: TenantDb, challenge: UsedChallenge, now: number): Promise<void> {
  const { instance_id: instanceId, step, attempt } = challenge;
  const ofAttempt = (await imagesOf(db, instanceId)).filter((row) => row.step === step && row.attempt === attempt);
  const { images, size } = layOut(ofAttempt.filter(({ blob_offset }) => blob_offset === null));
  const seal = await db.write(async (tx) => {
    if ((await findInstanceForUpdate(tx, instanceId))?.redacted_at !== null) return undefined;
    if (images.length > 1) return deps.vault.sealerFor(tx, instanceSubject(instanceId));
    setPacked(tx, { ...challenge, packed_at: now });
    return undefined;
  });
  if (!seal) return;
  const packKey = newId(now);
  await deps.blobs.put(packKey, packContent(deps, db, { packKey, images, size, seal }));
  const moved = await db.write(async (tx) => {
    if ((await findInstanceForUpdate(tx, instanceId))?.redacted_at !== null) return 0;
    setPacked(tx, { ...challenge, packed_at: now });
    return moveIntoPack(tx, packKey, images);
  });
  // The instance is gone, or another server was faster.
  if (moved === 0) await deps.blobs.delete(packKey).catch(() => undefined);
}

/** Places sealed images one behind the other. */
function layOut(rows: readonly PackedImage['row'][]): { images: PackedImage[]; size: number } {
  const images: PackedImage[] = [];
  let size = 0;
  for (const row of rows) {
    const end = size + sealedSize(row.bytes);
    if (end > MAX_PACK_BYTES) continue;
    images.push({ row, offset: size });
    size = end;
  }
  return { images, size };
}

type Pack = { packKey: string; images: readonly PackedImage[]; size: number; seal: Sealer };

/**
 * Opens every image and seals it for its new place. An image that cannot be opened stops the packing, so none is lost.
 */
function packContent(deps: PackDeps, db: TenantDb, { packKey, images, size, seal }: Pack): BlobContent {
  return {
    size,
    async *chunks() {
      for (const { row, offset } of images) {
        const plain = await readImage(deps, db, row);
        yield* seal(imageContext({ blob_key: packKey, blob_offset: offset }), plain).chunks();
      }
    },
  };
}

/** Removes the former blobs from the rows, and enqueues their deletion. */
async function deleteFormer(deps: PackDeps, db: TenantDb, { now, signal }: Run): Promise<void> {
  const firstId = firstIdAt(now - FORMER_KEPT_MS);
  for (let deleted = 0, more = true; more && deleted < MAX_FORMER_PER_RUN; ) {
    signal.throwIfAborted();
    const count = await db.write(async (tx) => {
      const keys = await forgetFormer(tx, firstId);
      if (keys.length > 0) await deps.deleteBlobs(tx, keys);
      return keys.length;
    });
    deleted += count;
    more = count > 0;
  }
}

const MAX_FORMER_PER_RUN = 1_000_000;
