import { apply, homography, type Quad, rectangle } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { blocksWithin, countSteps, MOST_STEPS, SIDE, WAVES } from './jpeg-blocks.ts';
import type { JpegTable } from './jpeg-table.ts';
import { median, variationOf } from './median.ts';
import {
  excessOf,
  FREEDOM,
  fitDensity,
  fullLikelihood,
  NO_PATTERN,
  type StepPattern,
  stepPattern,
} from './step-density.ts';

/** An area of the document, in shares of its width and height. */
type DocumentArea = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** This many blocks are enough to show how the card was saved. */
const MAX_BLOCKS = 6000;
/** The steps of earlier saves that are tried: at most the step of the file multiplied by this, and at most `MAX_STEP`. */
const MOST_COARSE = 8;
const MAX_STEP = 60;
/** This many of them, the most promising ones, are compared closely. */
const CLOSELY = 3;
/** The share of values that miss the steps of an earlier save although there was one, through clipping. */
const STRAY = 0.06;
/** The distance of a value from a step after the pixels of the earlier save were rounded. */
const ROUNDING = 0.4;
/** From this logarithm of a likelihood ratio on, a frequency surely shows an earlier save of the card. */
const SURE = 10;
/** A save leaves its steps at several frequencies; a picture that repeats itself may do so at one or two. */
const MIN_TRACES = 3;
/** Fewer digits do not show how their evidence varies. */
const MIN_DIGITS = 8;
const MIN_OTHERS = 5;
/** How far two digits together must be from the others, as a multiple of their variation, which is 1 at least. */
const LEAST_OUTSTANDING = 6.7;
const LEAST_VARIATION = 1;

/** A frequency that shows an earlier save, and what that save did to it. */
type Trace = { readonly at: number; readonly pattern: StepPattern };
/** How the card was saved before, and its blocks that are surely portrait. */
export type EarlierSave = {
  readonly image: Raster;
  readonly table: JpegTable;
  readonly traces: readonly Trace[];
  readonly portrait: readonly number[];
};

/**
 * What the card shows of an earlier save as JPEG: an edited photograph is saved a second time, but what was put in has been
 * saved only once, or moved off its blocks. Undefined where the card shows none.
 */
export function findEarlierSave(
  image: Raster,
  quad: Quad,
  table: JpegTable | undefined,
  portrait?: DocumentArea,
): EarlierSave | undefined {
  // Turning or reducing a picture moves its blocks, so nothing can be compared then.
  if (!table || image.width !== table.width || image.height !== table.height) return undefined;
  const { inside, outside } = blocksOf(image, quad, portrait);
  const counts = countSteps(image, outside, table.steps);
  const traces = counts.flatMap((each, at) => traceIn(each, at, table.steps[WAVES[at] as number] as number) ?? []);
  return traces.length < MIN_TRACES ? undefined : { image, table, traces, portrait: inside };
}

/**
 * How much likelier the portrait is without the earlier save than with it, as a logarithm: far below 0 if it has the history
 * of the card, far above if it was put in since.
 */
export function missingInPortrait({ image, table, traces, portrait }: EarlierSave): number {
  const counts = countSteps(image, portrait, table.steps);
  return traces.reduce((sum, { at, pattern }) => {
    const own = counts[at] as Uint16Array;
    const without = fitDensity(own, NO_PATTERN);
    return sum + without.likelihood - fitDensity(own, pattern, without.terms).likelihood;
  }, 0);
}

/**
 * The same for the two digits of the zone that lack the save most, by the blocks on each: to change a number together with
 * its check digit takes two. What the third lacks, others may lack as well. At most 0 where the two do not stand out: where
 * the light clips the paper, the save is missing in parts of any digit.
 */
export function missingInDigits(
  { image, table, traces }: EarlierSave,
  digits: readonly (readonly number[])[],
): number | undefined {
  if (digits.length < MIN_DIGITS) return undefined;
  const counts = digits.map((blocks) => countSteps(image, blocks, table.steps));
  const excesses = traces.map(({ at, pattern }) => {
    const all = new Uint16Array(MOST_STEPS).map((_, k) => counts.reduce((sum, each) => sum + (each[at]?.[k] ?? 0), 0));
    return excessOf(fitDensity(all, pattern), pattern);
  });
  const evidence = counts
    .map((each, i) => ({
      blocks: digits[i] as readonly number[],
      save: traces.reduce((sum, { at }, k) => sum + dot(each[at] as Uint16Array, excesses[k] as Float64Array), 0),
    }))
    .sort((one, other) => one.save - other.save);
  return lackOfTwo(evidence);
}

type DigitEvidence = { readonly blocks: readonly number[]; readonly save: number };

/** By ascending evidence of the save. The neighbours of a moved digit lack it as well, on the blocks that both share. */
export function lackOfTwo(evidence: readonly DigitEvidence[]): number | undefined {
  const isApart = (one: DigitEvidence, other: DigitEvidence) =>
    !one.blocks.some((block) => other.blocks.includes(block));
  const first = evidence[0] as DigitEvidence;
  const second = evidence.find((each) => isApart(each, first));
  if (!second) return undefined;
  const others = evidence.filter((each) => isApart(each, first) && isApart(each, second)).map(({ save }) => save);
  if (others.length < MIN_OTHERS) return undefined;
  const usual = median(others);
  const variation = LEAST_VARIATION + variationOf(others);
  const outstanding = (2 * usual - first.save - second.save) / variation;
  const lack = 2 * Math.min(0, others[0] as number) - first.save - second.save;
  return outstanding < LEAST_OUTSTANDING ? Math.min(0, lack) : lack;
}

function dot(counts: Uint16Array, values: Float64Array): number {
  return values.reduce((sum, value, k) => sum + value * (counts[k] as number), 0);
}

/** The blocks inside the portrait, and some of those on the card away from it. */
function blocksOf(image: Raster, quad: Quad, portrait: DocumentArea | undefined) {
  const map = homography(quad, rectangle(1, 1));
  const xs = quad.map(({ x }) => x);
  const ys = quad.map(({ y }) => y);
  const [inside, outside]: [number[], number[]] = [[], []];
  for (const block of blocksWithin(image, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys))) {
    const middle = { x: (block % image.width) + SIDE / 2, y: Math.floor(block / image.width) + SIDE / 2 };
    const on = apply(map, middle);
    if (on.x < 0.02 || on.y < 0.02 || on.x > 0.98 || on.y > 0.98) continue;
    const dx = portrait ? Math.abs(on.x - portrait.x - portrait.width / 2) / portrait.width : Number.POSITIVE_INFINITY;
    const dy = portrait ? Math.abs(on.y - portrait.y - portrait.height / 2) / portrait.height : 0;
    if (dx < 0.5 && dy < 0.5) inside.push(block);
    else if (dx > 1.4 || dy > 1.4) outside.push(block);
  }
  const every = Math.max(1, outside.length / MAX_BLOCKS);
  const some = Array.from(
    { length: Math.min(outside.length, MAX_BLOCKS) },
    (_, i) => outside[Math.floor(i * every)] as number,
  );
  return { inside, outside: some };
}

/** The earlier save that explains the counts of a frequency best; undefined if none does surely. */
function traceIn(counts: Uint16Array, at: number, step: number): Trace | undefined {
  const without = fitDensity(counts, NO_PATTERN);
  const steps = Array.from({ length: Math.min(MAX_STEP, MOST_COARSE * step) - 1 }, (_, i) => i + 2);
  const best = steps
    .filter((earlier) => earlier !== step)
    .map((earlier) => patternOf(step, earlier))
    .map((pattern) => ({ pattern, promise: dot(counts, excessOf(without, pattern)) }))
    .sort((one, other) => other.promise - one.promise)
    .slice(0, CLOSELY)
    .map(({ pattern }) => ({ pattern, likelihood: fitDensity(counts, pattern, without.terms).likelihood }))
    .sort((one, other) => other.likelihood - one.likelihood)[0];
  if (!best) return undefined;
  // No density fits quite, and the worse it fits, the less a gain says.
  const misfit = Math.max(1, (2 * (fullLikelihood(counts) - best.likelihood)) / FREEDOM);
  return (best.likelihood - without.likelihood) / misfit < SURE ? undefined : { at, pattern: best.pattern };
}

/** A file has at most 64 steps, each with at most `MAX_STEP` earlier ones. Files with other tables must not fill the memory. */
const MAX_PATTERNS = 64 * MAX_STEP;
const patterns = new Map<string, StepPattern>();

/** What a save with a coarser or finer step did to the coefficients that the last save shows. */
function patternOf(step: number, earlier: number): StepPattern {
  const key = `${step} after ${earlier}`;
  const cached = patterns.get(key);
  if (cached) return cached;
  const pattern = stepPattern((k) => {
    const [low, high] = [(k - 0.5) * step, (k + 0.5) * step];
    let [share, size] = [0, 0];
    for (let multiple = earlier; multiple <= high + 2; multiple += earlier) {
      const part = normal((high - multiple) / ROUNDING) - normal((low - multiple) / ROUNDING);
      share += part;
      size += (part * multiple) / step;
    }
    const isGap = share < STRAY;
    return { weight: Math.log(((1 - STRAY) * share * earlier) / step + STRAY), size: isGap ? k : size / share };
  });
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(key, pattern);
  return pattern;
}

/** The share of a normal distribution below `x`, to within 2 %. */
function normal(x: number): number {
  return 1 / (1 + Math.exp(-1.702 * x));
}
