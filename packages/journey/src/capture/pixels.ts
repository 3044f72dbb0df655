/** The pixels of a canvas: red, green, blue and opacity of each. `ImageData` is one. */
export type Pixels = { readonly width: number; readonly height: number; readonly data: Uint8ClampedArray | Uint8Array };

/** The brightness of a colour, in 0…255 (ITU-R BT.601). */
export function brightnessOf(red: number, green: number, blue: number): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

export function brightnessAt({ width, data }: Pixels, x: number, y: number): number {
  const at = (y * width + x) * 4;
  return brightnessOf(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
}

/** The values below which these shares of all values lie. It counts instead of sorting, because every look calls it. */
export function quantiles(values: Float32Array, shares: readonly number[]): number[] {
  const counts = new Uint32Array(256);
  for (const value of values) {
    const bin = Math.min(255, Math.max(0, Math.round(value)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return shares.map((share) => {
    let remaining = Math.floor(values.length * share);
    const index = counts.findIndex((count) => {
      remaining -= count;
      return remaining < 0;
    });
    return index < 0 ? 255 : index;
  });
}

/**
 * The variance of the Laplacian divided by that of the brightness: the share of edges in the picture. The division
 * makes it the same for a pale and a colourful picture.
 */
export function sharpnessOf(grey: Float32Array, width: number, height: number): number {
  let [count, sum, squares, edgeSum, edgeSquares] = [0, 0, 0, 0, 0];
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const here = grey[at] as number;
      const edge =
        (grey[at - 1] as number) +
        (grey[at + 1] as number) +
        (grey[at - width] as number) +
        (grey[at + width] as number) -
        4 * here;
      count += 1;
      sum += here;
      squares += here * here;
      edgeSum += edge;
      edgeSquares += edge * edge;
    }
  }
  if (count === 0) return 0;
  const variance = squares / count - (sum / count) ** 2;
  return (edgeSquares / count - (edgeSum / count) ** 2) / Math.max(LEAST_VARIANCE, variance);
}

/** An empty wall has noise only, which must not count as sharp. */
const LEAST_VARIANCE = 25;
