import type { Quad } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { fourierOf } from './fourier.ts';

const SIZE = 256;
const HALF = SIZE / 2;
/** Patches in rows and columns of the document. Two are transformed at once, so their number is even. */
const ACROSS = 4;
const DOWN = 2;
/** Slower than this many waves in a patch is what the document shows, not how it was made. */
const MIN_WAVES = 24;
/** JPEG repeats every 8 pixels: that many waves in a patch, and so near to them, say nothing. */
const JPEG_STEP = SIZE / 8;
const JPEG_MARGIN = 2;
/** A frequency is compared with the mean of a square of this many around it. */
const AROUND = 7;

const fourier = fourierOf(SIZE);
/** Whether JPEG alone may be the cause, by row or column of the spectrum. */
const JPEG = Uint8Array.from({ length: SIZE }, (_, at) => {
  const rest = Math.abs(at - HALF) % JPEG_STEP;
  return Math.min(rest, JPEG_STEP - rest) <= JPEG_MARGIN ? 1 : 0;
});
const WINDOW = Float64Array.from({ length: SIZE }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / SIZE));

/**
 * How far one frequency stands above its surroundings, in half of the patches or more, as a difference of natural
 * logarithms of power. The pixels of a screen, the beat between them and the camera's, and the dots of a printer all are
 * such frequencies, everywhere on the document; fine print is one here and there. Undefined where the picture is too small.
 */
export function gridPeak(image: Raster, quad: Quad): number | undefined {
  const bounds = boundsOf(quad, image);
  if (bounds.width < SIZE || bounds.height < SIZE) return undefined;
  const places = Array.from({ length: ACROSS * DOWN }, (_, i) => ({
    left: Math.round(bounds.left + ((bounds.width - SIZE) * (i % ACROSS)) / (ACROSS - 1)),
    top: Math.round(bounds.top + ((bounds.height - SIZE) * Math.floor(i / ACROSS)) / (DOWN - 1)),
  }));
  const peaks: number[] = [];
  for (let i = 0; i < places.length; i += 2) {
    const powers = powersOf(patch(image, places[i] as Place), patch(image, places[i + 1] as Place));
    peaks.push(...powers.map(peakOf));
  }
  return peaks.sort((one, other) => one - other)[peaks.length >> 1];
}

type Place = { readonly left: number; readonly top: number };

/** The rectangle inside the outline: a tenth is left off at every side, so that hardly any table is in it. */
function boundsOf(quad: Quad, { width, height }: Raster) {
  const xs = quad.map(({ x }) => x).sort((one, other) => one - other) as [number, number, number, number];
  const ys = quad.map(({ y }) => y).sort((one, other) => one - other) as [number, number, number, number];
  const left = Math.max(0, xs[0] * 0.7 + xs[3] * 0.03 + xs[1] * 0.27);
  const right = Math.min(width, xs[3] * 0.7 + xs[0] * 0.03 + xs[2] * 0.27);
  const top = Math.max(0, ys[0] * 0.7 + ys[3] * 0.03 + ys[1] * 0.27);
  const bottom = Math.min(height, ys[3] * 0.7 + ys[0] * 0.03 + ys[2] * 0.27);
  return { left, top, width: right - left, height: bottom - top };
}

/** Green, which cameras sample most finely, without what changes slowly. */
function patch({ width, data }: Raster, { left, top }: Place): Float64Array {
  const values = new Float64Array(SIZE * SIZE);
  const line = width * 3;
  for (let y = 1; y < SIZE - 1; y += 1) {
    const row = WINDOW[y] as number;
    for (let x = 1, at = (top + y) * line + (left + 1) * 3 + 1; x < SIZE - 1; x += 1, at += 3) {
      const here = data[at] as number;
      const beside = (data[at - 3] as number) + (data[at + 3] as number);
      const above = (data[at - line] as number) + (data[at + line] as number);
      const corners =
        (data[at - line - 3] as number) +
        (data[at - line + 3] as number) +
        (data[at + line - 3] as number) +
        (data[at + line + 3] as number);
      const rest = here - (4 * here + 2 * (beside + above) + corners) / 16;
      // A sharp edge would fill the whole spectrum.
      values[y * SIZE + x] = Math.min(24, Math.max(-24, rest)) * (WINDOW[x] as number) * row;
    }
  }
  return values;
}

/** The powers of two patches: one is the real, the other the imaginary part of one transform. */
function powersOf(one: Float64Array, other: Float64Array): [Float64Array, Float64Array] {
  for (let y = 0; y < SIZE; y += 1) {
    fourier(one.subarray(y * SIZE, (y + 1) * SIZE), other.subarray(y * SIZE, (y + 1) * SIZE));
  }
  const re = new Float64Array(SIZE);
  const im = new Float64Array(SIZE);
  for (let x = 0; x < SIZE; x += 1) {
    for (let y = 0; y < SIZE; y += 1) {
      re[y] = one[y * SIZE + x] as number;
      im[y] = other[y * SIZE + x] as number;
    }
    fourier(re, im);
    for (let y = 0; y < SIZE; y += 1) {
      one[y * SIZE + x] = re[y] as number;
      other[y * SIZE + x] = im[y] as number;
    }
  }
  const [first, second] = [new Float64Array(SIZE * SIZE), new Float64Array(SIZE * SIZE)];
  for (let y = 0; y < SIZE; y += 1) {
    for (let x = 0; x < SIZE; x += 1) {
      // The slowest waves are put in the middle, so that neighbours are neighbours.
      const to = ((y + HALF) % SIZE) * SIZE + ((x + HALF) % SIZE);
      const at = y * SIZE + x;
      const mirror = ((SIZE - y) % SIZE) * SIZE + ((SIZE - x) % SIZE);
      const ar = one[at] as number;
      const ai = other[at] as number;
      const br = one[mirror] as number;
      const bi = other[mirror] as number;
      first[to] = ((ar + br) ** 2 + (ai - bi) ** 2) / 4;
      second[to] = ((ai + bi) ** 2 + (br - ar) ** 2) / 4;
    }
  }
  return [first, second];
}

function peakOf(power: Float64Array): number {
  const near = boxMean(power, 1);
  for (let at = (HALF - AROUND) * SIZE; at < near.length; at += 1) near[at] = Math.log((near[at] as number) + 1);
  const around = boxMean(near, AROUND);
  let best = 0;
  for (let y = HALF; y < SIZE - 8; y += 1) {
    const v = y - HALF;
    for (let x = 8; x < SIZE - 8; x += 1) {
      const u = x - HALF;
      if (u * u + v * v <= MIN_WAVES * MIN_WAVES || (JPEG[x] && JPEG[y])) continue;
      const above = (near[y * SIZE + x] as number) - (around[y * SIZE + x] as number);
      if (above > best) best = above;
    }
  }
  return best;
}

/** The mean of a square around every value, by running sums along rows and then along columns. */
function boxMean(values: Float64Array, reach: number): Float64Array {
  const share = 1 / (2 * reach + 1);
  const across = new Float64Array(values.length);
  for (let from = 0; from < values.length; from += SIZE) {
    let sum = 0;
    for (let x = -reach; x < SIZE; x += 1) {
      if (x + reach < SIZE) sum += values[from + x + reach] as number;
      if (x - reach - 1 >= 0) sum -= values[from + x - reach - 1] as number;
      if (x >= 0) across[from + x] = sum * share;
    }
  }
  // Whole rows are added and taken away, because columns are slow to walk along.
  const means = new Float64Array(values.length);
  const sums = new Float64Array(SIZE);
  const add = (y: number, sign: number): void => {
    for (let x = 0; x < SIZE; x += 1) sums[x] = (sums[x] as number) + sign * (across[y * SIZE + x] as number);
  };
  for (let y = -reach; y < SIZE; y += 1) {
    if (y + reach < SIZE) add(y + reach, 1);
    if (y - reach - 1 >= 0) add(y - reach - 1, -1);
    if (y >= 0) for (let x = 0; x < SIZE; x += 1) means[y * SIZE + x] = (sums[x] as number) * share;
  }
  return means;
}
