import type { Point } from '../images/geometry.ts';
import { type Grey, type Slopes, slopesOf } from '../images/grey.ts';

export type EdgeMap = Slopes & { readonly width: number; readonly height: number; readonly strong: Uint8Array };
/** The points with x·cos(angle) + y·sin(angle) = distance. */
export type EdgeLine = { readonly angle: number; readonly distance: number; readonly votes: number };

const ANGLES = 180;
/** A pixel votes for lines across its slope, within this many degrees. */
const SPREAD = 3;
const MAX_LINES = 26;
/** The share of pixels that count as edges, and their minimal strength. */
const EDGE_SHARE = 0.12;
const MIN_STRENGTH = 3;
/** Lines nearer than this to a stronger one are the same. */
const SAME_ANGLE = 6;
const SAME_DISTANCE = 7;

/** The pixels where brightness changes most, thinned to one across each edge. */
export function edgesOf(grey: Grey): EdgeMap {
  const { width, height } = grey;
  const slopes = slopesOf(grey);
  const { across, down, strength } = slopes;
  const sorted = Float32Array.from(strength).sort();
  const limit = Math.max(MIN_STRENGTH, sorted[Math.floor(sorted.length * (1 - EDGE_SHARE))] as number);
  const strong = new Uint8Array(strength.length);
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const here = strength[at] as number;
      if (here < limit) continue;
      const level = Math.abs(across[at] as number) > Math.abs(down[at] as number);
      const [before, after] = level ? [at - 1, at + 1] : [at - width, at + width];
      if (here >= (strength[before] as number) && here >= (strength[after] as number)) strong[at] = 1;
    }
  }
  return { width, height, strong, ...slopes };
}

/** The longest straight edges (Hough's transform, each pixel voting only for lines across its slope). */
export function findEdgeLines({ width, height, strong, across, down }: EdgeMap): EdgeLine[] {
  const reach = Math.ceil(Math.hypot(width, height));
  const span = 2 * reach + 1;
  const votes = new Float32Array(ANGLES * span);
  const cosines = Float64Array.from({ length: ANGLES }, (_, i) => Math.cos((i * Math.PI) / ANGLES));
  const sines = Float64Array.from({ length: ANGLES }, (_, i) => Math.sin((i * Math.PI) / ANGLES));
  for (let at = 0; at < strong.length; at += 1) {
    if (!strong[at]) continue;
    const x = at % width;
    const y = (at - x) / width;
    const angle = (Math.atan2(down[at] as number, across[at] as number) * ANGLES) / Math.PI;
    for (let turn = -SPREAD; turn <= SPREAD; turn += 1) {
      const index = (((Math.round(angle) + turn) % ANGLES) + ANGLES) % ANGLES;
      const distance = Math.round(x * (cosines[index] as number) + y * (sines[index] as number)) + reach;
      const cell = index * span + distance;
      votes[cell] = (votes[cell] as number) + 1;
    }
  }
  return strongest(votes, span, reach, Math.min(width, height) * 0.15);
}

function strongest(votes: Float32Array, span: number, reach: number, least: number): EdgeLine[] {
  const candidates: { index: number; distance: number; votes: number }[] = [];
  for (let index = 0; index < ANGLES; index += 1) {
    for (let distance = 1; distance < span - 1; distance += 1) {
      const here = votes[index * span + distance] as number;
      if (here < least) continue;
      const near =
        here + 0.5 * ((votes[index * span + distance - 1] as number) + (votes[index * span + distance + 1] as number));
      candidates.push({ index, distance: distance - reach, votes: near });
    }
  }
  candidates.sort((one, other) => other.votes - one.votes);
  const lines: typeof candidates = [];
  for (const candidate of candidates) {
    if (lines.length >= MAX_LINES) break;
    if (!lines.some((line) => isSame(line, candidate))) lines.push(candidate);
  }
  return lines.map(({ index, distance, votes: count }) => ({
    angle: (index * Math.PI) / ANGLES,
    distance,
    votes: count,
  }));
}

function isSame(one: { index: number; distance: number }, other: { index: number; distance: number }): boolean {
  const turn = Math.abs(one.index - other.index);
  // Past 180 degrees, a line returns with its distance negated.
  if (turn > ANGLES / 2) return ANGLES - turn <= SAME_ANGLE && Math.abs(one.distance + other.distance) <= SAME_DISTANCE;
  return turn <= SAME_ANGLE && Math.abs(one.distance - other.distance) <= SAME_DISTANCE;
}

export function intersect(one: EdgeLine, other: EdgeLine): Point | undefined {
  const determinant = Math.sin(other.angle - one.angle);
  if (Math.abs(determinant) < 1e-6) return undefined;
  return {
    x: (one.distance * Math.sin(other.angle) - other.distance * Math.sin(one.angle)) / determinant,
    y: (other.distance * Math.cos(one.angle) - one.distance * Math.cos(other.angle)) / determinant,
  };
}
