import type { FaceModels } from '../faces/analyse.ts';
import { detectFaces, mainFace } from '../faces/detect.ts';
import { alignFace, embedAligned } from '../faces/embed.ts';
import { findEyesOpen } from '../faces/eyes.ts';
import { findLandmarks, fivePoints, type Point } from '../faces/landmarks.ts';
import { measureExposure } from '../faces/measure.ts';
import { findPose, noseOffset } from '../faces/pose.ts';
import { type FaceReason, qualityReasons } from '../faces/quality.ts';
import { decodeWithScale } from '../images/raster.ts';
import type { Box } from '../images/sample.ts';
import { passiveLiveness } from './passive.ts';

/** What one frame of a challenge shows, as plain numbers. Angles are in degrees, places in pixels of the frame. */
export type FaceObservation = {
  readonly width: number;
  readonly height: number;
  /** People far behind the person do not count. */
  readonly faces: number;
  /** Why the picture would not do as a selfie. */
  readonly reasons: readonly FaceReason[];
  readonly box: Box;
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
  /** How far the nose stands from the middle of the eyes, in widths of the eyes. */
  readonly nose: number;
  /** What the eye network says, the mean of both eyes: 0 closed, 1 open. */
  readonly eyesOpen: number;
  /** How far the lids stand apart, in widths of an eye, the mean of both. */
  readonly lids: number;
  /** How far the lips stand apart inside, in widths of the mouth. */
  readonly mouth: number;
  /** From the tip of the nose to the chin, in widths of the eyes: grows when the jaw goes down. */
  readonly jaw: number;
  /** From the upper lids to the brows, in widths of the eyes. */
  readonly brows: number;
  /** All 68 landmarks, x and y in turn, rounded to a tenth of a pixel. */
  readonly points: readonly number[];
  readonly passive: number | null;
  /** The embedding of this frame alone, without its mirror image. */
  readonly vector: Float32Array | null;
};

export type NoFace = { readonly faces: 0; readonly width: number; readonly height: number };

/** What costs time and is not wanted of every frame. */
export type ObserveOptions = {
  /** Embeds the face if its pose is near one of these, or always. */
  readonly embedNear?: readonly PoseRange[] | 'always';
  /** Looks for signs of a print or a screen if the pose is near one of these. */
  readonly passiveNear?: readonly PoseRange[] | 'always';
};

export type PoseRange = {
  readonly yaw: readonly [number, number];
  readonly pitch: readonly [number, number];
};

/** Frames are small; whoever sends larger ones gains nothing. */
const LONGEST_SIDE_AT_LEAST = 480;

/** Throws `ImageFault`. */
export async function observeFace(
  bytes: Uint8Array,
  models: FaceModels,
  { embedNear = [], passiveNear = [] }: ObserveOptions = {},
): Promise<FaceObservation | NoFace> {
  const { raster, shrink } = await decodeWithScale(bytes, { longestSideAtLeast: LONGEST_SIDE_AT_LEAST });
  const size = { width: raster.width * shrink, height: raster.height * shrink };
  const faces = await detectFaces(raster, models.detect);
  const main = mainFace(faces, raster);
  if (!main) return { ...size, faces: 0 };
  const points = await findLandmarks(raster, main, models.landmark);
  const pose = await findPose(raster, main, points, models.pose);
  const eyes = await findEyesOpen(raster, points, models.eye);
  const wants = (ranges: readonly PoseRange[] | 'always') =>
    ranges === 'always' || ranges.some(({ yaw, pitch }) => isWithin(pose.yaw, yaw) && isWithin(pose.pitch, pitch));
  const five = fivePoints(points);
  const { pack } = models.embedder;
  const exposure = measureExposure(alignFace(raster, five));
  const others = faces.filter((face) => face !== main);
  const reasons = qualityReasons({ box: main, shrink, raster, points, pose, eyes, exposure, others });
  return {
    ...size,
    faces: reasons.includes('several_faces') ? faces.length : 1,
    reasons,
    box: scaled(main, shrink),
    ...{ yaw: pose.yaw, pitch: pose.pitch, roll: pose.roll, nose: noseOffset(points) },
    eyesOpen: (eyes.left + eyes.right) / 2,
    ...measureExpression(points),
    points: points.flatMap(({ x, y }) => [Math.round(x * shrink * 10) / 10, Math.round(y * shrink * 10) / 10]),
    passive: wants(passiveNear) && models.passive ? (await passiveLiveness(raster, main, models.passive)).score : null,
    vector: wants(embedNear) ? (await embedAligned(alignFace(raster, five, pack), models.embedder)).vector : null,
  };
}

export type Expression = Pick<FaceObservation, 'lids' | 'mouth' | 'jaw' | 'brows'>;

/** Of the 68 points of the usual scheme (`findLandmarks`). */
export function measureExpression(points: readonly Point[]): Expression {
  const distance = (one: number, other: number) => {
    const [from, to] = [points[one], points[other]] as [Point, Point];
    return Math.hypot(to.x - from.x, to.y - from.y);
  };
  const eyes = distance(36, 45);
  const lid = (outer: number) =>
    (distance(outer + 1, outer + 5) + distance(outer + 2, outer + 4)) / (2 * distance(outer, outer + 3));
  const brows = (distance(19, 37) + distance(20, 38) + distance(23, 43) + distance(24, 44)) / 4;
  return {
    lids: (lid(36) + lid(42)) / 2,
    mouth: (distance(61, 67) + distance(62, 66) + distance(63, 65)) / (3 * distance(48, 54)),
    jaw: distance(30, 8) / eyes,
    brows: brows / eyes,
  };
}

function isWithin(value: number, [from, to]: readonly [number, number]): boolean {
  return value >= from && value <= to;
}

function scaled({ left, top, right, bottom }: Box, times: number): Box {
  return { left: left * times, top: top * times, right: right * times, bottom: bottom * times };
}
