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
 * Compares face templates. That is arithmetic, so it needs neither the machine nor a worker. The rest of the server uses
 * `@grove/vision` only through this file.
 */
export { FACE_PACK_NAMES, type FacePackName, type Gallery, MATCH_SCORE, type Sketches, TemplateFault };

/** The name of the algorithm that turns a picture into a template. Templates of different algorithms are never compared. */
export function algorithmOfPack(name: FacePackName): string {
  return facePack(name).algorithm;
}

/** Compares two templates of `faceTemplate`. Throws `TemplateFault` for another algorithm, or for other bytes. */
export function compareFaces(one: Uint8Array, other: Uint8Array): { score: number; match: boolean } {
  const { score, match } = matchTemplates(decodeTemplate(asBuffer(one)), decodeTemplate(asBuffer(other)));
  return { score, match };
}

/** The cosine of two unit vectors. */
export const cosineBetween = cosine;

/** The unit vector in a template, for a gallery. Throws `TemplateFault`. */
export function vectorOf(template: Uint8Array): Float32Array {
  return decodeTemplate(asBuffer(template)).vector;
}

export function algorithmOf(template: Uint8Array): string {
  return decodeTemplate(asBuffer(template)).algorithm;
}

/** The scale of scores of one algorithm, and the structures for searches among its templates. */
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
