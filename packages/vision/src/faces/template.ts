import { FACE_MODELS, type ModelName, modelName } from '../model-names.ts';
import { EMBEDDING_LENGTH } from './embed.ts';

/**
 * The name of the way from a picture to a vector: detector, alignment and embedding. Vectors of different names cannot
 * be compared, so a change of the way is a new name; unless vectors of before and after are told apart as well as any,
 * which was measured when the mirror image was added (`docs/vision.md`).
 */
export const FACE_ALGORITHM = 'GROVE_FACE_512_1';

export type FaceTemplate = {
  readonly algorithm: string;
  readonly model: ModelName;
  /** A unit vector. */
  readonly vector: Float32Array;
};

export type TemplateFaultReason = 'malformed' | 'algorithm_not_supported';

/** Bytes that are no template, or one of another algorithm, which must be made anew from the picture. */
export class TemplateFault extends Error {
  readonly reason: TemplateFaultReason;

  constructor(reason: TemplateFaultReason) {
    super(`The face template was refused: ${reason}`);
    this.name = 'TemplateFault';
    this.reason = reason;
  }
}

export function newTemplate(vector: Float32Array): FaceTemplate {
  return { algorithm: FACE_ALGORITHM, model: modelName(FACE_MODELS.feature), vector };
}

const MAGIC = 'GFT1';
const NAME_BYTES = 32;
const MODEL_BYTES = 12;
const HEADER_BYTES = MAGIC.length + NAME_BYTES + MODEL_BYTES;
export const TEMPLATE_BYTES = HEADER_BYTES + EMBEDDING_LENGTH * 4;
/** What rounding to 32 bits can do to the length of a unit vector, and nothing else may. */
const UNIT_TOLERANCE = 1e-3;

/** Plain bytes: whoever stores them encrypts them. */
export function encodeTemplate({ algorithm, model, vector }: FaceTemplate): Buffer {
  const bytes = Buffer.alloc(TEMPLATE_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.write(algorithm, MAGIC.length, NAME_BYTES, 'latin1');
  bytes.write(model.version, MAGIC.length + NAME_BYTES, MODEL_BYTES, 'latin1');
  vector.forEach((value, at) => {
    bytes.writeFloatLE(value, HEADER_BYTES + at * 4);
  });
  return bytes;
}

/** Throws `TemplateFault`. */
export function decodeTemplate(bytes: Buffer): FaceTemplate {
  if (bytes.length !== TEMPLATE_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new TemplateFault('malformed');
  }
  const text = (from: number, length: number) => bytes.toString('latin1', from, from + length).replace(/\0+$/, '');
  const algorithm = text(MAGIC.length, NAME_BYTES);
  const version = text(MAGIC.length + NAME_BYTES, MODEL_BYTES);
  if (algorithm !== FACE_ALGORITHM || version !== FACE_MODELS.feature.version) {
    throw new TemplateFault('algorithm_not_supported');
  }
  const vector = Float32Array.from({ length: EMBEDDING_LENGTH }, (_, at) => bytes.readFloatLE(HEADER_BYTES + at * 4));
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(Math.abs(squares - 1) < UNIT_TOLERANCE)) throw new TemplateFault('malformed');
  return newTemplate(vector);
}
