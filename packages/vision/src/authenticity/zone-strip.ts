import { between, type Quad } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { warp } from '../images/warp.ts';
import { CELL_HEIGHT, CELL_WIDTH, type Glyph, glyphOf, INKED_HEIGHT, MARGIN, PITCH } from './zone-glyphs.ts';

/** A line of a zone as it was read, and its position in the picture. */
export type ZoneLine = { readonly text: string; readonly quad: Quad };
/** A straightened line, as darkness from 0 (paper) to about 1 (ink), and in its original colours. */
export type Strip = {
  readonly width: number;
  readonly height: number;
  readonly darkness: Float32Array;
  readonly pixels: Raster;
  /** Its position in the picture. */
  readonly quad: Quad;
};
/** The position of a character's drawing in a strip, and how much higher it is. */
export type CellPosition = { readonly x: number; readonly y: number; readonly scale: number };

const STRIP_HEIGHT = 44;
/** The margin that a strip shows on each side of its line, in shares of the line's length and height. */
const MORE_ALONG = 0.03;
const MORE_ACROSS = 0.35;
/** The position of the first character in a strip that is fitted to its line. */
const LEAD = PITCH;
/** The share of pixels that are ink in every line. */
const INK_SHARE = 0.03;
const MOST_DARKNESS = 1.3;
/** The paper around a character is measured this far to its left and right, in steps of `PAPER_EVERY`. */
const PAPER_REACH = 30;
export const PAPER_EVERY = 10;
/** The share of a line that is paper, at least. */
const PAPER_SHARE = 0.75;

/** Straightens a line so that its first character is at `LEAD` and all are `PITCH` pixels apart. */
export function fittedStrip(image: Raster, { text, quad }: ZoneLine): Strip {
  const width = Math.round(text.length * PITCH * (1 + 2 * MORE_ALONG));
  const strip = stripOf(image, quad, -MORE_ALONG, 1 + MORE_ALONG, width);
  const { start, pitch } = extentOf(strip, text);
  const shareAt = (x: number): number => -MORE_ALONG + ((1 + 2 * MORE_ALONG) * x) / width;
  const lead = (LEAD * pitch) / PITCH;
  const [from, to] = [shareAt(start - lead), shareAt(start + text.length * pitch + lead)];
  return stripOf(image, quad, from, to, text.length * PITCH + 2 * LEAD);
}

/** A part of a line, from `left` to `right` in shares of its length. */
function stripOf(image: Raster, [a, b, c, d]: Quad, left: number, right: number, width: number): Strip {
  const corner = (x: number, y: number) => between(between(a, b, x), between(d, c, x), y);
  const [top, bottom] = [-MORE_ACROSS, 1 + MORE_ACROSS];
  const quad: Quad = [corner(left, top), corner(right, top), corner(right, bottom), corner(left, bottom)];
  const pixels = warp(image, quad, { width, height: STRIP_HEIGHT });
  const light = lightOf(pixels);
  const ink = light.toSorted()[Math.floor(light.length * INK_SHARE)] as number;
  const paper = paperOf(light, width);
  const darkness = new Float32Array(light.length);
  for (let at = 0; at < light.length; at += 1) {
    const here = paper[Math.floor((at % width) / PAPER_EVERY)] as number;
    darkness[at] = Math.min(MOST_DARKNESS, Math.max(0, (here - (light[at] as number)) / Math.max(10, here - ink)));
  }
  return { width, height: STRIP_HEIGHT, darkness, pixels, quad };
}

/** The brightest of the three colours: stamps and patterns behind a zone are bright in one of them, ink in none. */
function lightOf({ data }: Raster): Float32Array {
  const light = new Float32Array(data.length / 3);
  for (let i = 0; i < light.length; i += 1) {
    light[i] = Math.max(data[3 * i] as number, data[3 * i + 1] as number, data[3 * i + 2] as number);
  }
  return light;
}

/** The brightness of the paper, for every `PAPER_EVERY` columns. */
export function paperOf(light: Float32Array, width: number): Float32Array {
  return Float32Array.from({ length: Math.ceil(width / PAPER_EVERY) }, (_, i) => {
    const middle = i * PAPER_EVERY;
    const values: number[] = [];
    for (let x = Math.max(0, middle - PAPER_REACH); x < Math.min(width, middle + PAPER_REACH); x += 5) {
      for (let y = 2; y < STRIP_HEIGHT; y += 4) values.push(light[y * width + x] as number);
    }
    return Float32Array.from(values).sort()[Math.floor(values.length * PAPER_SHARE)] as number;
  });
}

/** Boxes are lengthened where fillers seem to be missing, so the line may be much shorter. In pixels of the strip. */
const LEAST_PITCH = 12;
const MOST_PITCH = 21.5;
const PITCH_STEP = 0.25;
/** A line begins at most this many cells after the beginning of its strip. */
const LATEST_START = 5;
const EVERY = 2;

/** Finds the beginning of a line and the distance of its characters by the ink of each column. */
function extentOf({ width, height, darkness }: Strip, text: string): { start: number; pitch: number } {
  const columns = new Float32Array(width);
  for (let at = 0; at < width * height; at += 1) {
    columns[at % width] = (columns[at % width] as number) + (darkness[at] as number);
  }
  const drawings = [...text].map((character) => glyphOf(character).columns);
  let best = { start: 0, pitch: PITCH, score: -1 };
  for (let pitch = LEAST_PITCH; pitch <= MOST_PITCH; pitch += PITCH_STEP) {
    const last = Math.min(LATEST_START * pitch, width - text.length * pitch);
    for (let start = -MARGIN; start <= last; start += EVERY) {
      const score = agreement(columns, drawings, start, pitch);
      if (score > best.score) best = { start, pitch, score };
    }
  }
  return best;
}

/** The likeness of a strip's columns and those of the drawn characters, 0…1. */
function agreement(columns: Float32Array, drawings: readonly Float32Array[], start: number, pitch: number): number {
  const scale = pitch / PITCH;
  let [product, glyphSquares, dark] = [0, 0, 0];
  for (let k = 0; k < drawings.length; k += 1) {
    const drawing = drawings[k] as Float32Array;
    for (let x = 1; x < PITCH; x += 3) {
      const at = Math.round(start + k * pitch + x * scale);
      const here = at < 0 || at >= columns.length ? 0 : (columns[at] as number);
      const ink = drawing[x] as number;
      product += here * ink;
      glyphSquares += ink * ink;
      dark += here * here;
    }
  }
  return product / Math.sqrt(glyphSquares * dark + 1e-9);
}

/** The rows that the characters of a strip fill. */
function rowsOf({ width, height, darkness }: Strip): { top: number; bottom: number } {
  const rows = new Float32Array(height);
  for (let at = 0; at < width * height; at += 1) {
    const y = Math.floor(at / width);
    rows[y] = (rows[y] as number) + (darkness[at] as number);
  }
  // Four fifths of the rows have less ink than this one, which certainly belongs to the line.
  const least = 0.4 * (rows.toSorted()[Math.floor(height * 0.8)] as number);
  const middle = Math.floor(height / 2);
  let [top, bottom] = [middle, middle];
  while (top > 0 && (rows[top - 1] as number) > least) top -= 1;
  while (bottom < height && (rows[bottom] as number) > least) bottom += 1;
  return { top, bottom };
}

/** The range of distances between characters, in pixels, and how far one may be from its expected position. */
const NEAREST = 0.9 * PITCH;
const FARTHEST = 1.1 * PITCH;
const STRAYS = 16;

/** Finds the position of each character of a fitted line: the sequence of positions that fits best. */
export function positionsOf(strip: Strip, text: string): CellPosition[] {
  const { top, bottom } = rowsOf(strip);
  const scale = (bottom - top) / INKED_HEIGHT;
  const y = top + (scale * (INKED_HEIGHT - (CELL_HEIGHT - 2 * MARGIN))) / 2;
  const columns = Math.floor(strip.width / EVERY);
  let best = new Float32Array(columns);
  const steps: Int16Array[] = [];
  for (let k = 0; k < text.length; k += 1) {
    const glyph = glyphOf(text[k] as string);
    const next = new Float32Array(columns).fill(Number.NEGATIVE_INFINITY);
    const previous = new Int16Array(columns).fill(-1);
    const middle = LEAD + k * PITCH;
    const last = Math.min(columns - 1, Math.ceil((middle + STRAYS) / EVERY));
    for (let column = Math.max(0, Math.floor((middle - STRAYS) / EVERY)); column <= last; column += 1) {
      const before = k === 0 ? { at: -1, score: 0 } : bestBefore(best, column);
      previous[column] = before.at;
      if (before.score === Number.NEGATIVE_INFINITY) continue;
      next[column] = before.score + fitAt(strip, glyph, { x: column * EVERY, y, scale });
    }
    best = next;
    steps.push(previous);
  }
  const positions: CellPosition[] = [];
  let column = best.indexOf(Math.max(...best));
  for (let k = text.length - 1; k >= 0 && column >= 0; k -= 1) {
    positions.unshift({ x: column * EVERY, y, scale });
    column = (steps[k] as Int16Array)[column] as number;
  }
  return positions;
}

function bestBefore(scores: Float32Array, column: number): { at: number; score: number } {
  let best = { at: -1, score: Number.NEGATIVE_INFINITY };
  for (let at = column - Math.floor(FARTHEST / EVERY); at <= column - NEAREST / EVERY; at += 1) {
    const score = scores[at];
    if (score !== undefined && score > best.score) best = { at, score };
  }
  return best;
}

/** How well the drawing of a character fits at a position, 0…1. It samples every second pixel. */
export function fitAt(
  { width, height, darkness }: Strip,
  { ink }: Glyph,
  { x: left, y: top, scale }: CellPosition,
): number {
  let [product, glyphSquares, dark] = [0, 0, 0];
  for (let y = 0; y < CELL_HEIGHT; y += EVERY) {
    const row = Math.round(top + (y - MARGIN) * scale);
    if (row < 0 || row >= height) continue;
    const start = row * width + left - MARGIN;
    for (let x = 2; x < CELL_WIDTH - 2; x += EVERY) {
      const column = left - MARGIN + x;
      if (column < 0 || column >= width) continue;
      const here = darkness[start + x] as number;
      const expected = ink[y * CELL_WIDTH + x] as number;
      product += expected * here;
      glyphSquares += expected * expected;
      dark += here * here;
    }
  }
  return product / Math.sqrt(glyphSquares * dark + 1e-9);
}
