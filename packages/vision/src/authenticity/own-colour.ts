import type { Raster } from '../images/raster.ts';
import { resize } from '../images/warp.ts';

const WIDTH = 400;
/** A block is the mean of this many pixels across and down: noise and the fringes of a lens are finer. */
const BLOCK = 3;
/** 1, L, L², L³, and the position, alone and with L: a lamp's tint changes with both, print does not. */
const TERMS = 8;
const ROW = TERMS + 2;
/** The share of the blocks whose colour is at least that of the side: a little print in colour is enough. */
const COLOURED_SHARE = 0.05;
/**
 * A block outside these has lost its colour. So has one in or beside which the light clips a pixel: clipped and other colours
 * mix there, and lightness does not explain the mixture.
 */
const [DARKEST, LIGHTEST, CLIPPED] = [8, 97, 250];
const MIN_BLOCKS = 25 * TERMS;
/** The fit needs thousands of blocks, and uses each fourth. */
const FIT_EVERY = 4;

/** The margins, in shares of the sides, which may show the table or the fingers that hold the document. */
const [MARGIN_ACROSS, MARGIN_DOWN] = [0.15, 0.2];

/**
 * How much colour a document has beyond the tint of the light: the deviation of a* and b* (CIE Lab) from what lightness
 * and position explain, which a twentieth of the blocks exceed. A grey copy under any lamp has next to none, at least within
 * its margins.
 */
export function ownColour(straight: Raster): number {
  const height = Math.max(8, Math.round((straight.height * WIDTH) / straight.width));
  const image = resize(straight, WIDTH, height);
  return Math.min(colourOf(blocksOf(image, 0, 0)), colourOf(blocksOf(image, MARGIN_ACROSS, MARGIN_DOWN)));
}

/** The blocks that are neither black nor clipped: of each, the terms, then a and b. */
type Blocks = { readonly rows: Float64Array; readonly count: number };

function blocksOf(image: Raster, marginAcross: number, marginDown: number): Blocks {
  const { width, height } = image;
  const [left, top] = [Math.max(1, Math.round(width * marginAcross)), Math.max(1, Math.round(height * marginDown))];
  const [across, down] = [Math.floor((width - 2 * left) / BLOCK), Math.floor((height - 2 * top) / BLOCK)];
  const rows = new Float64Array(across * down * ROW);
  let count = 0;
  for (let block = 0; block < across * down; block += 1) {
    const [x, y] = [left + (block % across) * BLOCK, top + Math.floor(block / across) * BLOCK];
    if (isClippedNear(image, x, y)) continue;
    const [lightness, a, b] = labAt(image, x, y);
    if (lightness < DARKEST || lightness > LIGHTEST) continue;
    const [light, u, v] = [lightness / 100, x / width - 0.5, y / height - 0.5];
    rows.set([1, light, light ** 2, light ** 3, u, v, u * light, v * light, a, b], count * ROW);
    count += 1;
  }
  return { rows, count };
}

function isClippedNear({ width, data }: Raster, left: number, top: number): boolean {
  for (let y = top - 1; y <= top + BLOCK; y += 1) {
    const from = (y * width + left - 1) * 3;
    for (let at = from; at < from + (BLOCK + 2) * 3; at += 1) if ((data[at] as number) >= CLIPPED) return true;
  }
  return false;
}

function colourOf(blocks: Blocks): number {
  const { rows, count } = blocks;
  if (count < MIN_BLOCKS) return 0;
  const [byA, byB] = fit(blocks);
  const rests = new Float64Array(count);
  for (let at = 0; at < count; at += 1) {
    let [a, b] = [rows[at * ROW + TERMS] as number, rows[at * ROW + TERMS + 1] as number];
    for (let i = 0; i < TERMS; i += 1) {
      const term = rows[at * ROW + i] as number;
      a -= term * (byA[i] as number);
      b -= term * (byB[i] as number);
    }
    rests[at] = Math.hypot(a, b);
  }
  return rests.sort()[Math.floor(count * (1 - COLOURED_SHARE))] as number;
}

/** The factors with which the terms come nearest to a, and those for b. */
function fit({ rows, count }: Blocks): readonly [byA: Float64Array, byB: Float64Array] {
  // The sums of the products of terms and values are all that the fit needs.
  const sums = Array.from({ length: TERMS }, () => new Float64Array(ROW));
  for (let from = 0; from < count * ROW; from += FIT_EVERY * ROW) {
    for (let i = 0; i < TERMS; i += 1) {
      const line = sums[i] as Float64Array;
      const term = rows[from + i] as number;
      for (let j = 0; j < ROW; j += 1) line[j] = (line[j] as number) + term * (rows[from + j] as number);
    }
  }
  const factorsOf = (column: number) =>
    solve(sums.map((line) => Float64Array.of(...line.subarray(0, TERMS), line[column] as number)));
  return [factorsOf(TERMS), factorsOf(TERMS + 1)];
}

function linear(share: number): number {
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
/** Of the sum of all pixels of a block. */
const MOST_SUM = 255 * BLOCK ** 2;
const LINEAR = Float64Array.from({ length: MOST_SUM + 1 }, (_, sum) => linear(sum / MOST_SUM));

function cubeRoot(share: number): number {
  return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116;
}

function labAt({ width, data }: Raster, left: number, top: number): readonly [light: number, a: number, b: number] {
  let [red, green, blue] = [0, 0, 0];
  for (let y = top; y < top + BLOCK; y += 1) {
    const from = (y * width + left) * 3;
    for (let at = from; at < from + BLOCK * 3; at += 3) {
      red += data[at] as number;
      green += data[at + 1] as number;
      blue += data[at + 2] as number;
    }
  }
  const [r, g, b] = [LINEAR[red] as number, LINEAR[green] as number, LINEAR[blue] as number];
  const x = cubeRoot((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = cubeRoot(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = cubeRoot((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Gaussian elimination with a little ridge, so that a page of one lightness has an answer as well. */
function solve(matrix: readonly Float64Array[]): Float64Array {
  const size = matrix.length;
  for (let i = 0; i < size; i += 1) {
    const row = matrix[i] as Float64Array;
    row[i] = (row[i] as number) + 1e-6;
  }
  for (let i = 0; i < size; i += 1) {
    const pivot = matrix[i] as Float64Array;
    for (let k = 0; k < size; k += 1) {
      if (k === i) continue;
      const other = matrix[k] as Float64Array;
      const factor = (other[i] as number) / (pivot[i] as number);
      for (let j = i; j <= size; j += 1) other[j] = (other[j] as number) - factor * (pivot[j] as number);
    }
  }
  return Float64Array.from(matrix, (row, i) => (row[size] as number) / (row[i] as number));
}
