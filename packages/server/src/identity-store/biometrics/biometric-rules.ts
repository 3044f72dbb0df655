import type { ErrorCode } from '@grove/contract';
import { splitWords } from '../../kernel/split-words.ts';
import type { StoreConfiguration } from '../stores/store-rules.ts';

/** The rules for requests about biometrics, as pure functions. */

export const FACE_FLOOR = 0.5;
/** A template of lower quality is not reliable and is not stored. */
export const ENROLMENT_QUALITY = 0.5;
/** A template that replaces another must be better than the first one had to be. */
export const REFRESH_QUALITY = 0.7;

/** Biometric types that exist but that Grove cannot compare (ISO/IEC 19785-3). */
const OTHERS: readonly string[] = splitWords(`
  FINGERPRINT FINGER IRIS RETINA VOICE PALM HAND VEIN SIGNATURE GAIT EAR DNA HAND_GEOMETRY KEYSTROKE FACE_3D
`);
/** Only frontal faces are supported. */
const SUBTYPES: readonly string[] = ['', 'NONE', 'FRONTAL'];

/** 2005 for a biometric type that Grove does not support, 20115 for a word that is not a biometric type. */
export function faultOfType(type: string): 2005 | 20115 | undefined {
  const name = type.toUpperCase();
  if (name === 'FACE') return undefined;
  return OTHERS.includes(name) ? 2005 : 20115;
}

export function faultOfSubtype(subtype: string | undefined): 2006 | undefined {
  return SUBTYPES.includes((subtype ?? '').toUpperCase()) ? undefined : 2006;
}

export function faultOfAlgorithm(algorithm: string, ownAlgorithm: string): 8 | undefined {
  return algorithm.toUpperCase() === ownAlgorithm ? undefined : 8;
}

export type MatchingProcess = {
  readonly algorithm?: string | undefined;
  readonly threshold?: number | undefined;
  readonly internalThreshold?: number | undefined;
};

export type FaceInput = {
  readonly data?: string | undefined;
  readonly type?: string | undefined;
  readonly subtype?: string | undefined;
  readonly matchingProcess?: MatchingProcess | undefined;
};

/** Returns the first fault of a request to match. The order: missing data, then the type, then the matching process. */
export function faultOfMatch(
  { data, type, subtype, matchingProcess }: FaceInput,
  ownAlgorithm: string,
): ErrorCode | undefined {
  if (!data) return 20114;
  const kind = (type === undefined ? undefined : faultOfType(type)) ?? faultOfSubtype(subtype);
  if (kind) return kind;
  if (!matchingProcess) return 20123;
  const { algorithm, threshold, internalThreshold } = matchingProcess;
  if (!algorithm) return 20124;
  const unknown = faultOfAlgorithm(algorithm, ownAlgorithm);
  if (unknown) return unknown;
  if (!isScore(threshold)) return 20125;
  return isScore(internalThreshold) ? undefined : 20126;
}

function isScore(score: number | undefined): boolean {
  return score === undefined || (score >= 0 && score <= 1);
}

export type Thresholds = {
  /** The lowest score that counts as the same person. */
  readonly passes: number;
  /** The lowest score at which the template is refreshed; undefined if the caller did not request a refresh. */
  readonly refreshes: number | undefined;
};

/** A caller can raise the thresholds of the store, but never lower them. */
export function thresholdsOf(
  { threshold, internalThreshold }: MatchingProcess,
  { faceConfiguration }: Pick<StoreConfiguration, 'faceConfiguration'>,
): Thresholds {
  const passes = Math.max(threshold ?? 0, faceConfiguration?.floor ?? FACE_FLOOR);
  return { passes, refreshes: internalThreshold === undefined ? undefined : Math.max(internalThreshold, passes) };
}

/** Rounds down to two decimals: the shown score of a refused face never reaches the threshold. */
export function shownScore(score: number): number {
  return Math.floor(score * 100 + 1e-9) / 100;
}
