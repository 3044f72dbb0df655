import type { Similarity } from '../images/sample.ts';
import type { FivePoints, Point } from './landmarks.ts';

/** Where the embedding model expects eyes, nose and mouth in its 112 × 112 pixels. */
const TEMPLATE: FivePoints = [
  { x: 38.29, y: 51.7 },
  { x: 73.53, y: 51.5 },
  { x: 56.03, y: 71.74 },
  { x: 41.55, y: 92.37 },
  { x: 70.73, y: 92.2 },
];

/** The turn, scale and shift that lays the template over the face with the least squared error over all five points. */
export function alignToTemplate(face: FivePoints): Similarity {
  const from = centreOf(TEMPLATE);
  const to = centreOf(face);
  let along = 0;
  let across = 0;
  let spread = 0;
  TEMPLATE.forEach((place, index) => {
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
