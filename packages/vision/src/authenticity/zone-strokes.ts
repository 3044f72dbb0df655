import type { Raster } from '../images/raster.ts';
import { CELL_HEIGHT, CELL_WIDTH, type Glyph, glyphOf, MARGIN, PITCH } from './zone-glyphs.ts';
import { type CellPosition, fitAt, fittedStrip, positionsOf, type Strip, type ZoneLine } from './zone-strip.ts';

/** The ink of one character of a zone, as shares of the ink that its drawing has. */
type CellInk = { readonly character: string; readonly all: number; readonly beside: number };

/** So many digits are written over to change a number or a year with their check digits. The next shows how print varies. */
const MOST_WRITTEN_OVER = 4;
/** If more are, the fullest digit counts by itself, but less: print that varies has full digits, too. */
const MANY_WEIGHT = 0.7;
/** A line with fewer characters does not show how its print looks. */
const MIN_CHARACTERS = 8;
/** Where the drawing fits less, something else stands than was read, or the place is wrong. */
const MIN_FIT = 0.65;
/** Ink beside the strokes is compared with that of the line, and this much is nothing. */
const LITTLE = 0.02;
/** More ink than this many times that of the line, beside the strokes, says no more. */
const MOST_BESIDE = 2;
const BESIDE_WEIGHT = 0.1;

/**
 * How much more ink the fullest digit has than its like: a digit that was written over another has the strokes of both.
 * Counted are all ink of its cell and, less, the ink beside the strokes of the digit that was read. A digit is compared
 * with the line and with the others of its kind in it, so that neither the font nor the pattern behind a zone decides.
 */
export function zoneStrokes(image: Raster, lines: readonly ZoneLine[]): number | undefined {
  const values = lines.flatMap((line) => {
    const inks = inksOf(image, line);
    return inks.length < MIN_CHARACTERS ? [] : inks.filter(isDigit).map((ink) => surplusOf(ink, inks));
  });
  if (values.length <= MOST_WRITTEN_OVER) return undefined;
  const fullest = values.sort((one, other) => other - one);
  const [most, usual] = [fullest[0] as number, fullest[MOST_WRITTEN_OVER] as number];
  return Math.max(0, most - Math.max(0, usual), MANY_WEIGHT * most);
}

const isDigit = ({ character }: CellInk): boolean => /\d/.test(character);

function surplusOf(ink: CellInk, inks: readonly CellInk[]): number {
  const alike = inks.filter((other) => other !== ink && other.character === ink.character);
  const usual = (of: (each: CellInk) => number): number =>
    Math.max(median(inks.map(of)), alike.length > 0 ? median(alike.map(of)) : 0);
  const beside = (ink.beside - usual((each) => each.beside)) / (median(inks.map((each) => each.beside)) + LITTLE);
  const more =
    ink.all /
      Math.max(
        0.1,
        usual(({ all }) => all),
      ) -
    1;
  return more + BESIDE_WEIGHT * Math.min(MOST_BESIDE, Math.max(0, beside));
}

function inksOf(image: Raster, line: ZoneLine): CellInk[] {
  const strip = fittedStrip(image, line);
  return positionsOf(strip, line.text).flatMap((position, k) => {
    const character = line.text[k] as string;
    if (character === '<') return [];
    const glyph = glyphOf(character);
    const { position: best, fit } = settle(strip, glyph, position);
    return fit < MIN_FIT ? [] : [{ character, ...inkAt(strip, glyph, best) }];
  });
}

/** The place near this one where a character fits best: first how high it is and stands, then where from left to right. */
function settle(strip: Strip, glyph: Glyph, position: CellPosition): { position: CellPosition; fit: number } {
  let best = { position, fit: -1 };
  const compare = (near: CellPosition): void => {
    const fit = fitAt(strip, glyph, near);
    if (fit > best.fit) best = { position: near, fit };
  };
  for (let dx = -2; dx <= 2; dx += 1) compare({ ...position, x: position.x + dx });
  for (const scale of [0.93, 1, 1.07]) {
    const { x } = best.position;
    for (let dy = -3; dy <= 3; dy += 1) compare({ x, y: position.y + dy, scale: scale * position.scale });
  }
  const { x, y, scale } = best.position;
  for (let dx = -1; dx <= 1; dx += 1) compare({ x: x + dx, y, scale });
  return best;
}

function inkAt(strip: Strip, { room, weight }: Glyph, { x: left, y: top, scale }: CellPosition) {
  let [all, beside] = [0, 0];
  for (let y = MARGIN - 1; y <= CELL_HEIGHT - MARGIN; y += 1) {
    const row = Math.round(top + (y - MARGIN) * scale);
    if (row < 0 || row >= strip.height) continue;
    for (let x = MARGIN; x < MARGIN + PITCH; x += 1) {
      const column = left + x - MARGIN;
      if (column < 0 || column >= strip.width) continue;
      const here = strip.darkness[row * strip.width + column] as number;
      all += here;
      beside += Math.max(0, here - (room[y * CELL_WIDTH + x] as number));
    }
  }
  return { all: all / weight, beside: beside / weight };
}

function median(values: readonly number[]): number {
  return Float64Array.from(values).sort()[(values.length - 1) >> 1] ?? 0;
}
