import { brightnessAt, type Pixels, quantiles, sharpnessOf } from '../pixels.ts';
import { reflectionOf } from './measure-reflection.ts';
import { areaOf, isConvex, longSideOf, pointIn, type Quad, ratioOf, slantOf, tiltOf } from './quad.ts';

/** The frame that the page draws over the picture, in pixels of the picture. */
export type Frame = { readonly left: number; readonly top: number; readonly width: number; readonly height: number };

export type CardMeasures = {
  readonly quad: Quad;
  readonly picture: { readonly width: number; readonly height: number };
  readonly convex: boolean;
  /** The area of the document as a share of that of the frame. */
  readonly share: number;
  readonly ratio: number;
  readonly tiltDegrees: number;
  readonly slant: number;
  /** The least distance of a corner to the border, as a share of the picture's width; negative is outside. */
  readonly margin: number;
  readonly light: LightMeasures;
  /** The side of the largest square under a reflection, white or not, as a share of the width. */
  readonly reflection: number;
  readonly sharpness: number;
  /** The document as 24 × 16 grey values around 0, to distinguish its two sides. */
  readonly thumbnail: Float32Array;
};

export type LightMeasures = {
  /** Nine tenths of the pixels are darker than this. */
  readonly highlights: number;
  readonly median: number;
  /** The share of pixels that are white in all colours and so show nothing. */
  readonly clipped: number;
  /** The side of the largest white square, as a share of the width: white paper between bars and letters has none. */
  readonly glare: number;
};

const CLIPPED = 250;
/** The width of the straightened document: enough to find blur, and quick on a slow phone. */
const MEASURED_WIDTH = 320;
const THUMBNAIL = { width: 24, height: 16 } as const;

export function measureCard(pixels: Pixels, quad: Quad, frame: Frame): CardMeasures {
  const straight = straighten(pixels, quad);
  return {
    quad,
    picture: { width: pixels.width, height: pixels.height },
    convex: isConvex(quad),
    share: areaOf(quad) / Math.max(1, frame.width * frame.height),
    ratio: ratioOf(quad),
    tiltDegrees: tiltOf(quad),
    slant: slantOf(quad),
    margin: marginOf(pixels, quad),
    light: straight.light,
    reflection: reflectionOf(straight),
    sharpness: sharpnessOf(straight.grey, straight.width, straight.height),
    thumbnail: thumbnailOf(straight),
  };
}

/** Measures the light of the whole picture, for pictures without a document. */
export function measureLight(pixels: Pixels): LightMeasures {
  const step = Math.max(1, Math.floor(Math.max(pixels.width, pixels.height) / MEASURED_WIDTH));
  const columns = Math.floor(pixels.width / step);
  const rows = Math.floor(pixels.height / step);
  const grey = new Float32Array(columns * rows);
  const clipped = new Uint8Array(grey.length);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      grey[row * columns + column] = brightnessAt(pixels, column * step, row * step);
      clipped[row * columns + column] = isClipped(pixels, column * step, row * step);
    }
  }
  return lightOf(grey, clipped, columns);
}

/** The likeness of two sides: 1 is the same, 0 has nothing in common. */
export function likeness(one: Float32Array, other: Float32Array): number {
  let [product, squares, otherSquares] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    const beside = other[at] ?? 0;
    product += value * beside;
    squares += value * value;
    otherSquares += beside * beside;
  }
  return product / Math.max(1, Math.sqrt(squares * otherSquares));
}

type Straight = { width: number; height: number; grey: Float32Array; light: LightMeasures };

/** Takes the nearest pixel: nobody sees the result, and smoothing would hide the blur that is measured. */
function straighten(pixels: Pixels, quad: Quad): Straight {
  const width = Math.max(8, Math.min(MEASURED_WIDTH, Math.round(longSideOf(quad))));
  const height = Math.max(8, Math.round(width / Math.max(1, ratioOf(quad))));
  const grey = new Float32Array(width * height);
  const clipped = new Uint8Array(grey.length);
  for (let row = 0; row < height; row += 1) {
    const from = pointIn(quad, 0, (row + 0.5) / height);
    const to = pointIn(quad, 1, (row + 0.5) / height);
    for (let column = 0; column < width; column += 1) {
      const share = (column + 0.5) / width;
      const x = Math.min(pixels.width - 1, Math.max(0, Math.round(from.x + (to.x - from.x) * share)));
      const y = Math.min(pixels.height - 1, Math.max(0, Math.round(from.y + (to.y - from.y) * share)));
      grey[row * width + column] = brightnessAt(pixels, x, y);
      clipped[row * width + column] = isClipped(pixels, x, y);
    }
  }
  return { width, height, grey, light: lightOf(grey, clipped, width) };
}

function isClipped({ width, data }: Pixels, x: number, y: number): 0 | 1 {
  const at = (y * width + x) * 4;
  return Math.min(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0) >= CLIPPED ? 1 : 0;
}

function lightOf(grey: Float32Array, clipped: Uint8Array, width: number): LightMeasures {
  const [highlights = 0, median = 0] = quantiles(grey, [0.9, 0.5]);
  return {
    highlights,
    median,
    clipped: clipped.reduce((sum, each) => sum + each, 0) / Math.max(1, clipped.length),
    glare: largestSquare(clipped, width) / Math.max(1, width),
  };
}

/** For each pixel, the largest square that ends there is one more than the smallest of its three neighbours. */
function largestSquare(mask: Uint8Array, width: number): number {
  let above = new Uint16Array(width + 1);
  let here = new Uint16Array(width + 1);
  let largest = 0;
  for (let start = 0; start < mask.length; start += width) {
    for (let x = 0; x < width; x += 1) {
      const around = Math.min(above[x] as number, above[x + 1] as number, here[x] as number);
      here[x + 1] = mask[start + x] ? around + 1 : 0;
      largest = Math.max(largest, here[x + 1] as number);
    }
    [above, here] = [here, above];
  }
  return largest;
}

function marginOf({ width, height }: Pixels, quad: Quad): number {
  return Math.min(...quad.flatMap(({ x, y }) => [x, y, width - x, height - y])) / width;
}

function thumbnailOf({ width, height, grey }: Straight): Float32Array {
  const small = new Float32Array(THUMBNAIL.width * THUMBNAIL.height);
  const counts = new Float32Array(small.length);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at =
        Math.floor((y * THUMBNAIL.height) / height) * THUMBNAIL.width + Math.floor((x * THUMBNAIL.width) / width);
      small[at] = (small[at] as number) + (grey[y * width + x] as number);
      counts[at] = (counts[at] as number) + 1;
    }
  }
  const means = small.map((sum, at) => sum / Math.max(1, counts[at] as number));
  const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
  return means.map((value) => value - mean);
}
