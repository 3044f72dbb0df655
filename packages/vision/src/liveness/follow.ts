import type { FaceReason } from '../faces/quality.ts';
import {
  type Direction,
  drawMovement,
  isDirection,
  MOVEMENTS_IN_ALL,
  type Movement,
  type Omission,
  type RandomBytes,
} from './movements.ts';
import type { FaceObservation, NoFace, ObserveOptions, PoseRange } from './observe.ts';

/**
 * Follows a challenge frame by frame. Pure: time, randomness and what a frame shows come from the caller, who also makes
 * sure that a frame carries the token of the open instruction.
 */
export const CHALLENGE_LIMITS = {
  /** For one instruction, the way back included. */
  instructionMs: 10_000,
  challengeMs: 75_000,
  framesPerInstruction: 40,
  /** Four a second for as long as a challenge may take. */
  frames: 300,
  /** A random pause of at most this before an instruction is revealed. */
  revealPauseMs: 500,
  /** A direction counts from here on. The pose network underrates large angles, and looking up more than the rest. */
  turnDegrees: 10,
  nodDegrees: 8,
  /** The head is back at the centre within these. */
  centreDegrees: 7,
  /** An expression is shown with the head nearly at rest. An open mouth lifts the pitch by up to 7 degrees. */
  expressionYawDegrees: 12,
  expressionPitchDegrees: 14,
  /** The first frames: the person looks ahead and holds still. */
  forwardYawDegrees: 15,
  forwardPitchDegrees: 22,
  restDegrees: 6,
  restMouth: 0.2,
  /** A frame so far in a direction that was not asked for ends the challenge at once; a nearer one must be there twice. */
  strayShare: 1.4,
  /** So many frames in a row must show the movement. */
  shownFrames: 2,
  /** A blink is shorter than this; closed eyes are not. */
  eyesClosedMs: 600,
  /** The gap between the lips, in widths of the mouth, and the way of the chin, in widths of the eyes, beyond the rest. */
  mouthGap: 0.25,
  jawDrop: 0.05,
  mouthClosedGap: 0.12,
  /** Both witnesses must say so: the eye network and the lids, beside what they say of the person's open eyes. */
  eyesClosedShare: 0.5,
  lidsClosedShare: 0.8,
  lidsOpenShare: 0.82,
  /** Nobody reads an instruction and turns the head sooner. */
  reactionMs: 250,
  framesWithoutFace: 6,
  framesWithOthers: 2,
} as const;

export type EndReason = 'too_slow' | 'wrong_movement' | 'face_lost' | 'several_faces' | 'too_many_frames' | 'too_quick';

/** The face at rest, from which everything is measured. */
export type Neutral = Pick<FaceObservation, 'yaw' | 'pitch' | 'eyesOpen' | 'lids' | 'mouth' | 'jaw'>;

/** What a frame is to its instruction: the face at rest after the movement, the movement itself, or the way between. */
export type FrameRole = 'centre' | 'shown' | 'between';

export type ChallengeFrame = {
  /** When it arrived, by the server's clock. */
  readonly at: number;
  /** When it was taken, by the page's clock: a hint. */
  readonly capturedAt: number | null;
  readonly sha256: string;
  /** Of the instruction that it belongs to, from 0. */
  readonly instruction: number;
  readonly role: FrameRole;
  readonly seen: FaceObservation;
};

export type ChallengeProgress = {
  readonly state: 'OPEN' | 'DONE' | 'ENDED';
  readonly reason: EndReason | null;
  readonly omit: readonly Omission[];
  readonly total: number;
  readonly startedAt: number;
  /** Those revealed so far; the last is open while the state is. */
  readonly instructions: readonly Instruction[];
  readonly neutral: Neutral | null;
  readonly frames: readonly ChallengeFrame[];
  /** How many frames arrived in all, with and without a face. */
  readonly arrived: number;
  readonly withoutFace: number;
  readonly withOthers: number;
};

export type Instruction = {
  readonly movement: Movement;
  /** Nothing that arrives before counts for it. */
  readonly revealedAt: number;
  readonly phase: 'do' | 'return';
  readonly arrived: number;
};

/** A frame of the camera, looked at. */
export type ArrivedFrame = {
  readonly at: number;
  readonly capturedAt: number | null;
  readonly sha256: string;
  readonly seen: FaceObservation | NoFace;
};

export type FrameHint = FaceReason | 'look_ahead' | 'hold_still' | 'close_mouth';

export type Step = {
  readonly progress: ChallengeProgress;
  /** Undefined where the frame counts for nothing. */
  readonly frame?: ChallengeFrame;
  /** Why the frame shows nothing of use. */
  readonly hint?: FrameHint;
};

export function startChallenge({ now, omit }: { now: number; omit: readonly Omission[] }): ChallengeProgress {
  return {
    ...{ state: 'OPEN', reason: null, omit, total: MOVEMENTS_IN_ALL, startedAt: now },
    instructions: [{ movement: 'centre', revealedAt: now, phase: 'do', arrived: 0 }],
    ...{ neutral: null, frames: [], arrived: 0, withoutFace: 0, withOthers: 0 },
  };
}

export function openInstruction({ state, instructions }: ChallengeProgress): Instruction | undefined {
  return state === 'OPEN' ? instructions.at(-1) : undefined;
}

/** Ends what took too long. */
export function expire(progress: ChallengeProgress, now: number): ChallengeProgress {
  const open = openInstruction(progress);
  if (!open) return progress;
  const late =
    now > open.revealedAt + CHALLENGE_LIMITS.instructionMs || now > progress.startedAt + CHALLENGE_LIMITS.challengeMs;
  return late ? end(progress, 'too_slow') : progress;
}

/** What is worth its time in a frame of the open instruction. The face at rest and the movement itself are embedded. */
export function observeOptions(progress: ChallengeProgress): ObserveOptions {
  const { neutral } = progress;
  const movement = openInstruction(progress)?.movement;
  if (!neutral || !movement) return { embedNear: 'always', passiveNear: 'always' };
  const { yaw, pitch } = neutral;
  const { centreDegrees, turnDegrees, nodDegrees } = CHALLENGE_LIMITS;
  const centre: PoseRange = {
    yaw: [yaw - centreDegrees, yaw + centreDegrees],
    pitch: [pitch - centreDegrees, pitch + centreDegrees],
  };
  const anyYaw = [-180, 180] as const;
  const asked: Partial<Record<Movement, PoseRange>> = {
    left: { yaw: [-180, yaw - turnDegrees], pitch: anyYaw },
    right: { yaw: [yaw + turnDegrees, 180], pitch: anyYaw },
    up: { yaw: anyYaw, pitch: [pitch + nodDegrees, 180] },
    down: { yaw: anyYaw, pitch: [-180, pitch - nodDegrees] },
  };
  const turned = asked[movement];
  return { embedNear: turned ? [centre, turned] : [centre], passiveNear: [centre] };
}

/** Takes a frame that carries the token of the open instruction. `random` draws the next movement if this one is done. */
export function followChallenge(before: ChallengeProgress, frame: ArrivedFrame, random: RandomBytes): Step {
  const open = openInstruction(before);
  if (!open) return { progress: before };
  const arrived = { ...before, arrived: before.arrived + 1, instructions: counted(before.instructions) };
  if (arrived.arrived > CHALLENGE_LIMITS.frames || open.arrived >= CHALLENGE_LIMITS.framesPerInstruction) {
    return { progress: end(arrived, 'too_many_frames') };
  }
  const { seen } = frame;
  if (!hasFace(seen)) {
    const progress = { ...arrived, withoutFace: arrived.withoutFace + 1 };
    const lost = progress.withoutFace >= CHALLENGE_LIMITS.framesWithoutFace && before.neutral !== null;
    return { progress: lost ? end(progress, 'face_lost') : progress, hint: 'no_face' };
  }
  if (seen.faces > 1) {
    const progress = { ...arrived, withOthers: arrived.withOthers + 1 };
    const crowded = progress.withOthers >= CHALLENGE_LIMITS.framesWithOthers && before.neutral !== null;
    return { progress: crowded ? end(progress, 'several_faces') : progress, hint: 'several_faces' };
  }
  const alone = { ...arrived, withoutFace: 0, withOthers: 0 };
  // A camera that is asked too often gives the same picture again. It shows nothing new.
  if (before.frames.at(-1)?.sha256 === frame.sha256) return { progress: alone };
  return before.neutral
    ? followMovement(alone, { ...frame, seen }, random)
    : findNeutral(alone, { ...frame, seen }, random);
}

function hasFace(seen: FaceObservation | NoFace): seen is FaceObservation {
  return seen.faces > 0;
}

type SeenFrame = ArrivedFrame & { readonly seen: FaceObservation };

/** The first instruction: two frames in a row of somebody who looks ahead and holds still. */
function findNeutral(before: ChallengeProgress, frame: SeenFrame, random: RandomBytes): Step {
  const { seen } = frame;
  const { forwardYawDegrees, forwardPitchDegrees, restDegrees, restMouth } = CHALLENGE_LIMITS;
  const ahead = Math.abs(seen.yaw) <= forwardYawDegrees && Math.abs(seen.pitch) <= forwardPitchDegrees;
  const last = before.frames.at(-1);
  const [poor] = seen.reasons.filter((reason) => reason !== 'turned_away');
  const centre = ahead && seen.mouth < restMouth && poor === undefined;
  const next = add(before, frame, centre ? 'centre' : 'between');
  if (!ahead) return { ...next, hint: 'look_ahead' };
  if (poor) return { ...next, hint: poor };
  if (!centre) return { ...next, hint: 'close_mouth' };
  const still = last?.role === 'centre' && turnBetween(last.seen, seen) <= restDegrees;
  if (!still) return { ...next, hint: 'hold_still' };
  const mean = (of: keyof Neutral) => (last.seen[of] + seen[of]) / 2;
  const neutral: Neutral = {
    ...{ yaw: mean('yaw'), pitch: mean('pitch'), mouth: mean('mouth'), jaw: mean('jaw') },
    ...{ eyesOpen: mean('eyesOpen'), lids: mean('lids') },
  };
  return { ...next, progress: reveal({ ...next.progress, neutral }, frame.at, random) };
}

function followMovement(before: ChallengeProgress, frame: SeenFrame, random: RandomBytes): Step {
  const open = before.instructions.at(-1) as Instruction;
  const neutral = before.neutral as Neutral;
  const { movement } = open;
  const role = roleOf(frame.seen, neutral, movement);
  const next = add(before, frame, role);
  if (isStray(next.progress.frames, neutral, open)) return { ...next, progress: end(next.progress, 'wrong_movement') };
  if (open.phase === 'return') {
    return role === 'centre' ? { ...next, progress: reveal(next.progress, frame.at, random) } : next;
  }
  if (movement === 'centre') {
    return role === 'centre' ? { ...next, progress: reveal(next.progress, frame.at, random) } : next;
  }
  const streak = shownInARow(next.progress.frames, before.instructions.length - 1);
  const [first] = streak;
  if (!first) return next;
  if (isDirection(movement) && first.at - open.revealedAt < CHALLENGE_LIMITS.reactionMs) {
    return { ...next, progress: end(next.progress, 'too_quick') };
  }
  const long = movement !== 'closeEyes' || frame.at - first.at >= CHALLENGE_LIMITS.eyesClosedMs;
  if (streak.length < CHALLENGE_LIMITS.shownFrames || !long) return next;
  return { ...next, progress: returnFrom(next.progress) };
}

/** The movement was seen. Next the person looks ahead again. */
function returnFrom(before: ChallengeProgress): ChallengeProgress {
  const { instructions } = before;
  const seen: Instruction = { ...(instructions.at(-1) as Instruction), phase: 'return' };
  return { ...before, instructions: [...instructions.slice(0, -1), seen] };
}

/** What a frame shows of the movement. Every movement is shown alone: a turned head with an open mouth shows neither. */
export function roleOf(seen: FaceObservation, neutral: Neutral, movement: Movement): FrameRole {
  const { centreDegrees, mouthClosedGap, expressionYawDegrees, expressionPitchDegrees } = CHALLENGE_LIMITS;
  const yaw = Math.abs(seen.yaw - neutral.yaw);
  const pitch = Math.abs(seen.pitch - neutral.pitch);
  const mouthClosed = seen.mouth <= neutral.mouth + mouthClosedGap;
  const atRest = yaw <= expressionYawDegrees && pitch <= expressionPitchDegrees;
  if (movement === 'openMouth' && atRest && isMouthOpen(seen, neutral)) return 'shown';
  if (movement === 'closeEyes' && atRest && mouthClosed && areEyesClosed(seen, neutral)) return 'shown';
  if (isDirection(movement) && mouthClosed && directionOf(seen, neutral)?.direction === movement) return 'shown';
  const eyesOpen = seen.lids >= neutral.lids * CHALLENGE_LIMITS.lidsOpenShare || !areEyesClosed(seen, neutral);
  return yaw <= centreDegrees && pitch <= centreDegrees && mouthClosed && eyesOpen ? 'centre' : 'between';
}

function isMouthOpen(seen: FaceObservation, neutral: Neutral): boolean {
  const { mouthGap, jawDrop } = CHALLENGE_LIMITS;
  return seen.mouth >= neutral.mouth + mouthGap && seen.jaw >= neutral.jaw + jawDrop;
}

function areEyesClosed(seen: FaceObservation, neutral: Neutral): boolean {
  const { eyesClosedShare, lidsClosedShare } = CHALLENGE_LIMITS;
  return seen.eyesOpen <= neutral.eyesOpen * eyesClosedShare && seen.lids <= neutral.lids * lidsClosedShare;
}

/** Where the head points beside its rest, and how far, in limits. Of two directions at once the stronger counts. */
export function directionOf(
  seen: Pick<FaceObservation, 'yaw' | 'pitch'>,
  neutral: Pick<Neutral, 'yaw' | 'pitch'>,
): { direction: Direction; share: number } | null {
  const yaw = seen.yaw - neutral.yaw;
  const pitch = seen.pitch - neutral.pitch;
  const turned = Math.abs(yaw) / CHALLENGE_LIMITS.turnDegrees;
  const nodded = Math.abs(pitch) / CHALLENGE_LIMITS.nodDegrees;
  const share = Math.max(turned, nodded);
  if (share < 1) return null;
  if (turned >= nodded) return { direction: yaw > 0 ? 'right' : 'left', share };
  return { direction: pitch > 0 ? 'up' : 'down', share };
}

/** Whether something else was done than what was asked for: clearly once, or twice in a row. Who sweeps has not listened. */
function isStray(frames: readonly ChallengeFrame[], neutral: Neutral, { movement }: Instruction): boolean {
  const last = frames.at(-1) as ChallengeFrame;
  const here = frames.filter(({ instruction }) => instruction === last.instruction);
  const [one = 0, before = 0] = here
    .slice(-2)
    .toReversed()
    .map(({ seen }) => strayShare(seen, neutral, movement));
  if (one >= CHALLENGE_LIMITS.strayShare || (one >= 1 && before >= 1)) return true;
  if (movement === 'closeEyes') return false;
  // A blink is no movement; eyes that stay closed are.
  const open = here.findLastIndex(({ seen }) => !areEyesClosed(seen, neutral));
  const closed = here[open + 1];
  return closed !== undefined && last.at - closed.at >= CHALLENGE_LIMITS.eyesClosedMs;
}

/** How far a frame goes beyond what was asked for, in limits. */
function strayShare(seen: FaceObservation, neutral: Neutral, movement: Movement): number {
  const mouth = movement !== 'openMouth' && isMouthOpen(seen, neutral) ? 1 : 0;
  const at = directionOf(seen, neutral);
  if (!at || at.direction === movement) return mouth;
  // Expressions move the landmarks that the pitch is read from.
  const lenient = !isDirection(movement) && (at.direction === 'up' || at.direction === 'down');
  return Math.max(mouth, lenient ? at.share / 1.75 : at.share);
}

function shownInARow(frames: readonly ChallengeFrame[], instruction: number): readonly ChallengeFrame[] {
  const from = frames.findLastIndex((frame) => frame.instruction !== instruction || frame.role !== 'shown');
  return frames.slice(from + 1);
}

function add(before: ChallengeProgress, frame: SeenFrame, role: FrameRole): Step & { frame: ChallengeFrame } {
  const added: ChallengeFrame = { ...frame, instruction: before.instructions.length - 1, role };
  return { progress: { ...before, frames: [...before.frames, added] }, frame: added };
}

/** The movement is done: the next is drawn now, not earlier, and is revealed after a pause that nobody can foresee. */
function reveal(before: ChallengeProgress, now: number, random: RandomBytes): ChallengeProgress {
  const { instructions, total, omit } = before;
  if (instructions.length >= total) return { ...before, state: 'DONE' };
  const movement = drawMovement({ before: instructions.map((each) => each.movement), omit, random });
  const [byte = 0] = random(1);
  const revealedAt = now + Math.round((byte / 255) * CHALLENGE_LIMITS.revealPauseMs);
  return { ...before, instructions: [...instructions, { movement, revealedAt, phase: 'do', arrived: 0 }] };
}

function counted(instructions: readonly Instruction[]): readonly Instruction[] {
  const open = instructions.at(-1) as Instruction;
  return [...instructions.slice(0, -1), { ...open, arrived: open.arrived + 1 }];
}

function end(progress: ChallengeProgress, reason: EndReason): ChallengeProgress {
  return { ...progress, state: 'ENDED', reason };
}

function turnBetween(one: FaceObservation, other: FaceObservation): number {
  return Math.hypot(one.yaw - other.yaw, one.pitch - other.pitch);
}

/** For a sandbox, or where no machine looks: one frame for the movement and one for the way back, whatever they show. */
export function followBlindly(before: ChallengeProgress, now: number, random: RandomBytes): ChallengeProgress {
  const open = openInstruction(before);
  if (!open) return before;
  const arrived = { ...before, arrived: before.arrived + 1, instructions: counted(before.instructions) };
  return open.phase === 'do' ? returnFrom(arrived) : reveal(arrived, now, random);
}
