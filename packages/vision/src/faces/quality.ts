import type { Box } from '../images/sample.ts';
import { area, type FaceBox } from './detect.ts';
import type { EyesOpen } from './eyes.ts';
import type { Point } from './landmarks.ts';
import type { Exposure } from './measure.ts';
import type { Pose } from './pose.ts';

/** The reasons why a face is not reliable; a journey has advice for each. */
export type FaceReason =
  | 'no_face'
  | 'several_faces'
  | 'too_small'
  | 'cut_off'
  | 'too_dark'
  | 'too_bright'
  | 'blurred'
  | 'turned_away'
  | 'eyes_closed';

/** A possible fault. It does not refuse a picture, but a reviewer should know it. */
export type FaceHint = 'partly_hidden';

/**
 * The limits, measured on LFW (`docs/vision.md`): of 827 press photographs less than one in a hundred falls below any
 * of those for light and focus; darkened, overexposed and blurred copies of the same pictures do.
 */
export const FACE_LIMITS = {
  /** From the brow to the chin, in pixels of the file. */
  heightPixels: 80,
  /** Another face counts if it has at least this share of the main one's size: passers-by in the background do not. */
  otherFaceShare: 0.2,
  /** The number of the 68 points that may be outside the picture. */
  pointsOutside: 3,
  /** Measures highlights, not the mean: dark skin in good light has bright spots, fair skin without light has none. */
  highlights: 75,
  clipped: 0.25,
  sharpness: 0.012,
  yawDegrees: 35,
  pitchDegrees: 30,
  rollDegrees: 35,
  /** Both the network and the shape of the lids must find both eyes closed: narrow eyes are open eyes. */
  eyeOpen: 0.1,
  lidOpening: 0.2,
} as const;

export type FaceMeasures = {
  box: Box;
  /** The number of pixels of the file for one of the raster. */
  shrink: number;
  raster: { width: number; height: number };
  points: readonly Point[];
  pose: Pose;
  /** Null if the eyes were not examined. */
  eyes: EyesOpen | null;
  /** Null if it was not measured. */
  exposure: Exposure | null;
  others: readonly FaceBox[];
};

export function qualityReasons(face: FaceMeasures): FaceReason[] {
  const { box, points, pose, eyes, exposure, others, raster } = face;
  const reasons: FaceReason[] = [];
  if (others.some((other) => area(other) >= area(box) * FACE_LIMITS.otherFaceShare)) reasons.push('several_faces');
  if ((box.bottom - box.top) * face.shrink < FACE_LIMITS.heightPixels) reasons.push('too_small');
  const outside = points.filter(({ x, y }) => x < 0 || y < 0 || x > raster.width || y > raster.height).length;
  if (outside > FACE_LIMITS.pointsOutside) reasons.push('cut_off');
  if (exposure && exposure.highlights < FACE_LIMITS.highlights) reasons.push('too_dark');
  if (exposure && exposure.clipped > FACE_LIMITS.clipped) reasons.push('too_bright');
  if (exposure && exposure.sharpness < FACE_LIMITS.sharpness) reasons.push('blurred');
  if (isTurnedAway(pose)) reasons.push('turned_away');
  if (eyes && areClosed(eyes, points)) reasons.push('eyes_closed');
  return reasons;
}

export function faceHints(strength: number, faintBelow: number | null): FaceHint[] {
  return faintBelow !== null && strength < faintBelow ? ['partly_hidden'] : [];
}

function isTurnedAway({ yaw, pitch, roll }: Pose): boolean {
  return (
    Math.abs(yaw) > FACE_LIMITS.yawDegrees ||
    Math.abs(pitch) > FACE_LIMITS.pitchDegrees ||
    Math.abs(roll) > FACE_LIMITS.rollDegrees
  );
}

function areClosed(eyes: EyesOpen, points: readonly Point[]): boolean {
  const opening = (lidOpening(points.slice(36, 42)) + lidOpening(points.slice(42, 48))) / 2;
  return Math.max(eyes.left, eyes.right) < FACE_LIMITS.eyeOpen && opening < FACE_LIMITS.lidOpening;
}

/** The ratio of an eye's height to its width (Soukupová and Čech, 2016). */
function lidOpening(eye: readonly Point[]): number {
  const apart = (one: number, other: number) => {
    const [from, to] = [eye[one], eye[other]] as [Point, Point];
    return Math.hypot(to.x - from.x, to.y - from.y);
  };
  return (apart(1, 5) + apart(2, 4)) / (2 * apart(0, 3));
}
