import { type Point, type Quad, signedArea } from '../images/geometry.ts';
import { smooth, toGrey } from '../images/grey.ts';
import type { Raster } from '../images/raster.ts';
import { resize } from '../images/warp.ts';
import { type EdgeLine, type EdgeMap, edgesOf, findEdgeLines, intersect } from './edge-lines.ts';

/** A rectangle seen in perspective, and how much of its outline is really an edge. */
export type FoundQuad = { readonly quad: Quad; readonly support: number; readonly area: number };

/** The size of the picture in which edges are searched: small, because a card has no fine outline. */
const SIDE = 400;
const MIN_AREA = 0.02;
const MIN_SUPPORT = 0.55;
const MIN_SIDE_SUPPORT = 0.25;
/** Cards are 1.4 to 1.6 times as wide as high; perspective changes that. */
const MIN_RATIO = 1.1;
const MAX_RATIO = 2.2;
/** How far outside the image a corner may lie, as a share of its side. */
const MAX_OUTSIDE = 0.12;
const MAX_SAMPLES = 60;
const MAX_TURN = Math.sin((32 * Math.PI) / 180);
const MAX_RESULTS = 8;

/** The rectangles in an image that may be documents, the best supported first, none over another. */
export function findQuads(image: Raster): FoundQuad[] {
  const scale = Math.min(1, SIDE / Math.max(image.width, image.height));
  const small = resize(
    image,
    Math.max(8, Math.round(image.width * scale)),
    Math.max(8, Math.round(image.height * scale)),
  );
  const edges = edgesOf(smooth(toGrey(small), 2));
  const lines = findEdgeLines(edges);
  const candidates: FoundQuad[] = [];
  const pairs = pairsOf(lines);
  for (const one of pairs) {
    for (const other of pairs) {
      const quad = quadOf(one, other, edges);
      const rated = quad && rate(quad, edges);
      if (rated) candidates.push(rated);
    }
  }
  candidates.sort((one, other) => merit(other) - merit(one));
  const results: FoundQuad[] = [];
  for (const each of candidates) {
    if (results.length < MAX_RESULTS && results.every((better) => !overlap(better.quad, each.quad))) results.push(each);
  }
  return results.map(({ quad, ...rest }) => ({
    ...rest,
    quad: quad.map(({ x, y }) => ({ x: x / scale, y: y / scale })) as unknown as Quad,
  }));
}

function merit({ support, area }: FoundQuad): number {
  return support + 0.25 * Math.sqrt(area);
}

type Pair = readonly [EdgeLine, EdgeLine];

/** Lines that may be opposite sides: nearly parallel, and apart. */
function pairsOf(lines: readonly EdgeLine[]): Pair[] {
  const pairs: Pair[] = [];
  lines.forEach((one, i) => {
    for (const other of lines.slice(i + 1)) {
      const turn = Math.abs(Math.sin(one.angle - other.angle));
      if (turn < MAX_TURN) pairs.push([one, other]);
    }
  });
  return pairs;
}

function quadOf([a, b]: Pair, [c, d]: Pair, { width, height }: EdgeMap): Quad | undefined {
  // Each pair of pairs occurs twice; the first must be the more horizontal one.
  if (Math.abs(Math.sin(a.angle)) < Math.abs(Math.sin(c.angle))) return undefined;
  if (Math.abs(Math.sin(a.angle - c.angle)) < 0.6) return undefined;
  const corners = [intersect(a, c), intersect(a, d), intersect(b, d), intersect(b, c)];
  const [outX, outY] = [width * MAX_OUTSIDE, height * MAX_OUTSIDE];
  for (const point of corners) {
    if (!point || point.x < -outX || point.y < -outY || point.x > width + outX || point.y > height + outY)
      return undefined;
  }
  return clockwise(corners as Point[]);
}

/** Corners clockwise from the one nearest the top left; undefined if they do not make a convex figure. */
function clockwise(corners: readonly Point[]): Quad | undefined {
  const centre = {
    x: corners.reduce((sum, { x }) => sum + x, 0) / 4,
    y: corners.reduce((sum, { y }) => sum + y, 0) / 4,
  };
  const around = [...corners].sort(
    (one, other) => Math.atan2(one.y - centre.y, one.x - centre.x) - Math.atan2(other.y - centre.y, other.x - centre.x),
  );
  for (let i = 0; i < 4; i += 1) {
    const three = [around[i], around[(i + 1) % 4], around[(i + 2) % 4]] as Point[];
    if (signedArea(three) <= 0) return undefined;
  }
  const first = around.reduce(
    (best, { x, y }, i) => (x + y < (around[best] as Point).x + (around[best] as Point).y ? i : best),
    0,
  );
  return [0, 1, 2, 3].map((i) => around[(first + i) % 4]) as unknown as Quad;
}

function rate(quad: Quad, edges: EdgeMap): FoundQuad | undefined {
  const area = signedArea(quad) / (edges.width * edges.height);
  if (area < MIN_AREA) return undefined;
  const sides = quad.map((point, i) => {
    const next = quad[(i + 1) % 4] as Point;
    return { from: point, to: next, length: Math.hypot(next.x - point.x, next.y - point.y) };
  });
  const [top, right, bottom, left] = sides.map(({ length }) => length) as [number, number, number, number];
  const ratio = Math.max(top + bottom, left + right) / Math.min(top + bottom, left + right);
  if (ratio < MIN_RATIO || ratio > MAX_RATIO) return undefined;
  const supports = sides.map(({ from, to }) => supportOf(from, to, edges));
  const support = supports.reduce((sum, each) => sum + each, 0) / 4;
  if (support < MIN_SUPPORT || Math.min(...supports) < MIN_SIDE_SUPPORT) return undefined;
  return { quad, support, area };
}

/** The share of a side along which the image has an edge of its direction. Parts outside the image count half. */
function supportOf(from: Point, to: Point, { width, height, strong, across, down, strength }: EdgeMap): number {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const normal = { x: -(to.y - from.y) / length, y: (to.x - from.x) / length };
  const samples = Math.min(MAX_SAMPLES, Math.max(8, Math.round(length / 2)));
  let sum = 0;
  for (let i = 0; i < samples; i += 1) {
    const share = (i + 0.5) / samples;
    const x = from.x + (to.x - from.x) * share;
    const y = from.y + (to.y - from.y) * share;
    if (x < 1 || y < 1 || x > width - 2 || y > height - 2) {
      sum += 0.5;
      continue;
    }
    for (let reach = -2; reach <= 2; reach += 1) {
      const at = Math.round(y + normal.y * reach) * width + Math.round(x + normal.x * reach);
      if (!strong[at]) continue;
      const facing = Math.abs((across[at] as number) * normal.x + (down[at] as number) * normal.y);
      if (facing > 0.9 * (strength[at] as number)) {
        sum += 1;
        break;
      }
    }
  }
  return sum / samples;
}

/** Whether the middle of either is in the other, which never happens with two documents side by side. */
function overlap(one: Quad, other: Quad): boolean {
  const middle = (quad: Quad): Point => ({
    x: (quad[0].x + quad[1].x + quad[2].x + quad[3].x) / 4,
    y: (quad[0].y + quad[1].y + quad[2].y + quad[3].y) / 4,
  });
  return contains(one, middle(other)) || contains(other, middle(one));
}

/** Whether a point lies in a convex quadrilateral whose corners run clockwise. */
export function contains(quad: Quad, point: Point): boolean {
  return quad.every((from, i) => {
    const to = quad[(i + 1) % 4] as Point;
    return (to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x) >= 0;
  });
}
