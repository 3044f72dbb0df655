import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';
import { findQuads } from '../documents/find-quads.ts';
import { apply, distance, homography, type Point, type Quad, rectangle } from '../images/geometry.ts';
import { halved } from '../images/halve.ts';
import type { Raster } from '../images/raster.ts';
import { resize, turnQuarters, warp } from '../images/warp.ts';
import type { ModelName } from '../ocr/models.ts';

export type Barcode = { readonly text: string; readonly bytes: Uint8Array; readonly quad: Quad };

export const BARCODE_READER: ModelName = { name: 'zxing-cpp', version: 'zxing-wasm@3.1.4' };

/** Larger images are halved first. If a card is then too small for its code, the straightened card is tried as well. */
const MAX_SIDE = 3000;
/** The width at which the bars of a card's code are four pixels or more. */
const STRAIGHT_WIDTH = 1600;
const MAX_QUADS = 2;
const OPTIONS: ReaderOptions = {
  formats: ['PDF417'],
  tryHarder: true,
  tryRotate: true,
  tryInvert: false,
  tryDownscale: true,
  // Control characters are part of a licence's content, so they must not be spelled out.
  textMode: 'Plain',
  maxNumberOfSymbols: 1,
};

let prepared = false;

/** Without its own copy of the module, the package would download it. */
function prepare(): void {
  if (prepared) return;
  const file = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  const bytes = readFileSync(file);
  prepareZXingModule({
    overrides: { wasmBinary: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer },
  });
  prepared = true;
}

export type BarcodeOptions = {
  /** Rectangles that may hold a card; searched by default. */
  readonly quads?: readonly Quad[];
  /** Tries other sizes and contrasts, which takes a second if there is no code. */
  readonly thorough?: boolean;
};

/** Reads a PDF417 code in an image: unchanged, on each straightened card, then in other sizes and contrasts. */
export async function readPdf417(image: Raster, options: BarcodeOptions = {}): Promise<Barcode | undefined> {
  prepare();
  const direct = await readLook(image, AS_IT_IS);
  if (direct) return direct;
  const quads = options.quads ?? findQuads(image).map(({ quad }) => quad);
  for (const quad of quads.slice(0, MAX_QUADS)) {
    const barcode = await readLook(image, straightened(quad));
    if (barcode) return barcode;
  }
  for (const look of options.thorough === false ? [] : LOOKS) {
    const barcode = await readLook(image, look);
    if (barcode) return barcode;
  }
  return undefined;
}

async function readLook(image: Raster, look: Look): Promise<Barcode | undefined> {
  const view = look(image);
  const barcode = view && (await readView(view.image));
  if (!barcode) return undefined;
  return { ...barcode, quad: barcode.quad.map((point) => view.back(point)) as unknown as Quad };
}

type View = { readonly image: Raster; readonly back: (point: Point) => Point };
type Look = (image: Raster) => View | undefined;

const scaled =
  (side: number): Look =>
  (image) => {
    const scale = side / Math.max(image.width, image.height);
    const view = resize(
      image,
      Math.max(1, Math.round(image.width * scale)),
      Math.max(1, Math.round(image.height * scale)),
    );
    return { image: view, back: ({ x, y }) => ({ x: x / scale, y: y / scale }) };
  };

const AS_IT_IS: Look = (image) =>
  Math.max(image.width, image.height) > MAX_SIDE
    ? { image: halved(image), back: ({ x, y }) => ({ x: x * 2, y: y * 2 }) }
    : { image, back: (point) => point };

const straightened =
  (quad: Quad): Look =>
  (image) => {
    const across = distance(quad[0], quad[1]) + distance(quad[3], quad[2]);
    const down = distance(quad[0], quad[3]) + distance(quad[1], quad[2]);
    const size = {
      width: STRAIGHT_WIDTH,
      height: Math.max(1, Math.round((STRAIGHT_WIDTH * down) / Math.max(1, across))),
    };
    if (size.height > MAX_SIDE) return undefined;
    const map = homography(rectangle(size.width, size.height), quad);
    return { image: warp(image, quad, size), back: (point) => apply(map, point) };
  };

const LOOKS: readonly Look[] = [
  (image) => withContrast(image),
  (image) =>
    Math.max(image.width, image.height) < 1400
      ? scaled(2 * Math.max(image.width, image.height))(image)
      : scaled(1400)(image),
  (image) => {
    const turned = turnQuarters(image, 1);
    return { image: turned, back: ({ x, y }) => ({ x: y, y: image.height - x }) };
  },
  (image) => {
    const view = scaled(1000)(image);
    const sharper = view && withContrast(view.image);
    return view && sharper ? { image: sharper.image, back: view.back } : undefined;
  },
];

/** Stretches the brightness to the whole range. */
function withContrast(image: Raster): View {
  const counts = new Uint32Array(256);
  for (let i = 1; i < image.data.length; i += 3)
    counts[image.data[i] as number] = (counts[image.data[i] as number] as number) + 1;
  const level = (share: number): number => {
    let rest = (image.data.length / 3) * share;
    let value = 0;
    while (value < 255 && rest > (counts[value] as number)) rest -= counts[value++] as number;
    return value;
  };
  const [low, high] = [level(0.03), level(0.97)];
  const table = Uint8ClampedArray.from({ length: 256 }, (_, value) => ((value - low) * 255) / Math.max(1, high - low));
  const data = image.data.map((value) => table[value] as number);
  return { image: { ...image, data }, back: (point) => point };
}

async function readView({ width, height, data }: Raster): Promise<Barcode | undefined> {
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (let i = 0; i < width * height; i += 1) {
    pixels[i * 4] = data[i * 3] as number;
    pixels[i * 4 + 1] = data[i * 3 + 1] as number;
    pixels[i * 4 + 2] = data[i * 3 + 2] as number;
    pixels[i * 4 + 3] = 255;
  }
  const codes = await readBarcodes({ data: pixels, width, height, colorSpace: 'srgb' } as ImageData, OPTIONS);
  const code = codes.find(({ isValid }) => isValid);
  if (!code) return undefined;
  const { topLeft, topRight, bottomRight, bottomLeft } = code.position;
  return { text: code.text, bytes: code.bytes, quad: [topLeft, topRight, bottomRight, bottomLeft] };
}
