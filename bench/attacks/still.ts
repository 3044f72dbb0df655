/** A photograph of a face, with the data that every rendering of it needs. */
export type Still = {
  readonly width: number;
  readonly height: number;
  /** Red, green and blue in turn. */
  readonly data: Uint8Array;
  /** How far the head is turned in it, in degrees. */
  readonly turned?: number;
  /** 68 landmarks, x and y in turn. */
  readonly points: readonly number[];
};

export type Point = { x: number; y: number };

export function sample(source: Float32Array, { width, height }: Still, x: number, y: number, channel: number): number {
  const cx = Math.min(width - 1.001, Math.max(0, x));
  const cy = Math.min(height - 1.001, Math.max(0, y));
  const [x0, y0] = [Math.floor(cx), Math.floor(cy)];
  const [fx, fy] = [cx - x0, cy - y0];
  const at = (y0 * width + x0) * 3 + channel;
  const below = at + width * 3;
  const top = (source[at] as number) * (1 - fx) + (source[at + 3] as number) * fx;
  const bottom = (source[below] as number) * (1 - fx) + (source[below + 3] as number) * fx;
  return top * (1 - fy) + bottom * fy;
}

export function pointAt(points: readonly number[], index: number): Point {
  return { x: points[index * 2] as number, y: points[index * 2 + 1] as number };
}
