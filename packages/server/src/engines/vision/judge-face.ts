import {
  CHALLENGE_LIMITS,
  type Challenge,
  type ChallengeReason,
  cosine,
  type FaceAnalysis,
  type FaceTemplate,
  type Frame,
  MATCH_SCORE,
  matchTemplates,
  PASSIVE_BOUNDS,
  type TemplateMatch,
  verifyChallenge,
} from '@grove/vision/light';
import type { Check, CheckType } from '../../kernel/check.ts';
import type { ClientHints } from './vision.ts';

/** Findings about faces become checks. Pure. */

const PASSIVE_SCORE = CHALLENGE_LIMITS.passive;
const QUALITY_SCORE = 0.5;
const ENGINE = 'grove-vision';

/** A picture that was not looked at at all: taking another may help. */
export function refusedPicture(name: string, type: CheckType, reason: string, picture: string): Check {
  return { name, type, status: 'FAILED', reason, advice: 'retry', metaData: { engine: ENGINE, picture } };
}

export function judgeFace(analysis: FaceAnalysis, quality: number): Check {
  const { face, reasons, hints, faces } = analysis;
  const [reason] = reasons;
  const score = reason === undefined ? quality : Math.min(quality, QUALITY_SCORE / 2);
  return {
    ...{ name: 'faceQuality', type: 'face', score: rounded(score), threshold: QUALITY_SCORE },
    ...(reason === undefined ? { status: 'PASSED' } : { status: 'FAILED', reason, advice: 'retry' }),
    metaData: { engine: ENGINE, faces, reasons, hints, ...(face && { models: [face.box.model, face.pose.model] }) },
  };
}

const VIRTUAL_CAMERA =
  /virtual|\bobs\b|manycam|snap ?camera|xsplit|droidcam|iriun|epoccam|mmhmm|\bv4l2loopback\b|fake/i;

/** What the words of a client point at. Whoever wants to deceive says something else, so none of it decides. */
export function hintsOfClient(told: ClientHints | undefined): string[] {
  const { cameraLabel } = told ?? {};
  return typeof cameraLabel === 'string' && VIRTUAL_CAMERA.test(cameraLabel) ? ['virtual_camera'] : [];
}

/**
 * One picture. The networks refuse many prints and screens and no good mask, so a high score proves nothing: it is
 * recorded as `no_attack_seen`, which is not a passed check.
 */
export function judgePassive({ face }: FaceAnalysis, clientHints?: ClientHints): Check {
  const passive = face?.liveness;
  const made = { engine: ENGINE, method: 'passive', certified: false, hints: hintsOfClient(clientHints) };
  const check = { name: 'liveness', type: 'liveness' } as const;
  if (!passive) {
    const reason = face ? 'no_passive_network' : 'no_face';
    return { ...check, status: 'NOT_PERFORMED', reason, advice: 'final', metaData: made };
  }
  const metaData = { ...made, passiveScore: rounded(passive.score), models: [passive.model] };
  if (passive.score >= PASSIVE_BOUNDS.noAttackSeen) {
    return { ...check, status: 'NOT_PERFORMED', reason: 'no_attack_seen', advice: 'final', metaData };
  }
  return {
    ...{ ...check, score: rounded(passive.score), threshold: PASSIVE_BOUNDS.noAttackSeen, metaData },
    ...(passive.score < PASSIVE_BOUNDS.notLive
      ? { status: 'FAILED', reason: 'not_live', advice: 'retry' }
      : { status: 'REVIEW', reason: 'uncertain', advice: 'final' }),
  };
}

export type ActiveEvidence = {
  selfie: FaceAnalysis;
  frames: readonly Frame[];
  /** Undefined if the end user answered none. */
  challenge: (Challenge & { usedAt: number }) | undefined;
  clientHints: ClientHints | undefined;
};

/** Whether the movements were made that were asked for, by whom the selfie shows. */
export function judgeActive({ selfie, frames, challenge, clientHints }: ActiveEvidence): Check {
  const failed = (reason: string, metaData: Record<string, unknown>): Check => ({
    ...{ name: 'liveness', type: 'liveness', status: 'FAILED', reason, advice: 'retry' },
    metaData: { engine: ENGINE, method: 'active', certified: false, ...metaData },
  });
  if (!challenge) return failed('challenge_missing', {});
  const { nonce, usedAt } = challenge;
  const verdict = verifyChallenge({ challenge, nonce, alreadyUsed: false, now: usedAt, frames });
  const sameAsSelfie = likenessToSelfie(selfie, frames);
  const reasons: ChallengeReason[] = [...verdict.reasons];
  if (sameAsSelfie < CHALLENGE_LIMITS.sameFaceCosine && !reasons.includes('different_faces')) {
    reasons.push('different_faces');
  }
  const { posesShown, passiveScore, lowestCosine } = verdict;
  const hints = [...verdict.hints, ...hintsOfClient(clientHints)];
  const seen = {
    ...{ reasons, hints, posesShown, frames: frames.length, passiveScore: rounded(passiveScore) },
    ...{ lowestCosine: rounded(lowestCosine), cosineToSelfie: rounded(sameAsSelfie) },
  };
  const [first] = reasons;
  if (first !== undefined)
    return { ...failed(tellable(reasons), seen), score: rounded(passiveScore), threshold: PASSIVE_SCORE };
  return {
    ...{ name: 'liveness', type: 'liveness', status: 'PASSED', score: rounded(passiveScore), threshold: PASSIVE_SCORE },
    metaData: { engine: ENGINE, method: 'active', certified: false, ...seen },
  };
}

function likenessToSelfie({ face }: FaceAnalysis, frames: readonly Frame[]): number {
  const [first] = frames.flatMap(({ vector }) => vector ?? []);
  return face?.template && first ? cosine(face.template.vector, first) : 0;
}

/**
 * The words that an end user may read. What helps somebody to do better is said as it is; what would only help somebody
 * to deceive better is not.
 */
const TELLABLE: readonly (readonly [ChallengeReason, string])[] = [
  ['no_face', 'no_face'],
  ['several_faces', 'several_faces'],
  ['too_few_frames', 'too_few_frames'],
  ['too_many_frames', 'too_many_frames'],
  ['expired', 'challenge_expired'],
  ['wrong_poses', 'movements_not_seen'],
];

function tellable(reasons: readonly ChallengeReason[]): string {
  return TELLABLE.find(([reason]) => reasons.includes(reason))?.[1] ?? 'not_live';
}

export function judgeMatch(document: FaceTemplate | null, face: FaceTemplate | null): Check {
  if (!document || !face) {
    const reason = document ? 'no_face' : 'no_face_on_document';
    return {
      name: 'faceMatch',
      type: 'face',
      status: 'NOT_PERFORMED',
      reason,
      advice: 'final',
      metaData: { engine: ENGINE },
    };
  }
  const found = matchTemplates(document, face);
  const { score, algorithm, calibration } = found;
  return {
    ...{ name: 'faceMatch', type: 'face', score: rounded(score), threshold: MATCH_SCORE },
    ...verdictOf(found),
    metaData: { engine: ENGINE, algorithm, calibration, models: [face.model] },
  };
}

function verdictOf({ match, isUncertain }: TemplateMatch): Pick<Check, 'status' | 'reason' | 'advice'> {
  if (match) return { status: 'PASSED' };
  return isUncertain
    ? { status: 'REVIEW', reason: 'uncertain', advice: 'final' }
    : { status: 'FAILED', reason: 'not_the_same', advice: 'final' };
}

/** Four places say all that there is to say, and the same on every machine. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
