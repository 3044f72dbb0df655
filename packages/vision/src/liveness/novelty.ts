import { alignTo } from '../faces/align.ts';
import { fivePoints, type Point } from '../faces/landmarks.ts';
import { DEFAULT_PACK } from '../faces/packs.ts';
import type { Raster } from '../images/raster.ts';
import { toGrey, warp } from '../images/sample.ts';
import { blur, denseFlow, type Plane, type Pyramid, pull, pyramidOf } from './flow.ts';

/** The novelty between the faces at rest, over all pairs of them. */
export type Novelty = {
  readonly median: number;
  /** The median without the effect of the pose: a warped photograph also differs from itself between two poses. */
  readonly medianBeyondPose: number;
  /**
   * The novelty of the third lowest pair. Three photographs shown in turn make three pairs of the same picture, which
   * the median would not show.
   */
  readonly thirdLeast: number;
};

/**
 * How much of a face is new when the head returns to the same pose. Two pictures of a living face differ even after
 * every motion and every change of light between them is removed: lids, gaze, lips and brows are never quite the same.
 * A photograph that is warped back is the same photograph.
 */
export const NOVELTY_SIDE = 112;
const ALIGNED_SIDE = 112;
/** Of the crop, around the middle of eyes and mouth. */
const ELLIPSE = { x: 0.5, y: 0.62, width: 0.36, height: 0.4 };
const CONTRAST_WINDOW = 8;
const CONTRAST_FLOOR = 6;
const BAND = { fine: 1.3, coarse: 5 };

/** The face upright and at one size, in grey. */
export function faceCrop(raster: Raster, points: readonly number[]): Plane {
  const list: Point[] = [];
  for (let at = 0; at < points.length; at += 2) list.push({ x: points[at] as number, y: points[at + 1] as number });
  const { a, b, c, d } = alignTo(DEFAULT_PACK.places, fivePoints(list));
  const shrink = ALIGNED_SIDE / NOVELTY_SIDE;
  const size = { width: NOVELTY_SIDE, height: NOVELTY_SIDE };
  return { ...size, data: toGrey(warp(raster, { a: a * shrink, b: b * shrink, c, d }, size)) };
}

/** A face with the data that every comparison needs. */
export type PreparedFace = {
  readonly face: Plane;
  readonly contrast: Pyramid;
  readonly band: Plane;
  readonly light: Plane;
};

export function prepareFace(face: Plane): PreparedFace {
  return { face, contrast: pyramidOf(localContrast(face)), band: band(face), light: blur(face, CONTRAST_WINDOW) };
}

/** From 0, the same picture, upwards: the share of the detail of `one` that `other` does not explain. */
export function noveltyBetween({ face: one, ...of }: PreparedFace, other: PreparedFace): number {
  const alignedFace = pull(other.face, denseFlow(of.contrast, other.contrast));
  const [mine, theirs] = [of.band, band(alignedFace)];
  const [light, lightOfOther] = [of.light.data, blur(alignedFace, CONTRAST_WINDOW).data];
  let rest = 0;
  let all = 0;
  for (let y = 0; y < one.height; y += 1) {
    for (let x = 0; x < one.width; x += 1) {
      const u = (x / one.width - ELLIPSE.x) / ELLIPSE.width;
      const v = (y / one.height - ELLIPSE.y) / ELLIPSE.height;
      if (u * u + v * v > 1) continue;
      const at = y * one.width + x;
      const gain = (light[at] as number) / Math.max(1, lightOfOther[at] as number);
      const value = mine.data[at] as number;
      rest += (value - (theirs.data[at] as number) * gain) ** 2;
      all += value * value;
    }
  }
  return all === 0 ? 0 : rest / all;
}

function localContrast(plane: Plane): Plane {
  const mean = blur(plane, CONTRAST_WINDOW).data;
  const squares = plane.data.map((value, at) => (value - (mean[at] as number)) ** 2);
  const spread = blur({ ...plane, data: squares }, CONTRAST_WINDOW).data;
  const data = plane.data.map(
    (value, at) => 128 + (40 * (value - (mean[at] as number))) / (Math.sqrt(spread[at] as number) + CONTRAST_FLOOR),
  );
  return { ...plane, data };
}

function band(plane: Plane): Plane {
  const [fine, coarse] = [blur(plane, BAND.fine).data, blur(plane, BAND.coarse).data];
  return { ...plane, data: fine.map((value, at) => value - (coarse[at] as number)) };
}
