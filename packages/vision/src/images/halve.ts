import type { Raster } from './raster.ts';

/** A picture is scaled down many times, so its half is cached for as long as the picture lives. */
const halves = new WeakMap<Raster, Raster>();

/** The picture at half its size, each pixel the mean of four. An odd last row or column is left out. */
export function halved(source: Raster): Raster {
  const cached = halves.get(source);
  if (cached) return cached;
  const half = halve(source);
  halves.set(source, half);
  return half;
}

function halve({ width: across, height: down, data: from }: Raster): Raster {
  const width = Math.max(1, across >> 1);
  const height = Math.max(1, down >> 1);
  const right = across > 1 ? 3 : 0;
  const below = down > 1 ? across * 3 : 0;
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    halveRow(from, y * 2 * across * 3, right, below, data.subarray(y * width * 3, (y + 1) * width * 3));
  }
  return { width, height, data };
}

/** Millions of pixels pass here: nothing but plain numbers, and no loop over the three colours. */
function halveRow(from: Uint8Array, start: number, right: number, below: number, row: Uint8Array): void {
  for (let a = start, to = 0; to < row.length; a += 6, to += 3) {
    const b = a + right;
    const c = a + below;
    const d = b + below;
    const red = (from[a] as number) + (from[b] as number) + (from[c] as number) + (from[d] as number);
    const green = (from[a + 1] as number) + (from[b + 1] as number) + (from[c + 1] as number) + (from[d + 1] as number);
    const blue = (from[a + 2] as number) + (from[b + 2] as number) + (from[c + 2] as number) + (from[d + 2] as number);
    row[to] = (red + 2) >> 2;
    row[to + 1] = (green + 2) >> 2;
    row[to + 2] = (blue + 2) >> 2;
  }
}
