import type { Raster } from '../images/raster.ts';
import { type Box, resizeBox, toGrey } from '../images/sample.ts';
import type { RunModel } from '../models.ts';

export type Point = { readonly x: number; readonly y: number };

const INPUT = { width: 64, height: 64 };
const GREY_SCALE = 1 / 256;

/** The usual position of the highest of the 68 points, a brow, in the box, from its top. */
const USUAL_TOP = 0.29;
/** With higher brows the face was probably misread: hair or a cap was taken for brows. */
const SUSPECT_TOP = 0.2;
/** The second look is lower by this. */
const LOWER_BY = 0.12;

/** The 68 points of the usual scheme (jaw 0–16, brows 17–26, nose 27–35, eyes 36–47, mouth 48–67), in the picture. */
export async function findLandmarks(raster: Raster, face: Box, run: RunModel): Promise<Point[]> {
  const first = await look(raster, squareBox(face), run);
  if (first.top >= SUSPECT_TOP) return first.points;
  // If the face really is that high in its box, it is even higher in a lower one, and the first look counts.
  const second = await look(raster, lowered(squareBox(face)), run);
  return Math.abs(second.top - USUAL_TOP) < Math.abs(first.top - USUAL_TOP) ? second.points : first.points;
}

async function look(raster: Raster, box: Box, run: RunModel): Promise<{ points: Point[]; top: number }> {
  const side = box.right - box.left;
  const input = toGrey(resizeBox(raster, box, INPUT)).map((value) => value * GREY_SCALE);
  const [output] = await run(input);
  if (!output) throw new Error('the landmark model gave nothing');
  const points = Array.from({ length: output.length / 2 }, (_, at) => ({
    x: box.left + (output[at * 2] as number) * side,
    y: box.top + (output[at * 2 + 1] as number) * side,
  }));
  return { points, top: (Math.min(...points.map(({ y }) => y)) - box.top) / side };
}

function lowered(box: Box): Box {
  const by = (box.bottom - box.top) * LOWER_BY;
  return { ...box, top: box.top + by, bottom: box.bottom + by };
}

/** A square as high as the face, on which the models after the detector were trained. */
export function squareBox({ left, top, right, bottom }: Box): Box {
  const half = (bottom - top) / 2;
  const middle = (left + right) / 2;
  return { left: middle - half, top, right: middle + half, bottom };
}

/** The two eyes as the viewer sees them, left first, the tip of the nose, and the corners of the mouth. */
export type FivePoints = readonly [Point, Point, Point, Point, Point];

export function fivePoints(points: readonly Point[]): FivePoints {
  const mean = (...indexes: number[]): Point => ({
    x: indexes.reduce((sum, index) => sum + (points[index]?.x ?? 0), 0) / indexes.length,
    y: indexes.reduce((sum, index) => sum + (points[index]?.y ?? 0), 0) / indexes.length,
  });
  return [mean(37, 38, 40, 41), mean(43, 44, 46, 47), mean(30), mean(48, 60), mean(54, 64)];
}
