import type { LightMeasures } from '../document/measure-card.ts';

/**
 * The direction of the head in degrees, from the camera's view: to the right edge of the unmirrored picture, and up.
 */
export type Angles = { readonly yaw: number; readonly pitch: number; readonly roll: number };

/** The measures of one look at the camera. Positions are in 0…1 of the visible picture. */
export type FaceLook = {
  readonly at: number;
  /** The number of faces; the other members describe the largest. */
  readonly faces: number;
  readonly centre: { readonly x: number; readonly y: number };
  /** From the brow to the chin, as a share of the picture's height. */
  readonly height: number;
  readonly angles: Angles;
  readonly light: LightMeasures;
};

export type FaceHint =
  | 'noFace'
  | 'severalFaces'
  | 'closer'
  | 'back'
  | 'centre'
  | 'dark'
  | 'bright'
  | 'lookForward'
  | 'openEyes'
  | 'closeMouth'
  | 'hold'
  | 'tooFar';

/** The position of the oval, in 0…1 of the visible picture. */
export type Oval = { readonly x: number; readonly y: number; readonly height: number };

/** The place of the head. */
export const OVAL: Oval = { x: 0.5, y: 0.49, height: 0.8 };

export const FACE_GUIDE = {
  /** Shares of the height of the oval, which stands for a whole head. */
  heightAtLeast: 0.42,
  heightAtMost: 0.92,
  /** The distance between the middle of the face and its place, as a share of the picture. */
  offCentre: 0.12,
  /** From the brow to the chin is the lower part of a head. */
  belowCentre: 0.05,
  /** A little below the server's limit. */
  highlights: 82,
  clipped: 0.2,
  /** People who look at a phone below their eyes lower their head a little. */
  yawDegrees: 14,
  pitchDegrees: 20,
  rollDegrees: 18,
} as const;

/** The reason why this picture is not a good selfie; the first that applies. */
export function judgeFace(look: FaceLook, oval: Oval): FaceHint | null {
  const missing = judgePresence(look, oval);
  if (missing) return missing;
  const { yaw, pitch, roll } = look.angles;
  const forward =
    Math.abs(yaw) <= FACE_GUIDE.yawDegrees &&
    Math.abs(pitch) <= FACE_GUIDE.pitchDegrees &&
    Math.abs(roll) <= FACE_GUIDE.rollDegrees;
  return forward ? null : 'lookForward';
}

/** Judges everything but the direction of the head, for while it moves. */
export function judgePresence({ faces, centre, height, light }: FaceLook, oval: Oval): FaceHint | null {
  if (faces === 0) return light.highlights < FACE_GUIDE.highlights / 2 ? 'dark' : 'noFace';
  if (faces > 1) return 'severalFaces';
  if (height < oval.height * FACE_GUIDE.heightAtLeast) return 'closer';
  if (height > oval.height * FACE_GUIDE.heightAtMost) return 'back';
  const off = Math.max(Math.abs(centre.x - oval.x), Math.abs(centre.y - oval.y - FACE_GUIDE.belowCentre));
  if (off > FACE_GUIDE.offCentre) return 'centre';
  if (light.highlights < FACE_GUIDE.highlights) return 'dark';
  if (light.clipped > FACE_GUIDE.clipped) return 'bright';
  return null;
}

/** The number of good looks in a row that make a selfie. */
export const STEADY_FACE_LOOKS = 4;
