import type { Quad } from '../images/geometry.ts';
import type { ModelName } from '../ocr/models.ts';
import type { ParsedMrz } from './parse-mrz.ts';
import type { Repair } from './repair.ts';

/** A zone as it was read. */
export type MrzFinding = ParsedMrz & {
  readonly repairs: readonly Repair[];
  /** The certainty of the reader, 0…1. */
  readonly confidence: number;
  /** The positions of the lines in the image, each from its beginning to its end. */
  readonly quads: readonly Quad[];
  readonly models: readonly ModelName[];
};
