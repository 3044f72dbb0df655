export {
  AUTHENTICITY_BOUNDS,
  type AuthenticitySignal,
  type AuthenticitySignalName,
} from './authenticity/authenticity.ts';
export { type AamvaContent, buildAamva } from './barcodes/build-aamva.ts';
export { type Licence, parseAamva } from './barcodes/parse-aamva.ts';
export { type Barcode, readPdf417 } from './barcodes/read-barcode.ts';
export type { CheckResult, DocumentCheck, Facts } from './documents/checks.ts';
export { type FoundQuad, findQuads } from './documents/find-quads.ts';
export { QUALITY_REASONS, type QualityMeasures, type QualityReason } from './documents/quality.ts';
export {
  type DocumentOptions,
  type DocumentReading,
  type DocumentType,
  type FaceBox,
  readDocument,
} from './documents/read-document.ts';
export type { VisualField, VisualFieldName, VisualZone } from './documents/visual-zone.ts';
export type { VisionFaultReason } from './engine/fault.ts';
export { VisionFault } from './engine/fault.ts';
export type { PoolStats } from './engine/pool.ts';
export type { DocumentRequest, FaceMatch, VisionEngine, VisionOptions } from './engine/vision.ts';
export { openVision, VISION_LIMITS } from './engine/vision.ts';
export type { Face, FaceAnalysis, FaceEmbedding, FaceOptions } from './faces/analyse.ts';
export type { TemplateMatch } from './faces/match.ts';
export { cosineOf, MATCH_SCORE, matchTemplates, scoreOf } from './faces/match.ts';
export { FACE_PACK_NAMES, type FacePack, type FacePackName, facePack } from './faces/packs.ts';
export type { Pose } from './faces/pose.ts';
export type { FaceHint, FaceReason } from './faces/quality.ts';
export { FACE_LIMITS } from './faces/quality.ts';
export { faceQuality } from './faces/rate-quality.ts';
export type { FaceTemplate, TemplateFaultReason } from './faces/template.ts';
export { decodeTemplate, encodeTemplate, FACE_ALGORITHM, TEMPLATE_BYTES, TemplateFault } from './faces/template.ts';
export { ImageFault, type ImageFaultReason } from './images/image-fault.ts';
export type { DecodeOptions, Raster } from './images/raster.ts';
export { decodeImage, MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS, MIN_IMAGE_SIDE } from './images/raster.ts';
export { CHALLENGE_LIMITS } from './liveness/challenge-limits.ts';
export type { ChallengeFrame, ChallengeProgress, EndReason } from './liveness/follow.ts';
export { followChallenge, startChallenge, wantedFrame } from './liveness/follow.ts';
export { isDirection, type Movement, type Omission } from './liveness/movements.ts';
export type { FaceObservation, NoFace } from './liveness/observation.ts';
export { hasRoom, type Neutral, roleAtStart, roleOf, sizeOf } from './liveness/roles.ts';
export type { ChallengeVerdict } from './liveness/verify.ts';
export { LIVENESS_BOUNDS, verifyChallenge } from './liveness/verify.ts';
export type { ModelName } from './model-names.ts';
export { buildMrz, type MrzContent } from './mrz/build-mrz.ts';
export { checkDigit } from './mrz/check-digit.ts';
export type { FormatName } from './mrz/formats.ts';
export type { MrzFinding } from './mrz/mrz-finding.ts';
export { type MrzFields, type ParsedMrz, parseMrz } from './mrz/parse-mrz.ts';
export { type MrzReport, readMrz } from './mrz/read-mrz.ts';
export { transliterate, transliterations } from './mrz/transliterate.ts';
export { ocrModels } from './ocr/models.ts';
export type { Hit, SearchOptions } from './search/exact.ts';
export { MAX_GALLERY, MAX_HITS } from './search/exact.ts';
export type { Gallery } from './search/gallery.ts';
export { INDEX_ABOVE, newGallery } from './search/gallery.ts';
export { type Side, SPECIMEN_KINDS, type SpecimenKind } from './specimens/draw-document.ts';
export { everydayOrders, makeSpecimen, type Specimen, type SpecimenOrder } from './specimens/make-specimen.ts';
export type { Person } from './specimens/person.ts';
export type { Photograph } from './specimens/photograph.ts';
