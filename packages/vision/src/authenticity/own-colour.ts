import type { Raster } from '../images/raster.ts';
import { resize } from '../images/warp.ts';

const WIDTH = 400;
/** The step between sampled pixels: the fit needs thousands of points, not a hundred thousand. */
const STRIDE = 5;
/** 1, L, L², L³, and the position, alone and with L: a lamp's tint changes with both, print does not. */
const TERMS = 8;

/** The margins, in shares of the sides, which may show the table or the fingers that hold the document. */
const [MARGIN_ACROSS, MARGIN_DOWN] = [0.15, 0.2];

/**
 * How much colour a document has beyond the tint of the light: the deviation of a* and b* (CIE Lab) from what lightness
 * and place alone explain. A grey copy under any lamp has next to none, at least within its margins.
 */
export function ownColour(straight: Raster): number {
  const height = Math.max(8, Math.round((straight.height * WIDTH) / straight.width));
  const image = resize(straight, WIDTH, height);
  return Math.min(colourOf(image), colourOf(withoutMargins(image)));
}

function withoutMargins({ width, height, data }: Raster): Raster {
  const [left, top] = [Math.round(width * MARGIN_ACROSS), Math.round(height * MARGIN_DOWN)];
  const [across, down] = [width - 2 * left, height - 2 * top];
  const part = new Uint8Array(across * down * 3);
  for (let row = 0; row < down; row += 1) {
    const from = ((top + row) * width + left) * 3;
    part.set(data.subarray(from, from + across * 3), row * across * 3);
  }
  return { width: across, height: down, data: part };
}

/** With a smaller share of pixels that are neither black nor clipped, the rest is mostly the edges of print. */
const LEAST_UNCLIPPED = 0.5;
const FLAT_STRIDE = 2;
/** A pixel is flat if its neighbours differ by at most this much green. */
const FLAT_STEPS = 14;
const MIN_POINTS = 50 * TERMS;
const MIN_FLAT_POINTS = 25 * TERMS;

/**
 * If the light clips a colour of the paper, the pixels at the edges of print mix clipped with other colours, and lightness
 * does not explain the mixture. Then flat places count as well. They alone do not, because few are left of a genuine
 * document: it is the geometric mean of both.
 */
function colourOf(image: Raster): number {
  const all = restOn(image, STRIDE, () => true);
  if (all.unclippedShare >= LEAST_UNCLIPPED) return all.count < MIN_POINTS ? 0 : all.rest;
  const flat = restOn(image, FLAT_STRIDE, (x, y) => isFlat(image, x, y));
  return flat.count < MIN_FLAT_POINTS ? 0 : Math.sqrt(flat.rest * all.rest);
}

function isFlat({ width, height, data }: Raster, x: number, y: number): boolean {
  if (x === 0 || y === 0 || x === width - 1 || y === height - 1) return false;
  let [least, most] = [255, 0];
  for (let row = y - 1; row <= y + 1; row += 1) {
    for (let column = x - 1; column <= x + 1; column += 1) {
      const green = data[(row * width + column) * 3 + 1] as number;
      least = Math.min(least, green);
      most = Math.max(most, green);
    }
  }
  return most - least <= FLAT_STEPS;
}

/** The colour that the terms leave at the relevant places, and the share of places neither black nor clipped. */
function restOn(
  { width, height, data }: Raster,
  stride: number,
  counts: (x: number, y: number) => boolean,
): { rest: number; count: number; unclippedShare: number } {
  // Each row: the terms, then a and b. The sums of their products are all that the fit needs.
  const row = new Float64Array(TERMS + 2);
  const sums = Array.from({ length: TERMS + 2 }, () => new Float64Array(TERMS + 2));
  let [count, unclipped, places] = [0, 0, 0];
  for (let y = 0; y < height; y += stride) {
    for (let x = 0; x < width; x += stride) {
      places += 1;
      const at = (y * width + x) * 3;
      const lab = labOf(data[at] as number, data[at + 1] as number, data[at + 2] as number);
      // Black or clipped pixels have lost their colour.
      if (lab[0] < 8 || lab[0] > 97) continue;
      unclipped += 1;
      if (!counts(x, y)) continue;
      const light = lab[0] / 100;
      const [u, v] = [x / width - 0.5, y / height - 0.5];
      row.set([1, light, light ** 2, light ** 3, u, v, u * light, v * light, lab[1], lab[2]]);
      for (let i = 0; i < TERMS + 2; i += 1) {
        const line = sums[i] as Float64Array;
        for (let j = 0; j < TERMS + 2; j += 1) line[j] = (line[j] as number) + (row[i] as number) * (row[j] as number);
      }
      count += 1;
    }
  }
  return {
    rest: Math.sqrt((restOf(sums, TERMS) + restOf(sums, TERMS + 1)) / Math.max(1, count)),
    count,
    unclippedShare: unclipped / places,
  };
}

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
const LINEAR = Float64Array.from({ length: 256 }, (_, value) => linear(value));

function cubeRoot(share: number): number {
  return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116;
}

function labOf(red: number, green: number, blue: number): [light: number, a: number, b: number] {
  const [r, g, b] = [LINEAR[red] as number, LINEAR[green] as number, LINEAR[blue] as number];
  const x = cubeRoot((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505);
  const y = cubeRoot(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = cubeRoot((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** The sum of squares that is left of the values in a column after the best fit of the terms. */
function restOf(sums: readonly Float64Array[], column: number): number {
  const products = sums.map((line) => line[column] as number);
  const matrix = Array.from({ length: TERMS }, (_, i) =>
    Float64Array.from([...(sums[i] as Float64Array).subarray(0, TERMS), products[i] as number]),
  );
  const explainedSum = solve(matrix).reduce((sum, factor, i) => sum + factor * (products[i] as number), 0);
  return Math.max(0, (products[column] as number) - explainedSum);
}

/** Gaussian elimination with a little ridge, so that a page of one lightness has an answer as well. */
function solve(matrix: readonly Float64Array[]): number[] {
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
  return matrix.map((row, i) => (row[size] as number) / (row[i] as number));
}
