import type { FaceReason } from '../faces/quality.ts';
import { CHALLENGE_LIMITS } from './challenge-limits.ts';
import { type Direction, isDirection, type Movement } from './movements.ts';
import type { FaceObservation } from './observation.ts';

/** The face at rest, the reference of all measures. */
export type Neutral = Pick<FaceObservation, 'yaw' | 'pitch' | 'nose' | 'eyesOpen' | 'lids' | 'mouth' | 'jaw'> & {
  /** As `sizeOf` measures it. */
  readonly size: number;
};

/** The role of a frame in its instruction: the face at rest afterwards, the movement itself, or the way between. */
export type FrameRole = 'centre' | 'shown' | 'between';

/** The reason why a frame is of no use. */
export type FrameHint = FaceReason | 'look_ahead' | 'hold_still' | 'close_mouth' | 'too_far';

/** The measures from which a role is determined: all of a frame but its embedding. */
export type Measures = Omit<FaceObservation, 'vector' | 'passive'>;

/** What a frame shows of the movement, which must come alone: a turned head with an open mouth shows neither. */
export function roleOf(measures: Measures, neutral: Neutral, movement: Movement): FrameRole {
  const { centreDegrees, mouthClosedGap, expressionYawDegrees, expressionPitchDegrees, closer, restNose } =
    CHALLENGE_LIMITS;
  const growth = sizeOf(measures) / neutral.size;
  const yaw = Math.abs(measures.yaw - neutral.yaw);
  const pitch = Math.abs(measures.pitch - neutral.pitch);
  const mouthClosed = measures.mouth <= neutral.mouth + mouthClosedGap;
  // From a profile the pose network may read any angles, even those of rest.
  const noseAhead = Math.abs(measures.nose - neutral.nose) <= restNose;
  const atRest = noseAhead && yaw <= expressionYawDegrees && pitch <= expressionPitchDegrees;
  if (movement === 'openMouth' && atRest && isMouthOpen(measures, neutral)) return 'shown';
  if (movement === 'closeEyes' && atRest && mouthClosed && areEyesClosed(measures, neutral)) return 'shown';
  if (movement === 'closer' && atRest && mouthClosed && growth >= closer.from) return 'shown';
  if (movement === 'closer' && growth > closer.backBelow) return 'between';
  if (isDirection(movement) && mouthClosed && showsDirection(movement, measures, neutral)) return 'shown';
  const eyesOpen = measures.lids >= neutral.lids * CHALLENGE_LIMITS.lidsOpenShare || !areEyesClosed(measures, neutral);
  const ahead = noseAhead && yaw <= centreDegrees && pitch <= centreDegrees;
  return ahead && mouthClosed && eyesOpen ? 'centre' : 'between';
}

function showsDirection(movement: Direction, measures: Measures, neutral: Neutral): boolean {
  return directionOf(measures, neutral)?.direction === movement || isProfileTo(movement, measures);
}

/**
 * How large the face is: from one outer corner of the eyes to the other, in heights of the picture. The box of the face finder
 * grows more slowly than a face that fills most of the picture, so whoever sits near the camera could not come closer.
 */
export function sizeOf({ points, height }: Pick<FaceObservation, 'points' | 'height'>): number {
  const [left, right] = [OUTER_CORNERS.left * 2, OUTER_CORNERS.right * 2];
  const x = (points[right] as number) - (points[left] as number);
  const y = (points[right + 1] as number) - (points[left + 1] as number);
  return Math.hypot(x, y) / height;
}

const OUTER_CORNERS = { left: 36, right: 45 };

/** Whether the face still fits into the picture when it has come closer. */
export function hasRoom(face: Pick<FaceObservation, 'box' | 'height' | 'width'>): boolean {
  const { from, largest } = CHALLENGE_LIMITS.closer;
  const { box, width, height } = face;
  return Math.max((box.bottom - box.top) / height, (box.right - box.left) / width) * from <= largest;
}

export function isMouthOpen(measures: Measures, neutral: Neutral): boolean {
  const { mouthGap, jawDrop } = CHALLENGE_LIMITS;
  return measures.mouth >= neutral.mouth + mouthGap && measures.jaw >= neutral.jaw + jawDrop;
}

export function areEyesClosed(measures: Measures, neutral: Neutral): boolean {
  const { eyesClosedShare, lidsClosedShare } = CHALLENGE_LIMITS;
  return measures.eyesOpen <= neutral.eyesOpen * eyesClosedShare && measures.lids <= neutral.lids * lidsClosedShare;
}

/** The direction of the head compared with rest, and how far, in limits. The stronger of two directions counts. */
export function directionOf(
  pose: Pick<FaceObservation, 'yaw' | 'pitch' | 'nose'>,
  neutral: Pick<Neutral, 'yaw' | 'pitch' | 'nose'>,
): { direction: Direction; share: number } | null {
  const yaw = confirmedYaw(pose, neutral);
  const pitch = pose.pitch - neutral.pitch;
  const turned = Math.abs(yaw) / CHALLENGE_LIMITS.turnDegrees;
  const nodded = Math.abs(pitch) / CHALLENGE_LIMITS.nodDegrees;
  const share = Math.max(turned, nodded);
  if (share < 1) return null;
  if (turned >= nodded) return { direction: yaw > 0 ? 'right' : 'left', share };
  return { direction: pitch > 0 ? 'up' : 'down', share };
}

/**
 * The yaw since rest in degrees, or 0 if the nose did not move to that side of the eyes: of a bowed or hidden face the pose
 * network reads any yaw. A turn that the landmarks do not show would be judged as `flat` in the end.
 */
function confirmedYaw(
  { yaw, nose }: Pick<FaceObservation, 'yaw' | 'nose'>,
  neutral: Pick<Neutral, 'yaw' | 'nose'>,
): number {
  const turned = yaw - neutral.yaw;
  return (nose - neutral.nose) * Math.sign(turned) >= CHALLENGE_LIMITS.turnedNose ? turned : 0;
}

/** Whether the head goes far enough in this direction, regardless of others. */
export function goesTo(
  direction: Direction,
  pose: Pick<FaceObservation, 'yaw' | 'pitch'>,
  neutral: Pick<Neutral, 'yaw' | 'pitch'>,
): boolean {
  const { turnDegrees, nodDegrees } = CHALLENGE_LIMITS;
  const isLevel = direction === 'left' || direction === 'right';
  const sign = direction === 'right' || direction === 'up' ? 1 : -1;
  return isLevel ? (pose.yaw - neutral.yaw) * sign >= turnDegrees : (pose.pitch - neutral.pitch) * sign >= nodDegrees;
}

/**
 * Whether the head is turned far to this side by the landmarks. The pose network reads any angle from a profile, even `up` or
 * `centre`, so then the landmarks decide alone.
 */
export function isProfileTo(movement: Movement, { nose }: Pick<FaceObservation, 'nose'>): boolean {
  if (movement === 'right') return nose >= CHALLENGE_LIMITS.profileNose;
  return movement === 'left' && nose <= -CHALLENGE_LIMITS.profileNose;
}

/** Before the face at rest is known. A role of `centre` needs a frame that is good enough for a selfie. */
export function roleAtStart(measures: Measures): { role: FrameRole; hint?: FrameHint } {
  const { forwardYawDegrees, forwardPitchDegrees, restMouth } = CHALLENGE_LIMITS;
  const ahead = Math.abs(measures.yaw) <= forwardYawDegrees && Math.abs(measures.pitch) <= forwardPitchDegrees;
  if (!ahead) return { role: 'between', hint: 'look_ahead' };
  const [poor] = measures.reasons.filter((reason) => reason !== 'turned_away');
  if (poor) return { role: 'between', hint: poor };
  return measures.mouth < restMouth ? { role: 'centre' } : { role: 'between', hint: 'close_mouth' };
}

/** The frames of the open instruction that are embedded: those with one of these roles. */
export type WantedFrame = {
  /** Null until the face at rest is known. */
  readonly neutral: Neutral | null;
  readonly movement: Movement;
  readonly roles: readonly FrameRole[];
  /** The last fully analysed frame, if the head should still be as it was there. */
  readonly lastLook: LastObservation | null;
};

export type LastObservation = Pick<FaceObservation, 'width' | 'box' | 'points' | 'yaw' | 'pitch'>;

/** The role of the frame, if it is one of the wanted ones. */
export function wantedRole(measures: Measures, wantedFrame: WantedFrame | undefined): FrameRole | undefined {
  if (!wantedFrame || wantedFrame.roles.length === 0) return undefined;
  const { neutral, movement, roles } = wantedFrame;
  const role = neutral ? roleOf(measures, neutral, movement) : roleAtStart(measures).role;
  return roles.includes(role) ? role : undefined;
}
