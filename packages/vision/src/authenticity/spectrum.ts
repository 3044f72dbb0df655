import { fourierOf } from './fourier.ts';

/** The side of a patch whose spectrum is taken. */
export const SIZE = 256;
export const HALF = SIZE / 2;
/** A frequency is compared with the mean of a square of this many around it. */
const AROUND = 7;
/** The rows of the spectrum that are computed: one half, because it is symmetric, and a margin for the means. */
const ROWS = HALF + AROUND + 1;
export const FIRST_ROW = ROWS - HALF;

const fourier = fourierOf(SIZE);

/**
 * How far each frequency of two patches stands above its surroundings, as a difference of natural logarithms of power.
 * Both patches are destroyed. The rows run from `-FIRST_ROW` waves down to `HALF - 1`, the columns from `-HALF` across.
 */
export function excessesOf(one: Float64Array, other: Float64Array): [Float64Array, Float64Array] {
  // One patch is the real, the other the imaginary part of one transform.
  fourier.rows(one, other);
  fourier.columns(one, other);
  const [first, second] = [new Float64Array(ROWS * SIZE), new Float64Array(ROWS * SIZE)];
  for (let row = 0; row < ROWS; row += 1) {
    const y = (row - FIRST_ROW + SIZE) % SIZE;
    const mirrorY = (SIZE - y) % SIZE;
    for (let x = 0; x < SIZE; x += 1) {
      const at = y * SIZE + x;
      const mirror = mirrorY * SIZE + ((SIZE - x) % SIZE);
      const ar = one[at] as number;
      const ai = other[at] as number;
      const br = one[mirror] as number;
      const bi = other[mirror] as number;
      // Moves the slowest waves to the middle, so that neighbouring frequencies are neighbours.
      const to = row * SIZE + ((x + HALF) % SIZE);
      first[to] = ((ar + br) * (ar + br) + (ai - bi) * (ai - bi)) / 4;
      second[to] = ((ai + bi) * (ai + bi) + (br - ar) * (br - ar)) / 4;
    }
  }
  return [excessOf(first), excessOf(second)];
}

function excessOf(power: Float64Array): Float64Array {
  const near = boxMean(power, 1);
  for (let at = 0; at < near.length; at += 1) near[at] = Math.log((near[at] as number) + 1);
  const around = boxMean(near, AROUND);
  for (let at = 0; at < near.length; at += 1) near[at] = (near[at] as number) - (around[at] as number);
  return near;
}

/** The mean of a square around every value, by running sums along rows and then along columns. */
function boxMean(values: Float64Array, reach: number): Float64Array {
  const share = 1 / (2 * reach + 1);
  const rows = values.length / SIZE;
  const across = new Float64Array(values.length);
  for (let from = 0; from < values.length; from += SIZE) {
    let sum = 0;
    for (let x = 0; x < reach; x += 1) sum += values[from + x] as number;
    for (let x = 0; x < SIZE; x += 1) {
      if (x + reach < SIZE) sum += values[from + x + reach] as number;
      if (x - reach - 1 >= 0) sum -= values[from + x - reach - 1] as number;
      across[from + x] = sum * share;
    }
  }
  // Adds and subtracts whole rows, because access by columns is slow.
  const means = new Float64Array(values.length);
  const sums = new Float64Array(SIZE);
  for (let y = -reach; y < rows; y += 1) {
    const [enters, leaves] = [(y + reach) * SIZE, (y - reach - 1) * SIZE];
    if (enters < values.length)
      for (let x = 0; x < SIZE; x += 1) sums[x] = (sums[x] as number) + (across[enters + x] as number);
    if (leaves >= 0) for (let x = 0; x < SIZE; x += 1) sums[x] = (sums[x] as number) - (across[leaves + x] as number);
    if (y >= 0) for (let x = 0; x < SIZE; x += 1) means[y * SIZE + x] = (sums[x] as number) * share;
  }
  return means;
}
