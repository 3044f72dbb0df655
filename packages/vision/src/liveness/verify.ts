import { cosine } from '../faces/match.ts';
import { CHALLENGE_LIMITS } from './challenge-limits.ts';
import type { ChallengeFrame, ChallengeProgress } from './follow.ts';
import type { Novelty } from './novelty.ts';

/** The signs against an answered challenge. */
export type ChallengeSign =
  /** A frame, or the selfie, shows somebody else. */
  | 'different_faces'
  /** The same picture came again after others. */
  | 'repeated_frames'
  /** The head comes back as the same picture. A living face differs from itself. */
  | 'same_picture'
  /** The head turned and the nose did not move relative to the eyes. */
  | 'flat'
  /** The frames look like a print or a screen. */
  | 'passive_low'
  /** The face jumped to another place or size between two frames. */
  | 'not_continuous'
  /** The clock of the page ran backwards, or more regularly than a camera's. */
  | 'odd_clock'
  /** The person could not make all movements. */
  | 'movements_omitted';

export type ChallengeVerdict = {
  /** After `REFUSED` the challenge is repeated; `DOUBTFUL` is left to a human. */
  readonly result: 'ANSWERED' | 'DOUBTFUL' | 'REFUSED';
  readonly refused: readonly ChallengeSign[];
  readonly doubtful: readonly ChallengeSign[];
  /** The measures behind it, for the record. Null if they could not be taken. */
  readonly measures: Readonly<Record<Measure, number | null>>;
};

type Measure =
  | 'novelty'
  | 'noveltyBeyondPose'
  | 'thirdNovelty'
  | 'eyeNovelty'
  | 'sameness'
  | 'leastAlike'
  | 'leastAlikeTurned'
  | 'selfieAlike'
  | 'noseTravel'
  | 'passive';

/** `docs/vision-liveness.md` explains how they were chosen. */
export const LIVENESS_BOUNDS = {
  /** The novelty of the face at rest after each movement: first the bound of the same picture, then that of a doubt. */
  novelty: { refuse: 0.006, doubt: 0.009 },
  /** The same without the effect of the pose: a photograph that never returns quite to the same pose. */
  noveltyBeyondPose: { refuse: 0.005, doubt: 0.007 },
  /** The novelty of the third lowest pair, for photographs shown in turn. */
  thirdNovelty: { refuse: 0.003, doubt: 0.0045 },
  /** For photographs in turn that differ widely: the median, and the largest share of it that the third pair has. */
  inTurn: { median: 0.1, thirdShare: 0.09 },
  /**
   * The novelty of the eyes: lids and gaze of a person who holds the head quite still are never as before. From `alive` on,
   * only the refusal by `sameness` counts. Below `same`, the face must be new elsewhere, without the effect of the pose, by
   * `withSameEyes`.
   */
  eyeNovelty: { alive: 0.005, same: 0.002, withSameEyes: 0.018 },
  /** The cosine between those faces: above it, they are the same picture. */
  sameness: { refuse: 0.98, doubt: 0.975 },
  /** Every frame at rest compared with their mean, and the best frame of each turn. Strangers have less than 0.5. */
  restAlike: 0.6,
  turnedAlike: CHALLENGE_LIMITS.turnedAlike,
  /** The median of the frames at rest. Lower than for a single picture, because the challenge counts as well. */
  passive: { refuse: 0.25, doubt: 0.6 },
  /** In widths of the eyes, for each turn to a side. */
  noseTravel: CHALLENGE_LIMITS.turnedNose,
  /** The maximum jump between frames less than this time apart, in heights of the face. */
  continuousMs: 1200,
  stepOfBox: 0.9,
  stepOfSize: 0.6,
} as const;

export type ChallengeEvidence = {
  readonly progress: ChallengeProgress;
  /** The embedding of the selfie, with or without its mirror image. */
  readonly selfie: Float32Array | null;
  /** The novelty of the face at rest after each movement. */
  readonly novelty: Novelty | null;
};

/**
 * Judges a challenge whose movements were all recognised. It checks everything, so that the record has all signs. A
 * measure that is not a number counts against it. Pure.
 */
export function verifyChallenge({ progress, selfie, novelty }: ChallengeEvidence): ChallengeVerdict {
  const { frames } = progress;
  const refusingSigns: ChallengeSign[] = [];
  const doubtfulSigns: ChallengeSign[] = [];
  const rests = restFrames(progress);
  const identity = compareFaces(progress, rests, selfie);
  if (identity.differ) refusingSigns.push('different_faces');
  if (new Set(frames.map(({ sha256 }) => sha256)).size < frames.length) refusingSigns.push('repeated_frames');
  const sameness = medianOf(pairsOf(rests).flatMap(([one, other]) => likeness(one, other) ?? []));
  const same = bounded(novelty, sameness);
  if (same === 'refuse') refusingSigns.push('same_picture');
  if (same === 'doubt') doubtfulSigns.push('same_picture');
  const noseTravel = leastNoseTravel(progress);
  if (noseTravel !== null && !(noseTravel >= LIVENESS_BOUNDS.noseTravel)) refusingSigns.push('flat');
  const passive = medianOf(frames.flatMap(({ observation }) => observation.passive ?? []));
  if (passive !== null && passive < LIVENESS_BOUNDS.passive.refuse) refusingSigns.push('passive_low');
  else if (passive === null || !(passive >= LIVENESS_BOUNDS.passive.doubt)) doubtfulSigns.push('passive_low');
  if (!isContinuous(frames)) doubtfulSigns.push('not_continuous');
  if (hasOddClock(frames)) doubtfulSigns.push('odd_clock');
  if (progress.omit.length > 0) doubtfulSigns.push('movements_omitted');
  return {
    result: refusingSigns.length > 0 ? 'REFUSED' : doubtfulSigns.length > 0 ? 'DOUBTFUL' : 'ANSWERED',
    refused: refusingSigns,
    doubtful: doubtfulSigns,
    measures: {
      novelty: novelty?.median ?? null,
      noveltyBeyondPose: novelty?.medianBeyondPose ?? null,
      thirdNovelty: novelty?.thirdLeast ?? null,
      eyeNovelty: novelty?.eyes ?? null,
      sameness,
      noseTravel,
      passive,
      leastAlike: identity.rest,
      leastAlikeTurned: identity.turned,
      selfieAlike: identity.selfie,
    },
  };
}

/** The faces at rest at the beginning and after each movement, which are compared with each other. */
export function restFrames({ frames, instructions }: ChallengeProgress): ChallengeFrame[] {
  return instructions.flatMap((_, instruction) => {
    const last = frames.findLast((frame) => frame.instruction === instruction && frame.role === 'centre');
    return last ? [last] : [];
  });
}

/** The face while it moves: every embedded frame that shows a movement. */
export function movingFrames({ frames }: ChallengeProgress): ChallengeFrame[] {
  return frames.filter(({ role }) => role === 'shown');
}

function bounded(novelty: Novelty | null, sameness: number | null): 'refuse' | 'doubt' | undefined {
  const bounds = LIVENESS_BOUNDS;
  if (novelty === null || sameness === null) return 'doubt';
  const { median, medianBeyondPose, thirdLeast, eyes } = novelty;
  if (![median, medianBeyondPose, thirdLeast, eyes, sameness].every(Number.isFinite)) return 'doubt';
  const isStill = (bound: 'refuse' | 'doubt') =>
    median < bounds.novelty[bound] ||
    medianBeyondPose < bounds.noveltyBeyondPose[bound] ||
    thirdLeast < bounds.thirdNovelty[bound] ||
    sameness > bounds.sameness[bound];
  const isAlive = eyes >= bounds.eyeNovelty.alive && sameness <= bounds.sameness.refuse;
  const hasSameEyes = eyes < bounds.eyeNovelty.same && medianBeyondPose < bounds.eyeNovelty.withSameEyes;
  const isInTurn = median >= bounds.inTurn.median && thirdLeast <= median * bounds.inTurn.thirdShare;
  if (isAlive) return isInTurn ? 'doubt' : undefined;
  return isStill('refuse') ? 'refuse' : isStill('doubt') || hasSameEyes || isInTurn ? 'doubt' : undefined;
}

type Identity = { differ: boolean; rest: number | null; turned: number | null; selfie: number | null };

/** Compares every face at rest, every turned one and the selfie with the mean of those at rest. */
function compareFaces(
  progress: ChallengeProgress,
  rests: readonly ChallengeFrame[],
  selfie: Float32Array | null,
): Identity {
  const mean = meanVector(rests);
  if (!mean) return { differ: true, rest: null, turned: null, selfie: null };
  const { frames, instructions } = progress;
  const restFramesAll = frames.filter(({ role, observation }) => role === 'centre' && observation.vector !== null);
  const rest = Math.min(...restFramesAll.map(({ observation }) => cosine(mean, observation.vector as Float32Array)));
  const turns = instructions.flatMap((_, instruction) => {
    const shownFrames = frames.filter((frame) => frame.instruction === instruction && frame.role === 'shown');
    const alike = shownFrames.flatMap(({ observation }) =>
      observation.vector ? [cosine(mean, observation.vector)] : [],
    );
    return alike.length > 0 ? [Math.max(...alike)] : [];
  });
  const turned = turns.length > 0 ? Math.min(...turns) : null;
  const ofSelfie = selfie && cosine(mean, selfie);
  const isAlike =
    rest >= LIVENESS_BOUNDS.restAlike &&
    (turned === null || turned >= LIVENESS_BOUNDS.turnedAlike) &&
    ofSelfie !== null &&
    ofSelfie >= LIVENESS_BOUNDS.restAlike;
  return { differ: !isAlike, rest, turned, selfie: ofSelfie };
}

/** The mean of unit vectors, of length 1. */
export function meanVector(frames: readonly ChallengeFrame[]): Float32Array | null {
  const vectors = frames.flatMap(({ observation }) => (observation.vector ? [observation.vector] : []));
  const [first] = vectors;
  if (!first) return null;
  const sum = first.map((_, at) => vectors.reduce((all, vector) => all + (vector[at] as number), 0));
  const length = Math.sqrt(sum.reduce((all, value) => all + value * value, 0));
  return length === 0 ? null : sum.map((value) => value / length);
}

/** The least way of the nose relative to the head, over all turns to a side. */
function leastNoseTravel({ frames, instructions }: ChallengeProgress): number | null {
  const rest = frames.find(({ role }) => role === 'centre')?.observation.nose;
  if (rest === undefined) return null;
  const travels = instructions.flatMap(({ movement }, instruction) => {
    if (movement !== 'left' && movement !== 'right') return [];
    const shownFrames = frames.filter((frame) => frame.instruction === instruction && frame.role === 'shown');
    const sign = movement === 'right' ? 1 : -1;
    return medianOf(shownFrames.map(({ observation }) => (observation.nose - rest) * sign)) ?? [];
  });
  return travels.length > 0 ? Math.min(...travels) : null;
}

function isContinuous(frames: readonly ChallengeFrame[]): boolean {
  return frames.every((frame, index) => {
    const before = frames[index - 1];
    // The first instruction has larger frames than the rest.
    if (
      !before ||
      frame.at - before.at > LIVENESS_BOUNDS.continuousMs ||
      before.observation.width !== frame.observation.width
    )
      return true;
    const [one, other] = [before.observation.box, frame.observation.box];
    const height = one.bottom - one.top;
    const moved = Math.hypot(
      (other.left + other.right - one.left - one.right) / 2,
      (other.top + other.bottom - one.top - one.bottom) / 2,
    );
    const grown = Math.abs(other.bottom - other.top - height);
    return moved <= height * LIVENESS_BOUNDS.stepOfBox && grown <= height * LIVENESS_BOUNDS.stepOfSize;
  });
}

/** The tolerance for the jitter of a camera's frames. */
function hasOddClock(frames: readonly ChallengeFrame[]): boolean {
  const times = frames.flatMap(({ capturedAt }) => capturedAt ?? []);
  const gaps = times.slice(1).map((time, at) => time - (times[at] as number));
  return gaps.some((gap) => gap < 0) || (gaps.length >= 8 && new Set(gaps.map(Math.round)).size === 1);
}

export function pairsOf<Item>(items: readonly Item[]): [Item, Item][] {
  return items.flatMap((one, at) => items.slice(at + 1).map((other): [Item, Item] => [one, other]));
}

function likeness(one: ChallengeFrame, other: ChallengeFrame): number | null {
  return one.observation.vector && other.observation.vector
    ? cosine(one.observation.vector, other.observation.vector)
    : null;
}

export function medianOf(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? null;
}
