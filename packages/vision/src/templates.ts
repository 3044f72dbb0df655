/** Faces as numbers, without pictures: the part that stores of faces need from the start. */
export { cosine, cosineOf, MATCH_SCORE, matchTemplates, scoreOf } from './faces/match.ts';
export { FACE_PACK_NAMES, type FacePack, type FacePackName, facePack, packOfAlgorithm } from './faces/packs.ts';
export { decodeTemplate, encodeTemplate, FACE_ALGORITHM, TEMPLATE_BYTES, TemplateFault } from './faces/template.ts';
export { CHALLENGE_LIMITS } from './liveness/challenge-limits.ts';
export {
  type ChallengeFrame,
  type ChallengeProgress,
  expire,
  followBlindly,
  followChallenge,
  openInstruction,
  startChallenge,
  wantedFrame,
} from './liveness/follow.ts';
export type { Movement, Omission } from './liveness/movements.ts';
export type { FaceObservation, NoFace } from './liveness/observation.ts';
export type { WantedFrame } from './liveness/roles.ts';
export { type Gallery, newGallery } from './search/gallery.ts';
export { newSketches, type Sketches } from './search/sketches.ts';
