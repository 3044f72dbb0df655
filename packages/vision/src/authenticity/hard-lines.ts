import { apply, type Homography, homography, type Quad, rectangle } from '../images/geometry.ts';
import type { Green } from './green.ts';

/** A smaller change of brightness over three pixels is no edge, in steps of 255. */
const MIN_STEP = 22;
/** From this share of the change between neighbours on, an edge is hard. A lens leaves less; a cut has all of it. */
const HARD = 0.8;
/** The rows and columns of the grid on the document in which edges are counted. */
const LINES = 700;
/** The parts of a line, because a border is short compared with the document. */
const PARTS = 24;
/** A part counts as border if at least this share of it is hard edge. */
const MIN_FILL = 0.4;
/** If a larger share of all edges is hard, the picture has no blur at all, and a border cannot stand out. */
const MAX_HARD_SHARE = 0.25;
const MIN_EDGES = 200;
/** The margin of the document that is ignored, in shares of its sides. */
const MARGIN = 0.02;

/**
 * The longest straight line along the sides of a document whose edge no lens has blurred, as a share of its height: the
 * border of an insertion. Undefined if the picture is too sharp to tell.
 */
export function hardLine(green: Green, quad: Quad): number | undefined {
  const [upright, level] = [newCounts(), newCounts()];
  const map = homography(quad, rectangle(1, 1));
  const { width, height } = green;
  for (let y = 1; y < height - 2; y += 1) countRow(green, y, map, upright, level);
  const [edges, hard] = [upright.edges + level.edges, upright.hard + level.hard];
  if (edges < MIN_EDGES || hard > MAX_HARD_SHARE * edges) return undefined;
  const [across, down] = [width / PARTS, height / PARTS];
  return Math.max(longest(upright, down), longest(level, across) * (across / down)) / PARTS;
}

/** Counts the edges of a row of the picture: the vertical and the horizontal ones on the document. */
function countRow(green: Green, y: number, map: Homography, upright: Counts, level: Counts): void {
  const { left, top, width, data } = green;
  for (let at = y * width + 1; at < (y + 1) * width - 2; at += 1) {
    // Nearly all pixels are skipped here, so the test is inlined for speed.
    const here = data[at] as number;
    const right = (data[at + 1] as number) - here;
    const below = (data[at + width] as number) - here;
    if (right < MIN_STEP && right > -MIN_STEP && below < MIN_STEP && below > -MIN_STEP) continue;
    const across = hardness(data, at, 1);
    const down = hardness(data, at, width);
    if (across === 0 && down === 0) continue;
    const x = left + at - y * width;
    const position = apply(map, { x: x + (across === 0 ? 0 : 0.5), y: top + y + (down === 0 ? 0 : 0.5) });
    if (position.x < MARGIN || position.y < MARGIN || position.x > 1 - MARGIN || position.y > 1 - MARGIN) continue;
    if (across !== 0) count(upright, position.x, position.y, across > HARD);
    if (down !== 0) count(level, position.y, position.x, down > HARD);
  }
}

type Counts = { edges: number; hard: number; readonly hits: Uint16Array };

function newCounts(): Counts {
  return { edges: 0, hard: 0, hits: new Uint16Array(LINES * PARTS) };
}

/** The share of the change over three steps that the middle one has; 0 where there is no edge or a thin line. */
function hardness(data: Uint8Array, at: number, step: number): number {
  const middle = (data[at + step] as number) - (data[at] as number);
  const size = middle < 0 ? -middle : middle;
  if (size < MIN_STEP) return 0;
  const before = Math.abs((data[at] as number) - (data[at - step] as number));
  const after = Math.abs((data[at + 2 * step] as number) - (data[at + step] as number));
  if (before > size || after > size) return 0;
  return size / (size + before + after);
}

function count(counts: Counts, across: number, along: number, isHard: boolean): void {
  counts.edges += 1;
  if (!isHard) return;
  counts.hard += 1;
  const cell = Math.floor(across * LINES) * PARTS + Math.floor(along * PARTS);
  counts.hits[cell] = (counts.hits[cell] as number) + 1;
}

/** The longest run of parts of a line that are filled with hard edges; a line may be three cells wide. */
function longest({ hits }: Counts, pixels: number): number {
  let best = 0;
  for (let line = 1; line < LINES - 1; line += 1) {
    let run = 0;
    for (let part = 0; part < PARTS; part += 1) {
      const at = line * PARTS + part;
      const filled = (hits[at - PARTS] as number) + (hits[at] as number) + (hits[at + PARTS] as number);
      run = filled >= MIN_FILL * pixels ? run + 1 : 0;
      if (run > best) best = run;
    }
  }
  return best;
}
