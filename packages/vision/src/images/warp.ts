import { apply, type Homography, homography, type Quad, rectangle } from './geometry.ts';
import type { Raster } from './raster.ts';

/** Beyond this many samples per pixel and direction, a smaller picture of the source should be used. */
const MAX_SAMPLES = 4;

/**
 * The part of an image inside a quadrilateral, seen straight on. Where the source is finer than the result, several
 * samples are averaged, so that thin strokes are not lost; what lies outside the source repeats its border.
 */
export function warp(source: Raster, from: Quad, size: { readonly width: number; readonly height: number }): Raster {
  const map = homography(rectangle(size.width, size.height), from);
  const samples = samplesNeeded(map, size);
  const data = new Uint8Array(size.width * size.height * 3);
  const pixel = new Float64Array(3);
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      pixel.fill(0);
      for (let j = 0; j < samples; j += 1) {
        for (let i = 0; i < samples; i += 1) {
          addSample(source, map, x + (i + 0.5) / samples, y + (j + 0.5) / samples, pixel);
        }
      }
      const at = (y * size.width + x) * 3;
      const share = 1 / (samples * samples);
      for (let k = 0; k < 3; k += 1) data[at + k] = (pixel[k] as number) * share + 0.5;
    }
  }
  return { width: size.width, height: size.height, data };
}

function samplesNeeded(map: Homography, size: { readonly width: number; readonly height: number }): number {
  const middle = { x: size.width / 2, y: size.height / 2 };
  const here = apply(map, middle);
  const right = apply(map, { x: middle.x + 1, y: middle.y });
  const below = apply(map, { x: middle.x, y: middle.y + 1 });
  const step = Math.max(Math.hypot(right.x - here.x, right.y - here.y), Math.hypot(below.x - here.x, below.y - here.y));
  return Math.min(MAX_SAMPLES, Math.max(1, Math.round(step)));
}

function addSample(source: Raster, map: Homography, x: number, y: number, into: Float64Array): void {
  const w = map[6] * x + map[7] * y + map[8];
  const sx = (map[0] * x + map[1] * y + map[2]) / w - 0.5;
  const sy = (map[3] * x + map[4] * y + map[5]) / w - 0.5;
  const x0 = Math.min(source.width - 1, Math.max(0, Math.floor(sx)));
  const y0 = Math.min(source.height - 1, Math.max(0, Math.floor(sy)));
  const x1 = Math.min(source.width - 1, x0 + 1);
  const y1 = Math.min(source.height - 1, y0 + 1);
  const fx = Math.min(1, Math.max(0, sx - x0));
  const fy = Math.min(1, Math.max(0, sy - y0));
  const { data, width } = source;
  const a = (y0 * width + x0) * 3;
  const b = (y0 * width + x1) * 3;
  const c = (y1 * width + x0) * 3;
  const d = (y1 * width + x1) * 3;
  const wa = (1 - fx) * (1 - fy);
  const wb = fx * (1 - fy);
  const wc = (1 - fx) * fy;
  const wd = fx * fy;
  for (let k = 0; k < 3; k += 1) {
    into[k] =
      (into[k] as number) +
      wa * (data[a + k] as number) +
      wb * (data[b + k] as number) +
      wc * (data[c + k] as number) +
      wd * (data[d + k] as number);
  }
}

/** The image at another size. Shrinking averages, enlarging interpolates. */
export function resize(source: Raster, width: number, height: number): Raster {
  if (source.width === width && source.height === height) return source;
  return source.width > width * 2
    ? shrink(source, width, height)
    : warp(source, rectangle(source.width, source.height), { width, height });
}

/** Area averaging: every source pixel is counted once. */
function shrink(source: Raster, width: number, height: number): Raster {
  const sums = new Float32Array(width * height * 3);
  const counts = new Float32Array(width * height);
  const columns = Int32Array.from({ length: source.width }, (_, x) => Math.floor((x * width) / source.width));
  for (let y = 0; y < source.height; y += 1) {
    const row = Math.floor((y * height) / source.height) * width;
    for (let x = 0; x < source.width; x += 1) {
      const to = row + (columns[x] as number);
      const from = (y * source.width + x) * 3;
      counts[to] = (counts[to] as number) + 1;
      sums[to * 3] = (sums[to * 3] as number) + (source.data[from] as number);
      sums[to * 3 + 1] = (sums[to * 3 + 1] as number) + (source.data[from + 1] as number);
      sums[to * 3 + 2] = (sums[to * 3 + 2] as number) + (source.data[from + 2] as number);
    }
  }
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < data.length; i += 1) {
    data[i] = (sums[i] as number) / Math.max(1, counts[Math.floor(i / 3)] as number) + 0.5;
  }
  return { width, height, data };
}

/** Turns the image clockwise by quarters of a circle. */
export function turnQuarters(source: Raster, quarters: number): Raster {
  const turns = ((quarters % 4) + 4) % 4;
  if (turns === 0) return source;
  const { width: w, height: h } = source;
  const [width, height] = turns === 2 ? [w, h] : [h, w];
  const data = new Uint8Array(source.data.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const [sx, sy] = turns === 1 ? [y, h - 1 - x] : turns === 2 ? [w - 1 - x, h - 1 - y] : [w - 1 - y, x];
      const from = (sy * w + sx) * 3;
      const to = (y * width + x) * 3;
      data[to] = source.data[from] as number;
      data[to + 1] = source.data[from + 1] as number;
      data[to + 2] = source.data[from + 2] as number;
    }
  }
  return { width, height, data };
}
