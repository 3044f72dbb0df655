/** Four corners and their geometry. Lengths are in pixels of the picture. */
export type Point = { readonly x: number; readonly y: number };
/** From the corner at the top left, clockwise. */
export type Quad = readonly [Point, Point, Point, Point];

export function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

export function areaOf(quad: Quad): number {
  let twice = 0;
  for (const [at, here] of quad.entries()) {
    const next = quad[(at + 1) % 4] as Point;
    twice += here.x * next.y - next.x * here.y;
  }
  return Math.abs(twice) / 2;
}

/** The ratio of the longer side to the shorter one, whichever way the document lies. */
export function ratioOf(quad: Quad): number {
  const { across, down } = sidesOf(quad);
  return Math.max(across, down) / Math.max(1, Math.min(across, down));
}

/** The difference between opposite sides: 0 from straight above, and more the flatter the camera looks. */
export function slantOf(quad: Quad): number {
  const [topLeft, topRight, bottomRight, bottomLeft] = quad;
  const unlike = (one: number, other: number) => Math.abs(one - other) / Math.max(1, one, other);
  return Math.max(
    unlike(distance(topLeft, topRight), distance(bottomLeft, bottomRight)),
    unlike(distance(topLeft, bottomLeft), distance(topRight, bottomRight)),
  );
}

/** The angle between the long sides and the horizontal, in degrees. */
export function tiltOf(quad: Quad): number {
  const [topLeft, topRight, bottomRight, bottomLeft] = quad;
  const { across, down } = sidesOf(quad);
  const [from, to, otherFrom, otherTo] =
    across >= down ? [topLeft, topRight, bottomLeft, bottomRight] : [topLeft, bottomLeft, topRight, bottomRight];
  const angle = Math.atan2(to.y - from.y + otherTo.y - otherFrom.y, to.x - from.x + otherTo.x - otherFrom.x);
  const degrees = Math.abs((angle * 180) / Math.PI);
  return Math.min(degrees, 180 - degrees);
}

export function isConvex(quad: Quad): boolean {
  const turns = quad.map((here, at) => {
    const next = quad[(at + 1) % 4] as Point;
    const after = quad[(at + 2) % 4] as Point;
    return Math.sign((next.x - here.x) * (after.y - next.y) - (next.y - here.y) * (after.x - next.x));
  });
  return turns.every((turn) => turn !== 0 && turn === turns[0]);
}

/** The distance by which the corner that moved most has moved. */
export function movementBetween(one: Quad, other: Quad): number {
  return Math.max(...one.map((corner, at) => distance(corner, other[at] as Point)));
}

/** A point in the document, from (0, 0) at its top left to (1, 1) at its bottom right. */
export function pointIn([topLeft, topRight, bottomRight, bottomLeft]: Quad, u: number, v: number): Point {
  const mix = (key: 'x' | 'y') =>
    topLeft[key] * (1 - u) * (1 - v) +
    topRight[key] * u * (1 - v) +
    bottomRight[key] * u * v +
    bottomLeft[key] * (1 - u) * v;
  return { x: mix('x'), y: mix('y') };
}

export function longSideOf(quad: Quad): number {
  const { across, down } = sidesOf(quad);
  return Math.max(across, down);
}

function sidesOf([topLeft, topRight, bottomRight, bottomLeft]: Quad): { across: number; down: number } {
  return {
    across: (distance(topLeft, topRight) + distance(bottomLeft, bottomRight)) / 2,
    down: (distance(topLeft, bottomLeft) + distance(topRight, bottomRight)) / 2,
  };
}
