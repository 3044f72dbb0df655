import {
  cosineOf,
  decodeTemplate,
  FACE_ALGORITHM,
  MATCH_SCORE,
  matchTemplates,
  newGallery,
  scoreOf,
  TEMPLATE_BYTES,
  TemplateFault,
} from '@grove/vision/templates';

export type { Gallery } from '@grove/vision/templates';
/**
 * What whoever keeps faces needs beside the machine: comparing is arithmetic, so it needs no worker and no waiting. This
 * is the only way to `@grove/vision` for the rest of the server.
 */
export { cosineOf, MATCH_SCORE, newGallery, scoreOf, TEMPLATE_BYTES, TemplateFault };

/** The name of the way from a picture to a template. Templates of other names are refused, never compared. */
export const algorithm: string = FACE_ALGORITHM;

/** Of two templates as `faceTemplate` gives them. Throws `TemplateFault` for bytes of another algorithm, or of none. */
export function compareFaces(one: Uint8Array, other: Uint8Array): { score: number; match: boolean } {
  const { score, match } = matchTemplates(decodeTemplate(asBuffer(one)), decodeTemplate(asBuffer(other)));
  return { score, match };
}

/** The unit vector in a template, for a gallery. Throws `TemplateFault`. */
export function vectorOf(template: Uint8Array): Float32Array {
  return decodeTemplate(asBuffer(template)).vector;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
