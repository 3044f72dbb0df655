import { distance, type Quad } from '../images/geometry.ts';
import { toGrey } from '../images/grey.ts';
import type { Raster } from '../images/raster.ts';
import { resize } from '../images/warp.ts';

export const QUALITY_REASONS = [
  'too_dark',
  'glare',
  'blurred',
  'cut_off',
  'too_small',
  'no_document',
  'two_documents',
  'wrong_side',
] as const;
export type QualityReason = (typeof QUALITY_REASONS)[number];

/** The measures of the straightened document, so that thresholds can be verified. */
export type QualityMeasures = {
  /** Nine tenths of the document are darker than this, in 0…255. */
  readonly brightness: number;
  /** The side of the largest white square as a share of the document's width; 0 if its paper is white. */
  readonly glareShare: number;
  /** The variance of the Laplacian at 800 pixels, divided by that of the brightness. */
  readonly sharpness: number;
  /** The document's longer side in pixels of the image. */
  readonly side: number;
  /** The brightness of the paper behind the zone in the colour in which it is darkest, in 0…255; only if there is a zone. */
  readonly zoneBrightness?: number;
};

const MEASURED_WIDTH = 800;
const MIN_BRIGHTNESS = 80;
const MAX_GLARE = 0.05;
const MIN_SHARPNESS = 0.02;
export const MIN_SIDE = 300;
/** Pixels at least this bright in all colours show nothing any more. */
const CLIPPED = 250;
/** Paper this bright is white by itself. */
const WHITE_PAPER = 245;
/** The margin of a document beside its zone, as a share of the width. */
const ZONE_MARGIN = 0.05;

export function measureQuality(straight: Raster, quad: Quad): QualityMeasures {
  const height = Math.max(8, Math.round((straight.height * MEASURED_WIDTH) / straight.width));
  const image = resize(straight, MEASURED_WIDTH, height);
  const { data } = toGrey(image);
  const levels = levelsOf(data);
  return {
    brightness: levelBelow(levels, 0.9),
    glareShare: levelBelow(levels, 0.5) >= WHITE_PAPER ? 0 : largestWhiteSquare(image),
    sharpness: sharpnessOf(data, MEASURED_WIDTH, height),
    side: Math.max(distance(quad[0], quad[1]), distance(quad[1], quad[2])),
  };
}

/** The number of pixels of each brightness from 0 to 255. */
function levelsOf(grey: Float32Array): Uint32Array {
  const levels = new Uint32Array(256);
  for (let i = 0; i < grey.length; i += 1) {
    const level = Math.round(grey[i] as number);
    levels[level] = (levels[level] as number) + 1;
  }
  return levels;
}

/** The brightness below which this share of the pixels lies. */
function levelBelow(levels: Uint32Array, share: number): number {
  let rest = levels.reduce((sum, count) => sum + count, 0) * share;
  let level = 0;
  while (level < levels.length - 1 && rest >= (levels[level] as number)) {
    rest -= levels[level] as number;
    level += 1;
  }
  return level;
}

/** The reasons that follow from the measures alone. */
export function reasonsIn(measures: QualityMeasures): QualityReason[] {
  const reasons: QualityReason[] = [];
  if (measures.brightness < MIN_BRIGHTNESS) reasons.push('too_dark');
  if (measures.glareShare > MAX_GLARE) reasons.push('glare');
  if (measures.sharpness < MIN_SHARPNESS) reasons.push('blurred');
  if (measures.side < MIN_SIDE) reasons.push('too_small');
  return reasons;
}

/** The brightness of the paper behind a zone in the colour in which it is darkest, from `top` (a share of the height) downwards. */
export function zoneBrightnessOf({ width, height, data }: Raster, top: number): number {
  const levels = new Uint32Array(256);
  for (let y = Math.floor(Math.max(0, top) * height); y < height; y += 2) {
    for (let x = Math.floor(ZONE_MARGIN * width); x < (1 - ZONE_MARGIN) * width; x += 2) {
      const at = (y * width + x) * 3;
      const darkest = Math.min(data[at] as number, data[at + 1] as number, data[at + 2] as number);
      levels[darkest] = (levels[darkest] as number) + 1;
    }
  }
  return levelBelow(levels, 0.5);
}

/** Whether corners are outside the image, or so near its border that the edge is not visible. */
export function isCutOff(quad: Quad, image: Raster): boolean {
  const margin = 0.01 * Math.max(image.width, image.height);
  return quad.some(({ x, y }) => x < -margin || y < -margin || x > image.width + margin || y > image.height + margin);
}

function sharpnessOf(grey: Float32Array, width: number, height: number): number {
  const sums = { values: 0, squares: 0, laps: 0, lapSquares: 0 };
  for (let y = 1; y < height - 1; y += 1) addLapsOfRow(sums, grey, y, width);
  const count = (width - 2) * (height - 2);
  const variance = sums.squares / count - (sums.values / count) ** 2;
  return (sums.lapSquares / count - (sums.laps / count) ** 2) / Math.max(25, variance);
}

type Sums = { values: number; squares: number; laps: number; lapSquares: number };

function addLapsOfRow(sums: Sums, grey: Float32Array, y: number, width: number): void {
  let { values, squares, laps, lapSquares } = sums;
  for (let at = y * width + 1; at < (y + 1) * width - 1; at += 1) {
    const here = grey[at] as number;
    const around =
      (grey[at - 1] as number) + (grey[at + 1] as number) + (grey[at - width] as number) + (grey[at + width] as number);
    const lap = around - 4 * here;
    values += here;
    squares += here * here;
    laps += lap;
    lapSquares += lap * lap;
  }
  Object.assign(sums, { values, squares, laps, lapSquares });
}

/** The side of the largest square of white only, as a share of the width: bars and letters leave none. */
function largestWhiteSquare({ width, height, data }: Raster): number {
  let above = new Uint16Array(width + 1);
  let here = new Uint16Array(width + 1);
  let largest = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 3;
      if ((data[at] as number) < CLIPPED || (data[at + 1] as number) < CLIPPED || (data[at + 2] as number) < CLIPPED) {
        here[x + 1] = 0;
        continue;
      }
      const side = Math.min(above[x] as number, above[x + 1] as number, here[x] as number) + 1;
      here[x + 1] = side;
      if (side > largest) largest = side;
    }
    [above, here] = [here, above];
  }
  return largest / width;
}
