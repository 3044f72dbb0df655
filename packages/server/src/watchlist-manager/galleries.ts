import type { TenantReads } from '../db/db.ts';
import { algorithmOf, type FaceScale, type Gallery, scaleOf, vectorOf } from '../engines/vision/face-templates.ts';
import type { Vault } from '../secrets/vault.ts';
import { subjectOf, templateContext } from './member-details.ts';
import { type FaceKey, faceKeys, templatesOf } from './members.repository.ts';
import type { ListRow } from './watchlists.repository.ts';

/**
 * Holds the opened faces of watchlists in memory for searches: one gallery for each list of each tenant. The revision in the
 * row of the list tells whether members have changed, on this server or on another; then only new and changed faces are
 * opened. Expired members are not compared, whether or not they were purged.
 */
export type Galleries = {
  search(db: TenantReads, list: ListRow, search: GallerySearch): Promise<GalleryResult>;
  /** Removes the faces of the list from memory. */
  forget(tenantId: string, listId: string): void;
};

export type GallerySearch = { template: Uint8Array; atLeast: number; limit: number; now: number };
export type GalleryResult = {
  readonly hits: readonly { memberId: string; score: number }[];
  readonly numCompared: number;
  readonly numNotComparable: number;
};

export type GalleriesOptions = { maxFaces?: number; maxGalleries?: number };

/** A face takes two kilobytes. The gallery that was searched longest ago is removed first. */
const MAX_FACES_IN_MEMORY = 200_000;
const MAX_GALLERIES = 100;
const OPENED_AT_ONCE = 500;
/** A larger gallery gets an index: a comparison with all its faces would delay every other request. */
const INDEX_ABOVE = 20_000;

type OpenGallery = {
  readonly algorithm: string;
  readonly scale: FaceScale;
  readonly gallery: Gallery;
  readonly members: Map<string, { revision: number; expiresAt: number | null }>;
  revision: number;
  notComparable: number;
  /** The refresh that runs. The next one waits for it, because two at once would open every face twice. */
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
      const opened = galleryFor(keyOf(db.tenantId, list.id), algorithmOf(template));
      const refreshed = opened.busy.then(() => refresh(vault, db, list, opened, now));
      opened.busy = refreshed.catch(() => undefined);
      await refreshed;
      const hits = opened.gallery.search(vectorOf(template), { limit, atLeastCosine: opened.scale.cosineOf(atLeast) });
      makeRoom();
      return {
        hits: hits.map(({ id, cosine }) => ({
          memberId: id,
          score: Math.round(opened.scale.scoreOf(cosine) * 10_000) / 10_000,
        })),
        numCompared: opened.gallery.size(),
        numNotComparable: opened.notComparable,
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
  opened: OpenGallery,
  now: number,
): Promise<void> {
  for (const [id, { expiresAt }] of opened.members) if (expiresAt !== null && expiresAt <= now) drop(opened, id);
  if (opened.revision === list.revision) return;
  const keys = await faceKeys(db, { listId: list.id, now });
  const comparable = keys.filter((key) => key.algorithm === opened.algorithm);
  const comparableIds = new Set(comparable.map(({ id }) => id));
  for (const id of opened.members.keys()) if (!comparableIds.has(id)) drop(opened, id);
  const fresh = comparable.filter(({ id, revision }) => opened.members.get(id)?.revision !== revision);
  await open(vault, db, list.id, opened, fresh);
  opened.notComparable = keys.length - comparable.length;
  opened.revision = list.revision;
}

function drop({ gallery, members }: OpenGallery, id: string): void {
  gallery.remove(id);
  members.delete(id);
}

async function open(
  vault: Pick<Vault, 'unsealerFor'>,
  db: TenantReads,
  listId: string,
  opened: OpenGallery,
  fresh: readonly FaceKey[],
): Promise<void> {
  if (fresh.length === 0) return;
  const unseal = await vault.unsealerFor(db, subjectOf(listId));
  for (let at = 0; at < fresh.length; at += OPENED_AT_ONCE) {
    const some = new Map(fresh.slice(at, at + OPENED_AT_ONCE).map((key) => [key.id, key]));
    for (const { id, template } of await templatesOf(db, { listId, ids: [...some.keys()] })) {
      const key = some.get(id);
      if (!key) continue;
      opened.gallery.put(id, vectorOf(unseal(templateContext(id), template)));
      opened.members.set(id, { revision: key.revision, expiresAt: key.expires_at });
    }
  }
}
