import type { TenantReads } from '../db/db.ts';
import { algorithmOf, type FaceScale, type Gallery, scaleOf, vectorOf } from '../engines/vision/face-templates.ts';
import type { Vault } from '../secrets/vault.ts';
import { subjectOf, templateContext } from './member-details.ts';
import { type FaceKey, faceKeys, templatesOf } from './members.repository.ts';
import type { ListRow } from './watchlists.repository.ts';

/**
 * The faces of watchlists, opened and kept in memory to be compared with: one gallery for each list of each tenant, never
 * one for two. The revision in the row of the list says whether anything has changed, on this server or on another; then
 * only what is new is opened. What has expired is not compared with, whether it was purged already or not.
 */
export type Galleries = {
  search(db: TenantReads, list: ListRow, search: GallerySearch): Promise<GalleryResult>;
  /** Nothing of the list stays in memory. */
  forget(tenantId: string, listId: string): void;
};

export type GallerySearch = { template: Uint8Array; atLeast: number; limit: number; now: number };
export type GalleryResult = {
  readonly hits: readonly { memberId: string; score: number }[];
  readonly numCompared: number;
  readonly numNotComparable: number;
};

export type GalleriesOptions = { maxFaces?: number; maxGalleries?: number };

/** Two kilobytes each. Whichever was searched longest ago is forgotten first. */
const MAX_FACES_IN_MEMORY = 200_000;
const MAX_GALLERIES = 100;
const OPENED_AT_ONCE = 500;
/** Comparing with more than this in one go would hold up everybody else. */
const INDEX_ABOVE = 20_000;

type OpenGallery = {
  readonly algorithm: string;
  readonly scale: FaceScale;
  readonly gallery: Gallery;
  readonly members: Map<string, { revision: number; expiresAt: number | null }>;
  revision: number;
  notComparable: number;
  /** One after the other: two that fill the same gallery would open everything twice. */
  busy: Promise<unknown>;
};

export function openGalleries(
  { vault }: { vault: Pick<Vault, 'unsealerFor'> },
  { maxFaces = MAX_FACES_IN_MEMORY, maxGalleries = MAX_GALLERIES }: GalleriesOptions = {},
): Galleries {
  const galleries = new Map<string, OpenGallery>();
  const keyOf = (tenantId: string, listId: string) => `${tenantId} ${listId}`;

  const galleryFor = (key: string, algorithm: string): OpenGallery => {
    const before = galleries.get(key);
    const opened = before?.algorithm === algorithm ? before : newOpenGallery(algorithm);
    // The order of a map is that of insertion: the first is the one that was used longest ago.
    galleries.delete(key);
    galleries.set(key, opened);
    return opened;
  };
  const makeRoom = () => {
    let total = [...galleries.values()].reduce((sum, { gallery }) => sum + gallery.size(), 0);
    for (const [key, { gallery }] of galleries) {
      if (galleries.size <= 1 || (galleries.size <= maxGalleries && total <= maxFaces)) return;
      galleries.delete(key);
      total -= gallery.size();
    }
  };

  return {
    async search(db, list, { template, atLeast, limit, now }) {
      const own = galleryFor(keyOf(db.tenantId, list.id), algorithmOf(template));
      const filled = own.busy.then(() => refresh(vault, db, list, own, now));
      own.busy = filled.catch(() => undefined);
      await filled;
      const hits = own.gallery.search(vectorOf(template), { limit, atLeastCosine: own.scale.cosineOf(atLeast) });
      makeRoom();
      return {
        hits: hits.map(({ id, cosine }) => ({
          memberId: id,
          score: Math.round(own.scale.scoreOf(cosine) * 10_000) / 10_000,
        })),
        numCompared: own.gallery.size(),
        numNotComparable: own.notComparable,
      };
    },
    forget: (tenantId, listId) => void galleries.delete(keyOf(tenantId, listId)),
  };
}

function newOpenGallery(algorithm: string): OpenGallery {
  const scale = scaleOf(algorithm);
  const gallery = scale.newGallery({ indexAbove: INDEX_ABOVE });
  return { algorithm, scale, gallery, members: new Map(), revision: -1, notComparable: 0, busy: Promise.resolve() };
}

async function refresh(
  vault: Pick<Vault, 'unsealerFor'>,
  db: TenantReads,
  list: ListRow,
  own: OpenGallery,
  now: number,
): Promise<void> {
  for (const [id, { expiresAt }] of own.members) if (expiresAt !== null && expiresAt <= now) drop(own, id);
  if (own.revision === list.revision) return;
  const keys = await faceKeys(db, { listId: list.id, now });
  const comparable = keys.filter((key) => key.algorithm === own.algorithm);
  const there = new Set(comparable.map(({ id }) => id));
  for (const id of own.members.keys()) if (!there.has(id)) drop(own, id);
  const fresh = comparable.filter(({ id, revision }) => own.members.get(id)?.revision !== revision);
  await open(vault, db, list.id, own, fresh);
  own.notComparable = keys.length - comparable.length;
  own.revision = list.revision;
}

function drop({ gallery, members }: OpenGallery, id: string): void {
  gallery.remove(id);
  members.delete(id);
}

async function open(
  vault: Pick<Vault, 'unsealerFor'>,
  db: TenantReads,
  listId: string,
  own: OpenGallery,
  fresh: readonly FaceKey[],
): Promise<void> {
  if (fresh.length === 0) return;
  const unseal = await vault.unsealerFor(db, subjectOf(listId));
  for (let at = 0; at < fresh.length; at += OPENED_AT_ONCE) {
    const some = new Map(fresh.slice(at, at + OPENED_AT_ONCE).map((key) => [key.id, key]));
    for (const { id, template } of await templatesOf(db, { listId, ids: [...some.keys()] })) {
      const key = some.get(id);
      if (!key) continue;
      own.gallery.put(id, vectorOf(unseal(templateContext(id), template)));
      own.members.set(id, { revision: key.revision, expiresAt: key.expires_at });
    }
  }
}
