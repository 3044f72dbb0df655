import { type Box, type Point, smallestBox } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { resize } from '../images/warp.ts';
import { ocrModels, run } from './models.ts';

/** A line or word of text in an image, at any angle. */
export type TextBox = Box & { readonly score: number };

const PIXEL_THRESHOLD = 0.3;
const BOX_THRESHOLD = 0.45;
/** The network marks the core of a line. Its box is that core, grown by this factor times area over circumference. */
const GROWTH = 1.6;
const MIN_BREADTH = 2;
const MAX_BOXES = 300;
/** The network halves its input five times, so sides must be a multiple of this. */
const STRIDE = 32;
const MAX_SIDE = 1280;

const MEAN = [0.485, 0.456, 0.406] as const;
const DEVIATION = [0.229, 0.224, 0.225] as const;

/** Finds text in the image, scaled so that its longer side has `side` pixels. Boxes are in pixels of the image. */
export async function detectText(image: Raster, side: number): Promise<TextBox[]> {
  const scale = Math.min(side, MAX_SIDE) / Math.max(image.width, image.height);
  const width = Math.max(STRIDE, Math.round((image.width * scale) / STRIDE) * STRIDE);
  const height = Math.max(STRIDE, Math.round((image.height * scale) / STRIDE) * STRIDE);
  const { detector } = await ocrModels();
  const map = await run(detector, toInput(resize(image, width, height)), [1, 3, height, width]);
  const across = image.width / width;
  const down = image.height / height;
  return boxesIn(map.data, width, height).map(({ outline, score }) => {
    const box = smallestBox(outline.map(({ x, y }) => ({ x: x * across, y: y * down })));
    const growth = (box.length * box.breadth * GROWTH) / (2 * (box.length + box.breadth));
    return { ...box, length: box.length + 2 * growth, breadth: box.breadth + 2 * growth, score };
  });
}

/** Makes planes of blue, green and red, the order of the network's training. */
function toInput({ width, height, data }: Raster): Float32Array {
  const pixels = width * height;
  const input = new Float32Array(pixels * 3);
  for (let plane = 0; plane < 3; plane += 1) {
    const factor = 1 / (255 * (DEVIATION[plane] as number));
    const offset = (MEAN[plane] as number) / (DEVIATION[plane] as number);
    for (let from = 0; from < pixels; from += width) {
      const start = plane * pixels + from;
      scaleRow(data, from * 3 + 2 - plane, factor, offset, input.subarray(start, start + width));
    }
  }
  return input;
}

function scaleRow(data: Uint8Array, start: number, factor: number, offset: number, row: Float32Array): void {
  for (let to = 0, at = start; to < row.length; to += 1, at += 3) row[to] = (data[at] as number) * factor - offset;
}

type Blob = { outline: Point[]; score: number };

/** The connected blobs of a probability map, as points around them. */
function boxesIn(map: Float32Array, width: number, height: number): Blob[] {
  const visitedPixels = new Uint8Array(map.length);
  const stack = new Int32Array(map.length);
  const blobs: Blob[] = [];
  for (let start = 0; start < map.length && blobs.length < MAX_BOXES; start += 1) {
    if (visitedPixels[start] || (map[start] as number) < PIXEL_THRESHOLD) continue;
    const blob = flood(map, width, height, start, visitedPixels, stack);
    if (blob) blobs.push(blob);
  }
  return blobs;
}

function flood(
  map: Float32Array,
  width: number,
  height: number,
  start: number,
  visitedPixels: Uint8Array,
  stack: Int32Array,
): Blob | undefined {
  // Only the ends of each row can be on the hull.
  const rows = new Map<number, [left: number, right: number]>();
  let sum = 0;
  let count = 0;
  let depth = 0;
  stack[depth++] = start;
  visitedPixels[start] = 1;
  while (depth > 0) {
    const at = stack[--depth] as number;
    const x = at % width;
    const y = (at - x) / width;
    sum += map[at] as number;
    count += 1;
    const row = rows.get(y);
    if (!row) rows.set(y, [x, x]);
    else if (x < row[0]) row[0] = x;
    else if (x > row[1]) row[1] = x;
    for (let dy = -1; dy <= 1; dy += 1) {
      for (let dx = -1; dx <= 1; dx += 1) {
        const nx = x + dx;
        const ny = y + dy;
        if (nx < 0 || ny < 0 || nx >= width || ny >= height) continue;
        const next = ny * width + nx;
        if (visitedPixels[next] || (map[next] as number) < PIXEL_THRESHOLD) continue;
        visitedPixels[next] = 1;
        stack[depth++] = next;
      }
    }
  }
  if (sum / count < BOX_THRESHOLD || rows.size < MIN_BREADTH) return undefined;
  const outline: Point[] = [];
  for (const [y, [left, right]] of rows) {
    outline.push({ x: left, y }, { x: right + 1, y }, { x: left, y: y + 1 }, { x: right + 1, y: y + 1 });
  }
  return { outline, score: sum / count };
}
