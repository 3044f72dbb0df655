import { createCanvas } from '../specimens/canvas.ts';
import { drawZoneLine } from '../specimens/zone-font.ts';

/** The width of the cell of one character, in pixels of a strip: the zone has ten characters to the inch. */
export const PITCH = 20;
/** Room around a character in its drawing. */
export const MARGIN = 4;
const PIXELS_PER_MM = PITCH / 2.54;
/** The height of a character from the middle of its highest stroke to that of its lowest, and with the strokes themselves. */
const BARE_HEIGHT = 2.5 * PIXELS_PER_MM;
export const INKED_HEIGHT = BARE_HEIGHT * (1 + 1.9 / 14);
const BARE_WIDTH = (9 / 14) * BARE_HEIGHT;
export const CELL_WIDTH = PITCH + 2 * MARGIN;
export const CELL_HEIGHT = Math.round(BARE_HEIGHT) + 2 * MARGIN;
/** Each pixel of a drawing is the mean of this many by this many. */
const FINENESS = 4;
/** Fonts and printers differ: ink this many pixels beside the stroke still belongs to it. */
const TOLERANCE = 2;
/** The fonts of states draw 1 and 7 most differently, and little room is left inside an 8. */
const OTHER_TOLERANCES: Readonly<Record<string, number>> = { 1: 3, 7: 3, 8: 1 };

/** A character of a zone in a cell of `CELL_WIDTH` by `CELL_HEIGHT`; values from 0 (paper) to 1 (ink). */
export type Glyph = {
  /** The drawing as a camera sees it. */
  readonly ink: Float32Array;
  /** The area where its ink may be. */
  readonly room: Float32Array;
  /** The sum of its ink. */
  readonly weight: number;
  /** The ink in each of the `PITCH` columns. */
  readonly columns: Float32Array;
};

const glyphs = new Map<string, Glyph>();

export function glyphOf(character: string): Glyph {
  const cached = glyphs.get(character);
  if (cached) return cached;
  const drawing = draw(character);
  const ink = soften(drawing, 1);
  const glyph = {
    ink,
    room: soften(widen(drawing, OTHER_TOLERANCES[character] ?? TOLERANCE), 0.8),
    weight: ink.reduce(add, 0),
    columns: columnsOf(ink),
  };
  glyphs.set(character, glyph);
  return glyph;
}

const add = (sum: number, value: number): number => sum + value;

function draw(character: string): Float32Array {
  const width = CELL_WIDTH * FINENESS;
  const canvas = createCanvas(width, CELL_HEIGHT * FINENESS, [255, 255, 255]);
  const at = { x: FINENESS * (MARGIN + (PITCH - BARE_WIDTH) / 2), y: FINENESS * MARGIN };
  drawZoneLine(canvas, character, at, PIXELS_PER_MM * FINENESS, [0, 0, 0]);
  const drawing = new Float32Array(CELL_WIDTH * CELL_HEIGHT);
  for (let i = 0; i < canvas.data.length; i += 3) {
    const [x, y] = [(i / 3) % width, Math.floor(i / 3 / width)];
    const to = Math.floor(y / FINENESS) * CELL_WIDTH + Math.floor(x / FINENESS);
    drawing[to] = (drawing[to] as number) + (1 - (canvas.data[i] as number) / 255) / FINENESS ** 2;
  }
  return drawing;
}

/** Applies `of` to the values around each pixel, within `reach`; beyond the cell there is paper. */
function around(
  values: Float32Array,
  reach: number,
  of: (at: (dx: number, dy: number) => number) => number,
): Float32Array {
  return values.map((_, index) => {
    const [x, y] = [index % CELL_WIDTH, Math.floor(index / CELL_WIDTH)];
    const isInside = x >= reach && y >= reach && x < CELL_WIDTH - reach && y < CELL_HEIGHT - reach;
    return of((dx, dy) => {
      const [px, py] = [x + dx, y + dy];
      if (!isInside && (px < 0 || py < 0 || px >= CELL_WIDTH || py >= CELL_HEIGHT)) return 0;
      return values[py * CELL_WIDTH + px] as number;
    });
  });
}

function soften(values: Float32Array, deviation: number): Float32Array {
  const reach = [-3, -2, -1, 0, 1, 2, 3];
  const weights = reach.map((i) => Math.exp((-i * i) / (2 * deviation * deviation)));
  const total = weights.reduce(add, 0);
  const mean = (at: (i: number) => number): number =>
    reach.reduce((sum, i, k) => sum + (weights[k] as number) * at(i), 0) / total;
  const across = around(values, 3, (at) => mean((i) => at(i, 0)));
  return around(across, 3, (at) => mean((i) => at(0, i)));
}

function widen(values: Float32Array, radius: number): Float32Array {
  return around(values, radius, (at) => {
    let most = 0;
    for (let dy = -radius; dy <= radius; dy += 1) {
      for (let dx = -radius; dx <= radius; dx += 1) {
        if (dx * dx + dy * dy <= radius * radius + 1) most = Math.max(most, at(dx, dy));
      }
    }
    return most;
  });
}

function columnsOf(ink: Float32Array): Float32Array {
  return Float32Array.from({ length: PITCH }, (_, x) => {
    let sum = 0;
    for (let y = 0; y < CELL_HEIGHT; y += 1) sum += ink[y * CELL_WIDTH + x + MARGIN] as number;
    return sum;
  });
}
