import type { TenantReads } from '../../db/db.ts';
import {
  algorithm,
  cosineOf,
  type Gallery,
  newGallery,
  scoreOf,
  vectorOf,
} from '../../engines/vision/face-templates.ts';
import type { Vault } from '../../secrets/vault.ts';
import { instanceSubject } from '../instances/instance-subject.ts';
import { FACES_AT_ONCE, type FaceKey, faceKeys, facesOf } from './faces.repository.ts';

/**
 * The faces of a tenant's instances, opened and kept in memory to be compared with. What the database says is asked
 * anew for each search, so that a face that was erased, here or by another server, is not found any more; only what is
 * new has to be opened.
 */
export type KnownFaces = {
  search(db: TenantReads, environment: string, template: Uint8Array, atLeast: number): Promise<KnownFace[]>;
};

export type KnownFace = { readonly instanceId: string; readonly step: string; readonly score: number };

/** Two kilobytes each. Whoever was searched longest ago is forgotten first. */
const MAX_FACES_IN_MEMORY = 200_000;
const MAX_GALLERIES = 100;
const MAX_HITS = 10;
/** Comparing with more than this in one go would hold up everybody else. */
const INDEX_ABOVE = 20_000;

export const faceContext = (step: string) => `face:${step}`;

type Held = { gallery: Gallery; readonly seenAt: Map<string, number>; busy: Promise<unknown> };

export function openKnownFaces(deps: {
  vault: Pick<Vault, 'openFor'>;
  onError(what: string, error: unknown): void;
}): KnownFaces {
  const held = new Map<string, Held>();

  const heldFor = (key: string): Held => {
    const found = held.get(key) ?? {
      gallery: newGallery({ indexAbove: INDEX_ABOVE }),
      seenAt: new Map(),
      busy: Promise.resolve(),
    };
    // The order of a map is that of insertion: the first is the one that was used longest ago.
    held.delete(key);
    held.set(key, found);
    return found;
  };
  const makeRoom = () => {
    const total = () => [...held.values()].reduce((sum, { gallery }) => sum + gallery.size(), 0);
    for (const key of [...held.keys()]) {
      if (held.size <= 1 || (held.size <= MAX_GALLERIES && total() <= MAX_FACES_IN_MEMORY)) return;
      held.delete(key);
    }
  };

  return {
    async search(db, environment, template, atLeast) {
      const own = heldFor(`${db.tenantId} ${environment}`);
      // One after the other: two that fill the same gallery would open everything twice.
      const filled = own.busy.then(() => refresh(deps, db, environment, own));
      own.busy = filled.catch(() => undefined);
      await filled;
      const hits = own.gallery.search(vectorOf(template), { limit: MAX_HITS, atLeastCosine: cosineOf(atLeast) });
      makeRoom();
      return hits.map(({ id, cosine }) => {
        const [instanceId = '', step = ''] = id.split(' ');
        return { instanceId, step, score: scoreOf(cosine) };
      });
    },
  };
}

const idOf = ({ instance_id, step }: Pick<FaceKey, 'instance_id' | 'step'>) => `${instance_id} ${step}`;

async function refresh(
  { vault, onError }: Parameters<typeof openKnownFaces>[0],
  db: TenantReads,
  environment: string,
  { gallery, seenAt }: Held,
): Promise<void> {
  const world = { environment, algorithm };
  const keys = await faceKeys(db, world);
  const there = new Set(keys.map(idOf));
  for (const id of [...seenAt.keys()]) {
    if (there.has(id)) continue;
    gallery.remove(id);
    seenAt.delete(id);
  }
  const fresh = keys.filter((key) => seenAt.get(idOf(key)) !== key.created_at);
  const instanceIds = [...new Set(fresh.map(({ instance_id }) => instance_id))];
  for (let at = 0; at < instanceIds.length; at += FACES_AT_ONCE) {
    for (const row of await facesOf(db, world, instanceIds.slice(at, at + FACES_AT_ONCE))) {
      try {
        const opened = await vault.openFor(db, instanceSubject(row.instance_id), faceContext(row.step), row.sealed);
        gallery.put(idOf(row), vectorOf(opened));
        seenAt.set(idOf(row), row.created_at);
      } catch (error) {
        // It may have been erased since it was read. One face that cannot be opened must not hide all others.
        onError('a face could not be compared with', error);
      }
    }
  }
}
