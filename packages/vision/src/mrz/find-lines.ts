import { type Box, cornersOf, type Point, type Quad, smallestBox } from '../images/geometry.ts';

/** Lines that may be a machine readable zone, from the top when `along` points to the right of the text. */
export type LineBlock = { readonly lines: readonly Box[]; readonly rank: number };

const MIN_ASPECT = 9;
/** A line of names may be found only up to the end of its letters. */
const MIN_SHORT_ASPECT = 4.5;
const MIN_PIECE_ASPECT = 1.5;
const MAX_TURN = Math.sin((6 * Math.PI) / 180);
/** Distances between neighbouring lines, in heights of their boxes. */
const NEAREST_NEIGHBOUR = 0.7;
const FURTHEST_NEIGHBOUR = 3;
const MIN_OVERLAP = 0.6;
const MIN_LENGTH_RATIO = 0.5;
const MIN_ALIGNED_RATIO = 0.25;
/** Lines are aligned if they begin within this many heights of each other. */
const ALIGNED = 1.2;
const MAX_GAP = 3;
const MAX_BLOCKS = 24;
const MAX_LINES = 40;

/** The blocks of two or three long, parallel, equally long lines that may be a zone, the likeliest first. */
export function findLineBlocks(boxes: readonly Box[]): LineBlock[] {
  const lines = joinPieces(boxes.map(toTheRight))
    .filter(({ length, breadth }) => length > MIN_SHORT_ASPECT * breadth)
    .sort((one, other) => other.length - one.length)
    .slice(0, MAX_LINES);
  const blocks: LineBlock[] = [];
  for (const line of lines) {
    for (const chain of chainsFrom(line, lines)) {
      const slim = chain.some(({ length, breadth }) => length > MIN_ASPECT * breadth);
      if (slim) blocks.push({ lines: chain, rank: rankOf(chain) });
    }
  }
  return blocks.sort((one, other) => other.rank - one.rank).slice(0, MAX_BLOCKS);
}

/** Orients lines to the right, or down if they are vertical; reading decides which end is the beginning. */
function toTheRight(box: Box): Box {
  const { x, y } = box.along;
  const flip = Math.abs(x) >= Math.abs(y) ? x < 0 : y < 0;
  return flip ? { ...box, along: { x: -x, y: -y } } : box;
}

/** The beginning and the end of a box along a direction. */
export function extent({ centre, along, length }: Box, direction: Point): [from: number, to: number] {
  const middle = centre.x * direction.x + centre.y * direction.y;
  const half = (length / 2) * Math.abs(along.x * direction.x + along.y * direction.y);
  return [middle - half, middle + half];
}

/** The distance of a point from the axis of a box, to the right of its direction positive (below the text). */
export function offset({ centre, along }: Box, point: Point): number {
  return (point.y - centre.y) * along.x - (point.x - centre.x) * along.y;
}

/** Joins the pieces of a line that is broken where it has only fillers. */
function joinPieces(boxes: readonly Box[]): Box[] {
  const rest = [...boxes].sort((one, other) => other.length - one.length);
  const lines: Box[] = [];
  while (rest.length > 0) {
    let line = rest.shift() as Box;
    for (let i = 0; i < rest.length; ) {
      const piece = rest[i] as Box;
      if (!continues(line, piece)) {
        i += 1;
        continue;
      }
      line = toTheRight(smallestBox([...cornersOf(line), ...cornersOf(piece)]));
      rest.splice(i, 1);
      i = 0;
    }
    lines.push(line);
  }
  return lines;
}

function continues(line: Box, piece: Box): boolean {
  if (line.length < 3 * line.breadth) return false;
  const ratio = piece.breadth / line.breadth;
  if (ratio < 0.55 || ratio > 1.6 || piece.length < MIN_PIECE_ASPECT * piece.breadth) return false;
  if (turnBetween(line, piece) > MAX_TURN) return false;
  if (Math.abs(offset(line, piece.centre)) > 0.4 * line.breadth) return false;
  const [from, to] = extent(line, line.along);
  const [pieceFrom, pieceTo] = extent(piece, line.along);
  return Math.max(pieceFrom - to, from - pieceTo) < MAX_GAP * line.breadth;
}

/** The sine of the angle between two lines. */
function turnBetween(one: Box, other: Box): number {
  return Math.abs(one.along.x * other.along.y - one.along.y * other.along.x);
}

function chainsFrom(line: Box, lines: readonly Box[]): Box[][] {
  return lines
    .filter((other) => isNextLine(line, other))
    .flatMap((second) => [
      [line, second],
      ...lines.filter((third) => isNextLine(second, third)).map((third) => [line, second, third]),
    ]);
}

function isNextLine(line: Box, other: Box): boolean {
  if (line === other || turnBetween(line, other) > MAX_TURN) return false;
  const breadth = (line.breadth + other.breadth) / 2;
  const below = offset(line, other.centre) / breadth;
  if (below < NEAREST_NEIGHBOUR || below > FURTHEST_NEIGHBOUR) return false;
  const [from, to] = extent(line, line.along);
  const [otherFrom, otherTo] = extent(other, line.along);
  const shorter = Math.min(line.length, other.length);
  if (Math.min(to, otherTo) - Math.max(from, otherFrom) < MIN_OVERLAP * shorter) return false;
  const ratio = other.breadth / line.breadth;
  const least = areAligned(line, other) ? MIN_ALIGNED_RATIO : MIN_LENGTH_RATIO;
  return shorter > least * Math.max(line.length, other.length) && ratio > 0.55 && ratio < 1.8;
}

/** Whether two lines begin or end together: the end is the beginning of an upside-down line. */
function areAligned(one: Box, other: Box): boolean {
  const [from, to] = extent(one, one.along);
  const [otherFrom, otherTo] = extent(other, one.along);
  return Math.min(Math.abs(from - otherFrom), Math.abs(to - otherTo)) < ALIGNED * one.breadth;
}

/** Long, slim, equally long and evenly spaced lines come first. */
function rankOf(lines: readonly Box[]): number {
  const lengths = lines.map(({ length }) => length);
  const [shortest, longest] = [Math.min(...lengths), Math.max(...lengths)];
  const first = lines[0] as Box;
  const last = lines.at(-1) as Box;
  const aspects = lines.map(({ length, breadth }) => length / breadth);
  const aligned = areAligned(first, last);
  // Fillers that were not found shorten a line that begins with the others.
  const aspect = aligned ? Math.max(...aspects) : aspects.reduce((sum, each) => sum + each, 0) / aspects.length;
  const even = aligned ? Math.sqrt(shortest / longest) : shortest / longest;
  // The ratio of length to height of zones: they have 44 or 36 characters in a line, or 30 in three lines.
  const slim = Math.min(1, aspect / (lines.length === 3 ? 17 : 21));
  return longest * even * slim * slim * (aligned ? 1 : 0.7) * (lines.length === 3 ? 1.05 : 1);
}

/**
 * The outline of each line of a block, from the common beginning to the common end: fillers at an end are often not
 * found, but the lines of a zone are equally long.
 */
export function lineQuads(lines: readonly Box[], padding: { readonly ends: number; readonly sides: number }): Quad[] {
  const direction = (lines[0] as Box).along;
  const extents = lines.map((line) => extent(line, direction));
  const breadth = median(lines.map((line) => line.breadth));
  const from = Math.min(...extents.map(([start]) => start)) - padding.ends * breadth;
  const to = Math.max(...extents.map(([, end]) => end)) + padding.ends * breadth;
  return lines.map((line) => {
    const middle = line.centre.x * direction.x + line.centre.y * direction.y;
    const cosine = line.along.x * direction.x + line.along.y * direction.y;
    const along = (at: number): Point => {
      const distance = (at - middle) / cosine;
      return { x: line.centre.x + line.along.x * distance, y: line.centre.y + line.along.y * distance };
    };
    const half = Math.max(line.breadth, 0.8 * breadth) * (0.5 + padding.sides);
    const down = { x: -line.along.y * half, y: line.along.x * half };
    const [start, end] = [along(from), along(to)];
    return [
      { x: start.x - down.x, y: start.y - down.y },
      { x: end.x - down.x, y: end.y - down.y },
      { x: end.x + down.x, y: end.y + down.y },
      { x: start.x + down.x, y: start.y + down.y },
    ];
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
