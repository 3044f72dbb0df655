import type { Raster } from '../images/raster.ts';
import { median } from './median.ts';
import { CELL_HEIGHT, MARGIN, PITCH } from './zone-glyphs.ts';
import { type CellPosition, PAPER_EVERY, paperOf, type Strip } from './zone-strip.ts';

/** How much more red and blue than green the ink of a character takes from the light of the paper. Black takes as much of each. */
type InkColour = { readonly character: string; readonly index: number; readonly red: number; readonly blue: number };

/** If no colour is this much darker than the paper, the cell holds a pattern or nothing. */
const LEAST_INK = 0.3;
/** A cell with fewer such pixels shows no colour. */
const MIN_PIXELS = 12;
/** A shorter line does not show the usual colour of its ink. */
const MIN_CHARACTERS = 8;
/** The pattern behind a zone colours neighbours alike, so characters up to this distance are compared. */
const NEIGHBOURS = 5;
const MIN_NEIGHBOURS = 4;

/**
 * The distance of each digit's colour from that of the line or of its neighbours, whichever is less: digits written
 * with a pen are not black like print.
 */
export function colourDistances(strip: Strip, positions: readonly CellPosition[], text: string): number[] {
  const colours = inkColours(strip, positions, text);
  if (colours.length < MIN_CHARACTERS) return [];
  return colours
    .filter(({ character }) => /\d/.test(character))
    .map((colour) => {
      const near = colours.filter((other) => other !== colour && Math.abs(other.index - colour.index) <= NEIGHBOURS);
      const fromLine = distanceTo(colour, colours);
      return near.length < MIN_NEIGHBOURS ? fromLine : Math.min(fromLine, distanceTo(colour, near));
    });
}

function distanceTo({ red, blue }: InkColour, others: readonly InkColour[]): number {
  return Math.hypot(red - median(others.map((each) => each.red)), blue - median(others.map((each) => each.blue)));
}

/** The colour of the ink in each cell that has any. Blur makes the ink paler, but keeps its colour. */
function inkColours(strip: Strip, positions: readonly CellPosition[], text: string): InkColour[] {
  const absorption = [0, 1, 2].map((k) => absorptionOf(channelOf(strip.pixels, k), strip.width)) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  return positions.flatMap((position, index) => {
    const { pixels, red, green, blue } = sumsIn(strip, absorption, position);
    const all = (red + green + blue) / 3;
    if (pixels < MIN_PIXELS || all <= 0) return [];
    return [{ character: text[index] as string, index, red: (red - green) / all, blue: (blue - green) / all }];
  });
}

const DARKEST_PAPER = 20;

/** The share of the paper's light that each pixel takes away. */
function absorptionOf(channel: Float32Array, width: number): Float32Array {
  const papers = paperOf(channel, width);
  const absorption = new Float32Array(channel.length);
  for (let at = 0; at < channel.length; at += 1) {
    const paper = papers[Math.floor((at % width) / PAPER_EVERY)] as number;
    absorption[at] = 1 - (channel[at] as number) / Math.max(DARKEST_PAPER, paper);
  }
  return absorption;
}

function sumsIn(
  { width, height }: Strip,
  [reds, greens, blues]: readonly [Float32Array, Float32Array, Float32Array],
  { x: left, y: top, scale }: CellPosition,
) {
  let [pixels, red, green, blue] = [0, 0, 0, 0];
  const bottom = Math.min(height, Math.round(top + (CELL_HEIGHT - 2 * MARGIN + 2) * scale));
  for (let row = Math.max(0, Math.round(top - scale)); row < bottom; row += 1) {
    for (let column = Math.max(0, left); column < Math.min(width, left + PITCH); column += 1) {
      const at = row * width + column;
      const [r, g, b] = [reds[at] as number, greens[at] as number, blues[at] as number];
      if (Math.max(r, g, b) < LEAST_INK) continue;
      pixels += 1;
      red += r;
      green += g;
      blue += b;
    }
  }
  return { pixels, red, green, blue };
}

function channelOf({ data }: Raster, k: number): Float32Array {
  const channel = new Float32Array(data.length / 3);
  for (let i = 0; i < channel.length; i += 1) channel[i] = data[3 * i + k] as number;
  return channel;
}
