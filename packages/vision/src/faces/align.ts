import type { Similarity } from '../images/sample.ts';
import type { FivePoints, Point } from './landmarks.ts';

/** The turn, scale and shift that lays the places over the face with the least squared error over all five points. */
export function alignTo(places: FivePoints, face: FivePoints): Similarity {
  const from = centreOf(places);
  const to = centreOf(face);
  let along = 0;
  let across = 0;
  let spread = 0;
  places.forEach((place, index) => {
    const point = face[index] as Point;
    const u = place.x - from.x;
    const v = place.y - from.y;
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
