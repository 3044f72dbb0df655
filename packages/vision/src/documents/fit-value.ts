import type { TextBox } from '../ocr/detect-text.ts';

/** The number of characters of a wanted value in print. */
export type ValueLength = { readonly least: number; readonly most: number };

/** Capitals and digits are about half as wide as their box is high, margins included. */
const CHARACTER_WIDTH = 0.5;
/** A box that is longer or shorter than a value by more than this factor does not hold it. */
const MAX_FACTOR = 1.7;
/** Boxes whose factors differ by less fit equally well; then higher letters come first. */
const SAME_FIT = 1.25;

/** The box that most likely holds one of the values; undefined if none can. */
export function pickBox<Each extends Pick<TextBox, 'length' | 'breadth'>>(
  boxes: readonly Each[],
  values: readonly ValueLength[],
): Each | undefined {
  const ranked = boxes
    .map((box) => ({ box, factor: Math.min(...values.map((value) => misfit(box, value))) }))
    .filter(({ factor }) => factor <= MAX_FACTOR)
    .map(({ box, factor }) => ({ box, rank: Math.round(Math.log(factor) / Math.log(SAME_FIT)) }))
    .sort((one, other) => one.rank - other.rank || other.box.breadth - one.box.breadth);
  return ranked[0]?.box;
}

/** The factor by which a box is longer or shorter than a value would be; 1 if it fits. */
function misfit({ length, breadth }: Pick<TextBox, 'length' | 'breadth'>, { least, most }: ValueLength): number {
  const characters = length / Math.max(1, breadth) / CHARACTER_WIDTH;
  return Math.max(1, least / characters, characters / most);
}
