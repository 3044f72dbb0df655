import { solve } from '../images/geometry.ts';

/** Larger coefficients are rare, and say nothing about how frequent the others are. In steps. */
const LAST = 40;
/** How the frequency of coefficients falls with their size: exp of a sum of these. */
const shapeOf = (size: number) => [1, size / 20, Math.log(size), Math.sqrt(size)] as const;
const TERMS = [0, 1, 2, 3] as const;
const MOST_ROUNDS = 20;
/** An improvement of the logarithm of the likelihood that is less ends the search. */
const LEAST_GAIN = 0.01;
const MOST_EXPONENT = 30;

/** How a save changes how frequent coefficients of so many steps are. */
export type StepPattern = {
  /** By which factor, as logarithms. */
  readonly weights: Float64Array;
  /** Their size before that save: a smooth density holds there. */
  readonly shapes: readonly (readonly [number, number, number, number])[];
};

export function stepPattern(
  weightOf: (steps: number) => { readonly weight: number; readonly size: number },
): StepPattern {
  const all = Array.from({ length: LAST + 1 }, (_, k) => (k === 0 ? { weight: 0, size: 1 } : weightOf(k)));
  return { weights: Float64Array.from(all, ({ weight }) => weight), shapes: all.map(({ size }) => shapeOf(size)) };
}

/** Of a picture that was not saved before. */
export const NO_PATTERN = stepPattern((size) => ({ weight: 0, size }));

/** How well a smooth density explains counted coefficients, and the density. */
export type StepDensity = { readonly likelihood: number; readonly terms: readonly number[] };

/**
 * The smooth density that explains the counts best, after a save has changed it: Newton's method for a Poisson regression.
 * Coefficients of zero steps are left out, because they are far more frequent than others.
 */
export function fitDensity(
  counts: Uint16Array,
  pattern: StepPattern,
  start: readonly number[] = flatDensity(counts),
): StepDensity {
  let best: StepDensity = { likelihood: likelihoodOf(counts, pattern, start), terms: start };
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const change = newtonStep(counts, pattern, best.terms);
    let next = best;
    for (let share = 1; share > 0.01 && next === best; share /= 2) {
      const terms = best.terms.map((term, i) => term + share * (change[i] as number));
      const likelihood = likelihoodOf(counts, pattern, terms);
      if (likelihood > best.likelihood) next = { likelihood, terms };
    }
    const gain = next.likelihood - best.likelihood;
    best = next;
    if (gain < LEAST_GAIN) break;
  }
  return best;
}

/** The likelihood if each count were explained exactly. */
export function fullLikelihood(counts: Uint16Array): number {
  let sum = 0;
  for (let k = 1; k <= LAST; k += 1) {
    const count = counts[k] as number;
    if (count > 0) sum += count * (Math.log(count) - 1);
  }
  return sum;
}

/** So many counts are explained by so many terms. */
export const FREEDOM = LAST - TERMS.length;

/** How much more likely coefficients of each size are after the save than without it, as logarithms; 0 where nothing is known. */
export function excessOf({ terms }: StepDensity, pattern: StepPattern): Float64Array {
  const after = exponentsOf(pattern, terms);
  const without = exponentsOf(NO_PATTERN, terms);
  const sum = (exponents: Float64Array) =>
    exponents.reduce((all, exponent, k) => (k === 0 ? 0 : all + Math.exp(exponent)), 0);
  const share = Math.log(sum(after) / sum(without));
  return after.map((exponent, k) => (k === 0 ? 0 : exponent - (without[k] as number) - share));
}

function flatDensity(counts: Uint16Array): number[] {
  let sum = 1;
  for (let k = 1; k <= LAST; k += 1) sum += counts[k] as number;
  return [Math.log(sum / LAST), 0, 0, 0];
}

function exponentsOf({ weights, shapes }: StepPattern, terms: readonly number[]): Float64Array {
  const [a, b, c, d] = terms as [number, number, number, number];
  const exponents = new Float64Array(weights.length);
  for (let k = 0; k < weights.length; k += 1) {
    const shape = shapes[k] as StepPattern['shapes'][number];
    const sum = (weights[k] as number) + a * shape[0] + b * shape[1] + c * shape[2] + d * shape[3];
    exponents[k] = Math.min(MOST_EXPONENT, sum);
  }
  return exponents;
}

function likelihoodOf(counts: Uint16Array, pattern: StepPattern, terms: readonly number[]): number {
  const exponents = exponentsOf(pattern, terms);
  let sum = 0;
  for (let k = 1; k <= LAST; k += 1) {
    sum += (counts[k] as number) * (exponents[k] as number) - Math.exp(exponents[k] as number);
  }
  return sum;
}

function newtonStep(counts: Uint16Array, pattern: StepPattern, terms: readonly number[]): number[] {
  // The last column is what the others must add up to; a little on the diagonal keeps the equations solvable.
  const rows = TERMS.map((i) => [...TERMS.map((j) => (i === j ? 0.001 : 0)), 0]);
  const exponents = exponentsOf(pattern, terms);
  for (let k = 1; k <= LAST; k += 1) {
    const expected = Math.exp(exponents[k] as number);
    const shape = pattern.shapes[k] as StepPattern['shapes'][number];
    for (const i of TERMS) {
      const row = rows[i] as number[];
      for (const j of TERMS) row[j] = (row[j] as number) + expected * shape[i] * shape[j];
      row[TERMS.length] = (row[TERMS.length] as number) + ((counts[k] as number) - expected) * shape[i];
    }
  }
  return solve(rows);
}
