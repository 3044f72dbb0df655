import type { Angles } from './judge-face.ts';

/** As the server asks: `left` is towards the left edge of the unmirrored picture, which is the right of the person. */
export type Pose = 'centre' | 'left' | 'right' | 'up' | 'down';

/** How far a try has come. It only guides: whether the movements were made is for the server to say. */
export type ChallengeState = {
  readonly poses: readonly Pose[];
  /** How many were shown. */
  readonly shown: number;
  /** Where the head pointed when it looked forward; everything is measured from there. */
  readonly origin: Angles | null;
  /** Looks in a row that show the pose that is asked for. */
  readonly held: number;
  readonly before: Angles | null;
};

export type ChallengeLook = {
  readonly state: ChallengeState;
  /** What is asked for now; nothing when all was shown. */
  readonly asked: Pose | null;
  /** Whether the head points somewhere that was not asked for: such a frame is not worth sending. */
  readonly astray: boolean;
  /** Whether this look shows the pose that was asked for. */
  readonly reached: boolean;
  readonly tooFast: boolean;
  /** How far the head has come towards the pose, in 0…1. */
  readonly nearness: number;
};

export const CHALLENGE_GUIDE = {
  /** A little more than the server counts, so that what passes here passes there. Up is underrated, down overrated. */
  turnDegrees: 12,
  upDegrees: 10,
  downDegrees: 7,
  /** What comes this near to a direction that was not asked for is astray. */
  strayShare: 0.8,
  centreShare: 0.5,
  /** The server takes steps of at most 30 degrees between the frames it is sent. */
  stepDegrees: 22,
  /** The beginning, from which all else is measured, is a head that looks ahead and is at rest. */
  forwardYawDegrees: 8,
  restDegrees: 5,
  heldLooks: 3,
  heldForward: 3,
  tryMs: 20_000,
} as const;

export function startChallenge(poses: readonly Pose[]): ChallengeState {
  return { poses, shown: 0, origin: null, held: 0, before: null };
}

/** `forward` says that this look, by itself, is a good one straight ahead. */
export function followChallenge(state: ChallengeState, angles: Angles, forward: boolean): ChallengeLook {
  const asked = state.poses[state.shown];
  const tooFast = state.before !== null && stepBetween(state.before, angles) > CHALLENGE_GUIDE.stepDegrees;
  if (!asked) return { state, asked: null, astray: false, reached: false, tooFast, nearness: 1 };
  const origin = state.origin;
  const { yaw, pitch } = origin ? { yaw: angles.yaw - origin.yaw, pitch: angles.pitch - origin.pitch } : angles;
  const nearness = origin ? nearnessTo(asked, yaw, pitch) : forward && isAtRest(state.before, angles) ? 1 : 0;
  const reached = nearness >= 1;
  const held = reached ? state.held + 1 : 0;
  const done = held >= (state.shown === 0 ? CHALLENGE_GUIDE.heldForward : CHALLENGE_GUIDE.heldLooks);
  const next: ChallengeState = {
    ...state,
    shown: done ? state.shown + 1 : state.shown,
    held: done ? 0 : held,
    origin: done && state.shown === 0 ? angles : origin,
    before: angles,
  };
  const astray = origin !== null && isAstray(yaw, pitch, [asked, state.poses[state.shown - 1]]);
  return {
    state: next,
    asked: next.poses[next.shown] ?? null,
    astray,
    reached,
    tooFast,
    nearness: Math.min(1, nearness),
  };
}

export function stepBetween(one: Angles, other: Angles): number {
  return Math.hypot(one.yaw - other.yaw, one.pitch - other.pitch);
}

function isAtRest(before: Angles | null, angles: Angles): boolean {
  return (
    Math.abs(angles.yaw) <= CHALLENGE_GUIDE.forwardYawDegrees &&
    (before === null || stepBetween(before, angles) <= CHALLENGE_GUIDE.restDegrees)
  );
}

/** The way that the mirror shows: the person turns to the side that is `left` for them. */
export function asInMirror(pose: Pose): Pose {
  if (pose === 'left') return 'right';
  return pose === 'right' ? 'left' : pose;
}

function nearnessTo(pose: Pose, yaw: number, pitch: number): number {
  switch (pose) {
    case 'left':
      return -yaw / CHALLENGE_GUIDE.turnDegrees;
    case 'right':
      return yaw / CHALLENGE_GUIDE.turnDegrees;
    case 'up':
      return pitch / CHALLENGE_GUIDE.upDegrees;
    case 'down':
      return -pitch / CHALLENGE_GUIDE.downDegrees;
    case 'centre':
      return strongest(yaw, pitch).nearness < CHALLENGE_GUIDE.centreShare ? 1 : 0;
  }
}

/** Of two directions at once the stronger counts, as it does for the server. */
function strongest(yaw: number, pitch: number): { direction: Pose; nearness: number } {
  const [first, ...others] = (['left', 'right', 'up', 'down'] as const).map((direction) => ({
    direction,
    nearness: nearnessTo(direction, yaw, pitch),
  }));
  return others.reduce((best, each) => (each.nearness > best.nearness ? each : best), first as never);
}

function isAstray(yaw: number, pitch: number, allowed: readonly (Pose | undefined)[]): boolean {
  const { direction, nearness } = strongest(yaw, pitch);
  return nearness > CHALLENGE_GUIDE.strayShare && !allowed.includes(direction);
}
