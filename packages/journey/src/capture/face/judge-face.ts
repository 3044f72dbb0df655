import type { LightMeasures } from '../document/measure-card.ts';

/** Where the head points, in degrees, as the camera sees it: to the right edge of the unmirrored picture, and up. */
export type Angles = { readonly yaw: number; readonly pitch: number; readonly roll: number };

/** What one look at the camera gave. Places are in 0…1 of the picture that is to be seen. */
export type FaceLook = {
  readonly at: number;
  /** How many faces; the others are those of the largest. */
  readonly faces: number;
  readonly centre: { readonly x: number; readonly y: number };
  /** From the brow to the chin, beside the picture's height. */
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
  | 'hold';

/** Where the oval is in the picture that is to be seen. */
export type Oval = { readonly x: number; readonly y: number; readonly height: number };

export const FACE_GUIDE = {
  /** Beside the height of the oval, which stands for a whole head. */
  heightAtLeast: 0.42,
  heightAtMost: 0.92,
  /** Of the picture, between the middle of the face and where it belongs. */
  offCentre: 0.12,
  /** From the brow to the chin is the lower part of a head. */
  belowCentre: 0.05,
  /** As the server has it, with a little in hand. */
  highlights: 82,
  clipped: 0.2,
  /** The head of somebody who looks at a phone below their eyes is lowered a little. */
  yawDegrees: 14,
  pitchDegrees: 20,
  rollDegrees: 18,
} as const;

/** What stands between this picture and a good selfie, the first that applies. */
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

/** The same without the direction of the head, for while it moves. */
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

/** So many good looks in a row make a selfie. */
export const STEADY_FACE_LOOKS = 4;
