import type { Quad } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';

/** The green channel, which cameras sample most finely, of the part of a picture that holds the document. */
export type Green = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
};

export function greenOf(image: Raster, quad: Quad): Green {
  const xs = quad.map(({ x }) => x);
  const ys = quad.map(({ y }) => y);
  const left = Math.max(0, Math.floor(Math.min(...xs)));
  const top = Math.max(0, Math.floor(Math.min(...ys)));
  const width = Math.max(0, Math.min(image.width, Math.ceil(Math.max(...xs))) - left);
  const height = Math.max(0, Math.min(image.height, Math.ceil(Math.max(...ys))) - top);
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    greenRow(image.data, (top + y) * image.width + left, data.subarray(y * width, (y + 1) * width));
  }
  return { left, top, width, height, data };
}

function greenRow(data: Uint8Array, start: number, row: Uint8Array): void {
  for (let to = 0, from = start * 3 + 1; to < row.length; to += 1, from += 3) row[to] = data[from] as number;
}
