import type { Raster } from '../images/raster.ts';
import { type Pixels, toPlanes, warp } from '../images/sample.ts';
import type { RunModel } from '../models.ts';
import { alignTo } from './align.ts';
import type { FivePoints } from './landmarks.ts';
import { DEFAULT_PACK, type FacePack } from './packs.ts';

/** The face upright and at one size, as the network of the pack expects it. */
export function alignFace(raster: Raster, points: FivePoints, { places, input }: FacePack = DEFAULT_PACK): Pixels {
  return warp(raster, alignTo(places, points), input);
}

export type Embedding = {
  /** Of length 1: the product of two is the cosine of the angle between them. */
  readonly vector: Float32Array;
  /** The length of the vector before. The network answers faintly to a hidden or blurred face, or to none. */
  readonly strength: number;
};

/** A pack and its network. */
export type Embedder = { readonly pack: FacePack; readonly run: RunModel };

export async function embedAligned(aligned: Pixels, { pack, run }: Embedder): Promise<Embedding> {
  const [output] = await run(toPlanes(aligned, pack.formula));
  if (output?.length !== pack.vectorLength) throw new Error('the embedding model gave another length');
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
