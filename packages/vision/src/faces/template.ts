import type { ModelName } from '../model-names.ts';
import { DEFAULT_PACK, type FacePack, packOfAlgorithm } from './packs.ts';

/** The algorithm of the default pack. */
export const FACE_ALGORITHM = DEFAULT_PACK.algorithm;

export type FaceTemplate = {
  readonly algorithm: string;
  readonly model: ModelName;
  /** A unit vector. */
  readonly vector: Float32Array;
};

export type TemplateFaultReason = 'malformed' | 'algorithm_not_supported';

/** Bytes that are not a template, or one of another algorithm, which must be made again from the picture. */
export class TemplateFault extends Error {
  readonly reason: TemplateFaultReason;

  constructor(reason: TemplateFaultReason) {
    super(`The face template was refused: ${reason}`);
    this.name = 'TemplateFault';
    this.reason = reason;
  }
}

export function newTemplate(vector: Float32Array, { algorithm, model }: FacePack = DEFAULT_PACK): FaceTemplate {
  return { algorithm, model, vector };
}

const MAGIC = 'GFT1';
const NAME_BYTES = 32;
const MODEL_BYTES = 12;
const HEADER_BYTES = MAGIC.length + NAME_BYTES + MODEL_BYTES;
const BYTES_OF_A_NUMBER = 4;
/** The number of bytes of a template of the default pack. */
export const TEMPLATE_BYTES = HEADER_BYTES + DEFAULT_PACK.vectorLength * BYTES_OF_A_NUMBER;
/** The tolerance for the length of a unit vector after rounding to 32 bits. */
const UNIT_TOLERANCE = 1e-3;

/** Plain bytes, which must be encrypted before they are stored. */
export function encodeTemplate({ algorithm, model, vector }: FaceTemplate): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + vector.length * BYTES_OF_A_NUMBER);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.write(algorithm, MAGIC.length, NAME_BYTES, 'latin1');
  bytes.write(model.version, MAGIC.length + NAME_BYTES, MODEL_BYTES, 'latin1');
  vector.forEach((value, at) => {
    bytes.writeFloatLE(value, HEADER_BYTES + at * BYTES_OF_A_NUMBER);
  });
  return bytes;
}

/** Restores a template of any pack, whichever is in use. Throws `TemplateFault`. */
export function decodeTemplate(bytes: Buffer): FaceTemplate {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new TemplateFault('malformed');
  }
  const text = (from: number, length: number) => bytes.toString('latin1', from, from + length).replace(/\0+$/, '');
  const pack = packOfAlgorithm(text(MAGIC.length, NAME_BYTES));
  if (pack?.model.version !== text(MAGIC.length + NAME_BYTES, MODEL_BYTES)) {
    throw new TemplateFault('algorithm_not_supported');
  }
  if (bytes.length !== HEADER_BYTES + pack.vectorLength * BYTES_OF_A_NUMBER) throw new TemplateFault('malformed');
  const vector = Float32Array.from({ length: pack.vectorLength }, (_, at) =>
    bytes.readFloatLE(HEADER_BYTES + at * BYTES_OF_A_NUMBER),
  );
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(Math.abs(squares - 1) < UNIT_TOLERANCE)) throw new TemplateFault('malformed');
  return newTemplate(vector, pack);
}
