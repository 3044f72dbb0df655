import type { TenantReads } from '../../db/db.ts';
import {
  algorithmOf,
  cosineBetween,
  type FaceScale,
  type Gallery,
  type Sketches,
  scaleOf,
  vectorOf,
} from '../../engines/vision/face-templates.ts';
import { MINUTE } from '../../kernel/clock.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { FACES_AT_ONCE, type FaceKey, type FaceRow, faceKeys, facesOf, MAX_KNOWN_FACES } from './faces.repository.ts';

/**
 * The faces of a tenant's instances, opened and cached in memory for comparisons. Each search reads new faces from the
 * database, and checks that its hits still exist: a face that any server has erased is never in a result. From time to time
 * all keys are read again, so that erased faces also leave the memory.
 *
 * Up to a number of faces, all vectors are in memory and all are compared. Above it there is only a sketch of each face: those
 * with the most similar sketches are read from the database and compared (docs/decisions/2026-11-18-sketches-of-faces.md).
 */
export type KnownFaces = {
  search(db: TenantReads, environment: Environment, template: Uint8Array, atLeast: number): Promise<FoundFaces>;
};

export type KnownFace = { readonly instanceId: string; readonly step: string; readonly score: number };

export type FoundFaces = {
  readonly hits: readonly KnownFace[];
  /** The number of compared faces. */
  readonly compared: number;
  /** Whether sketches chose the compared faces, which may miss a person. */
  readonly isApproximate: boolean;
  /** Faces that were not compared: of other algorithms, beyond the limit of memory, or impossible to decrypt. */
  readonly notCompared: number;
};

export type KnownFacesOptions = { maxFaces?: number; exactFaces?: number };

/** Up to this number, all faces are compared in full. */
const EXACT_FACES = 100_000;
/** Beyond it, the gallery that was searched longest ago is dropped. */
const MAX_BYTES_IN_MEMORY = 512 * 1024 * 1024;
const VECTOR_BYTES = 2048;
/** The size including the name of the face and its entries in two maps. */
const SKETCH_BYTES = 300;
const MAX_GALLERIES = 100;
const MAX_HITS = 10;
/** Among a million strangers, hardly ever so many have more similar sketches than the person on another day. */
const CANDIDATES = 256;
/** The longest time for which an erased face stays in memory. It is in no result, because hits are checked in the database. */
const READ_ALL_EVERY_MS = { exact: 5 * MINUTE, sketched: 60 * MINUTE };
/** The tolerance for faces that are committed late: clocks differ, and a transaction reads the time before its commit. */
const LATE_BY_MS = 2 * MINUTE;

export const faceContext = (step: string) => `face:${step}`;

type OpenGallery = {
  readonly algorithm: string;
  readonly scale: FaceScale;
  /** All vectors; undefined if there are too many faces. */
  gallery: Gallery | undefined;
  sketches: Sketches;
  readonly openedAt: Map<string, number>;
  notCompared: number;
  /** When all keys were read, by the clock of this process; undefined if they must be read again. */
  readAt: number | undefined;
  /** The creation time of the newest cached face, by the clock of the server that stored it. */
  newestAt: number;
  busy: Promise<unknown>;
};

export type KnownFacesDeps = { vault: Pick<Vault, 'openFor'>; onError(what: string, error: unknown): void };

export function openKnownFaces(
  deps: KnownFacesDeps,
  { maxFaces = MAX_KNOWN_FACES, exactFaces = EXACT_FACES }: KnownFacesOptions = {},
): KnownFaces {
  const galleries = new Map<string, OpenGallery>();

  const galleryFor = (key: string, algorithm: string): OpenGallery => {
    const opened = galleries.get(key) ?? newOpenGallery(algorithm);
    // A map has the order of insertion, so the first entry is the least recently used.
    galleries.delete(key);
    galleries.set(key, opened);
    return opened;
  };
  const makeRoom = () => {
    const total = () => [...galleries.values()].reduce((sum, own) => sum + bytesOf(own), 0);
    for (const key of [...galleries.keys()]) {
      if (galleries.size <= 1 || (galleries.size <= MAX_GALLERIES && total() <= MAX_BYTES_IN_MEMORY)) return;
      galleries.delete(key);
    }
  };

  return {
    async search(db, environment, template, atLeast) {
      const algorithm = algorithmOf(template);
      const own = galleryFor(`${db.tenantId} ${environment} ${algorithm}`, algorithm);
      const { scale } = own;
      const vector = vectorOf(template);
      const options = { limit: MAX_HITS, atLeastCosine: scale.cosineOf(atLeast) };
      // One search at a time: two that fill the same gallery would decrypt everything twice.
      const fill = async () => {
        const filled = own.busy.then(() => refresh(deps, db, { environment, maxFaces, exactFaces }, own));
        own.busy = filled.catch(() => undefined);
        await filled;
      };
      const findHits = () =>
        own.gallery?.searchAll(vector, options) ?? searchStored(deps, db, environment, own, { vector, ...options });
      await fill();
      let hits = await findHits();
      if (!(await areThere(db, environment, own, hits))) {
        own.readAt = undefined;
        await fill();
        hits = await findHits();
      }
      makeRoom();
      const instanceHits = hits.map(({ id, cosine }) => {
        const [instanceId = '', step = ''] = id.split(' ');
        return { instanceId, step, score: scale.scoreOf(cosine) };
      });
      const { gallery, sketches, notCompared } = own;
      return { hits: instanceHits, compared: sketches.size(), notCompared, isApproximate: gallery === undefined };
    },
  };
}

const NOT_READ = { readAt: undefined, newestAt: 0 };

function newOpenGallery(algorithm: string): OpenGallery {
  const scale = scaleOf(algorithm);
  return {
    algorithm,
    scale,
    gallery: newGallery(scale),
    sketches: scale.newSketches(),
    openedAt: new Map(),
    notCompared: 0,
    ...NOT_READ,
    busy: Promise.resolve(),
  };
}

function newGallery(scale: FaceScale): Gallery {
  // No index: it may miss a person, and filling it takes longer than a few searches.
  return scale.newGallery({ indexAbove: Number.POSITIVE_INFINITY });
}

function bytesOf({ gallery, sketches }: OpenGallery): number {
  return sketches.size() * (SKETCH_BYTES + (gallery ? VECTOR_BYTES : 0));
}

type Hit = { readonly id: string; readonly cosine: number };
const instanceOf = (id: string) => id.split(' ')[0] ?? '';
const idOf = ({ instance_id, step }: Pick<FaceKey, 'instance_id' | 'step'>) => `${instance_id} ${step}`;

type Reach = { readonly environment: Environment; readonly maxFaces: number; readonly exactFaces: number };

async function refresh(deps: KnownFacesDeps, db: TenantReads, reach: Reach, own: OpenGallery): Promise<void> {
  const { environment, maxFaces } = reach;
  const readAllEvery = own.gallery ? READ_ALL_EVERY_MS.exact : READ_ALL_EVERY_MS.sketched;
  if (own.readAt !== undefined && performance.now() - own.readAt < readAllEvery) {
    const late = (await Array.fromAsync(faceKeys(db, environment, { since: own.newestAt - LATE_BY_MS }))).flat();
    const fresh = freshOf(own, late);
    const fits = own.sketches.size() + fresh.length <= maxFaces && late.every((key) => key.algorithm === own.algorithm);
    if (fits) {
      own.notCompared += await openAll(deps, db, reach, fresh, own);
      return;
    }
  }
  const readAt = performance.now();
  const there = new Set<string>();
  let notCompared = 0;
  for await (const part of faceKeys(db, environment)) {
    const keys = part.filter((key) => key.algorithm === own.algorithm).slice(0, maxFaces - there.size);
    for (const key of keys) there.add(idOf(key));
    notCompared += part.length - keys.length;
    notCompared += await openAll(deps, db, reach, freshOf(own, keys), own);
  }
  for (const id of [...own.openedAt.keys()]) if (!there.has(id)) forget(own, id);
  own.notCompared = notCompared;
  own.readAt = readAt;
  // So few faces remain that all can be compared again.
  if (!own.gallery && there.size <= reach.exactFaces) await startAgain(deps, db, reach, own);
}

/** Opens all faces again, because their vectors are not in memory. */
async function startAgain(deps: KnownFacesDeps, db: TenantReads, reach: Reach, own: OpenGallery): Promise<void> {
  own.gallery = newGallery(own.scale);
  own.sketches = own.scale.newSketches();
  own.openedAt.clear();
  own.readAt = undefined;
  await refresh(deps, db, reach, own);
}

function forget({ gallery, sketches, openedAt }: OpenGallery, id: string): void {
  gallery?.remove(id);
  sketches.remove(id);
  openedAt.delete(id);
}

function freshOf({ openedAt }: OpenGallery, keys: readonly FaceKey[]): FaceKey[] {
  return keys.filter((key) => openedAt.get(idOf(key)) !== key.created_at);
}

/** Opens faces. Resolves to the number of those that could not be opened. */
async function openAll(
  deps: KnownFacesDeps,
  db: TenantReads,
  { environment, exactFaces }: Pick<Reach, 'environment' | 'exactFaces'>,
  fresh: readonly FaceKey[],
  own: OpenGallery,
): Promise<number> {
  own.newestAt = fresh.reduce((newest, { created_at }) => Math.max(newest, created_at), own.newestAt);
  const instanceIds = [...new Set(fresh.map(({ instance_id }) => instance_id))];
  let failed = 0;
  for (let at = 0; at < instanceIds.length; at += FACES_AT_ONCE) {
    const some = instanceIds.slice(at, at + FACES_AT_ONCE);
    for await (const { row, vector } of openFaces(deps, db, { environment, instanceIds: some }, own.algorithm)) {
      if (vector) keep(own, row, vector, exactFaces);
      else failed += 1;
    }
  }
  return failed;
}

function keep(own: OpenGallery, row: FaceRow, vector: Float32Array, exactFaces: number): void {
  own.sketches.put(idOf(row), vector);
  own.openedAt.set(idOf(row), row.created_at);
  if (own.sketches.size() > exactFaces) own.gallery = undefined;
  own.gallery?.put(idOf(row), vector);
}

type StoredSearch = { readonly vector: Float32Array; readonly limit: number; readonly atLeastCosine: number };

/** Compares the stored faces with the most similar sketches. */
async function searchStored(
  deps: KnownFacesDeps,
  db: TenantReads,
  environment: Environment,
  { algorithm, sketches }: OpenGallery,
  { vector: query, limit, atLeastCosine }: StoredSearch,
): Promise<Hit[]> {
  const candidates = new Set(await sketches.nearest(query, CANDIDATES));
  const instanceIds = [...new Set([...candidates].map(instanceOf))];
  const hits: Hit[] = [];
  for (let at = 0; at < instanceIds.length; at += FACES_AT_ONCE) {
    const some = instanceIds.slice(at, at + FACES_AT_ONCE);
    for await (const { row, vector } of openFaces(deps, db, { environment, instanceIds: some }, algorithm)) {
      const cosine = vector && candidates.has(idOf(row)) ? cosineBetween(query, vector) : -1;
      if (cosine >= atLeastCosine) hits.push({ id: idOf(row), cosine });
    }
  }
  return hits.toSorted((one, other) => other.cosine - one.cosine).slice(0, limit);
}

/** Whether the database still has each of the hits. */
async function areThere(
  db: TenantReads,
  environment: Environment,
  { algorithm, gallery, openedAt }: OpenGallery,
  hits: readonly Hit[],
): Promise<boolean> {
  // Without vectors in memory, the hits were just read from the database.
  if (hits.length === 0 || !gallery) return true;
  const instanceIds = [...new Set(hits.map(({ id }) => instanceOf(id)))];
  const rows = await facesOf(db, { environment, algorithm, instanceIds });
  const there = new Map(rows.map((row) => [idOf(row), row.created_at]));
  return hits.every(({ id }) => there.get(id) === openedAt.get(id));
}

/** Each face that still exists with its vector, which is undefined if it could not be opened. */
async function* openFaces(
  { vault, onError }: KnownFacesDeps,
  db: TenantReads,
  { environment, instanceIds }: { environment: Environment; instanceIds: readonly string[] },
  algorithm: string,
): AsyncGenerator<{ row: FaceRow; vector?: Float32Array }> {
  for (const row of await facesOf(db, { environment, algorithm, instanceIds })) {
    const { instance_id, step, sealed, data_key } = row;
    try {
      const opened = await vault.openFor(db, instanceSubject(instance_id), faceContext(step), sealed, data_key);
      yield { row, vector: vectorOf(opened) };
    } catch (error) {
      // One face that cannot be opened must not hide all others.
      onError('could not compare a face', error);
      yield { row };
    }
  }
}
