import type { FaceAnalysis } from './analyse.ts';
import { FACE_LIMITS } from './quality.ts';

/**
 * The distance of a face from the limits of a refusal, from 0 to 1: 0.5 is at the limit of its worst measure, 1 is
 * twice as good in all of them. It serves to choose the better of two pictures, and readers of a report.
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
