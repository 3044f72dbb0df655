import type { TenantReads } from '../../db/db.ts';
import { algorithmOf, type FaceScale, type Gallery, scaleOf, vectorOf } from '../../engines/vision/face-templates.ts';
import { MINUTE } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { FACES_AT_ONCE, type FaceKey, faceKeys, facesOf, MAX_KNOWN_FACES } from './faces.repository.ts';

/**
 * The faces of a tenant's instances, opened and kept in memory to be compared with. Each search asks the database for the
 * faces that are new, and whether those it has found are still there: a face that was erased, here or by another server,
 * is not found any more. All of them are asked for every few minutes, so memory forgets it too.
 */
export type KnownFaces = {
  search(db: TenantReads, environment: Environment, template: Uint8Array, atLeast: number): Promise<FoundFaces>;
};

export type KnownFace = { readonly instanceId: string; readonly step: string; readonly score: number };

export type FoundFaces = {
  readonly hits: readonly KnownFace[];
  /** With how many faces it was compared. */
  readonly compared: number;
  /** Faces that were not compared: of other algorithms, beyond the limit of memory, or impossible to decrypt. */
  readonly notCompared: number;
};

export type KnownFacesOptions = { maxFaces?: number };

/** A face takes two kilobytes. The gallery that was searched longest ago is dropped first. */
const MAX_FACES_IN_MEMORY = 200_000;
const MAX_GALLERIES = 100;
const MAX_HITS = 10;
const READ_ALL_EVERY_MS = 5 * MINUTE;
/** The clocks of servers differ, and a transaction is committed after it has asked for the time. */
const LATE_BY_MS = 2 * MINUTE;

export const faceContext = (step: string) => `face:${step}`;

type OpenGallery = {
  readonly algorithm: string;
  readonly scale: FaceScale;
  readonly gallery: Gallery;
  readonly openedAt: Map<string, number>;
  notCompared: number;
  /** When all keys were read, by the clock of this process; undefined if they have to be read again. */
  readAt: number | undefined;
  /** When the newest face that is known here was kept, by the clock of whoever kept it. */
  newestAt: number;
  busy: Promise<unknown>;
};

export type KnownFacesDeps = { vault: Pick<Vault, 'openFor'>; onError(what: string, error: unknown): void };

export function openKnownFaces(
  deps: KnownFacesDeps,
  { maxFaces = MAX_KNOWN_FACES }: KnownFacesOptions = {},
): KnownFaces {
  const galleries = new Map<string, OpenGallery>();

  const galleryFor = (key: string, algorithm: string): OpenGallery => {
    const opened = galleries.get(key) ?? newOpenGallery(algorithm);
    // The order of a map is that of insertion: the first is the one that was used longest ago.
    galleries.delete(key);
    galleries.set(key, opened);
    return opened;
  };
  const makeRoom = () => {
    const total = () => [...galleries.values()].reduce((sum, { gallery }) => sum + gallery.size(), 0);
    for (const key of [...galleries.keys()]) {
      if (galleries.size <= 1 || (galleries.size <= MAX_GALLERIES && total() <= MAX_FACES_IN_MEMORY)) return;
      galleries.delete(key);
    }
  };

  return {
    async search(db, environment, template, atLeast) {
      const algorithm = algorithmOf(template);
      const own = galleryFor(`${db.tenantId} ${environment} ${algorithm}`, algorithm);
      // One search at a time: two that fill the same gallery would decrypt everything twice.
      const fill = async () => {
        const filled = own.busy.then(() => refresh(deps, db, { environment, maxFaces }, own));
        own.busy = filled.catch(() => undefined);
        await filled;
        return own.gallery.searchAll(vectorOf(template), { limit: MAX_HITS, atLeastCosine: scale.cosineOf(atLeast) });
      };
      const { scale, gallery } = own;
      let hits = await fill();
      if (!(await areThere(db, environment, own, hits))) {
        own.readAt = undefined;
        hits = await fill();
      }
      makeRoom();
      const instanceHits = hits.map(({ id, cosine }) => {
        const [instanceId = '', step = ''] = id.split(' ');
        return { instanceId, step, score: scale.scoreOf(cosine) };
      });
      return { hits: instanceHits, compared: gallery.size(), notCompared: own.notCompared };
    },
  };
}

const NOT_READ = { readAt: undefined, newestAt: 0 };

function newOpenGallery(algorithm: string): OpenGallery {
  const scale = scaleOf(algorithm);
  // Everybody is compared with: an index may miss somebody, and takes longer to fill than a few searches take.
  const gallery = scale.newGallery({ indexAbove: Number.POSITIVE_INFINITY });
  return { algorithm, scale, gallery, openedAt: new Map(), notCompared: 0, ...NOT_READ, busy: Promise.resolve() };
}

const idOf = ({ instance_id, step }: Pick<FaceKey, 'instance_id' | 'step'>) => `${instance_id} ${step}`;

type Reach = { readonly environment: Environment; readonly maxFaces: number };

async function refresh(
  deps: KnownFacesDeps,
  db: TenantReads,
  { environment, maxFaces }: Reach,
  own: OpenGallery,
): Promise<void> {
  if (own.readAt !== undefined && performance.now() - own.readAt < READ_ALL_EVERY_MS) {
    const late = await faceKeys(db, environment, own.newestAt - LATE_BY_MS);
    const fresh = freshOf(own, late);
    const fits = own.gallery.size() + fresh.length <= maxFaces && late.every((key) => key.algorithm === own.algorithm);
    if (fits) {
      own.notCompared += await openAll(deps, db, environment, fresh, own);
      return;
    }
  }
  const { algorithm, gallery, openedAt } = own;
  const readAt = performance.now();
  const all = await faceKeys(db, environment);
  const keys = all.filter((key) => key.algorithm === algorithm).slice(0, maxFaces);
  const there = new Set(keys.map(idOf));
  for (const id of [...openedAt.keys()]) {
    if (there.has(id)) continue;
    gallery.remove(id);
    openedAt.delete(id);
  }
  const failed = await openAll(deps, db, environment, freshOf(own, keys), own);
  own.notCompared = all.length - keys.length + failed;
  own.readAt = readAt;
}

function freshOf({ openedAt }: OpenGallery, keys: readonly FaceKey[]): FaceKey[] {
  return keys.filter((key) => openedAt.get(idOf(key)) !== key.created_at);
}

/** How many of them could not be opened. */
async function openAll(
  deps: KnownFacesDeps,
  db: TenantReads,
  environment: Environment,
  fresh: readonly FaceKey[],
  own: OpenGallery,
): Promise<number> {
  own.newestAt = fresh.reduce((newest, { created_at }) => Math.max(newest, created_at), own.newestAt);
  const instanceIds = [...new Set(fresh.map(({ instance_id }) => instance_id))];
  let failed = 0;
  for (let at = 0; at < instanceIds.length; at += FACES_AT_ONCE) {
    const some = instanceIds.slice(at, at + FACES_AT_ONCE);
    failed += await openFaces(deps, db, { environment, instanceIds: some }, own);
  }
  return failed;
}

/** Whether each face that was found is still the one that the database has. */
async function areThere(
  db: TenantReads,
  environment: Environment,
  { algorithm, openedAt }: OpenGallery,
  hits: readonly { id: string }[],
): Promise<boolean> {
  if (hits.length === 0) return true;
  const instanceIds = [...new Set(hits.map(({ id }) => id.split(' ')[0] ?? ''))];
  const rows = await facesOf(db, { environment, algorithm, instanceIds });
  const there = new Map(rows.map((row) => [idOf(row), row.created_at]));
  return hits.every(({ id }) => there.get(id) === openedAt.get(id));
}

/** How many of them could not be opened. One that was erased since is not there any more, and not among them. */
async function openFaces(
  { vault, onError }: KnownFacesDeps,
  db: TenantReads,
  { environment, instanceIds }: { environment: Environment; instanceIds: readonly string[] },
  { algorithm, gallery, openedAt }: OpenGallery,
): Promise<number> {
  let failed = 0;
  for (const row of await facesOf(db, { environment, algorithm, instanceIds })) {
    try {
      const opened = await vault.openFor(db, instanceSubject(row.instance_id), faceContext(row.step), row.sealed);
      gallery.put(idOf(row), vectorOf(opened));
      openedAt.set(idOf(row), row.created_at);
    } catch (error) {
      // One face that cannot be opened must not hide all others.
      onError('could not compare a face', error);
      failed += 1;
    }
  }
  return failed;
}
