import {
  type ChallengeProgress,
  type FaceAnalysis,
  type FaceTemplate,
  LIVENESS_BOUNDS,
  MATCH_SCORE,
  matchTemplates,
  type Novelty,
  PASSIVE_BOUNDS,
  type TemplateMatch,
  verifyChallenge,
} from '@grove/vision/light';
import type { Check, CheckType } from '../../kernel/check.ts';
import type { ClientHints } from './vision.ts';

/** Turns findings about faces into checks. Pure. */

const QUALITY_SCORE = 0.5;
const ENGINE = 'grove-vision';

/** The check for a picture that could not be analysed: another picture may help. */
export function refusedPicture(name: string, type: CheckType, reason: string, picture: string): Check {
  return { name, type, status: 'FAILED', reason, advice: 'retry', metaData: { engine: ENGINE, picture } };
}

export function judgeFace(analysis: FaceAnalysis, quality: number): Check {
  const { face, reasons, hints, faces } = analysis;
  const [reason] = reasons;
  const score = reason === undefined ? quality : Math.min(quality, QUALITY_SCORE / 2);
  return {
    name: 'faceQuality',
    type: 'face',
    score: toFourPlaces(score),
    threshold: QUALITY_SCORE,
    ...(reason === undefined ? { status: 'PASSED' } : { status: 'FAILED', reason, advice: 'retry' }),
    metaData: { engine: ENGINE, faces, reasons, hints, ...(face && { models: [face.box.model, face.pose.model] }) },
  };
}

const VIRTUAL_CAMERA =
  /virtual|\bobs\b|manycam|snap ?camera|xsplit|droidcam|iriun|epoccam|mmhmm|\bv4l2loopback\b|fake/i;

/** The kind of video track that a real camera has. */
const CAMERA_TRACK = 'MediaStreamTrack';

/**
 * Signs of an attack in the hints of a client. An attacker can send other hints, so their absence proves nothing; but a
 * client whose own hints show a sign is not accepted without a human.
 */
export function hintsOfClient(client: ClientHints = {}): string[] {
  const { cameraLabel, trackClass, nativeGetUserMedia, automated } = client;
  return [
    ...(typeof cameraLabel === 'string' && VIRTUAL_CAMERA.test(cameraLabel) ? ['virtual_camera'] : []),
    ...(typeof trackClass === 'string' && trackClass !== CAMERA_TRACK ? ['generated_track'] : []),
    ...(nativeGetUserMedia === false ? ['replaced_camera_function'] : []),
    ...(automated === true ? ['automated_browser'] : []),
  ];
}

/**
 * Judges one picture. The networks refuse many prints and screens but no good mask, so a high score proves nothing: it is
 * recorded as `no_attack_seen`, which is not a passed check.
 */
export function judgePassive({ face }: FaceAnalysis, clientHints?: ClientHints): Check {
  const passive = face?.liveness;
  const commonMetaData = { engine: ENGINE, method: 'passive', certified: false, hints: hintsOfClient(clientHints) };
  const check = { name: 'liveness', type: 'liveness' } as const;
  if (!passive) {
    const reason = face ? 'no_passive_network' : 'no_face';
    return { ...check, status: 'NOT_PERFORMED', reason, advice: 'final', metaData: commonMetaData };
  }
  const metaData = { ...commonMetaData, passiveScore: toFourPlaces(passive.score), models: [passive.model] };
  if (passive.score >= PASSIVE_BOUNDS.noAttackSeen) {
    return { ...check, status: 'NOT_PERFORMED', reason: 'no_attack_seen', advice: 'final', metaData };
  }
  return {
    ...check,
    score: toFourPlaces(passive.score),
    threshold: PASSIVE_BOUNDS.noAttackSeen,
    metaData,
    ...(passive.score < PASSIVE_BOUNDS.notLive
      ? { status: 'FAILED', reason: 'not_live', advice: 'retry' }
      : { status: 'REVIEW', reason: 'uncertain', advice: 'final' }),
  };
}

export type ActiveEvidence = {
  selfie: FaceAnalysis;
  /** Undefined if the end user answered no challenge. */
  challenge: ChallengeProgress | undefined;
  /** How much of the face is new each time when it returns to rest. */
  novelty: Novelty | null;
  clientHints: ClientHints | undefined;
};

/**
 * Judges a challenge. `challenge_answered` means that one person made the requested movements, and that no sign of an
 * animated picture was found. It does not mean that the person is alive.
 */
export function judgeActive({ selfie, challenge, novelty, clientHints }: ActiveEvidence): Check {
  const check = { name: 'liveness', type: 'liveness' } as const;
  const commonMetaData = { engine: ENGINE, method: 'active', certified: false };
  if (challenge?.state !== 'DONE') {
    return { ...check, status: 'FAILED', reason: 'challenge_missing', advice: 'retry', metaData: commonMetaData };
  }
  // Without frames no machine has analysed the challenge.
  if (challenge.frames.length === 0) {
    return {
      ...check,
      status: 'NOT_PERFORMED',
      reason: 'engine_not_available',
      advice: 'final',
      metaData: commonMetaData,
    };
  }
  const verdict = verifyChallenge({ progress: challenge, novelty, selfie: selfie.face?.template?.vector ?? null });
  const hints = hintsOfClient(clientHints);
  const measures = Object.entries(verdict.measures).map(([name, value]) => [
    name,
    value === null ? null : toFourPlaces(value),
  ]);
  const metaData = {
    ...commonMetaData,
    movements: challenge.instructions.map(({ movement }) => movement),
    frames: challenge.frames.length,
    hints,
    refused: verdict.refused,
    doubtful: verdict.doubtful,
    measures: Object.fromEntries(measures),
    bounds: LIVENESS_BOUNDS,
  };
  if (verdict.result === 'REFUSED') {
    const reason = verdict.refused[0] === 'different_faces' ? 'different_faces' : 'not_live';
    return { ...check, status: 'FAILED', reason, advice: 'retry', metaData };
  }
  if (verdict.result === 'DOUBTFUL' || hints.length > 0) {
    return { ...check, status: 'REVIEW', reason: 'uncertain', advice: 'final', metaData };
  }
  return { ...check, status: 'PASSED', reason: 'challenge_answered', metaData };
}

/** The mean face of a challenge, at rest and while it moves. Null if no frame was embedded. */
export type FramesOfChallenge = { readonly rest: Float32Array | null; readonly moving: Float32Array | null };

/**
 * Compares the portrait of the document with the selfie and, if there was a challenge, with the face at rest between its
 * movements; the lower score counts. The moving face detects a morph of two persons that shows the attacker during
 * movements. Turned heads are less alike, so the moving face only must not be a stranger's.
 */
export function judgeMatch(
  document: FaceTemplate | null,
  face: FaceTemplate | null,
  frames?: FramesOfChallenge,
): Check {
  if (!document || !face) {
    const reason = document ? 'no_face' : 'no_face_on_document';
    const metaData = { engine: ENGINE };
    return { name: 'faceMatch', type: 'face', status: 'NOT_PERFORMED', reason, advice: 'final', metaData };
  }
  const compare = (vector: Float32Array) => matchTemplates(document, { ...face, vector });
  const ofSelfie = matchTemplates(document, face);
  const ofRest = frames?.rest && compare(frames.rest);
  const ofMoving = frames?.moving && compare(frames.moving);
  const lowest = ofRest && ofRest.score < ofSelfie.score ? ofRest : ofSelfie;
  const isStranger = ofMoving ? !ofMoving.match && !ofMoving.isUncertain : false;
  const { score, algorithm, calibration } = lowest;
  const scores = {
    selfie: toFourPlaces(ofSelfie.score),
    ...(ofRest && { frames: toFourPlaces(ofRest.score) }),
    ...(ofMoving && { moving: toFourPlaces(ofMoving.score) }),
  };
  return {
    name: 'faceMatch',
    type: 'face',
    score: toFourPlaces(score),
    threshold: MATCH_SCORE,
    ...verdictOf({
      match: lowest.match && !isStranger,
      isUncertain: lowest.isUncertain || (lowest.match && isStranger),
      isSamePicture: ofSelfie.isSamePicture || (ofRest?.isSamePicture ?? false),
    }),
    metaData: { engine: ENGINE, algorithm, calibration, scores, models: [face.model] },
  };
}

function verdictOf({
  match,
  isUncertain,
  isSamePicture,
}: Pick<TemplateMatch, 'match' | 'isUncertain' | 'isSamePicture'>): Pick<Check, 'status' | 'reason' | 'advice'> {
  // An attacker with only the document animates its portrait. A selfie is never so similar to a portrait of another day.
  if (match && isSamePicture) return { status: 'REVIEW', reason: 'same_picture', advice: 'final' };
  if (match) return { status: 'PASSED' };
  return isUncertain
    ? { status: 'REVIEW', reason: 'uncertain', advice: 'final' }
    : { status: 'FAILED', reason: 'not_the_same', advice: 'final' };
}

/** Rounds to four places: enough precision, and equal on every machine. */
export function toFourPlaces(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
