import type { Raster } from '../images/raster.ts';
import type { Box, Pixels } from '../images/sample.ts';
import type { RunModel } from '../models.ts';
import { alignFace, type Embedder, type Embedding, embedAligned, toUnit } from './embed.ts';
import { findLandmarks, fivePoints } from './landmarks.ts';

export type EmbeddingModels = { readonly landmark: RunModel; readonly embedder: Embedder };

/** The margin around the face, in its heights: a tilted head is aligned from further outside. */
const MARGIN = 1;

/**
 * The vector half-way between those of the face and of its mirror image, in which the landmarks are searched again: a
 * light from one side, a turned head and landmarks that are a pixel off count half as much. `aligned` is the unmirrored
 * face.
 */
export async function embedBothWays(
  { raster, face, aligned }: { raster: Raster; face: Box; aligned: Pixels },
  models: EmbeddingModels,
): Promise<Embedding> {
  const { vector, strength } = await embedAligned(aligned, models.embedder);
  const mirror = mirrorAround(raster, face);
  const points = await findLandmarks(mirror.raster, mirror.face, models.landmark);
  const other = await embedAligned(alignFace(mirror.raster, fivePoints(points), models.embedder.pack), models.embedder);
  return { vector: toUnit(vector.map((value, at) => value + (other.vector[at] as number))), strength };
}

/** The mirrored surroundings of a face, and its box in them. */
export function mirrorAround(raster: Raster, face: Box): { raster: Raster; face: Box } {
  const margin = MARGIN * (face.bottom - face.top);
  const left = clamp(Math.floor(face.left - margin), raster.width - 1);
  const right = clamp(Math.ceil(face.right + margin), raster.width);
  const top = clamp(Math.floor(face.top - margin), raster.height - 1);
  const bottom = clamp(Math.ceil(face.bottom + margin), raster.height);
  const width = Math.max(1, right - left);
  const height = Math.max(1, bottom - top);
  const data = new Uint8Array(width * height * 3);
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let from = ((top + y) * raster.width + left + width - 1) * 3, x = 0; x < width; x += 1, from -= 3, to += 3) {
      data[to] = raster.data[from] as number;
      data[to + 1] = raster.data[from + 1] as number;
      data[to + 2] = raster.data[from + 2] as number;
    }
  }
  const edge = left + width;
  return {
    raster: { width, height, data },
    face: { left: edge - face.right, right: edge - face.left, top: face.top - top, bottom: face.bottom - top },
  };
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(value, 0), most);
}
