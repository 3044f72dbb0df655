import type { TenantDb, TenantReads, TenantTx } from '../../db/db.ts';
import { algorithmOf } from '../../engines/vision/face-templates.ts';
import type { Check } from '../../kernel/check.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Vault } from '../../secrets/vault.ts';
import { linkFaces } from '../case-work/save-links.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { findInstance, findInstanceForUpdate } from '../instances/process-instances.repository.ts';
import { saveFace } from './faces.repository.ts';
import { faceContext, type KnownFaces } from './known-faces.ts';

export type FindDuplicatesDeps = { vault: Pick<Vault, 'sealFor'>; known: KnownFaces };

type DuplicateSearch = {
  readonly instance: { readonly id: string; readonly environment: Environment };
  readonly step: string;
  readonly template: Buffer;
  readonly threshold: number;
  readonly now: number;
};

/**
 * Stores the face first and searches then, so that of two journeys of one person at the same moment at least one finds the
 * other. A human decides about a hit.
 */
export async function findDuplicates(deps: FindDuplicatesDeps, db: TenantDb, search: DuplicateSearch): Promise<Check> {
  const { instance, step, template, threshold, now } = search;
  const { id: instanceId, environment } = instance;
  const algorithm = algorithmOf(template);
  await db.write(async (tx) => {
    // Nothing may be stored for an instance that is being erased or was redacted.
    if (!(await isOpen(tx, instanceId))) return;
    const sealed = await deps.vault.sealFor(tx, instanceSubject(instanceId), faceContext(step), template);
    saveFace(tx, { instance_id: instanceId, step, environment, algorithm, sealed, created_at: now });
  });
  const family = await rootOf(db, instanceId);
  const candidates = [];
  const { hits, compared, notCompared, isApproximate } = await deps.known.search(db, environment, template, threshold);
  for (const hit of hits) {
    if ((await rootOf(db, hit.instanceId)) === family) continue;
    candidates.push({ processInstanceId: hit.instanceId, score: Math.round(hit.score * 10_000) / 10_000 });
  }
  if (candidates.length > 0) await linkAll(db, instance, candidates);
  const [best] = candidates;
  const metaData = { algorithm, compared, notCompared, ...(isApproximate && { approximate: true }), candidates };
  const check = { name: 'duplicate', type: 'face', threshold, metaData } as const;
  if (best) return { ...check, status: 'REVIEW', score: best.score, reason: 'candidate_found', advice: 'final' };
  return notCompared > 0 ? { ...check, ...NOT_ALL_COMPARED } : { ...check, status: 'PASSED' };
}

/** Links instances that still exist: an erased instance keeps no link and gets none. */
async function linkAll(
  db: TenantDb,
  { id, environment }: DuplicateSearch['instance'],
  candidates: readonly { processInstanceId: string; score: number }[],
): Promise<void> {
  const ids = new Set([id, ...candidates.map(({ processInstanceId }) => processInstanceId)]);
  await db.write(async (tx) => {
    const openIds = new Set<string>();
    // All are locked in the order of their ids: otherwise two searches that link the same instances could deadlock.
    for (const each of [...ids].toSorted()) if (await isOpen(tx, each)) openIds.add(each);
    if (!openIds.has(id)) return;
    for (const { processInstanceId: other, score } of candidates) {
      if (openIds.has(other)) await linkFaces(tx, { id, environment }, other, score);
    }
  });
}

/** Locks the instance. Resolves to false if it or its personal data no longer exists. */
async function isOpen(tx: TenantTx, instanceId: string): Promise<boolean> {
  return (await findInstanceForUpdate(tx, instanceId))?.redacted_at === null;
}

/** No duplicate was found, but not every face was compared. */
export const NOT_ALL_COMPARED = { status: 'NOT_PERFORMED', reason: 'not_all_compared', advice: 'final' } as const;

/** The root of an instance. The same person in a child and its parent is not a duplicate. */
async function rootOf(db: TenantReads, instanceId: string): Promise<string> {
  let id = instanceId;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const parent = (await findInstance(db, id))?.parent_id;
    if (parent === undefined || parent === null) return id;
    id = parent;
  }
  return id;
}

const MAX_DEPTH = 8;
