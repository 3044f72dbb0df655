import type { FaceModels } from '../faces/analyse.ts';
import { detectFaces, mainFace } from '../faces/detect.ts';
import { alignFace, embedAligned } from '../faces/embed.ts';
import { findEyesOpen } from '../faces/eyes.ts';
import { findLandmarks, fivePoints, type Point } from '../faces/landmarks.ts';
import { measureExposure } from '../faces/measure.ts';
import { findPose, noseOffset } from '../faces/pose.ts';
import { qualityReasons } from '../faces/quality.ts';
import { decodeWithScale } from '../images/raster.ts';
import type { Box } from '../images/sample.ts';
import type { FaceObservation, NoFace } from './observation.ts';
import { passiveLiveness } from './passive.ts';
import { isWanted, type Measures, type WantedFrame } from './roles.ts';

/** Frames are small; whoever sends larger ones gains nothing. */
const LONGEST_SIDE_AT_LEAST = 480;

/** The face is embedded if the frame is the wanted one; a face at rest is also looked at for a print or a screen. Throws `ImageFault`. */
export async function observeFace(
  bytes: Uint8Array,
  models: FaceModels,
  wanted?: WantedFrame,
): Promise<FaceObservation | NoFace> {
  const { raster, shrink } = await decodeWithScale(bytes, { longestSideAtLeast: LONGEST_SIDE_AT_LEAST });
  const size = { width: raster.width * shrink, height: raster.height * shrink };
  const faces = await detectFaces(raster, models.detect);
  const main = mainFace(faces, raster);
  if (!main) return { ...size, faces: 0 };
  const points = await findLandmarks(raster, main, models.landmark);
  const pose = await findPose(raster, main, points, models.pose);
  const eyes = await findEyesOpen(raster, points, models.eye);
  const five = fivePoints(points);
  const exposure = measureExposure(alignFace(raster, five));
  const others = faces.filter((face) => face !== main);
  const reasons = qualityReasons({ box: main, shrink, raster, points, pose, eyes, exposure, others });
  const measures: Measures = {
    ...size,
    faces: reasons.includes('several_faces') ? faces.length : 1,
    reasons,
    box: scaled(main, shrink),
    ...{ yaw: pose.yaw, pitch: pose.pitch, roll: pose.roll, nose: noseOffset(points) },
    eyesOpen: (eyes.left + eyes.right) / 2,
    ...measureExpression(points),
    points: points.flatMap(({ x, y }) => [Math.round(x * shrink * 10) / 10, Math.round(y * shrink * 10) / 10]),
  };
  if (!isWanted(measures, wanted)) return { ...measures, passive: null, vector: null };
  const { vector } = await embedAligned(alignFace(raster, five, models.embedder.pack), models.embedder);
  const passive =
    wanted?.role === 'centre' && models.passive ? (await passiveLiveness(raster, main, models.passive)).score : null;
  return { ...measures, passive, vector };
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
