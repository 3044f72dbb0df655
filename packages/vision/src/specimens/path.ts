import type { Point } from '../images/geometry.ts';

const PIECES = 8;

/** Reads the commands M, L, C, Q and Z of a path, absolute, and returns its lines with curves cut into pieces. */
export function flatten(path: string): Point[][] {
  const lines: Point[][] = [];
  let line: Point[] = [];
  for (const [, command = '', rest = ''] of path.matchAll(/([MLCQZ])([^MLCQZ]*)/g)) {
    const numbers = (rest.match(/-?\d*\.?\d+(?:e-?\d+)?/g) ?? []).map(Number);
    const points: Point[] = [];
    for (let i = 0; i + 1 < numbers.length; i += 2)
      points.push({ x: numbers[i] as number, y: numbers[i + 1] as number });
    if (command === 'M') {
      line = [points[0] as Point];
      lines.push(line);
    } else if (command === 'L') line.push(...points);
    else if (command === 'C')
      for (let i = 0; i + 2 < points.length; i += 3) line.push(...curve(line.at(-1) as Point, points.slice(i, i + 3)));
    else if (command === 'Q')
      for (let i = 0; i + 1 < points.length; i += 2) line.push(...curve(line.at(-1) as Point, points.slice(i, i + 2)));
    else if (line[0]) line.push(line[0]);
  }
  return lines;
}

/** Points on a Bézier curve with one or two control points, by repeated halving of the way (de Casteljau). */
function curve(from: Point, rest: readonly Point[]): Point[] {
  return Array.from({ length: PIECES }, (_, i) => {
    let points = [from, ...rest];
    const share = (i + 1) / PIECES;
    while (points.length > 1) {
      points = points.slice(1).map((point, k) => {
        const before = points[k] as Point;
        return { x: before.x + (point.x - before.x) * share, y: before.y + (point.y - before.y) * share };
      });
    }
    return points[0] as Point;
  });
}
