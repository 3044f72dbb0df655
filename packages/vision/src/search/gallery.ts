import { setImmediate as nextTurn } from 'node:timers/promises';
import { DEFAULT_PACK } from '../faces/packs.ts';
import { type Hit, newExactGallery, type SearchOptions } from './exact.ts';
import { type NeighbourIndex, openNeighbourIndex } from './neighbours.ts';

/** A list of faces to look a face up in. It is one process's; what is stored elsewhere is put in at start. */
export type Gallery = {
  size(): number;
  put(id: string, vector: Float32Array): void;
  remove(id: string): boolean;
  search(query: Float32Array, options: SearchOptions): Hit[];
  /** Compares with everyone, a part at a time, so that others have their turn in between. */
  searchAll(query: Float32Array, options: SearchOptions): Promise<Hit[]>;
  /** How many are found through the index, and how many by comparing. */
  stats(): { size: number; indexed: number; compared: number };
  /** Resolves when everything that belongs into the index is in it. */
  settled(): Promise<void>;
};

/** Up to here, comparing with everyone takes a fraction of a second and misses nobody. */
export const INDEX_ABOVE = 100_000;
/** So many neighbours are asked of the index and then compared exactly. */
const CANDIDATES = 256;
/** Few enough that the process hardly notices a turn. */
const INDEXED_PER_TURN = 4;
/** While more than this wait for the index, all are compared. */
const MAX_WAITING = 20_000;

export type GalleryOptions = { indexAbove?: number; vectorLength?: number };

/**
 * Always exact in what it says of those it finds: the index only chooses whom to compare with. Above `indexAbove` it
 * may therefore miss someone, never invent a similarity.
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

  /** A bit at a time. A platform without the index goes on comparing with everyone. */
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
