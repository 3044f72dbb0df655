import type { Raster } from '../images/raster.ts';

/** The side of a block of a JPEG. */
export const SIDE = 8;
/** Frequencies of a block that are looked at: the mean tells nothing, and fast ones are mostly zero. */
const MOST_WAVES = 6;
/** Frequencies by their place in the table of a JPEG. */
export const WAVES: readonly number[] = Array.from({ length: SIDE * SIDE }, (_, wave) => wave).filter((wave) => {
  const waves = (wave >> 3) + (wave & 7);
  return waves > 0 && waves <= MOST_WAVES;
});
/** A coefficient of more steps counts as one of this many. */
export const MOST_STEPS = 128;

const COSINES = Float64Array.from({ length: SIDE * SIDE }, (_, i) => {
  const [wave, x] = [Math.floor(i / SIDE), i % SIDE];
  return Math.cos(((2 * x + 1) * wave * Math.PI) / 16) * (wave === 0 ? Math.SQRT1_2 : 1) * 0.5;
});

/** For each of `WAVES`, how many of the blocks have a coefficient of so many quantisation steps, without its sign. */
export function countSteps(image: Raster, blocks: readonly number[], steps: Uint16Array): Uint16Array[] {
  const countsByWave = WAVES.map(() => new Uint16Array(MOST_STEPS));
  const light = new Float64Array(SIDE * SIDE);
  const across = new Float64Array(SIDE * SIDE);
  const { data, width } = image;
  for (const start of blocks) {
    for (let y = 0; y < SIDE; y += 1) {
      for (let x = 0; x < SIDE; x += 1) {
        const from = (start + y * width + x) * 3;
        light[y * SIDE + x] =
          0.299 * (data[from] as number) + 0.587 * (data[from + 1] as number) + 0.114 * (data[from + 2] as number);
      }
    }
    for (let y = 0; y < SIDE; y += 1) {
      for (let u = 0; u <= MOST_WAVES; u += 1) {
        let sum = 0;
        for (let x = 0; x < SIDE; x += 1) sum += (light[y * SIDE + x] as number) * (COSINES[u * SIDE + x] as number);
        across[y * SIDE + u] = sum;
      }
    }
    for (let i = 0; i < WAVES.length; i += 1) {
      const wave = WAVES[i] as number;
      const v = wave >> 3;
      const u = wave & 7;
      let sum = 0;
      for (let y = 0; y < SIDE; y += 1) sum += (across[y * SIDE + u] as number) * (COSINES[v * SIDE + y] as number);
      const count = Math.min(MOST_STEPS - 1, Math.round(Math.abs(sum) / (steps[wave] as number)));
      const counts = countsByWave[i] as Uint16Array;
      counts[count] = (counts[count] as number) + 1;
    }
  }
  return countsByWave;
}

/** The whole blocks in an area of the picture, each by the index of its first pixel. */
export function blocksWithin(
  { width, height }: Raster,
  left: number,
  top: number,
  right: number,
  bottom: number,
): number[] {
  const blocks: number[] = [];
  const first = (value: number): number => Math.max(0, Math.ceil(value / SIDE) * SIDE);
  for (let y = first(top); y + SIDE <= Math.min(height, bottom); y += SIDE) {
    for (let x = first(left); x + SIDE <= Math.min(width, right); x += SIDE) blocks.push(y * width + x);
  }
  return blocks;
}
