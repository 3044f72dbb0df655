import { cosine } from '../faces/match.ts';
import { CHALLENGE_LIMITS } from './challenge-limits.ts';
import {
  drawMovement,
  isDirection,
  MOVEMENTS_IN_ALL,
  type Movement,
  type Omission,
  type RandomBytes,
} from './movements.ts';
import type { FaceObservation, NoFace } from './observation.ts';
import {
  directionOf,
  type FrameHint,
  type FrameRole,
  goesTo,
  hasRoom,
  isMouthOpen,
  isProfileTo,
  type Neutral,
  roleAtStart,
  roleOf,
  sizeOf,
  type WantedFrame,
} from './roles.ts';

/**
 * Follows a challenge frame by frame. Pure: time, randomness and observations come from the caller, who also ensures
 * that a frame has the token of the open instruction.
 */
export type EndReason = 'too_slow' | 'wrong_movement' | 'face_lost' | 'several_faces' | 'too_many_frames' | 'too_quick';

export type ChallengeFrame = {
  /** Its time of arrival, by the server's clock. */
  readonly at: number;
  /** Its time of capture, by the page's clock: a hint. */
  readonly capturedAt: number | null;
  readonly sha256: string;
  /** The index of its instruction, from 0. */
  readonly instruction: number;
  readonly role: FrameRole;
  readonly observation: FaceObservation;
};

export type ChallengeProgress = {
  readonly state: 'OPEN' | 'DONE' | 'ENDED';
  readonly reason: EndReason | null;
  readonly omit: readonly Omission[];
  readonly total: number;
  readonly startedAt: number;
  /** The revealed movements; the last is open while the state is. */
  readonly instructions: readonly Instruction[];
  readonly neutral: Neutral | null;
  readonly frames: readonly ChallengeFrame[];
  /** The number of all frames that arrived, with and without a face. */
  readonly arrived: number;
  readonly withoutFace: number;
  readonly withOthers: number;
};

export type Instruction = {
  readonly movement: Movement;
  /** Frames that arrive before this time do not count for the instruction. */
  readonly revealedAt: number;
  readonly phase: 'do' | 'return';
  readonly arrived: number;
};

/** A frame of the camera with its observation. */
export type ArrivedFrame = {
  readonly at: number;
  readonly capturedAt: number | null;
  readonly sha256: string;
  readonly observation: FaceObservation | NoFace;
};

export type Step = {
  readonly progress: ChallengeProgress;
  /** Undefined if the frame does not count. */
  readonly frame?: ChallengeFrame;
  /** The reason why the frame is of no use. */
  readonly hint?: FrameHint;
};

export function startChallenge({ now, omit }: { now: number; omit: readonly Omission[] }): ChallengeProgress {
  return {
    state: 'OPEN',
    reason: null,
    omit,
    total: MOVEMENTS_IN_ALL,
    startedAt: now,
    instructions: [{ movement: 'centre', revealedAt: now, phase: 'do', arrived: 0 }],
    neutral: null,
    frames: [],
    arrived: 0,
    withoutFace: 0,
    withOthers: 0,
  };
}

export function openInstruction({ state, instructions }: ChallengeProgress): Instruction | undefined {
  return state === 'OPEN' ? instructions.at(-1) : undefined;
}

/** Ends the challenge if it, or its open instruction, took too long. */
export function expire(progress: ChallengeProgress, now: number): ChallengeProgress {
  const open = openInstruction(progress);
  if (!open) return progress;
  const late =
    now > open.revealedAt + CHALLENGE_LIMITS.instructionMs || now > progress.startedAt + CHALLENGE_LIMITS.challengeMs;
  return late ? end(progress, 'too_slow') : progress;
}

/**
 * The frames of the open instruction that are embedded: the first that shows the movement, then the face at rest. Most
 * frames show neither, and the embedding networks are the slowest.
 */
export function wantedFrame(progress: ChallengeProgress): WantedFrame {
  const { neutral, instructions, frames } = progress;
  const { movement, phase } = instructions.at(-1) as Instruction;
  // Of the first two frames the second is embedded; it becomes the selfie.
  if (!neutral) {
    return { neutral, movement, roles: frames.at(-1)?.role === 'centre' ? ['centre'] : [], lastLook: null };
  }
  const last = frames.findLast(({ observation }) => !observation.isAsBefore);
  // A small nod hardly moves the landmarks: while the head may turn or come back, each frame is analysed in full.
  const isHeld = isDirection(movement) ? phase === 'do' && last?.role === 'shown' : last?.role !== 'between';
  const lastLook = last && isHeld ? last.observation : null;
  if (phase === 'return' || movement === 'centre') return { neutral, movement, roles: ['centre'], lastLook };
  // A bowed or far turned head is like nobody's: the person is recognised in a further frame.
  return { neutral, movement, roles: isRecognised(progress) ? [] : ['shown'], lastLook };
}

/** Whether a frame that shows the open movement is similar to the face at rest. */
function isRecognised({ frames, instructions }: ChallengeProgress): boolean {
  const rest = frames.find(({ role, observation }) => role === 'centre' && observation.vector)?.observation.vector;
  return frames.some(({ instruction, role, observation: { vector } }) => {
    const isOfMovement = instruction === instructions.length - 1 && role === 'shown';
    return isOfMovement && vector && rest && cosine(rest, vector) >= CHALLENGE_LIMITS.turnedAlike;
  });
}

/** Takes a frame with the token of the open instruction. `random` draws the next movement if this one is done. */
export function followChallenge(before: ChallengeProgress, frame: ArrivedFrame, random: RandomBytes): Step {
  const open = openInstruction(before);
  if (!open) return { progress: before };
  const arrived = { ...before, arrived: before.arrived + 1, instructions: countArrival(before.instructions) };
  if (arrived.arrived > CHALLENGE_LIMITS.frames || open.arrived >= CHALLENGE_LIMITS.framesPerInstruction) {
    return { progress: end(arrived, 'too_many_frames') };
  }
  const { observation } = frame;
  if (!hasFace(observation)) {
    const progress = { ...arrived, withoutFace: arrived.withoutFace + 1 };
    const isLost = progress.withoutFace >= CHALLENGE_LIMITS.framesWithoutFace && before.neutral !== null;
    return { progress: isLost ? end(progress, 'face_lost') : progress, hint: 'no_face' };
  }
  if (observation.faces > 1) {
    const progress = { ...arrived, withOthers: arrived.withOthers + 1 };
    const crowded = progress.withOthers >= CHALLENGE_LIMITS.framesWithOthers && before.neutral !== null;
    return { progress: crowded ? end(progress, 'several_faces') : progress, hint: 'several_faces' };
  }
  const alone = { ...arrived, withoutFace: 0, withOthers: 0 };
  // A camera that is read too often returns the same picture again, which is no new evidence.
  if (before.frames.at(-1)?.sha256 === frame.sha256) return { progress: alone };
  return before.neutral
    ? followMovement(alone, { ...frame, observation }, random)
    : findNeutral(alone, { ...frame, observation }, random);
}

function hasFace(observation: FaceObservation | NoFace): observation is FaceObservation {
  return observation.faces > 0;
}

type ObservedFrame = ArrivedFrame & { readonly observation: FaceObservation };

/** The first instruction: two consecutive frames of a person who looks ahead and holds still. */
function findNeutral(before: ChallengeProgress, frame: ObservedFrame, random: RandomBytes): Step {
  const { observation } = frame;
  const last = before.frames.at(-1);
  const { role, hint } = roleAtStart(observation);
  const next = add(before, frame, role);
  if (hint) return { ...next, hint };
  const still = last?.role === 'centre' && turnBetween(last.observation, observation) <= CHALLENGE_LIMITS.restDegrees;
  if (!still || observation.vector === null) return { ...next, hint: 'hold_still' };
  const mean = (of: Exclude<keyof Neutral, 'size'>) => (last.observation[of] + observation[of]) / 2;
  const neutral: Neutral = {
    yaw: mean('yaw'),
    pitch: mean('pitch'),
    nose: mean('nose'),
    mouth: mean('mouth'),
    jaw: mean('jaw'),
    eyesOpen: mean('eyesOpen'),
    lids: mean('lids'),
    size: (sizeOf(last.observation) + sizeOf(observation)) / 2,
  };
  return { ...next, progress: reveal({ ...next.progress, neutral }, frame.at, random) };
}

function followMovement(before: ChallengeProgress, frame: ObservedFrame, random: RandomBytes): Step {
  const open = before.instructions.at(-1) as Instruction;
  const neutral = before.neutral as Neutral;
  const { movement } = open;
  const role = roleOf(frame.observation, neutral, movement);
  const next = add(before, frame, role);
  if (isStray(next.progress.frames, neutral, open)) return { ...next, progress: end(next.progress, 'wrong_movement') };
  if (open.phase === 'return' || movement === 'centre') {
    // Only a face with a vector counts, or parallel frames could pass without being compared with the others.
    const isAtRest = role === 'centre' && frame.observation.vector !== null;
    return isAtRest ? { ...next, progress: reveal(next.progress, frame.at, random) } : next;
  }
  const streak = shownInARow(next.progress.frames, before.instructions.length - 1);
  const [first] = streak;
  if (!first) return next;
  if (isDirection(movement) && first.at - open.revealedAt < CHALLENGE_LIMITS.reactionMs) {
    return { ...next, progress: end(next.progress, 'too_quick') };
  }
  const long = movement !== 'closeEyes' || frame.at - first.at >= CHALLENGE_LIMITS.eyesClosedMs;
  if (streak.length < CHALLENGE_LIMITS.shownFrames || !long) return next;
  if (isRecognised(next.progress)) return { ...next, progress: returnFrom(next.progress) };
  return isDirection(movement) ? { ...next, hint: 'too_far' } : next;
}

/** The movement was recognised. Next the person looks ahead again. */
function returnFrom(before: ChallengeProgress): ChallengeProgress {
  const { instructions } = before;
  const instruction: Instruction = { ...(instructions.at(-1) as Instruction), phase: 'return' };
  return { ...before, instructions: [...instructions.slice(0, -1), instruction] };
}

/** Whether another movement was made than the requested one: clearly once, or twice in a row. Sweeping does not pass. */
function isStray(frames: readonly ChallengeFrame[], neutral: Neutral, { movement, phase }: Instruction): boolean {
  const last = frames.at(-1) as ChallengeFrame;
  const here = frames.filter(({ instruction }) => instruction === last.instruction);
  const [one = 0, before = 0] = here
    .slice(-2)
    .toReversed()
    .map((frame) => strayShare(frame, neutral, movement));
  if (one >= CHALLENGE_LIMITS.strayShare || (one >= 1 && before >= 1)) return true;
  // On the way back closed eyes are of no use to an attacker, and people blink, laugh and look down.
  if (movement === 'closeEyes' || phase === 'return') return false;
  // Behind glasses the network may not recognise open eyes as open; then it cannot find them closed either.
  if (neutral.eyesOpen < CHALLENGE_LIMITS.eyesSeenOpen) return false;
  // A blink does not count as a movement; eyes that stay closed at rest do. Of a turned head the measures are unsteady.
  const open = here.findLastIndex(({ observation }) => roleOf(observation, neutral, 'closeEyes') !== 'shown');
  const closed = here[open + 1];
  return closed !== undefined && last.at - closed.at >= CHALLENGE_LIMITS.eyesClosedMs;
}

/**
 * How far a frame departs from the requested movement, in limits. A frame that shows it does not: people open the mouth
 * with the head a little aside, and a head that turns to a side often rises or sinks as well.
 */
function strayShare({ observation, role }: ChallengeFrame, neutral: Neutral, movement: Movement): number {
  if (role === 'shown') return 0;
  const mouth = movement !== 'openMouth' && isMouthOpen(observation, neutral) ? 1 : 0;
  const at = directionOf(observation, neutral);
  if (!at || (isDirection(movement) && goesTo(movement, observation, neutral))) return mouth;
  if (isProfileTo(movement, observation)) return mouth;
  // Facial expressions move the landmarks from which the pitch is computed.
  const lenient = !isDirection(movement) && (at.direction === 'up' || at.direction === 'down');
  return Math.max(mouth, lenient ? at.share / 1.75 : at.share);
}

function shownInARow(frames: readonly ChallengeFrame[], instruction: number): readonly ChallengeFrame[] {
  const from = frames.findLastIndex((frame) => frame.instruction !== instruction || frame.role !== 'shown');
  return frames.slice(from + 1);
}

function add(before: ChallengeProgress, frame: ObservedFrame, role: FrameRole): Step & { frame: ChallengeFrame } {
  const challengeFrame: ChallengeFrame = { ...frame, instruction: before.instructions.length - 1, role };
  return { progress: { ...before, frames: [...before.frames, challengeFrame] }, frame: challengeFrame };
}

/** The movement is done. The next is drawn only now, and revealed after an unpredictable pause. */
function reveal(before: ChallengeProgress, now: number, random: RandomBytes): ChallengeProgress {
  const { instructions, total, omit } = before;
  if (instructions.length >= total) return { ...before, state: 'DONE' };
  // Without image analysis, there is assumed to be room.
  const { observation } = before.frames.at(-1) ?? {};
  const draw = {
    before: instructions.map((each) => each.movement),
    omit,
    hasRoom: !observation || hasRoom(observation),
  };
  const movement = drawMovement({ ...draw, random });
  const [byte = 0] = random(1);
  const revealedAt = now + Math.round((byte / 255) * CHALLENGE_LIMITS.revealPauseMs);
  return { ...before, instructions: [...instructions, { movement, revealedAt, phase: 'do', arrived: 0 }] };
}

function countArrival(instructions: readonly Instruction[]): readonly Instruction[] {
  const open = instructions.at(-1) as Instruction;
  return [...instructions.slice(0, -1), { ...open, arrived: open.arrived + 1 }];
}

function end(progress: ChallengeProgress, reason: EndReason): ChallengeProgress {
  return { ...progress, state: 'ENDED', reason };
}

function turnBetween(one: FaceObservation, other: FaceObservation): number {
  return Math.hypot(one.yaw - other.yaw, one.pitch - other.pitch);
}

/** For a sandbox, or without image analysis: one frame counts as the movement and one as the way back. */
export function followBlindly(before: ChallengeProgress, now: number, random: RandomBytes): ChallengeProgress {
  const open = openInstruction(before);
  if (!open) return before;
  const arrived = { ...before, arrived: before.arrived + 1, instructions: countArrival(before.instructions) };
  return open.phase === 'do' ? returnFrom(arrived) : reveal(arrived, now, random);
}
