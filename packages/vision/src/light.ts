/** The parts for a server's own thread, which load no model, decoder or native library. Only workers load those. */
export type { AuthenticitySignal, AuthenticitySignalName } from './authenticity/authenticity.ts';
export type { DocumentCheck } from './documents/checks.ts';
export { compareSides } from './documents/compare-sides.ts';
export { datesIn, fullDate } from './documents/dates.ts';
export type { DocumentReading } from './documents/read-document.ts';
export { VisionFault } from './engine/fault.ts';
export { openVision, type VisionEngine } from './engine/vision.ts';
export type { FaceAnalysis, FaceOptions } from './faces/analyse.ts';
export { cosine, MATCH_SCORE, matchTemplates, type TemplateMatch } from './faces/match.ts';
export type { FacePackName } from './faces/packs.ts';
export { faceQuality } from './faces/rate-quality.ts';
export type { FaceTemplate } from './faces/template.ts';
export { encodeTemplate, FACE_ALGORITHM } from './faces/template.ts';
export { ImageFault } from './images/image-fault.ts';
export { isVisionInstalled } from './is-installed.ts';
export type { ChallengeProgress } from './liveness/follow.ts';
export type { RestPicture } from './liveness/measure-novelty.ts';
export type { Novelty } from './liveness/novelty.ts';
export { PASSIVE_BOUNDS } from './liveness/passive-bounds.ts';
export {
  type ChallengeSign,
  type ChallengeVerdict,
  LIVENESS_BOUNDS,
  meanVector,
  movingFrames,
  restFrames,
  verifyChallenge,
} from './liveness/verify.ts';
export { latinSpellings } from './mrz/latin-spellings.ts';
export { isSpecimenZone } from './mrz/states.ts';
