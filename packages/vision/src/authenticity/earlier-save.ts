import { apply, homography, type Quad, rectangle } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import type { JpegTable } from './jpeg-table.ts';

/** An area of the document, in shares of its width and height. */
type DocumentArea = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

const SIDE = 8;
/** The frequencies of a block that count: slower ones are coarse in every file, faster ones are mostly zero. */
const LEAST_WAVES = 1;
const MOST_WAVES = 6;
const MAX_BLOCKS = 1200;
/** Only an earlier save that was coarser than this one by at least this factor leaves a trace. */
const LEAST_FACTOR = 1.15;
const MAX_STEP = 40;
/** The share of values that miss the steps of an earlier save although there was one, through rounding and clipping. */
const STRAY = 0.06;
/** From this log-likelihood ratio on, a frequency certainly shows an earlier save of the card. */
const SURE = 12;
/** An earlier save shows at several frequencies; a repetitive picture may look like one at one or two. */
const MIN_SURE = 4;
/** A frequency says something about the portrait only if it expects this many values there, and this many must. */
const MIN_EXPECTED = 10;
const MIN_TELLING = 3;
/** A gap counts only if there are at least this many values on each side of it. */
const MIN_COUNT = 6;
/** A coefficient of more steps counts as one of this many. */
const MOST_STEPS = 128;

const COSINES = Float64Array.from({ length: SIDE * SIDE }, (_, i) => {
  const [wave, x] = [Math.floor(i / SIDE), i % SIDE];
  return Math.cos(((2 * x + 1) * wave * Math.PI) / 16) * (wave === 0 ? Math.SQRT1_2 : 1) * 0.5;
});

/**
 * Whether the portrait lacks an earlier save as JPEG that the card around it shows: 0 if both have the same history, about
 * 1 and more if the portrait shows no trace of the earlier save: the gaps are then as full as the rarer of their borders,
 * or fuller. A photograph that is edited is saved a second time, but what was pasted in has then been saved only once.
 * Undefined where the card shows no earlier save, as in a picture that was taken and sent.
 */
export function missingSave(image: Raster, quad: Quad, table: JpegTable, portrait: DocumentArea): number | undefined {
  // A rotated or reduced picture has other blocks, so nothing can be compared.
  if (image.width !== table.width || image.height !== table.height) return undefined;
  const { inside, outside } = blocksOf(image, quad, portrait);
  const waves = frequencies();
  const values = (blocks: readonly number[]) => coefficients(image, blocks, waves, table.steps);
  const [own, around] = [values(inside), values(outside)];
  let sure = 0;
  const shares: number[] = [];
  waves.forEach((wave, i) => {
    const step = table.steps[wave] as number;
    const earlier = earlierStep(around[i] as Uint16Array, step);
    if (earlier === undefined) return;
    sure += 1;
    const { inGaps, expected } = gapsOf(own[i] as Uint16Array, step, earlier);
    if (expected >= MIN_EXPECTED) shares.push(Math.max(0, (inGaps - STRAY * expected) / ((1 - STRAY) * expected)));
  });
  if (sure < MIN_SURE || shares.length < MIN_TELLING) return undefined;
  // One or two frequencies may have a wrong step, so the lower median decides.
  return shares.sort((one, other) => one - other)[Math.floor((shares.length - 1) / 2)];
}

function frequencies(): number[] {
  const waves: number[] = [];
  for (let v = 0; v < SIDE; v += 1) {
    for (let u = 0; u < SIDE; u += 1) if (u + v >= LEAST_WAVES && u + v <= MOST_WAVES) waves.push(v * SIDE + u);
  }
  return waves;
}

/** The whole JPEG blocks inside the portrait, and those on the card away from it; each by the index of its first pixel. */
function blocksOf(
  { width, height }: Raster,
  quad: Quad,
  portrait: DocumentArea,
): { inside: number[]; outside: number[] } {
  const map = homography(quad, rectangle(1, 1));
  const xs = quad.map(({ x }) => x);
  const ys = quad.map(({ y }) => y);
  const first = (values: number[]) => Math.max(0, Math.ceil(Math.min(...values) / SIDE) * SIDE);
  const [inside, outside]: [number[], number[]] = [[], []];
  for (let y = first(ys); y + SIDE <= Math.min(height, Math.max(...ys)); y += SIDE) {
    for (let x = first(xs); x + SIDE <= Math.min(width, Math.max(...xs)); x += SIDE) {
      const on = apply(map, { x: x + SIDE / 2, y: y + SIDE / 2 });
      if (on.x < 0.02 || on.y < 0.02 || on.x > 0.98 || on.y > 0.98) continue;
      const dx = Math.abs(on.x - portrait.x - portrait.width / 2) / portrait.width;
      const dy = Math.abs(on.y - portrait.y - portrait.height / 2) / portrait.height;
      if (dx < 0.5 && dy < 0.5) inside.push(y * width + x);
      else if (dx > 1.4 || dy > 1.4) outside.push(y * width + x);
    }
  }
  return { inside: thinned(inside), outside: thinned(outside) };
}

function thinned(blocks: readonly number[]): number[] {
  const every = Math.max(1, blocks.length / MAX_BLOCKS);
  return Array.from({ length: Math.min(blocks.length, MAX_BLOCKS) }, (_, i) => blocks[Math.floor(i * every)] as number);
}

/** For each frequency, a histogram over the blocks of its coefficient in quantisation steps, without the sign. */
function coefficients(
  image: Raster,
  blocks: readonly number[],
  waves: readonly number[],
  steps: Uint16Array,
): Uint16Array[] {
  const countsByWave = waves.map(() => new Uint16Array(MOST_STEPS));
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
      for (let u = 0; u <= Math.min(MOST_WAVES, SIDE - 1); u += 1) {
        let sum = 0;
        for (let x = 0; x < SIDE; x += 1) sum += (light[y * SIDE + x] as number) * (COSINES[u * SIDE + x] as number);
        across[y * SIDE + u] = sum;
      }
    }
    for (let i = 0; i < waves.length; i += 1) {
      const wave = waves[i] as number;
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

/** The quantisation step of an earlier, coarser save that explains the values best; undefined if none does surely. */
function earlierStep(counts: Uint16Array, step: number): number | undefined {
  let best: number | undefined;
  let most = SURE;
  for (let earlier = Math.ceil(step * LEAST_FACTOR); earlier <= MAX_STEP; earlier += 1) {
    const { inGaps, expected } = gapsOf(counts, step, earlier);
    // Values in the gaps are rare: few with an earlier save, as many as beside the gaps without one.
    const likelihood = inGaps * Math.log(STRAY) + expected * (1 - STRAY);
    if (likelihood > most) [best, most] = [earlier, likelihood];
  }
  return best;
}

/** Whether this number of steps corresponds to a step of the earlier save. */
function isOn(count: number, step: number, earlier: number): boolean {
  const light = count * step;
  const nearest = Math.round(light / earlier) * earlier;
  return Math.abs(light - nearest) <= step / 2 + 1;
}

/**
 * Counts the values in the gaps that an earlier save would have left, and how many at least would lie there without one:
 * larger values are rarer, so a gap expects as many per value as the rarer of its two borders has.
 */
function gapsOf(counts: Uint16Array, step: number, earlier: number): { inGaps: number; expected: number } {
  let [inGaps, expected] = [0, 0];
  let left = 0;
  for (let right = 1; right < MOST_STEPS; right += 1) {
    if (!isOn(right, step, earlier)) continue;
    const [before, behind] = [counts[left] as number, counts[right] as number];
    // Zero is far more frequent than any other value, and a few single values prove nothing.
    if (left > 0 && Math.min(before, behind) >= MIN_COUNT) {
      for (let gap = left + 1; gap < right; gap += 1) {
        inGaps += counts[gap] as number;
        expected += Math.min(before, behind);
      }
    }
    left = right;
  }
  return { inGaps, expected };
}
