import { setImmediate as nextTurn } from 'node:timers/promises';
import { DEFAULT_PACK } from '../faces/packs.ts';
import { type NamedRows, newNamedRows } from './named-rows.ts';

export type Hit = { readonly id: string; readonly cosine: number };

export type SearchOptions = {
  /** The maximum number of hits, the best first. */
  limit: number;
  /** Less similar hits are left out. */
  atLeastCosine?: number;
};

/** Unit vectors by name. Each search compares the query with all of them. */
export type ExactGallery = {
  size(): number;
  has(id: string): boolean;
  /** Adds or replaces a vector. */
  put(id: string, vector: Float32Array): void;
  remove(id: string): boolean;
  ids(): Iterable<string>;
  vectorOf(id: string): Float32Array | undefined;
  search(query: Float32Array, options: SearchOptions): Hit[];
  /** The same in slices. A vector that is added or removed meanwhile may or may not be found. */
  searchInTurns(query: Float32Array, options: SearchOptions): Promise<Hit[]>;
  /** Compares only with these names, as far as they exist. */
  searchAmong(ids: Iterable<string>, query: Float32Array, options: SearchOptions): Hit[];
};

export const MAX_GALLERY = 2_000_000;
export const MAX_HITS = 100;
/** Chunks of 2 MB: growing copies nothing, and short lists stay small. */
const ROWS_PER_CHUNK = 1024;

export function newExactGallery(vectorLength = DEFAULT_PACK.vectorLength): ExactGallery {
  const table: Table = { vectorLength, chunks: [], rows: newNamedRows(MAX_GALLERY) };
  return {
    size: () => table.rows.ids.length,
    has: (id) => table.rows.rowOf(id) !== undefined,
    ids: () => table.rows.ids,
    put: (id, vector) => put(table, id, vector),
    remove: (id) => remove(table, id),
    vectorOf: (id) => {
      const row = table.rows.rowOf(id);
      return row === undefined ? undefined : vectorAt(table, row).slice();
    },
    search: (query, options) => search(table, query, options),
    searchInTurns: (query, options) => searchInTurns(table, query, options),
    searchAmong: (ids, query, options) => searchAmong(table, { ids, query, options }),
  };
}

/** Row by row: the vector in a chunk, its name in `rows`. */
type Table = {
  readonly vectorLength: number;
  readonly chunks: Float32Array[];
  readonly rows: NamedRows;
};

function chunkOf(table: Table, row: number): Float32Array {
  return table.chunks[Math.floor(row / ROWS_PER_CHUNK)] as Float32Array;
}

function startOf({ vectorLength }: Table, row: number): number {
  return (row % ROWS_PER_CHUNK) * vectorLength;
}

function vectorAt(table: Table, row: number): Float32Array {
  const start = startOf(table, row);
  return chunkOf(table, row).subarray(start, start + table.vectorLength);
}

function put(table: Table, id: string, vector: Float32Array): void {
  const { vectorLength, chunks, rows } = table;
  if (vector.length !== vectorLength) throw new RangeError(`a vector has ${vectorLength} numbers`);
  const row = rows.add(id);
  if (row === chunks.length * ROWS_PER_CHUNK) chunks.push(new Float32Array(ROWS_PER_CHUNK * vectorLength));
  vectorAt(table, row).set(vector);
}

function remove(table: Table, id: string): boolean {
  const removed = table.rows.remove(id);
  if (!removed) return false;
  const last = vectorAt(table, removed.last);
  vectorAt(table, removed.free).set(last);
  last.fill(0);
  if (removed.last % ROWS_PER_CHUNK === 0) table.chunks.pop();
  return true;
}

function search(table: Table, query: Float32Array, options: SearchOptions): Hit[] {
  const best = newBest(options);
  searchRows(table, query, { from: 0, to: table.rows.ids.length }, best);
  return best.hits();
}

/** A slice takes about ten milliseconds, so that the process hardly notices it. */
const ROWS_A_TURN = 8192;

/**
 * Compares from the last row to the first: a removed row is filled with the last one, which was compared already, so no row
 * is missed. Rows that are added meanwhile come after it.
 */
async function searchInTurns(table: Table, query: Float32Array, options: SearchOptions): Promise<Hit[]> {
  const best = newBest(options);
  for (let to = table.rows.ids.length; to > 0; to -= ROWS_A_TURN) {
    searchRows(table, query, { from: Math.max(0, to - ROWS_A_TURN), to: Math.min(to, table.rows.ids.length) }, best);
    await nextTurn();
  }
  return best.hits();
}

function searchRows(
  table: Table,
  query: Float32Array,
  { from, to }: { from: number; to: number },
  best: ReturnType<typeof newBest>,
): void {
  let floor = best.floor();
  for (let row = from; row < to; row += 1) {
    const cosine = dot(chunkOf(table, row), startOf(table, row), query);
    if (cosine < floor) continue;
    best.offer(table.rows.ids[row] as string, cosine);
    floor = best.floor();
  }
}

function searchAmong(
  table: Table,
  { ids, query, options }: { ids: Iterable<string>; query: Float32Array; options: SearchOptions },
): Hit[] {
  const best = newBest(options);
  for (const id of ids) {
    const row = table.rows.rowOf(id);
    if (row === undefined) continue;
    const cosine = dot(chunkOf(table, row), startOf(table, row), query);
    if (cosine >= best.floor()) best.offer(id, cosine);
  }
  return best.hits();
}

/** Four sums instead of one, so that the processor need not wait for one addition before the next. */
function dot(data: Float32Array, start: number, query: Float32Array): number {
  let one = 0;
  let two = 0;
  let three = 0;
  let four = 0;
  for (let at = 0; at < query.length; at += 4) {
    one += (data[start + at] as number) * (query[at] as number);
    two += (data[start + at + 1] as number) * (query[at + 1] as number);
    three += (data[start + at + 2] as number) * (query[at + 2] as number);
    four += (data[start + at + 3] as number) * (query[at + 3] as number);
  }
  return one + two + three + four;
}

/** Keeps the best hits. Equal ones are ordered by name, so that the order of insertion does not matter. */
export function newBest({ limit, atLeastCosine = -1 }: SearchOptions) {
  const most = Math.min(MAX_HITS, Math.max(1, Math.floor(limit)));
  const hits: Hit[] = [];
  return {
    floor: () => (hits.length < most ? atLeastCosine : (hits[most - 1] as Hit).cosine),
    offer(id: string, cosine: number): void {
      if (hits.some((each) => each.id === id)) return;
      hits.push({ id, cosine });
      hits.sort((one, other) => other.cosine - one.cosine || (one.id < other.id ? -1 : 1));
      if (hits.length > most) hits.pop();
    },
    hits: () => hits,
  };
}
