import type { Raster } from '../images/raster.ts';
import { resizeBox, toGrey } from '../images/sample.ts';
import type { RunModel } from '../models.ts';
import type { Point } from './landmarks.ts';
import { softmax } from './pose.ts';

/** From 0, closed, to 1, open; left and right as the viewer sees them. */
export type EyesOpen = { readonly left: number; readonly right: number };

const INPUT = { width: 24, height: 24 };
const GREY_SCALE = 1 / 255;
/** The crop is this much wider than the eye from corner to corner. */
const WIDTH_OF_CROP = 1.6;

export async function findEyesOpen(raster: Raster, points: readonly Point[], run: RunModel): Promise<EyesOpen> {
  return {
    left: await eyeOpen(raster, points.slice(36, 42), run),
    right: await eyeOpen(raster, points.slice(42, 48), run),
  };
}

/** The six points of one eye: outer corner, two of the upper lid, inner corner, two of the lower lid. */
async function eyeOpen(raster: Raster, eye: readonly Point[], run: RunModel): Promise<number> {
  const lids = [eye[1], eye[2], eye[4], eye[5]] as Point[];
  const x = lids.reduce((sum, point) => sum + point.x, 0) / lids.length;
  const y = lids.reduce((sum, point) => sum + point.y, 0) / lids.length;
  const [first, last] = [eye[0], eye[3]] as [Point, Point];
  const half = (Math.hypot(last.x - first.x, last.y - first.y) * WIDTH_OF_CROP) / 2;
  const box = { left: x - half, top: y - half, right: x + half, bottom: y + half };
  const [output] = await run(toGrey(resizeBox(raster, box, INPUT)).map((value) => value * GREY_SCALE));
  if (!output) throw new Error('the eye model gave nothing');
  return softmax(output)[OPEN_CLASS] as number;
}

const OPEN_CLASS = 1;
