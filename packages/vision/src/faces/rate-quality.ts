import type { FaceAnalysis } from './analyse.ts';
import { FACE_LIMITS } from './quality.ts';

/**
 * How far a face is from the limits below which it is refused, from 0 to 1: 0.5 stands at the limit of its worst
 * measure, 1 at twice as good in all of them. For choosing the better of two pictures, and for people who read a report.
 */
export function faceQuality({ face, faces }: FaceAnalysis): number {
  if (!face || faces === 0) return 0;
  const { box, exposure, pose } = face;
  const atLeast = (value: number, limit: number) => value / (2 * limit);
  const atMost = (value: number, limit: number) => 1 - Math.abs(value) / (2 * limit);
  const worst = Math.min(
    atLeast(box.bottom - box.top, FACE_LIMITS.heightPixels),
    atLeast(exposure.highlights, FACE_LIMITS.highlights),
    atLeast(exposure.sharpness, FACE_LIMITS.sharpness),
    atMost(exposure.clipped, FACE_LIMITS.clipped),
    atMost(pose.yaw, FACE_LIMITS.yawDegrees),
    atMost(pose.pitch, FACE_LIMITS.pitchDegrees),
    atMost(pose.roll, FACE_LIMITS.rollDegrees),
  );
  return Math.min(1, Math.max(0, worst));
}
