import type { Raster } from '../images/raster.ts';
import { type EarlierSave, missingInDigits } from './earlier-save.ts';
import { median } from './median.ts';
import { digitBlocks } from './zone-blocks.ts';
import { colourDistances } from './zone-colour.ts';
import { leastDifference } from './zone-copies.ts';
import { CELL_HEIGHT, CELL_WIDTH, type Glyph, glyphOf, MARGIN, PITCH } from './zone-glyphs.ts';
import { type PaperDifference, paintedOver, paperDifferences } from './zone-paper.ts';
import { type CellPosition, fitAt, fittedStrip, positionsOf, type Strip, type ZoneLine } from './zone-strip.ts';

/** The ink of one character of a zone, as shares of the ink that its drawing has. */
type CellInk = { readonly character: string; readonly all: number; readonly beside: number };

/**
 * The number of digits that a forger must overwrite to change a number or a year with their check digits. The next one
 * shows how print varies.
 */
const MOST_WRITTEN_OVER = 4;
/** With more, the fullest digit counts by itself, but less: print that varies has full digits, too. */
const MANY_FULL = 0.7;
/** The same weight for the digit with the strangest colour: patterns in many colours behind a zone show through. */
const MANY_COLOURED = 0.5;
/** A shorter line does not show how its print varies. */
const MIN_CHARACTERS = 8;
/** With a worse fit, another character was read than is there, or the position is wrong. */
const MIN_FIT = 0.65;
/** Added to the ink beside the strokes when it is compared with that of the line, so that hardly any counts as none. */
const LITTLE = 0.02;
/** More ink beside the strokes than this many times that of the line counts no more. */
const MOST_BESIDE = 2;
const BESIDE_WEIGHT = 0.1;

/** The signs of characters that were written over others. */
export type ZoneSigns = {
  /**
   * How much more ink the fullest digit has than its like: a digit that was written over another has the strokes of both.
   * Counted are all ink of its cell and, less, the ink beside the strokes of the digit that was read. A digit is compared
   * with the line and with the others of its kind in it, so that neither the font nor the pattern behind a zone decides.
   */
  readonly strokes: number | undefined;
  /** The distance of the strangest digit's ink from that of its line, as a share of its darkness. */
  readonly colour: number | undefined;
  /** How much the two most alike digits of a line differ, in pixels. */
  readonly copies: number | undefined;
  /** How much brighter the paper behind the second brightest digit is than usual, as a multiple of its variation. */
  readonly paper: number | undefined;
  /** How much likelier two digits are without the earlier save of the card than with it, as a logarithm. */
  readonly save: number | undefined;
};

export function zoneSigns(image: Raster, lines: readonly ZoneLine[], save?: EarlierSave): ZoneSigns {
  const surpluses: number[] = [];
  const distances: number[] = [];
  const differences: number[] = [];
  const papers: PaperDifference[] = [];
  const blocks: number[][] = [];
  for (const line of lines) {
    const strip = fittedStrip(image, line);
    const positions = positionsOf(strip, line.text);
    const inks = inksOf(strip, positions, line.text);
    if (inks.length >= MIN_CHARACTERS) surpluses.push(...inks.filter(isDigit).map((ink) => surplusOf(ink, inks)));
    distances.push(...colourDistances(strip, positions, line.text));
    papers.push(...paperDifferences(strip, positions, line.text));
    if (save) blocks.push(...digitBlocks(image, strip, positions, line.text));
    const difference = leastDifference(image, strip, positions, line.text);
    if (difference !== undefined) differences.push(difference);
  }
  return {
    strokes: outstanding(surpluses, MANY_FULL),
    colour: outstanding(distances, MANY_COLOURED),
    copies: differences.length === 0 ? undefined : Math.min(...differences),
    paper: paintedOver(papers, MOST_WRITTEN_OVER),
    save: save && missingInDigits(save, blocks),
  };
}

/** The distance of the highest value from the usual one, or a share of it, whichever is more. */
function outstanding(values: number[], manyWeight: number): number | undefined {
  if (values.length <= MOST_WRITTEN_OVER) return undefined;
  const highest = values.sort((one, other) => other - one);
  const [most, usual] = [highest[0] as number, highest[MOST_WRITTEN_OVER] as number];
  return Math.max(0, most - Math.max(0, usual), manyWeight * most);
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

function inksOf(strip: Strip, positions: readonly CellPosition[], text: string): CellInk[] {
  return positions.flatMap((position, k) => {
    const character = text[k] as string;
    if (character === '<') return [];
    const glyph = glyphOf(character);
    const { position: best, fit } = settle(strip, glyph, position);
    return fit < MIN_FIT ? [] : [{ character, ...inkAt(strip, glyph, best) }];
  });
}

/** Finds the best position of a character near this one: first its height and row, then its column. */
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
