import { between, distance, type Point, type Quad } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { warp } from '../images/warp.ts';

/** The size of the picture in which a line is measured. */
const HEIGHT = 64;
const MAX_WIDTH = 1024;
const SEGMENTS = 12;
/** Rows with less ink than this share of the fullest do not belong to the line. */
const BAND_SHARE = 0.22;
const MIN_BAND = 8;
/** The share of a strip's height that the characters had in the reader's training. */
const TEXT_SHARE = 0.8;

type Measured = { readonly slope: number; readonly top: number; readonly bottom: number };

/**
 * A quadrilateral around a line of print, with its characters at the height and slope that the reader expects. The
 * detector's box is imprecise: grown by a fixed share, and distorted by frames and stains.
 */
export function fitLine(image: Raster, rough: Quad): Quad {
  const loose = widen(rough, 0.4);
  const length = (distance(loose[0], loose[1]) + distance(loose[3], loose[2])) / 2;
  const height = (distance(loose[0], loose[3]) + distance(loose[1], loose[2])) / 2;
  const width = Math.min(MAX_WIDTH, Math.max(HEIGHT, Math.round((length * HEIGHT) / Math.max(1, height))));
  const ink = inkOf(warp(image, loose, { width, height: HEIGHT }));
  const measured = measure(ink, width);
  if (!measured) return rough;
  const middle = (measured.top + measured.bottom) / 2;
  const half = (measured.bottom - measured.top) / TEXT_SHARE / 2;
  const at = (x: number, y: number): Point => {
    const share = (y + measured.slope * (x - width / 2)) / HEIGHT;
    return x === 0 ? between(loose[0], loose[3], share) : between(loose[1], loose[2], share);
  };
  return [at(0, middle - half), at(width, middle - half), at(width, middle + half), at(0, middle + half)];
}

function widen([a, b, c, d]: Quad, share: number): Quad {
  return [between(a, d, -share), between(b, c, -share), between(b, c, 1 + share), between(a, d, 1 + share)];
}

/** The changes of brightness from pixel to pixel along a line: high for print, low for paper and lamps. */
function inkOf({ width, height, data }: Raster): Float32Array {
  const ink = new Float32Array(width * height);
  const grey = (i: number): number =>
    (data[i * 3] as number) + (data[i * 3 + 1] as number) * 2 + (data[i * 3 + 2] as number);
  for (let y = 0; y < height; y += 1) {
    for (let x = 1; x < width; x += 1) ink[y * width + x] = Math.abs(grey(y * width + x) - grey(y * width + x - 1));
  }
  return ink;
}

function measure(ink: Float32Array, width: number): Measured | undefined {
  let slope = 0;
  for (let round = 0; round < 3; round += 1) {
    const band = bandOf(profile(ink, width, slope));
    if (!band) return undefined;
    slope += slopeLeft(ink, width, slope, band);
  }
  const band = bandOf(profile(ink, width, slope));
  return band ? { slope, ...band } : undefined;
}

/** Ink per row, along rows that rise by the slope. */
function profile(ink: Float32Array, width: number, slope: number): Float32Array {
  const rows = new Float32Array(HEIGHT);
  for (let x = 0; x < width; x += 1) {
    const shift = Math.round(slope * (x - width / 2));
    for (let y = 0; y < HEIGHT; y += 1) {
      const from = y + shift;
      if (from >= 0 && from < HEIGHT) rows[y] = (rows[y] as number) + (ink[from * width + x] as number);
    }
  }
  return rows;
}

/** The rows of print around the middle, between the first nearly empty rows above and below. */
function bandOf(rows: Float32Array): { top: number; bottom: number } | undefined {
  let peak = HEIGHT / 2;
  for (let y = HEIGHT * 0.3; y < HEIGHT * 0.7; y += 1) {
    const at = Math.round(y);
    if ((rows[at] as number) > (rows[peak] as number)) peak = at;
  }
  const sorted = [...rows].sort((one, other) => one - other);
  const floor = sorted[Math.floor(HEIGHT * 0.1)] ?? 0;
  const limit = floor + ((rows[peak] as number) - floor) * BAND_SHARE;
  let top = peak;
  let bottom = peak;
  while (top > 0 && (rows[top - 1] as number) > limit) top -= 1;
  while (bottom < HEIGHT - 1 && (rows[bottom + 1] as number) > limit) bottom += 1;
  return bottom - top + 1 < MIN_BAND || bottom - top > HEIGHT * 0.8 ? undefined : { top, bottom: bottom + 1 };
}

/** The remaining slope: a line fitted through the vertical centres of ink of each segment. */
function slopeLeft(ink: Float32Array, width: number, slope: number, band: { top: number; bottom: number }): number {
  const reach = (band.bottom - band.top) * 0.25;
  let [sum, sumX, sumY, sumXX, sumXY] = [0, 0, 0, 0, 0];
  for (let segment = 0; segment < SEGMENTS; segment += 1) {
    const from = Math.floor((segment * width) / SEGMENTS);
    const to = Math.floor(((segment + 1) * width) / SEGMENTS);
    let mass = 0;
    let moment = 0;
    for (let x = from; x < to; x += 1) {
      const shift = Math.round(slope * (x - width / 2));
      for (let y = Math.floor(band.top - reach); y < band.bottom + reach; y += 1) {
        const row = y + shift;
        if (row < 0 || row >= HEIGHT) continue;
        const here = ink[row * width + x] as number;
        mass += here;
        moment += here * y;
      }
    }
    if (mass === 0) continue;
    const x = (from + to) / 2 - width / 2;
    const y = moment / mass;
    sum += mass;
    sumX += mass * x;
    sumY += mass * y;
    sumXX += mass * x * x;
    sumXY += mass * x * y;
  }
  const spread = sum * sumXX - sumX * sumX;
  return spread > 0 ? (sum * sumXY - sumX * sumY) / spread : 0;
}
