import type { Similarity } from '../images/sample.ts';
import type { FivePoints, Point } from './landmarks.ts';

/** The turn, scale and shift that lays the reference points over the face with the least squared error over all five points. */
export function alignTo(reference: FivePoints, face: FivePoints): Similarity {
  const from = centreOf(reference);
  const to = centreOf(face);
  let along = 0;
  let across = 0;
  let spread = 0;
  reference.forEach((referencePoint, index) => {
    const point = face[index] as Point;
    const u = referencePoint.x - from.x;
    const v = referencePoint.y - from.y;
    const x = point.x - to.x;
    const y = point.y - to.y;
    along += u * x + v * y;
    across += u * y - v * x;
    spread += u * u + v * v;
  });
  const a = along / spread;
  const b = across / spread;
  return { a, b, c: to.x - a * from.x + b * from.y, d: to.y - b * from.x - a * from.y };
}

function centreOf(points: readonly Point[]): Point {
  const sum = points.reduce((all, { x, y }) => ({ x: all.x + x, y: all.y + y }), { x: 0, y: 0 });
  return { x: sum.x / points.length, y: sum.y / points.length };
}
