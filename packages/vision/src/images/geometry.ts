export type Point = { readonly x: number; readonly y: number };

/** Four corners in reading order: top left, top right, bottom right, bottom left. */
export type Quad = readonly [Point, Point, Point, Point];

/** A projective map of the plane, row by row, the last element 1. */
export type Homography = readonly [number, number, number, number, number, number, number, number, number];

export function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

export function between(one: Point, other: Point, share: number): Point {
  return { x: one.x + (other.x - one.x) * share, y: one.y + (other.y - one.y) * share };
}

export function centreOf(points: readonly Point[]): Point {
  const sum = points.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }), { x: 0, y: 0 });
  return { x: sum.x / points.length, y: sum.y / points.length };
}

/** The area of a polygon, positive if its corners run clockwise on the screen. */
export function signedArea(points: readonly Point[]): number {
  let sum = 0;
  points.forEach((point, i) => {
    const next = points[(i + 1) % points.length] as Point;
    sum += point.x * next.y - next.x * point.y;
  });
  return sum / 2;
}

export function apply(map: Homography, { x, y }: Point): Point {
  const w = map[6] * x + map[7] * y + map[8];
  return { x: (map[0] * x + map[1] * y + map[2]) / w, y: (map[3] * x + map[4] * y + map[5]) / w };
}

export function rectangle(width: number, height: number): Quad {
  return [
    { x: 0, y: 0 },
    { x: width, y: 0 },
    { x: width, y: height },
    { x: 0, y: height },
  ];
}

/** The projective map that carries the four corners of one quadrilateral to those of another. */
export function homography(from: Quad, to: Quad): Homography {
  const rows: number[][] = [];
  for (let i = 0; i < 4; i += 1) {
    const { x, y } = from[i] as Point;
    const { x: u, y: v } = to[i] as Point;
    rows.push([x, y, 1, 0, 0, 0, -u * x, -u * y, u]);
    rows.push([0, 0, 0, x, y, 1, -v * x, -v * y, v]);
  }
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = solve(rows);
  return [a, b, c, d, e, f, g, h, 1];
}

/** Solves a square system given as rows with the right side last, by elimination with pivoting. */
export function solve(rows: readonly (readonly number[])[]): number[] {
  const size = rows.length;
  const matrix = rows.map((row) => [...row]);
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < size; row += 1) {
      if (Math.abs(at(matrix, row, column)) > Math.abs(at(matrix, pivot, column))) pivot = row;
    }
    const pivotRow = matrix[pivot] as number[];
    matrix[pivot] = matrix[column] as number[];
    matrix[column] = pivotRow;
    const head = pivotRow[column] || 1e-12;
    for (let row = 0; row < size; row += 1) {
      if (row === column) continue;
      const target = matrix[row] as number[];
      const factor = (target[column] ?? 0) / head;
      for (let k = column; k <= size; k += 1) target[k] = (target[k] ?? 0) - factor * (pivotRow[k] ?? 0);
    }
  }
  return matrix.map((row, i) => (row[size] ?? 0) / (row[i] || 1e-12));
}

function at(matrix: readonly number[][], row: number, column: number): number {
  return matrix[row]?.[column] ?? 0;
}

/** The convex hull of points, clockwise on the screen (monotone chain). */
export function convexHull(points: readonly Point[]): Point[] {
  if (points.length < 3) return [...points];
  const sorted = [...points].sort((one, other) => one.x - other.x || one.y - other.y);
  const half = (list: readonly Point[]): Point[] => {
    const hull: Point[] = [];
    for (const point of list) {
      while (hull.length >= 2 && turn(hull.at(-2) as Point, hull.at(-1) as Point, point) <= 0) hull.pop();
      hull.push(point);
    }
    hull.pop();
    return hull;
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function turn(a: Point, b: Point, c: Point): number {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/** A rectangle of any angle: `along` is the unit vector of its longer side. */
export type Box = { readonly centre: Point; readonly along: Point; readonly length: number; readonly breadth: number };

/** The smallest rectangle around points: one of its sides lies on the hull. */
export function smallestBox(points: readonly Point[]): Box {
  const hull = convexHull(points);
  let best: Box | undefined;
  let bestArea = Number.POSITIVE_INFINITY;
  hull.forEach((point, i) => {
    const next = hull[(i + 1) % hull.length] as Point;
    const side = distance(point, next);
    if (side < 1e-9) return;
    const axis = { x: (next.x - point.x) / side, y: (next.y - point.y) / side };
    const box = boxAlong(hull, axis);
    if (box.length * box.breadth < bestArea) {
      best = box;
      bestArea = box.length * box.breadth;
    }
  });
  return best ?? { centre: centreOf(points), along: { x: 1, y: 0 }, length: 0, breadth: 0 };
}

function boxAlong(points: readonly Point[], axis: Point): Box {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of points) {
    const u = x * axis.x + y * axis.y;
    const v = y * axis.x - x * axis.y;
    left = Math.min(left, u);
    right = Math.max(right, u);
    top = Math.min(top, v);
    bottom = Math.max(bottom, v);
  }
  const u = (left + right) / 2;
  const v = (top + bottom) / 2;
  const centre = { x: u * axis.x - v * axis.y, y: u * axis.y + v * axis.x };
  const wide = right - left >= bottom - top;
  return {
    centre,
    along: wide ? axis : { x: -axis.y, y: axis.x },
    length: Math.max(right - left, bottom - top),
    breadth: Math.min(right - left, bottom - top),
  };
}

/** The corners of a box, starting at the top left when `along` points to the right of the text. */
export function cornersOf({ centre, along, length, breadth }: Box): Quad {
  const u = { x: (along.x * length) / 2, y: (along.y * length) / 2 };
  const v = { x: (-along.y * breadth) / 2, y: (along.x * breadth) / 2 };
  return [
    { x: centre.x - u.x - v.x, y: centre.y - u.y - v.y },
    { x: centre.x + u.x - v.x, y: centre.y + u.y - v.y },
    { x: centre.x + u.x + v.x, y: centre.y + u.y + v.y },
    { x: centre.x - u.x + v.x, y: centre.y - u.y + v.y },
  ];
}
