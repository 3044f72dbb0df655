import { cosine } from '../faces/match.ts';
import type { Challenge, ChallengePose } from './challenge.ts';
import type { Frame } from './frames.ts';

export type ChallengeReason =
  | 'wrong_nonce'
  | 'already_used'
  | 'expired'
  | 'too_few_frames'
  | 'too_many_frames'
  | 'no_face'
  | 'several_faces'
  | 'different_faces'
  | 'repeated_frames'
  | 'not_continuous'
  | 'wrong_poses'
  | 'flat'
  | 'passive_low';

/** Signs of pictures that did not come from a camera. Each has innocent causes, so none of them decides. */
export type InjectionHint = 'steady_clock' | 'clock_backwards' | 'frozen_frames' | 'size_changes';

export type ChallengeVerdict = {
  readonly passed: boolean;
  readonly reasons: readonly ChallengeReason[];
  readonly hints: readonly InjectionHint[];
  /** How many of the asked poses were shown, in order. */
  readonly posesShown: number;
  /** The median of the frames. */
  readonly passiveScore: number;
  /** The least similar frame beside the first. */
  readonly lowestCosine: number;
};

export const CHALLENGE_LIMITS = {
  framesAtLeast: 10,
  framesAtMost: 60,
  /**
   * A pose counts from here on; between the two angles the head is on its way. The network underrates large angles: in
   * a recording of someone who turns and nods without being told how far, it sees 14 to 17 degrees to the sides, 15
   * down and 10 up, and 2 to 6 degrees of drift while the head is at rest. A page that guides leads to 12 degrees by its
   * own, smaller network; of those a head that began a little aside has 10.5 to 11 here.
   */
  turnDegrees: 10,
  nodDegrees: 8,
  centreDegrees: 7,
  /** So many frames in a row must show a direction that was not asked for: one alone may be a misreading. */
  wrongFrames: 2,
  /** A nose that does not move sideways while the yaw says so is printed. In widths of the eyes. */
  noseTravel: 0.08,
  /** Between frames that follow each other. A head does not do more; a cut between two recordings does. */
  stepDegrees: 30,
  /** Of the face's height. */
  stepOfBox: 0.6,
  stepOfSize: 0.4,
  /** One person under different angles is more alike than this, strangers are not (`docs/vision.md`). */
  sameFaceCosine: 0.35,
  passive: 0.5,
  /** Of the frames, how many must pass the passive check: turned heads pass it less often. */
  passiveShare: 0.5,
} as const;

export type ChallengeAnswer = {
  challenge: Challenge;
  nonce: string;
  /** What the caller's store says. */
  alreadyUsed: boolean;
  now: number;
  frames: readonly Frame[];
};

/** Looks at everything that can be looked at, so that the record says all that was wrong. Pure. */
export function verifyChallenge({ challenge, nonce, alreadyUsed, now, frames }: ChallengeAnswer): ChallengeVerdict {
  const reasons: ChallengeReason[] = [];
  const looked = withoutStandstill(frames.slice(0, CHALLENGE_LIMITS.framesAtMost));
  if (nonce !== challenge.nonce) reasons.push('wrong_nonce');
  if (alreadyUsed) reasons.push('already_used');
  if (now > challenge.expiresAt || now < challenge.issuedAt) reasons.push('expired');
  if (looked.length < CHALLENGE_LIMITS.framesAtLeast) reasons.push('too_few_frames');
  if (frames.length > CHALLENGE_LIMITS.framesAtMost) reasons.push('too_many_frames');
  if (looked.some(({ faces }) => faces === 0)) reasons.push('no_face');
  if (looked.some(({ faces }) => faces > 1)) reasons.push('several_faces');
  if (new Set(looked.map(({ sha256 }) => sha256)).size < looked.length) reasons.push('repeated_frames');
  const lowestCosine = leastAlike(looked);
  if (lowestCosine < CHALLENGE_LIMITS.sameFaceCosine) reasons.push('different_faces');
  if (!isContinuous(looked)) reasons.push('not_continuous');
  const posesShown = countPoses(challenge.poses, looked);
  if (posesShown < challenge.poses.length) reasons.push('wrong_poses');
  if (isFlat(challenge.poses, looked)) reasons.push('flat');
  const passing = looked.filter(({ passive }) => passive >= CHALLENGE_LIMITS.passive).length;
  if (passing < looked.length * CHALLENGE_LIMITS.passiveShare) reasons.push('passive_low');
  return {
    passed: reasons.length === 0,
    reasons,
    hints: injectionHints(frames.slice(0, CHALLENGE_LIMITS.framesAtMost)),
    posesShown,
    passiveScore: median(looked.map(({ passive }) => passive)),
    lowestCosine,
  };
}

/** A camera that is asked too often gives the same picture again at once. That shows nothing, and harms nothing. */
function withoutStandstill(frames: readonly Frame[]): Frame[] {
  return frames.filter((frame, at) => frame.sha256 !== frames[at - 1]?.sha256);
}

function leastAlike(frames: readonly Frame[]): number {
  const vectors = frames.flatMap(({ vector }) => (vector ? [vector] : []));
  const [first, ...others] = vectors;
  return first ? Math.min(1, ...others.map((each) => cosine(first, each))) : 0;
}

/** Every step between two frames is one that a head can make. */
function isContinuous(frames: readonly Frame[]): boolean {
  return frames.every((frame, at) => {
    const before = frames[at - 1];
    if (!before?.box || !frame.box) return true;
    const height = before.box.bottom - before.box.top;
    const moved = Math.hypot(
      (frame.box.left + frame.box.right - before.box.left - before.box.right) / 2,
      (frame.box.top + frame.box.bottom - before.box.top - before.box.bottom) / 2,
    );
    const grown = Math.abs(frame.box.bottom - frame.box.top - height);
    return (
      Math.hypot(frame.yaw - before.yaw, frame.pitch - before.pitch) <= CHALLENGE_LIMITS.stepDegrees &&
      moved <= height * CHALLENGE_LIMITS.stepOfBox &&
      grown <= height * CHALLENGE_LIMITS.stepOfSize
    );
  });
}

/**
 * The poses in the order asked for. The centre, and the pose just shown, may be passed through at any time; any other
 * direction ends it: someone who sweeps through all of them has not listened.
 */
function countPoses(asked: readonly ChallengePose[], frames: readonly Frame[]): number {
  const origin = frames[0];
  if (!origin) return 0;
  let shown = 0;
  let wrong = 0;
  for (const frame of frames) {
    const pose = poseOf(frame, origin);
    const isWrong = pose !== null && pose !== 'centre' && pose !== asked[shown] && pose !== asked[shown - 1];
    wrong = isWrong ? wrong + 1 : 0;
    if (pose === asked[shown]) shown += 1;
    if (shown === asked.length || wrong === CHALLENGE_LIMITS.wrongFrames) return shown;
  }
  return shown;
}

/** Angles are taken from the first frame: cameras stand below or above eyes, and the model has its own idea of level. */
export function poseOf(frame: Frame, origin: Frame): ChallengePose | null {
  const yaw = frame.yaw - origin.yaw;
  const pitch = frame.pitch - origin.pitch;
  if (Math.abs(yaw) <= CHALLENGE_LIMITS.centreDegrees && Math.abs(pitch) <= CHALLENGE_LIMITS.centreDegrees) {
    return 'centre';
  }
  const turned = Math.abs(yaw) / CHALLENGE_LIMITS.turnDegrees;
  const nodded = Math.abs(pitch) / CHALLENGE_LIMITS.nodDegrees;
  if (Math.max(turned, nodded) < 1) return null;
  if (turned >= nodded) return yaw > 0 ? 'right' : 'left';
  return pitch > 0 ? 'up' : 'down';
}

/** Where a turn was asked for and the yaw shows it, the nose must have gone the same way. */
function isFlat(asked: readonly ChallengePose[], frames: readonly Frame[]): boolean {
  const origin = frames[0];
  if (!origin) return false;
  const travel = (pose: 'left' | 'right', sign: 1 | -1) => {
    const turned = frames.filter((frame) => poseOf(frame, origin) === pose);
    if (!asked.includes(pose) || turned.length === 0) return false;
    return median(turned.map((frame) => (frame.noseOffset - origin.noseOffset) * sign)) < CHALLENGE_LIMITS.noseTravel;
  };
  return travel('right', 1) || travel('left', -1);
}

function injectionHints(frames: readonly Frame[]): InjectionHint[] {
  const hints: InjectionHint[] = [];
  const gaps = frames.slice(1).map((frame, at) => frame.capturedAt - (frames[at] as Frame).capturedAt);
  if (gaps.some((gap) => gap < 0)) hints.push('clock_backwards');
  // A real camera's frames arrive a few milliseconds early or late; a program's need not.
  if (gaps.length >= 5 && new Set(gaps).size === 1) hints.push('steady_clock');
  const still = frames.filter((frame, at) => {
    const before = frames[at - 1];
    return before && frame.yaw === before.yaw && frame.pitch === before.pitch && frame.passive === before.passive;
  });
  if (still.length > 0) hints.push('frozen_frames');
  if (new Set(frames.map(({ width, height }) => `${width}×${height}`)).size > 1) hints.push('size_changes');
  return hints;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
