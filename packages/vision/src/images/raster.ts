import sharp from 'sharp';
import { nativeCall } from '../native-calls.ts';
import { ImageFault } from './image-fault.ts';
import { type ImageFormat, isCutShort, isKnownForeignImage, sniffImage } from './sniff.ts';

/** A decoded picture: upright, 8-bit sRGB, three bytes per pixel, row by row without padding. */
export type Raster = { readonly width: number; readonly height: number; readonly data: Uint8Array };

export const MAX_IMAGE_BYTES = 12 * 1024 * 1024;
export const MAX_IMAGE_PIXELS = 25_000_000;
/** A smaller picture holds no readable face or line of text. */
export const MIN_IMAGE_SIDE = 32;
const DECODE_SECONDS = 5;

export type DecodeOptions = {
  /**
   * Allows the decoder to halve the picture as long as its longest side keeps at least this many pixels. JPEG can be
   * read at half, quarter or eighth size for a fraction of the time.
   */
  longestSideAtLeast?: number;
  /** A larger picture is reduced to this many pixels. */
  mostPixels?: number;
};

/** The same bytes give the same raster. Throws `ImageFault`. */
export async function decodeImage(bytes: Uint8Array, options: DecodeOptions = {}): Promise<Raster> {
  return (await decodeWithScale(bytes, options)).raster;
}

/** Like `decodeImage`; `shrink` is the number of pixels of the file along a side that became one: 1, 2, 4 or 8. */
export async function decodeWithScale(
  bytes: Uint8Array,
  { longestSideAtLeast, mostPixels = MAX_IMAGE_PIXELS }: DecodeOptions = {},
): Promise<{ raster: Raster; shrink: number }> {
  const format = recognise(bytes);
  const { width, height } = await readSize(bytes, format);
  const halved = longestSideAtLeast ? shrinkFor(Math.max(width, height), longestSideAtLeast) : 1;
  const shrink = Math.max(halved, Math.sqrt((width * height) / mostPixels));
  try {
    return { raster: await decode(bytes, shrink === 1 ? undefined : Math.ceil(width / shrink)), shrink };
  } catch (error) {
    throw asFault(error, bytes, format);
  }
}

/** Only bytes with the signature of a format reach its decoder, so no other decoder is ever tried. */
function recognise(bytes: Uint8Array): ImageFormat {
  if (bytes.length === 0) throw new ImageFault('empty');
  if (bytes.length > MAX_IMAGE_BYTES) throw new ImageFault('too_many_bytes');
  const sniffed = sniffImage(bytes);
  if (!sniffed) throw new ImageFault(isKnownForeignImage(bytes) ? 'unsupported_format' : 'not_an_image');
  if (sniffed.animated) throw new ImageFault('animated');
  return sniffed.format;
}

/** Reads the size of the upright picture from the header only: a decompression bomb is refused before it is decoded. */
async function readSize(bytes: Uint8Array, format: ImageFormat): Promise<{ width: number; height: number }> {
  const header = sharp(bytes, { limitInputPixels: false, failOn: 'none' });
  const metadata = await nativeCall(() => header.metadata()).catch((error: unknown) => {
    throw asFault(error, bytes, format);
  });
  if (metadata.format !== format) throw new ImageFault('corrupt');
  if ((metadata.pages ?? 1) > 1) throw new ImageFault('animated');
  const { width, height } = metadata.autoOrient;
  if (width * height > MAX_IMAGE_PIXELS) throw new ImageFault('too_large');
  if (Math.min(width, height) < MIN_IMAGE_SIDE) throw new ImageFault('too_small');
  return { width, height };
}

function shrinkFor(longestSide: number, atLeast: number): number {
  let shrink = 1;
  while (shrink < 8 && longestSide / (shrink * 2) >= atLeast) shrink *= 2;
  return shrink;
}

async function decode(bytes: Uint8Array, reducedTo: number | undefined): Promise<Raster> {
  // Phones write JPEGs with harmless faults, which libjpeg calls warnings; a truncated picture is not harmless.
  let pipeline = sharp(bytes, { limitInputPixels: MAX_IMAGE_PIXELS, failOn: 'error', pages: 1 });
  if (reducedTo) pipeline = pipeline.resize({ width: reducedTo, kernel: 'linear' });
  pipeline = pipeline
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .timeout({ seconds: DECODE_SECONDS });
  const { data, info } = await nativeCall(() => pipeline.toBuffer({ resolveWithObject: true }));
  const { width, height, channels } = info;
  return { width, height, data: channels === 3 ? data : toThreeChannels(data, channels) };
}

function toThreeChannels(data: Uint8Array, channels: number): Uint8Array {
  const pixels = data.length / channels;
  const rgb = new Uint8Array(pixels * 3);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      rgb[pixel * 3 + channel] = data[pixel * channels + (channels >= 3 ? channel : 0)] ?? 0;
    }
  }
  return rgb;
}

function asFault(error: unknown, bytes: Uint8Array, format: ImageFormat): ImageFault {
  const words = error instanceof Error ? error.message : String(error);
  if (/pixel limit/i.test(words)) return new ImageFault('too_large', error);
  const cut = isCutShort(bytes, format) || /premature end/i.test(words);
  return new ImageFault(cut ? 'truncated' : 'corrupt', error);
}
