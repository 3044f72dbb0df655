import { apply, type Homography, homography, type Quad, rectangle } from './geometry.ts';
import { halved } from './halve.ts';
import type { Raster } from './raster.ts';
import { sampleBox } from './sample.ts';

/** From this ratio of source to result on, the source is halved first, because sixteen samples would give the same. */
const HALVED_FROM = 2;
/** The maximum number of halvings: 25 million pixels are then fewer than any network sees. */
const MAX_HALVINGS = 4;

/**
 * The part of an image inside a quadrilateral, seen straight on. Where the source is finer than the result, several
 * samples are averaged, so that thin strokes are not lost; outside the source its border is repeated.
 */
export function warp(image: Raster, quad: Quad, size: { readonly width: number; readonly height: number }): Raster {
  let source = image;
  let from = quad;
  let map = homography(rectangle(size.width, size.height), from);
  for (let times = 0; times < MAX_HALVINGS && stepOf(map, size) >= HALVED_FROM; times += 1) {
    source = halved(source);
    from = from.map(({ x, y }) => ({ x: x / 2, y: y / 2 })) as unknown as Quad;
    map = homography(rectangle(size.width, size.height), from);
  }
  const samples = Math.max(1, Math.round(stepOf(map, size)));
  const data = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < size.height; y += 1) {
    warpRow(source, map, samples, y, data.subarray(y * size.width * 3, (y + 1) * size.width * 3));
  }
  return { width: size.width, height: size.height, data };
}

/** Runs for millions of samples, so it uses plain numbers only, without calls and destructuring. */
function warpRow(source: Raster, map: Homography, samples: number, y: number, row: Uint8Array): void {
  const { width, height, data } = source;
  const [m0, m1, m2, m3, m4, m5, m6, m7, m8] = map;
  const step = 1 / samples;
  const share = step * step;
  const right = width - 1;
  const bottom = height - 1;
  const line = width * 3;
  for (let to = 0, x = 0; to < row.length; to += 3, x += 1) {
    let red = 0.5;
    let green = 0.5;
    let blue = 0.5;
    for (let j = 0; j < samples; j += 1) {
      const v = y + (j + 0.5) * step;
      const across = m1 * v + m2;
      const down = m4 * v + m5;
      const depth = m7 * v + m8;
      for (let i = 0; i < samples; i += 1) {
        const u = x + (i + 0.5) * step;
        const w = 1 / (m6 * u + depth);
        const sx = Math.min(right, Math.max(0, (m0 * u + across) * w - 0.5));
        const sy = Math.min(bottom, Math.max(0, (m3 * u + down) * w - 0.5));
        const x0 = sx | 0;
        const y0 = sy | 0;
        const fx = sx - x0;
        const fy = (sy - y0) * share;
        const a = y0 * line + x0 * 3;
        const b = x0 < right ? a + 3 : a;
        const c = y0 < bottom ? a + line : a;
        const d = c + b - a;
        const wb = fx * (share - fy);
        const wa = share - fy - wb;
        const wd = fx * fy;
        const wc = fy - wd;
        red +=
          wa * (data[a] as number) + wb * (data[b] as number) + wc * (data[c] as number) + wd * (data[d] as number);
        green +=
          wa * (data[a + 1] as number) +
          wb * (data[b + 1] as number) +
          wc * (data[c + 1] as number) +
          wd * (data[d + 1] as number);
        blue +=
          wa * (data[a + 2] as number) +
          wb * (data[b + 2] as number) +
          wc * (data[c + 2] as number) +
          wd * (data[d + 2] as number);
      }
    }
    row[to] = red;
    row[to + 1] = green;
    row[to + 2] = blue;
  }
}

/** The number of source pixels between two result pixels, in the middle. */
function stepOf(map: Homography, size: { readonly width: number; readonly height: number }): number {
  const middle = { x: size.width / 2, y: size.height / 2 };
  const here = apply(map, middle);
  const right = apply(map, { x: middle.x + 1, y: middle.y });
  const below = apply(map, { x: middle.x, y: middle.y + 1 });
  return Math.max(Math.hypot(right.x - here.x, right.y - here.y), Math.hypot(below.x - here.x, below.y - here.y));
}

/** The image at another size. Shrinking averages, enlarging interpolates. */
export function resize(source: Raster, width: number, height: number): Raster {
  if (source.width === width && source.height === height) return source;
  if (source.width > width * 2) return shrink(source, width, height);
  const step = Math.max(source.width / width, source.height / height);
  if (step >= HALVED_FROM) return warp(source, rectangle(source.width, source.height), { width, height });
  const whole = { left: 0, top: 0, right: source.width, bottom: source.height };
  const pixels = sampleBox(source, whole, { width, height }, Math.max(1, Math.round(step)));
  const data = new Uint8Array(pixels.data.length);
  for (let at = 0; at < data.length; at += 1) data[at] = (pixels.data[at] as number) + 0.5;
  return { width, height, data };
}

/** Averages by area: every source pixel is counted once. */
function shrink(image: Raster, width: number, height: number): Raster {
  let source = image;
  while (source.width >= width * 4 && source.height >= height * 4) source = halved(source);
  const { width: across, height: down, data: from } = source;
  const data = new Uint8Array(width * height * 3);
  const ends = Int32Array.from({ length: width }, (_, x) => Math.ceil(((x + 1) * across) / width));
  for (let row = 0, to = 0; row < height; row += 1) {
    const first = Math.ceil((row * down) / height);
    const last = Math.ceil(((row + 1) * down) / height);
    for (let column = 0, left = 0; column < width; column += 1, to += 3) {
      const right = ends[column] as number;
      let [red, green, blue] = [0, 0, 0];
      for (let y = first; y < last; y += 1) {
        const end = (y * across + right) * 3;
        for (let at = (y * across + left) * 3; at < end; at += 3) {
          red += from[at] as number;
          green += from[at + 1] as number;
          blue += from[at + 2] as number;
        }
      }
      const count = Math.max(1, (last - first) * (right - left));
      data[to] = red / count + 0.5;
      data[to + 1] = green / count + 0.5;
      data[to + 2] = blue / count + 0.5;
      left = right;
    }
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
