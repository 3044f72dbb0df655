import {
  cosine,
  cosineOf,
  decodeTemplate,
  FACE_PACK_NAMES,
  type FacePackName,
  facePack,
  type Gallery,
  MATCH_SCORE,
  matchTemplates,
  newGallery,
  newSketches,
  packOfAlgorithm,
  type Sketches,
  scoreOf,
  TemplateFault,
} from '@grove/vision/templates';

/**
 * What whoever keeps faces needs beside the machine: comparing is arithmetic, so it needs no worker and no waiting. This
 * is the only way to `@grove/vision` for the rest of the server.
 */
export { FACE_PACK_NAMES, type FacePackName, type Gallery, MATCH_SCORE, type Sketches, TemplateFault };

/** The name of the way from a picture to a template. Templates of other names are refused, never compared. */
export function algorithmOfPack(name: FacePackName): string {
  return facePack(name).algorithm;
}

/** Of two templates as `faceTemplate` gives them. Throws `TemplateFault` for bytes of another algorithm, or of none. */
export function compareFaces(one: Uint8Array, other: Uint8Array): { score: number; match: boolean } {
  const { score, match } = matchTemplates(decodeTemplate(asBuffer(one)), decodeTemplate(asBuffer(other)));
  return { score, match };
}

/** Of two unit vectors. */
export const cosineBetween = cosine;

/** The unit vector in a template, for a gallery. Throws `TemplateFault`. */
export function vectorOf(template: Uint8Array): Float32Array {
  return decodeTemplate(asBuffer(template)).vector;
}

export function algorithmOf(template: Uint8Array): string {
  return decodeTemplate(asBuffer(template)).algorithm;
}

/** What scores mean for templates of one algorithm, and what they are searched in. */
export type FaceScale = {
  scoreOf(cosine: number): number;
  cosineOf(score: number): number;
  newGallery(options: { indexAbove: number }): Gallery;
  newSketches(): Sketches;
};

export function scaleOf(algorithm: string): FaceScale {
  const pack = packOfAlgorithm(algorithm);
  if (!pack) throw new TemplateFault('algorithm_not_supported');
  const { calibration, vectorLength } = pack;
  return {
    scoreOf: (cosine) => scoreOf(cosine, calibration),
    cosineOf: (score) => cosineOf(score, calibration),
    newGallery: (options) => newGallery({ ...options, vectorLength }),
    newSketches: () => newSketches(vectorLength),
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
