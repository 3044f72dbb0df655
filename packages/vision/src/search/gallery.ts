import { setImmediate as nextTurn } from 'node:timers/promises';
import { DEFAULT_PACK } from '../faces/packs.ts';
import { type Hit, newExactGallery, type SearchOptions } from './exact.ts';
import { type NeighbourIndex, openNeighbourIndex } from './neighbours.ts';

/** A list of faces for searches in this process; stored faces are added at its start. */
export type Gallery = {
  size(): number;
  put(id: string, vector: Float32Array): void;
  remove(id: string): boolean;
  search(query: Float32Array, options: SearchOptions): Hit[];
  /** Compares with all faces in slices, so that other work has its turn. */
  searchAll(query: Float32Array, options: SearchOptions): Promise<Hit[]>;
  /** The number of faces found through the index, and by comparing. */
  stats(): { size: number; indexed: number; compared: number };
  /** Resolves when the index is complete. */
  settled(): Promise<void>;
};

/** Up to this number, comparing with all takes a fraction of a second and misses nobody. */
export const INDEX_ABOVE = 100_000;
/** The number of neighbours that the index returns and that are then compared exactly. */
const CANDIDATES = 256;
/** A slice that the process hardly notices. */
const INDEXED_PER_TURN = 4;
/** While more than this wait for the index, all faces are compared. */
const MAX_WAITING = 20_000;

export type GalleryOptions = { indexAbove?: number; vectorLength?: number };

/**
 * Similarities are always exact: the index only chooses the candidates. Above `indexAbove` it may miss a face, but
 * never invents a similarity.
 */
export function newGallery({
  indexAbove = INDEX_ABOVE,
  vectorLength = DEFAULT_PACK.vectorLength,
}: GalleryOptions = {}): Gallery {
  const exact = newExactGallery(vectorLength);
  const waiting = new Set<string>();
  let index: NeighbourIndex | null = null;
  let work: Promise<void> | null = null;
  let failure: unknown = null;

  function put(id: string, vector: Float32Array): void {
    exact.put(id, vector);
    index?.remove(id);
    if (exact.size() <= indexAbove && !index && !work) return;
    waiting.add(id);
    work ??= fill().finally(() => {
      work = null;
    });
  }

  /** Fills the index in slices. A platform without the index continues to compare with all. */
  async function fill(): Promise<void> {
    try {
      if (!index) {
        index = await openNeighbourIndex(vectorLength);
        for (const id of exact.ids()) waiting.add(id);
      }
      while (waiting.size > 0) {
        for (const id of [...take(waiting, INDEXED_PER_TURN)]) {
          waiting.delete(id);
          const vector = exact.vectorOf(id);
          if (vector) index.put(id, vector);
        }
        await nextTurn();
      }
    } catch (error) {
      failure = error;
      index = null;
      waiting.clear();
    }
  }

  function remove(id: string): boolean {
    waiting.delete(id);
    index?.remove(id);
    return exact.remove(id);
  }

  function search(query: Float32Array, options: SearchOptions): Hit[] {
    if (!index || exact.size() <= indexAbove || waiting.size > MAX_WAITING) return exact.search(query, options);
    const candidates = new Set([...index.nearest(query, CANDIDATES), ...waiting]);
    return exact.searchAmong(candidates, query, options);
  }

  return {
    size: exact.size,
    put,
    remove,
    search,
    searchAll: (query, options) => exact.searchInTurns(query, options),
    stats: () => {
      const indexed = index && exact.size() > indexAbove ? exact.size() - waiting.size : 0;
      return { size: exact.size(), indexed, compared: exact.size() - indexed };
    },
    settled: async () => {
      await work;
      if (failure) throw failure;
    },
  };
}

function* take<Item>(items: Iterable<Item>, most: number): Generator<Item> {
  let count = 0;
  for (const item of items) {
    if (count === most) return;
    count += 1;
    yield item;
  }
}
