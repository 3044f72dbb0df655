import { type Box, between, distance, type Quad } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { warp } from '../images/warp.ts';
import { detectText, type TextBox } from '../ocr/detect-text.ts';
import { type ModelName, ocrModels, TEXT_DETECTOR, TEXT_READER } from '../ocr/models.ts';
import { LINE_HEIGHT, readStrip, upsideDown } from '../ocr/read-line.ts';
import { decodeLine } from './decode-line.ts';
import { findLineBlocks, type LineBlock, lineQuads } from './find-lines.ts';
import { fitLine } from './fit-line.ts';
import { foldReading, type MrzReading, NONE, WIDTH } from './fold.ts';
import { FORMATS, type Format, kindsOf } from './formats.ts';
import { type ParsedMrz, parseMrz } from './parse-mrz.ts';
import { type Repair, repairLines } from './repair.ts';
import { STATES } from './states.ts';

export type MrzFinding = ParsedMrz & {
  readonly repairs: readonly Repair[];
  /** How sure the reader was, 0…1. */
  readonly confidence: number;
  /** Where the lines stand in the image, each from its beginning to its end. */
  readonly quads: readonly Quad[];
  readonly models: readonly ModelName[];
};

export type MrzReport = { readonly mrz: MrzFinding | undefined; readonly boxes: readonly TextBox[] };

/** The side to which an image is scaled to find text, then for a second look. */
const SIDES = [640, 1120] as const;
/** How wide a line is shown to the reader: wider is read better and costs more, so it is kept for a second look. */
type Look = { readonly stretch: number; readonly maxPixels: number };
const FIRST_LOOK: Look = { stretch: 1, maxPixels: 1120 };
const SECOND_LOOK: Look = { stretch: 1.2, maxPixels: 1640 };
/** No block is begun once so many strips were read for one image: the limit on the time it takes. */
const MAX_STRIPS = 8;
/** The last line of a zone ends in a digit or is full of letters, so a block is at least so many times as long as high. */
const MIN_SLIMNESS = 14;
/** So much likelier on its head one way than the other, on average of its lines, a block is not tried that way. */
const CLEARLY_UPRIGHT = 0.6;
/** Lines of a zone are read as at least so many characters, even when they are nearly all fillers. */
const MIN_CHARACTERS = 14;
const MAX_FOREIGN = 0.3;
/** So many characters more or less than another format are no slip of the reader. */
const CLEAR_MISFIT = 5;
/** Below this, what was read is no zone. */
const MIN_MERIT = 0.5;
/** A reading this sure is not read again: if a check digit is wrong, it is wrong in print. */
const SURE = 0.85;
/** Below this, even right check digits are no reason to stop looking. */
const UNSURE = 0.6;
/** A line that fits this well is not read again. */
const CLEAR_SCORE = -0.03;

type Attempt = {
  readonly finding: MrzFinding;
  readonly merit: number;
  readonly readings: readonly MrzReading[];
  /** How well each line fits what was seen. */
  readonly scores: readonly number[];
};
/** What may still be read, and the lines that turned out to be ordinary print. */
type Budget = { strips: number; readonly refused: Set<Box> };

/** Finds and reads the machine readable zone of an image, at any angle; also says where text was found. */
export async function readMrz(image: Raster): Promise<MrzReport> {
  const budget: Budget = { strips: MAX_STRIPS, refused: new Set() };
  let best: Attempt | undefined;
  let boxes: readonly TextBox[] = [];
  for (const side of SIDES) {
    const found = await detectText(image, side);
    if (boxes.length === 0) boxes = found;
    for (const block of findLineBlocks(found)) {
      if (budget.strips <= 0) break;
      if (block.lines.some((line) => budget.refused.has(line))) continue;
      const attempt = await readBlock(image, block, budget);
      if (attempt && attempt.merit > (best?.merit ?? MIN_MERIT)) best = attempt;
      // A zone was found: what is left to do is to read it better, not to look elsewhere.
      if (best) break;
    }
    if (isPlausible(best) || budget.strips <= 0) break;
  }
  return { mrz: best?.finding, boxes };
}

/** Two check digits do not agree by chance with lines that are none. */
function isPlausible(best: Attempt | undefined): boolean {
  return best !== undefined && best.finding.checks.filter((check) => check.passed).length >= 2;
}

function isSettled(best: Attempt | undefined): boolean {
  if (!best) return false;
  const { valid, checks, confidence } = best.finding;
  const passed = checks.filter((check) => check.passed).length;
  return (valid && confidence > UNSURE) || (passed >= 2 && confidence > SURE);
}

/** Reads a block the way round that it seems to stand, then the other way, and once more if that left doubts. */
async function readBlock(image: Raster, block: LineBlock, budget: Budget): Promise<Attempt | undefined> {
  const quads = lineQuads(block.lines, { ends: 0.6, sides: 0 }).map((quad) => fitLine(image, quad));
  if (quads.every((quad) => slimness(quad) < MIN_SLIMNESS)) return undefined;
  const turned = (await upsideDown(stripOf(image, quads[0] as Quad, FIRST_LOOK))) > 0.5;
  let best: Attempt | undefined;
  for (const flip of [turned, !turned]) {
    if (budget.strips <= 0) break;
    if (flip !== turned && (await standsClearly(image, quads, turned))) break;
    const upright = flip ? [...quads].reverse().map(halfTurn) : quads;
    const before = budget.strips;
    const attempt = await readUpright(image, upright, budget);
    const first = flip ? block.lines.at(-1) : block.lines[0];
    if (!attempt && flip === turned && before - budget.strips === 1 && first) budget.refused.add(first);
    if (attempt && attempt.merit > (best?.merit ?? MIN_MERIT)) best = attempt;
    if (best) break;
  }
  if (!best || isSettled(best)) return best;
  const again = await lookAgain(image, best, budget);
  return again && again.merit > best.merit ? again : best;
}

/** One line shown both ways is often misjudged, all lines of a block hardly ever. */
async function standsClearly(image: Raster, quads: readonly Quad[], turned: boolean): Promise<boolean> {
  let likelier = 0;
  for (const quad of quads) {
    const here = await upsideDown(stripOf(image, quad, FIRST_LOOK));
    const there = await upsideDown(stripOf(image, halfTurn(quad), FIRST_LOOK));
    likelier += (turned ? here - there : there - here) / quads.length;
  }
  return likelier > CLEARLY_UPRIGHT;
}

/** Reads the lines that left doubts once more, wider. */
async function lookAgain(
  image: Raster,
  { finding, readings, scores }: Attempt,
  budget: Budget,
): Promise<Attempt | undefined> {
  const worst = Math.min(...scores);
  const lines = [...readings];
  for (const [i, score] of scores.entries()) {
    if (score > CLEAR_SCORE && score > worst) continue;
    const reread = await readQuads(image, [finding.quads[i] as Quad], SECOND_LOOK, budget);
    if (reread) lines[i] = reread[0] as MrzReading;
  }
  return decodeBest(lines, finding.quads);
}

/** Fillers at the end of all lines may have been missed: then the lines are read again as long as they should be. */
async function readUpright(image: Raster, quads: readonly Quad[], budget: Budget): Promise<Attempt | undefined> {
  const readings = await readQuads(image, quads, FIRST_LOOK, budget);
  if (!readings) return undefined;
  const attempt = decodeBest(readings, quads);
  const count = Math.max(...readings.map(countCharacters));
  const length = quads.length === 3 ? FORMATS.TD1.length : FORMATS.TD3.length;
  // More characters than the format has: a longer format was cut short, though its check digits may all be there.
  const overfull = attempt !== undefined && count > FORMATS[attempt.finding.format].length + 2;
  if ((isSettled(attempt) && !overfull) || count >= length) return attempt;
  // Two lines of thirty are two of the three of a card: the third is what is missing.
  if (quads.length === 2 && Math.abs(count - FORMATS.TD1.length) <= 2) return attempt;
  const longer = quads.map((quad) => lengthen(quad, (length + 2) / count));
  const more = await readQuads(image, longer, FIRST_LOOK, budget);
  const again = more && decodeBest(more, longer);
  return again && again.merit > (attempt?.merit ?? Number.NEGATIVE_INFINITY) ? again : attempt;
}

function lengthen([a, b, c, d]: Quad, factor: number): Quad {
  return [a, between(a, b, factor), between(d, c, factor), d];
}

function halfTurn([a, b, c, d]: Quad): Quad {
  return [c, d, a, b];
}

/** How many times as long as high. */
function slimness(quad: Quad): number {
  const height = (distance(quad[0], quad[3]) + distance(quad[1], quad[2])) / 2;
  const length = (distance(quad[0], quad[1]) + distance(quad[3], quad[2])) / 2;
  return length / Math.max(1, height);
}

function stripOf(image: Raster, quad: Quad, { stretch, maxPixels }: Look): Raster {
  const wanted = Math.round(stretch * slimness(quad) * LINE_HEIGHT);
  return warp(image, quad, { width: Math.min(maxPixels, Math.max(LINE_HEIGHT, wanted)), height: LINE_HEIGHT });
}

async function readQuads(
  image: Raster,
  quads: readonly Quad[],
  look: Look,
  budget: Budget,
): Promise<MrzReading[] | undefined> {
  const { characters } = await ocrModels();
  const readings: MrzReading[] = [];
  for (const quad of quads) {
    budget.strips -= 1;
    const reading = foldReading(await readStrip(stripOf(image, quad, look)), characters);
    // A line of ordinary text, or one on its head, shows itself at once: its neighbours need not be read.
    if (reading.foreign > MAX_FOREIGN || countCharacters(reading) < MIN_CHARACTERS) return undefined;
    readings.push(reading);
  }
  return readings;
}

/** The formats whose length fits best come first; once one fits in full, those that are clearly longer or shorter do not. */
function decodeBest(readings: readonly MrzReading[], quads: readonly Quad[]): Attempt | undefined {
  const count = Math.max(...readings.map(countCharacters));
  const misfit = ({ length }: Format): number => Math.abs(length - count);
  let best: Attempt | undefined;
  for (const format of Object.values(FORMATS).sort((one, other) => misfit(one) - misfit(other))) {
    if (best?.finding.valid && misfit(format) - misfit(FORMATS[best.finding.format]) >= CLEAR_MISFIT) break;
    for (let from = 0; from + format.lines <= readings.length; from += 1) {
      const to = from + format.lines;
      const attempt = decodeAs(format, readings.slice(from, to), quads.slice(from, to));
      if (attempt && attempt.merit > (best?.merit ?? Number.NEGATIVE_INFINITY)) best = attempt;
    }
  }
  return best;
}

/** How many characters a reading holds when nothing is known of its length. */
function countCharacters({ steps, logs }: MrzReading): number {
  let count = 0;
  let last = NONE;
  for (let step = 0; step < steps; step += 1) {
    let best = NONE;
    for (let k = 0; k < WIDTH; k += 1) {
      if ((logs[step * WIDTH + k] as number) > (logs[step * WIDTH + best] as number)) best = k;
    }
    if (best !== NONE && best !== last) count += 1;
    last = best;
  }
  return count;
}

function decodeAs(format: Format, readings: readonly MrzReading[], quads: readonly Quad[]): Attempt | undefined {
  const counts = readings.map(countCharacters);
  if (Math.max(...counts) > format.length + 8 || Math.max(...counts) < format.length * 0.6) return undefined;
  const decoded = readings.map((reading, line) => decodeLine(reading, kindsOf(format, line)));
  const { lines, repairs } = repairLines(format, decoded);
  const parsed = parseMrz(lines);
  if (parsed?.format !== format.name) return undefined;
  const score = decoded.reduce((sum, line) => sum + line.score, 0) / decoded.length;
  const finding: MrzFinding = {
    ...parsed,
    repairs,
    confidence: Math.exp(score * 4),
    quads,
    models: [TEXT_DETECTOR, TEXT_READER],
  };
  // Visas of either size pass the same checks; only the number of characters tells them apart.
  const missed = Math.abs(Math.max(...counts) - format.length);
  const merit = meritOf(parsed, score, repairs.length) - missed * 0.15;
  return { finding, merit, readings, scores: decoded.map((line) => line.score) };
}

/** Check digits count most, then known states, then how well the characters fit what was seen. */
function meritOf({ checks, fields, lines }: ParsedMrz, score: number, repairs: number): number {
  const passed = checks.filter(({ passed }) => passed).length / checks.length;
  const states = [fields.issuer, fields.nationality].filter((state) => STATES.has(state.padEnd(3, '<'))).length;
  const start = /^[ACIPV]/.test(lines[0] as string) ? 0.5 : 0;
  return passed * 3 + states * 0.5 + start + score * 8 - repairs * 0.1;
}
