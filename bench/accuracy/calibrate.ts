import { basename, dirname } from 'node:path';
import type { FaceTemplate } from '@grove/vision';
import { cosine } from '../../packages/vision/src/faces/match.ts';
import { readPersons } from './pairs.ts';

/** A share of pairs of strangers, and the cosine that no greater share reaches. */
export type CalibrationRow = { readonly falseMatchRate: number; readonly cosine: number };

export type Calibration = { readonly persons: number; readonly comparisons: number; readonly rows: CalibrationRow[] };

const BINS = 20_000;
/** Below this rate, wrong names in the data have more effect than likeness. */
const FINEST = 1e-5;

/** The first picture of each person of whom `pictures` has none. */
export function picturesApart(folder: string, pictures: readonly string[]): string[] {
  const persons = new Set(pictures.map(personOf));
  return readPersons(folder).flatMap(([first]) => (first && !persons.has(personOf(first)) ? [first] : []));
}

/**
 * How often strangers are how alike. The pictures apart are compared with each other and with the pictures of the pairs.
 * The pairs on which the accuracy is measured have no influence on the result.
 */
export function calibrate(
  templates: ReadonlyMap<string, FaceTemplate>,
  { apart, ofPairs }: { apart: readonly string[]; ofPairs: readonly string[] },
): Calibration {
  const histogram = new Float64Array(BINS + 1);
  let comparisons = 0;
  for (const [at, one] of apart.entries()) {
    for (const other of [...apart.slice(at + 1), ...ofPairs]) {
      const [first, second] = [templates.get(one), templates.get(other)];
      if (!first || !second) continue;
      const bin = Math.round(((cosine(first.vector, second.vector) + 1) / 2) * BINS);
      histogram[bin] = (histogram[bin] ?? 0) + 1;
      comparisons += 1;
    }
  }
  const rows: CalibrationRow[] = [];
  for (let half = 2; 10 ** (-half / 2) > FINEST * 0.9; half += 1) {
    const falseMatchRate = 10 ** (-half / 2);
    rows.push({ falseMatchRate, cosine: cosineAt(histogram, falseMatchRate * comparisons) });
  }
  return { persons: apart.length, comparisons, rows };
}

function cosineAt(histogram: Float64Array, allowed: number): number {
  let above = 0;
  for (let bin = BINS; bin >= 0; bin -= 1) {
    above += histogram[bin] ?? 0;
    if (above > allowed) return ((bin + 1) / BINS) * 2 - 1;
  }
  return -1;
}

function personOf(file: string): string {
  return basename(dirname(file));
}
