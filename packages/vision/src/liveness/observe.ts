import type { FaceModels } from '../faces/analyse.ts';
import { detectFaces, type FaceBox, mainFace } from '../faces/detect.ts';
import { alignFace, embedAligned } from '../faces/embed.ts';
import { findEyesOpen } from '../faces/eyes.ts';
import { findLandmarks, fivePoints, type Point } from '../faces/landmarks.ts';
import { type Exposure, measureExposure } from '../faces/measure.ts';
import { findPose, noseOffset, type Pose, rollOfEyes } from '../faces/pose.ts';
import { qualityReasons } from '../faces/quality.ts';
import { decodeWithScale, type Raster } from '../images/raster.ts';
import type { Box } from '../images/sample.ts';
import type { FaceObservation, NoFace } from './observation.ts';
import { passiveLiveness } from './passive.ts';
import { type LastObservation, type Measures, type WantedFrame, wantedRole } from './roles.ts';

/** Frames are small, and larger ones gain nothing. */
const LONGEST_SIDE_AT_LEAST = 480;

/**
 * Observes a frame. The face is embedded if the frame is wanted; a face at rest is also examined for a print or a
 * screen. An unwanted frame whose landmarks have not moved costs neither detector nor pose network. Throws
 * `ImageFault`.
 */
export async function observeFace(
  bytes: Uint8Array,
  models: FaceModels,
  wantedFrame?: WantedFrame,
): Promise<FaceObservation | NoFace> {
  const { raster, shrink } = await decodeWithScale(bytes, { longestSideAtLeast: LONGEST_SIDE_AT_LEAST });
  const picture: Picture = { raster, shrink, width: raster.width * shrink, height: raster.height * shrink };
  const asBefore = wantedFrame?.lastLook && (await lookAsBefore(picture, models, wantedFrame.lastLook));
  if (asBefore && !wantedRole(asBefore, wantedFrame))
    return { ...asBefore, isAsBefore: true, passive: null, vector: null };
  const faces = await detectFaces(raster, models.detect);
  const main = mainFace(faces, raster);
  if (!main) return { width: picture.width, height: picture.height, faces: 0 };
  const points = await findLandmarks(raster, main, models.landmark);
  const pose = await findPose(raster, main, points, models.pose);
  const others = faces.filter((face) => face !== main);
  // Light and focus count for the selfie, which is chosen before the face at rest is known.
  const exposure = wantedFrame?.neutral ? null : measureExposure(alignFace(raster, fivePoints(points)));
  const measures = await measureFrame(picture, models, { box: main, points, pose, others, exposure });
  const role = wantedRole(measures, wantedFrame);
  if (!role) return { ...measures, passive: null, vector: null };
  const { vector } = await embedAligned(alignFace(raster, fivePoints(points), models.embedder.pack), models.embedder);
  const passive =
    role === 'centre' && models.passive ? (await passiveLiveness(raster, main, models.passive)).score : null;
  return { ...measures, passive, vector };
}

type Picture = { readonly raster: Raster; readonly shrink: number; readonly width: number; readonly height: number };
type FoundFace = {
  box: Box;
  points: readonly Point[];
  pose: Pose;
  others: readonly FaceBox[];
  exposure: Exposure | null;
};

async function measureFrame(
  { raster, shrink, width, height }: Picture,
  models: FaceModels,
  { box, points, pose, others, exposure }: FoundFace,
): Promise<Measures> {
  const eyes = await findEyesOpen(raster, points, models.eye);
  const reasons = qualityReasons({ box, shrink, raster, points, pose, eyes, exposure, others });
  return {
    width,
    height,
    faces: reasons.includes('several_faces') ? others.length + 1 : 1,
    reasons,
    box: scaled(box, shrink),
    yaw: pose.yaw,
    pitch: pose.pitch,
    roll: pose.roll,
    nose: noseOffset(points),
    eyesOpen: (eyes.left + eyes.right) / 2,
    ...measureExpression(points),
    points: points.flatMap(({ x, y }) => [Math.round(x * shrink * 10) / 10, Math.round(y * shrink * 10) / 10]),
  };
}

/** The tolerance for an unmoved landmark, in heights of the face. */
const AS_BEFORE_SHARE = 0.03;
/** The chin, and all points from the brows on: the rest of the jaw is less precise. */
const CHIN = 8;
const FIRST_BROW = 17;

/** The observation of a frame in which nothing has moved since an earlier one, according to the landmarks. */
async function lookAsBefore(
  picture: Picture,
  models: FaceModels,
  before: LastObservation,
): Promise<Measures | undefined> {
  const { raster, shrink } = picture;
  if (picture.width !== before.width) return undefined;
  const box = scaled(before.box, 1 / shrink);
  const points = await findLandmarks(raster, box, models.landmark);
  const limit = (before.box.bottom - before.box.top) * AS_BEFORE_SHARE;
  const isAsBefore = points.every(({ x, y }, at) => {
    if (at < FIRST_BROW && at !== CHIN) return true;
    const [formerX = 0, formerY = 0] = before.points.slice(at * 2, at * 2 + 2);
    return Math.hypot(x * shrink - formerX, y * shrink - formerY) <= limit;
  });
  if (!isAsBefore) return undefined;
  const pose = { yaw: before.yaw, pitch: before.pitch, roll: rollOfEyes(points) };
  return measureFrame(picture, models, { box, points, pose, others: [], exposure: null });
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

function scaled({ left, top, right, bottom }: Box, times: number): Box {
  return { left: left * times, top: top * times, right: right * times, bottom: bottom * times };
}
