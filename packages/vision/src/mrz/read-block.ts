import { type Box, between, distance, type Quad } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { warp } from '../images/warp.ts';
import { ocrModels } from '../ocr/models.ts';
import { LINE_HEIGHT, readStrip, STEP, TURNER_WIDTH, upsideDown } from '../ocr/read-line.ts';
import { type Attempt, countCharacters, decodeBest, isSettled, MIN_MERIT } from './decode-zone.ts';
import { type LineBlock, lineQuads, offset } from './find-lines.ts';
import { fitLine } from './fit-line.ts';
import { foldReading, type MrzReading } from './fold.ts';
import { FORMATS } from './formats.ts';

/** The width at which the reader gets a line: wider is read better and costs more, so a second look has it. */
type Look = { readonly stretch: number; readonly maxPixels: number; readonly careful: boolean };
const FIRST_LOOK: Look = { stretch: 1, maxPixels: 1120, careful: false };
const SECOND_LOOK: Look = { stretch: 1.2, maxPixels: 1640, careful: true };
/** The last line of a zone has no fillers at its end, so a block has at least this ratio of length to height. */
const MIN_SLIMNESS = 14;
/** The lines of a zone are equally high (0.87 was the least of 60 documents) and 1.1 to 2.1 heights apart. */
const MIN_HEIGHT_RATIO = 0.7;
const MIN_PITCH = 0.9;
const MAX_PITCH = 2.6;
/** If the mean probability that its lines are upside down differs by this much, the other way is not tried. */
const CLEARLY_UPRIGHT = 0.6;
/** Lines of a zone are read as at least this many characters, even if they are nearly all fillers. */
const MIN_CHARACTERS = 14;
/** A shorter line that may belong to a zone is read again with care, because fillers are faint. */
const FEW_CHARACTERS = 7;
const MAX_FOREIGN = 0.3;
/** A line that fits this well is not read again. */
const CLEAR_SCORE = -0.03;

/** Two boxes are one line if their middles are closer than this share of their length and breadth. */
const SAME_PLACE = 0.5;
const SAME_BREADTH = 0.7;
/** This share of a line shows whether it is ordinary print, at a fraction of the cost of the whole line. */
const PROBE = 0.3;
/** The limit for a probe is milder than for a whole line, because a probe has only a dozen characters. */
const MAX_PROBE_FOREIGN = 0.5;

/** A line of ordinary print, upright or upside down. */
type RefusedLine = { readonly line: Box; readonly flip: boolean };
/** What may still be read, in pixels of strips, and what need not be read again. */
export type Budget = {
  pixels: number;
  readonly refusedLines: RefusedLine[];
  /** The height of each line's print, stored because most lines belong to several blocks. */
  readonly heights: Map<Box, number>;
};

/** How far a line is followed beyond its box. */
const PADDING = { ends: 0.6, sides: 0 };
/** The cost of measuring a block and finding which way up it is. */
const BLOCK_PIXELS = 100;
/** Photographs of documents show little else: a zone is hardly ever shorter than this share of the picture. */
const USUAL_LENGTH = 0.45;

/** After so many pixels of strips, no further block is tried. A block that is being read may exceed the limit. */
export const MAX_SEARCH_PIXELS = 5600;

export function newBudget(): Budget {
  return { pixels: MAX_SEARCH_PIXELS, refusedLines: [], heights: new Map() };
}

/** Reads a block in its likely orientation, then in the other, and again if there are doubts left. */
export async function readBlock(image: Raster, block: LineBlock, budget: Budget): Promise<Attempt | undefined> {
  const isRefused = (line: Box, flip: boolean) =>
    budget.refusedLines.some((refusedLine) => refusedLine.flip === flip && isSameLine(refusedLine.line, line));
  if (block.lines.some((line) => isRefused(line, true) && isRefused(line, false))) return undefined;
  const rough = lineQuads(block.lines, PADDING);
  if (!looksLikeZone(image, block.lines, lengthOf(rough[0] as Quad), budget)) return undefined;
  budget.pixels -= BLOCK_PIXELS;
  const quads = rough.map((quad) => fitLine(image, quad));
  const turned = (await upsideDown(startOf(image, quads[0] as Quad))) > 0.5;
  let best: Attempt | undefined;
  for (const flip of [turned, !turned]) {
    const first = (flip ? block.lines.at(-1) : block.lines[0]) as Box;
    if (budget.pixels <= 0) break;
    if (isRefused(first, flip)) continue;
    if (flip !== turned && (await standsClearly(image, quads, turned))) {
      budget.refusedLines.push({ line: (turned ? block.lines.at(-1) : block.lines[0]) as Box, flip });
      break;
    }
    const upright = flip ? [...quads].reverse().map(halfTurn) : quads;
    const { attempt, strips } = await readUpright(image, upright, budget);
    if (!attempt && strips === 1) budget.refusedLines.push({ line: first, flip });
    if (attempt && attempt.merit > (best?.merit ?? MIN_MERIT)) best = attempt;
    if (best) break;
  }
  if (!best || isSettled(best)) return best;
  const again = await lookAgain(image, best, budget);
  return again && again.merit > best.merit ? again : best;
}

/** Lines of one font, evenly spaced, much longer than high: labels with their values are not. */
function looksLikeZone(
  image: Raster,
  lines: readonly Box[],
  length: number,
  { heights: cachedHeights }: Budget,
): boolean {
  const heights = lines.map((line) => {
    const height = cachedHeights.get(line) ?? heightOf(fitLine(image, lineQuads([line], PADDING)[0] as Quad));
    cachedHeights.set(line, height);
    return height;
  });
  const highest = Math.max(...heights);
  if (length < MIN_SLIMNESS * Math.min(...heights) || Math.min(...heights) < MIN_HEIGHT_RATIO * highest) return false;
  return lines.slice(1).every(({ centre }, i) => {
    const pitch = Math.abs(offset(lines[i] as Box, centre)) / Math.max(1, heights[i] as number);
    return pitch > MIN_PITCH && pitch < MAX_PITCH;
  });
}

/** Whether two boxes are the same line: a closer look finds the same lines again. */
function isSameLine(one: Box, other: Box): boolean {
  const ratio = one.breadth / Math.max(1, other.breadth);
  if (ratio < SAME_BREADTH || ratio > 1 / SAME_BREADTH) return false;
  const apart = { x: other.centre.x - one.centre.x, y: other.centre.y - one.centre.y };
  const along = Math.abs(apart.x * one.along.x + apart.y * one.along.y);
  const across = Math.abs(apart.y * one.along.x - apart.x * one.along.y);
  return along < SAME_PLACE * one.length && across < SAME_PLACE * one.breadth;
}

/** The network often misjudges which way up one line stands, but hardly ever all lines of a block. */
async function standsClearly(image: Raster, quads: readonly Quad[], turned: boolean): Promise<boolean> {
  let likelier = 0;
  for (const quad of quads) {
    const here = await upsideDown(startOf(image, quad));
    const there = await upsideDown(startOf(image, halfTurn(quad)));
    likelier += (turned ? here - there : there - here) / quads.length;
  }
  return likelier > CLEARLY_UPRIGHT;
}

/** Reads the uncertain lines again, wider. Correct check digits leave some doubts: U and 0 count the same. */
async function lookAgain(
  image: Raster,
  { finding, readings, scores }: Attempt,
  budget: Budget,
): Promise<Attempt | undefined> {
  const worst = Math.min(...scores);
  const lines = [...readings];
  for (const [i, score] of scores.entries()) {
    if (score > CLEAR_SCORE && score > worst) continue;
    const { readings: reread } = await readQuads(image, [finding.quads[i] as Quad], SECOND_LOOK, budget);
    lines[i] = reread[0] ?? (lines[i] as MrzReading);
  }
  return decodeBest(lines, finding.quads);
}

/** Fillers at the end of all lines may have been missed: then the lines are read again at the expected length. */
async function readUpright(
  image: Raster,
  block: readonly Quad[],
  budget: Budget,
): Promise<{ attempt?: Attempt; strips: number }> {
  const first = block[0] as Quad;
  const long = lengthOf(first) > USUAL_LENGTH * Math.max(image.width, image.height);
  // The likeliest block is read at once if it is long; from the later ones a part is read first.
  const likely = long && budget.pixels >= MAX_SEARCH_PIXELS - BLOCK_PIXELS;
  if (!likely && (await isOrdinaryPrint(image, first, budget))) return { strips: 1 };
  const { readings, strips } = await readQuads(image, block, FIRST_LOOK, budget);
  if (readings.length === 0) return { strips };
  const quads = block.slice(0, readings.length);
  const attempt = decodeBest(readings, quads);
  const count = Math.max(...readings.map(countCharacters));
  const length = quads.length === 3 ? FORMATS.TD1.length : FORMATS.TD3.length;
  // With more characters than the format has, a longer format was cut short, even if all check digits are correct.
  const overfull = attempt !== undefined && count > FORMATS[attempt.finding.format].length + 2;
  const done = (isSettled(attempt) && !overfull) || count >= length || budget.pixels <= 0;
  // Two lines of thirty are two of the three of a card, so the third is missing.
  const missing = quads.length === 2 && Math.abs(count - FORMATS.TD1.length) <= 2;
  if (done || missing) return { ...(attempt && { attempt }), strips };
  const longer = quads.map((quad) => beginning(quad, (length + 2) / count));
  const { readings: more } = await readQuads(image, longer, FIRST_LOOK, budget);
  const again = more.length === longer.length ? decodeBest(more, longer) : undefined;
  const better = again && again.merit > (attempt?.merit ?? Number.NEGATIVE_INFINITY) ? again : attempt;
  return { ...(better && { attempt: better }), strips };
}

async function isOrdinaryPrint(image: Raster, quad: Quad, budget: Budget): Promise<boolean> {
  const { characters } = await ocrModels();
  const width = Math.round(PROBE * stripWidth(quad, FIRST_LOOK));
  const strip = warp(image, beginning(quad, PROBE), { width, height: LINE_HEIGHT });
  budget.pixels -= strip.width;
  return foldReading(await readStrip(strip), characters).foreign > MAX_PROBE_FOREIGN;
}

function halfTurn([a, b, c, d]: Quad): Quad {
  return [c, d, a, b];
}

function heightOf(quad: Quad): number {
  return (distance(quad[0], quad[3]) + distance(quad[1], quad[2])) / 2;
}

function lengthOf(quad: Quad): number {
  return (distance(quad[0], quad[1]) + distance(quad[3], quad[2])) / 2;
}

/** The ratio of length to height. */
function slimness(quad: Quad): number {
  return lengthOf(quad) / Math.max(1, heightOf(quad));
}

function stripWidth(quad: Quad, { stretch, maxPixels }: Look): number {
  const idealWidth = Math.round((stretch * slimness(quad) * LINE_HEIGHT) / STEP) * STEP;
  return Math.min(maxPixels, Math.max(LINE_HEIGHT, idealWidth));
}

function stripOf(image: Raster, quad: Quad, look: Look): Raster {
  return warp(image, quad, { width: stripWidth(quad, look), height: LINE_HEIGHT });
}

/** The beginning of the strip of a line, which is all that the orientation network needs. */
function startOf(image: Raster, quad: Quad): Raster {
  const width = stripWidth(quad, FIRST_LOOK);
  const start = Math.min(width, TURNER_WIDTH);
  return warp(image, beginning(quad, start / width), { width: start, height: LINE_HEIGHT });
}

function beginning([a, b, c, d]: Quad, share: number): Quad {
  return [a, between(a, b, share), between(d, c, share), d];
}

type StripReadings = { readonly readings: MrzReading[]; readonly strips: number };

/** The readings of all lines, or of the first two if the third is ordinary print below a zone; else none. */
async function readQuads(image: Raster, quads: readonly Quad[], look: Look, budget: Budget): Promise<StripReadings> {
  const { characters, carefulReader } = await ocrModels();
  const readings: MrzReading[] = [];
  for (const [i, quad] of quads.entries()) {
    const strip = stripOf(image, quad, look);
    budget.pixels -= strip.width;
    let reading = foldReading(await readStrip(strip, look), characters);
    if (carefulReader && !look.careful && isInDoubt(reading)) {
      budget.pixels -= strip.width;
      reading = foldReading(await readStrip(strip, { careful: true }), characters);
    }
    // An ordinary or upside-down line is recognised at once, so its neighbours need not be read.
    if (reading.foreign > MAX_FOREIGN || countCharacters(reading) < MIN_CHARACTERS)
      return { readings: i === 2 ? readings : [], strips: i + 1 };
    readings.push(reading);
  }
  return { readings, strips: readings.length };
}

function isInDoubt(reading: MrzReading): boolean {
  const count = countCharacters(reading);
  return reading.foreign <= MAX_FOREIGN && count >= FEW_CHARACTERS && count < MIN_CHARACTERS;
}
