import { setImmediate as nextTurn } from 'node:timers/promises';
import { DEFAULT_PACK } from '../faces/packs.ts';
import { MAX_GALLERY } from './exact.ts';
import { newNamedRows } from './named-rows.ts';

/**
 * Of each unit vector the signs of its numbers, by name: 64 bytes in place of 2,048. Vectors of one face differ in far fewer
 * signs than those of strangers, so whoever is alike is among the few hundred that differ least. The caller compares these
 * in full: a sketch says nothing about how alike two faces are.
 */
export type Sketches = {
  size(): number;
  ids(): Iterable<string>;
  /** Adds or replaces a vector. */
  put(id: string, vector: Float32Array): void;
  remove(id: string): boolean;
  /**
   * The names whose signs differ least; more than `count` if the last of them differ in equally many. A part at a time, so
   * that others have their turn in between; what is added or removed meanwhile may be among them or not.
   */
  nearest(query: Float32Array, count: number): Promise<string[]>;
};

const BITS = 32;
/** `differences` takes eight words at once. */
const WORDS_AT_ONCE = 8;
/** Chunks of 512 kB: growing copies nothing, and short lists stay small. */
const ROWS_PER_CHUNK = 8192;
/** A slice takes about two milliseconds, so that the process hardly notices it. */
const CHUNKS_A_TURN = 8;

export function newSketches(vectorLength = DEFAULT_PACK.vectorLength): Sketches {
  const words = vectorLength / BITS;
  if (words % WORDS_AT_ONCE !== 0) throw new RangeError('a vector has a multiple of 256 numbers');
  const rows = newNamedRows(MAX_GALLERY);
  const chunks: Int32Array[] = [];
  const signsAt = (row: number): Int32Array => {
    const start = (row % ROWS_PER_CHUNK) * words;
    return (chunks[Math.floor(row / ROWS_PER_CHUNK)] as Int32Array).subarray(start, start + words);
  };
  return {
    size: () => rows.ids.length,
    ids: () => rows.ids,
    put(id, vector) {
      if (vector.length !== vectorLength) throw new RangeError(`a vector has ${vectorLength} numbers`);
      const row = rows.add(id);
      if (row === chunks.length * ROWS_PER_CHUNK) chunks.push(new Int32Array(ROWS_PER_CHUNK * words));
      signsAt(row).set(signsOf(vector));
    },
    remove(id) {
      const removed = rows.remove(id);
      if (!removed) return false;
      signsAt(removed.free).set(signsAt(removed.last));
      signsAt(removed.last).fill(0);
      if (removed.last % ROWS_PER_CHUNK === 0) chunks.pop();
      return true;
    },
    async nearest(query, count) {
      const signs = signsOf(query);
      const best = newLeast(count, vectorLength);
      // From the last to the first: a removed row is filled with the last one, which was compared already.
      for (let at = chunks.length - 1; at >= 0; at -= 1) {
        const chunk = chunks[at];
        const first = at * ROWS_PER_CHUNK;
        const end = Math.min(rows.ids.length - first, ROWS_PER_CHUNK);
        for (let row = end - 1; chunk && row >= 0; row -= 1) {
          const different = differences(chunk, row * words, signs);
          if (different <= best.most()) best.offer(rows.ids[first + row] as string, different);
        }
        if (at % CHUNKS_A_TURN === 0) await nextTurn();
      }
      return best.names();
    },
  };
}

function signsOf(vector: Float32Array): Int32Array {
  const signs = new Int32Array(vector.length / BITS);
  vector.forEach((value, at) => {
    if (value > 0) signs[at >> 5] = (signs[at >> 5] as number) | (1 << (at & 31));
  });
  return signs;
}

/** Keeps the rows with the lowest numbers, in one list for each number. */
function newLeast(count: number, largest: number) {
  const lists: string[][] = Array.from({ length: largest + 1 }, () => []);
  let most = largest;
  let size = 0;
  return {
    /** A larger number is not among the lowest. */
    most: () => most,
    offer(id: string, value: number): void {
      (lists[value] as string[]).push(id);
      size += 1;
      for (let last = lists[most] as string[]; size - last.length >= count; last = lists[most] as string[]) {
        size -= last.length;
        lists[most] = [];
        most -= 1;
      }
    },
    /** A row that moved during the comparison was offered twice. */
    names: () => [...new Set(lists.flat())],
  };
}

/**
 * The number of bits in which a row differs. Eight words are added bit by bit with carry, and only the sums are
 * counted, which is half the work.
 */
function differences(rows: Int32Array, start: number, query: Int32Array): number {
  let count = 0;
  for (let at = 0; at < query.length; at += WORDS_AT_ONCE) {
    const from = start + at;
    const a = (rows[from] as number) ^ (query[at] as number);
    const b = (rows[from + 1] as number) ^ (query[at + 1] as number);
    const c = (rows[from + 2] as number) ^ (query[at + 2] as number);
    const d = (rows[from + 3] as number) ^ (query[at + 3] as number);
    const e = (rows[from + 4] as number) ^ (query[at + 4] as number);
    const f = (rows[from + 5] as number) ^ (query[at + 5] as number);
    const g = (rows[from + 6] as number) ^ (query[at + 6] as number);
    const h = (rows[from + 7] as number) ^ (query[at + 7] as number);
    const ab = a ^ b;
    const abc = ab ^ c;
    const de = d ^ e;
    const def = de ^ f;
    const six = abc ^ def;
    const seven = six ^ g;
    const ones = seven ^ h;
    const twoA = (a & b) | (ab & c);
    const twoB = (d & e) | (de & f);
    const twoC = (abc & def) | (six & g);
    const twoD = seven & h;
    const twoAB = twoA ^ twoB;
    const twoABC = twoAB ^ twoC;
    const twos = twoABC ^ twoD;
    const fourA = (twoA & twoB) | (twoAB & twoC);
    const fourB = twoABC & twoD;
    count += bitsIn(ones) + 2 * bitsIn(twos) + 4 * bitsIn(fourA ^ fourB) + 8 * bitsIn(fourA & fourB);
  }
  return count;
}

function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
