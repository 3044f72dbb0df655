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
  /**
   * The novelty of the eyes alone, without the effect of the pose: of the pair at the end of the lowest sixth, so that
   * neither a blink nor photographs shown in turn raise it.
   */
  readonly eyes: number;
};

/** Of a pair of pictures: the share of the detail of one that the other does not explain, from 0, the same picture, upwards. */
export type PairNovelty = { readonly face: number; readonly eyes: number };

/**
 * How much of a face is new when the head returns to the same pose. Two pictures of a living face differ even after
 * every motion and every change of light between them is removed: lids, gaze, lips and brows are never quite the same.
 * A photograph that is warped back is the same photograph.
 */
export const NOVELTY_SIDE = 112;
const ALIGNED_SIDE = 112;
/** Of the crop, around the middle of eyes and mouth. */
const ELLIPSE = { x: 0.5, y: 0.62, width: 0.36, height: 0.4 };
/** Half axes around each eye, in pixels of the crop: lids, lashes and the white of the eye, without the brow. */
const EYE = { x: 14, y: 8 };
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

export function noveltyBetween(of: PreparedFace, other: PreparedFace): PairNovelty {
  const alignedFace = pull(other.face, denseFlow(of.contrast, other.contrast));
  const [mine, theirs] = [of.band, band(alignedFace)];
  const [light, lightOfOther] = [of.light.data, blur(alignedFace, CONTRAST_WINDOW).data];
  const newIn = (area: readonly number[]): number => {
    let rest = 0;
    let all = 0;
    for (const at of area) {
      const gain = (light[at] as number) / Math.max(1, lightOfOther[at] as number);
      const value = mine.data[at] as number;
      rest += (value - (theirs.data[at] as number) * gain) ** 2;
      all += value * value;
    }
    return all === 0 ? 0 : rest / all;
  };
  return { face: newIn(FACE_AREA), eyes: newIn(EYE_AREA) };
}

/** The pixels of the crop for which the test is true. */
function areaOf(isInside: (x: number, y: number) => boolean): number[] {
  const all = Array.from({ length: NOVELTY_SIDE * NOVELTY_SIDE }, (_, at) => at);
  return all.filter((at) => isInside(at % NOVELTY_SIDE, Math.floor(at / NOVELTY_SIDE)));
}

const FACE_AREA = areaOf(isInFace);
const EYE_AREA = areaOf(isInEye);

function isInFace(x: number, y: number): boolean {
  const u = (x / NOVELTY_SIDE - ELLIPSE.x) / ELLIPSE.width;
  const v = (y / NOVELTY_SIDE - ELLIPSE.y) / ELLIPSE.height;
  return u * u + v * v <= 1;
}

/** The crop has the eyes where the default face pack has them. */
function isInEye(x: number, y: number): boolean {
  return DEFAULT_PACK.places.slice(0, 2).some((eye) => ((x - eye.x) / EYE.x) ** 2 + ((y - eye.y) / EYE.y) ** 2 <= 1);
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
