import type { FaceReason } from '../faces/quality.ts';
import type { Box } from '../images/sample.ts';

/** The measures of one frame of a challenge. Angles are in degrees, positions in pixels of the frame. */
export type FaceObservation = {
  readonly width: number;
  readonly height: number;
  /** People far behind the person do not count. */
  readonly faces: number;
  /** The reasons against a selfie. Light and focus are judged until the face at rest is known. */
  readonly reasons: readonly FaceReason[];
  readonly box: Box;
  readonly yaw: number;
  readonly pitch: number;
  readonly roll: number;
  /** The distance of the nose from the middle of the eyes, in widths of the eyes. */
  readonly nose: number;
  /** The mean of both eyes by the eye network: 0 closed, 1 open. */
  readonly eyesOpen: number;
  /** The gap between the lids, in widths of an eye, the mean of both. */
  readonly lids: number;
  /** The inner gap between the lips, in widths of the mouth. */
  readonly mouth: number;
  /** From the tip of the nose to the chin, in widths of the eyes: it grows when the jaw goes down. */
  readonly jaw: number;
  /** From the upper lids to the brows, in widths of the eyes. */
  readonly brows: number;
  /** All 68 landmarks, x and y in turn, rounded to a tenth of a pixel. */
  readonly points: readonly number[];
  /** True if the landmarks are where they were in an earlier frame: box and pose are those of that frame. */
  readonly isAsBefore?: true;
  readonly passive: number | null;
  /** The embedding of this frame alone, without its mirror image. */
  readonly vector: Float32Array | null;
};

export type NoFace = { readonly faces: 0; readonly width: number; readonly height: number };
