import { createHash } from 'node:crypto';
import type { FaceAnalysis } from '../faces/analyse.ts';
import type { Box } from '../images/sample.ts';

/** One frame of a challenge, reduced to what its verification needs. */
export type Frame = {
  /** Of the bytes as they came: the same picture sent twice has the same. */
  readonly sha256: string;
  /** Milliseconds by the client's clock. Only differences are used, and only as a hint: it can say what it likes. */
  readonly capturedAt: number;
  readonly width: number;
  readonly height: number;
  readonly faces: number;
  readonly box: Box | null;
  readonly yaw: number;
  readonly pitch: number;
  readonly noseOffset: number;
  readonly passive: number;
  readonly vector: Float32Array | null;
};

export function frameOf(bytes: Uint8Array, analysis: FaceAnalysis, capturedAt: number): Frame {
  const { width, height, faces, face, reasons } = analysis;
  return {
    sha256: createHash('sha256').update(bytes).digest('hex'),
    capturedAt,
    width,
    height,
    // People far behind the person do not count as a second face; those beside do.
    faces: reasons.includes('several_faces') ? faces : Math.min(faces, 1),
    box: face?.box ?? null,
    yaw: face?.pose.yaw ?? 0,
    pitch: face?.pose.pitch ?? 0,
    noseOffset: face?.pose.noseOffset ?? 0,
    passive: face?.liveness?.score ?? 0,
    vector: face?.template?.vector ?? null,
  };
}
