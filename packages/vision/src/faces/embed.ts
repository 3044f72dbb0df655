import type { Raster } from '../images/raster.ts';
import { type Pixels, toPlanes, warp } from '../images/sample.ts';
import type { RunModel } from '../models.ts';
import { alignToTemplate } from './align.ts';
import type { FivePoints } from './landmarks.ts';

export const EMBEDDING_LENGTH = 512;
export const ALIGNED = { width: 112, height: 112 };
const SCALE = 1 / 128;
const SHIFT = -127 / 128;
const FORMULA = { order: 'rgb', scale: [SCALE, SCALE, SCALE], shift: [SHIFT, SHIFT, SHIFT] } as const;

/** The face upright and at one size, as the embedding model and the quality measures see it. */
export function alignFace(raster: Raster, points: FivePoints): Pixels {
  return warp(raster, alignToTemplate(points), ALIGNED);
}

export type Embedding = {
  /** Of length 1: the product of two is the cosine of the angle between them. */
  readonly vector: Float32Array;
  /** How long the vector was. The network answers faintly to what is hidden, blurred or no face. */
  readonly strength: number;
};

export async function embedAligned(aligned: Pixels, run: RunModel): Promise<Embedding> {
  const [output] = await run(toPlanes(aligned, FORMULA));
  if (output?.length !== EMBEDDING_LENGTH) throw new Error('the embedding model gave another length');
  return { vector: toUnit(output), strength: lengthOf(output) };
}

export function toUnit(vector: Float32Array): Float32Array {
  const length = lengthOf(vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}
