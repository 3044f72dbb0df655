import type { Raster } from './raster.ts';

/** A box in pixels; right and bottom are exclusive. It may reach beyond the picture. */
export type Box = { left: number; top: number; right: number; bottom: number };

/** Pixels as floats from 0 to 255, red, green and blue in turn. */
export type Pixels = { width: number; height: number; data: Float32Array };

export type Size = { width: number; height: number };

/**
 * Draws a box of the picture at another size: by area where it becomes smaller, because skipped texture turns into
 * noise, and by linear interpolation where it becomes larger. Outside of the picture its nearest edge is repeated.
 */
export function resizeBox(raster: Raster, box: Box, size: Size): Pixels {
  return drawBox(raster, box, size);
}

/**
 * The same by linear interpolation of four pixels, however many are skipped: some networks were trained on that. Of several
 * samples along each side of an output pixel it takes the mean.
 */
export function sampleBox(raster: Raster, box: Box, size: Size, samples = 1): Pixels {
  return drawBox(raster, box, size, samples);
}

function drawBox(raster: Raster, box: Box, { width, height }: Size, samples?: number): Pixels {
  const columns = axisTaps({ from: box.left, to: box.right, length: raster.width, size: width, samples });
  const rows = axisTaps({ from: box.top, to: box.bottom, length: raster.height, size: height, samples });
  const firstColumn = Math.min(...columns.indexes);
  const lastColumn = Math.max(...columns.indexes);
  const line = new Float64Array((lastColumn - firstColumn + 1) * 3);
  const data = new Float32Array(width * height * 3);
  for (let v = 0; v < height; v += 1) {
    addRows(line, raster, rows, v, firstColumn);
    squeezeLine({ line, firstColumn, columns, out: data, outStart: v * width * 3, width });
  }
  return { width, height, data };
}

/** One row of the output before its columns are combined: the weighted sum of its source rows. */
function addRows(line: Float64Array, raster: Raster, rows: Taps, v: number, firstColumn: number): void {
  const { data, width } = raster;
  const end = rows.starts[v + 1] as number;
  const startOf = (tap: number): number => ((rows.indexes[tap] as number) * width + firstColumn) * 3;
  let tap = rows.starts[v] as number;
  // Adds two rows at once, since most outputs have two or three: this halves the writes.
  if (end - tap >= 2) {
    const [one, other] = [startOf(tap), startOf(tap + 1)];
    const [weight, otherWeight] = [rows.weights[tap] as number, rows.weights[tap + 1] as number];
    for (let at = 0; at < line.length; at += 1) {
      line[at] = weight * (data[one + at] as number) + otherWeight * (data[other + at] as number);
    }
    tap += 2;
  } else line.fill(0);
  for (; tap < end; tap += 1) {
    const start = startOf(tap);
    const weight = rows.weights[tap] as number;
    for (let at = 0; at < line.length; at += 1) {
      line[at] = (line[at] as number) + weight * (data[start + at] as number);
    }
  }
}

type Taps = { starts: Int32Array; indexes: Int32Array; weights: Float64Array };

function squeezeLine(job: {
  line: Float64Array;
  firstColumn: number;
  columns: Taps;
  out: Float32Array;
  outStart: number;
  width: number;
}): void {
  const { line, firstColumn, columns, out, outStart, width } = job;
  for (let u = 0, at = outStart; u < width; u += 1, at += 3) {
    let red = 0;
    let green = 0;
    let blue = 0;
    for (let tap = columns.starts[u] as number; tap < (columns.starts[u + 1] as number); tap += 1) {
      const weight = columns.weights[tap] as number;
      const from = ((columns.indexes[tap] as number) - firstColumn) * 3;
      red += weight * (line[from] as number);
      green += weight * (line[from + 1] as number);
      blue += weight * (line[from + 2] as number);
    }
    out[at] = red;
    out[at + 1] = green;
    out[at + 2] = blue;
  }
}

/** Without `samples`, a pixel that becomes smaller is the mean of its area. */
type Axis = { from: number; to: number; length: number; size: number; samples: number | undefined };

/** For each pixel of the output, its source pixels and their weights. */
function axisTaps({ from, to, length, size, samples = to - from <= size ? 1 : undefined }: Axis): Taps {
  const scale = (to - from) / size;
  const starts = new Int32Array(size + 1);
  const indexes: number[] = [];
  const weights: number[] = [];
  const inside = (index: number) => Math.min(length - 1, Math.max(0, index));
  for (let at = 0; at < size; at += 1) {
    if (samples !== undefined) {
      for (let each = 0.5; each < samples; each += 1) {
        const position = from + (at + each / samples) * scale - 0.5;
        const low = Math.floor(position);
        indexes.push(inside(low), inside(low + 1));
        weights.push((1 - (position - low)) / samples, (position - low) / samples);
      }
    } else {
      const begin = from + at * scale;
      const end = begin + scale;
      for (let index = Math.floor(begin); index < end; index += 1) {
        const covered = Math.min(end, index + 1) - Math.max(begin, index);
        indexes.push(inside(index));
        weights.push(covered / scale);
      }
    }
    starts[at + 1] = indexes.length;
  }
  return { starts, indexes: Int32Array.from(indexes), weights: Float64Array.from(weights) };
}

/** The position of an output pixel: x = a·u − b·v + c, y = b·u + a·v + d. It rotates, scales and moves. */
export type Similarity = { a: number; b: number; c: number; d: number };

/** More samples per side do not change an output pixel visibly. */
const MAX_SAMPLES_PER_SIDE = 4;

/** Draws a rotated part of the picture upright. The outside of the picture is black. */
export function warp(raster: Raster, { a, b, c, d }: Similarity, { width, height }: Size): Pixels {
  const samples = Math.min(MAX_SAMPLES_PER_SIDE, Math.max(1, Math.round(Math.hypot(a, b))));
  const weight = 1 / (samples * samples);
  const data = new Float32Array(width * height * 3);
  for (let v = 0, at = 0; v < height; v += 1) {
    for (let u = 0; u < width; u += 1, at += 3) {
      for (let each = 0; each < samples * samples; each += 1) {
        const su = u + ((each % samples) + 0.5) / samples - 0.5;
        const sv = v + (Math.floor(each / samples) + 0.5) / samples - 0.5;
        addBilinear(raster, a * su - b * sv + c, b * su + a * sv + d, weight, data, at);
      }
    }
  }
  return { width, height, data };
}

/** Called for every sample, so its parameters are plain numbers: objects would cost more than the work. */
function addBilinear(raster: Raster, x: number, y: number, weight: number, out: Float32Array, at: number): void {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < 0 || top < 0 || left + 1 >= raster.width || top + 1 >= raster.height) return;
  const right = x - left;
  const down = y - top;
  const { data } = raster;
  const upper = (top * raster.width + left) * 3;
  const lower = upper + raster.width * 3;
  for (let channel = 0; channel < 3; channel += 1) {
    const above = (data[upper + channel] as number) * (1 - right) + (data[upper + 3 + channel] as number) * right;
    const below = (data[lower + channel] as number) * (1 - right) + (data[lower + 3 + channel] as number) * right;
    out[at + channel] = (out[at + channel] as number) + weight * (above * (1 - down) + below * down);
  }
}

/** The pixel formula of a model: value × scale + shift, one plane for each channel, in the order of its training. */
export type PlaneFormula = {
  order: 'rgb' | 'bgr';
  scale: readonly [number, number, number];
  shift: readonly [number, number, number];
};

/** A larger input with the pixels inside; around them it is 0. */
export type Frame = Size & { left: number; top: number };

export function toPlanes(pixels: Pixels, { order, scale, shift }: PlaneFormula, frame?: Frame): Float32Array {
  const { width, height, data } = pixels;
  const whole = frame ?? { width, height, left: 0, top: 0 };
  const area = whole.width * whole.height;
  const planes = new Float32Array(area * 3);
  for (let plane = 0; plane < 3; plane += 1) {
    const channel = order === 'rgb' ? plane : 2 - plane;
    const times = scale[channel] as number;
    const plus = shift[channel] as number;
    for (let row = 0; row < height; row += 1) {
      const start = plane * area + (whole.top + row) * whole.width + whole.left;
      for (let column = 0, at = row * width * 3 + channel; column < width; column += 1, at += 3) {
        planes[start + column] = (data[at] as number) * times + plus;
      }
    }
  }
  return planes;
}

/** Brightness as the eye weighs it (ITU-R BT.601), from 0 to 255. */
export function toGrey({ width, height, data }: Pixels): Float32Array {
  const grey = new Float32Array(width * height);
  for (let pixel = 0, at = 0; pixel < grey.length; pixel += 1, at += 3) {
    grey[pixel] = 0.299 * (data[at] as number) + 0.587 * (data[at + 1] as number) + 0.114 * (data[at + 2] as number);
  }
  return grey;
}
