import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import sharp, { type Metadata, type Sharp } from 'sharp';
import { confine } from './confine.ts';
import { type DecodedType, type ImageType, PDF_TYPE } from './detect-image-type.ts';
import { faultOfContainer } from './fault-of-container.ts';
import { frameParts, readFrames } from './frames.ts';
import { hasTooManyPixels, limitedDecoder } from './limited-decoder.ts';
import { JPEG_QUALITY } from './limits.ts';
import type { Reason } from './refused.ts';

/**
 * The process that decodes images of strangers. It has none of our environment, two pipes, little memory and one image
 * at a time; once its code is loaded it can open no file and no connection. An image that takes control of it gains
 * nothing but itself. The process ends with its pipe.
 */
const MAX_INPUT_BYTES = 2 ** 30;
/** Collects garbage after this many bytes: after each photograph, and seldom between small frames. */
const COLLECTED_AFTER_BYTES = 1024 * 1024;
const WHITE = '#ffffff';

// Set here and not when Node starts: with this option at the start, Node ignores cached compiled code.
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

sharp.cache(false);
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });

class Refusal extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reason);
    this.reason = reason;
  }
}

type Picture = { jpeg: Buffer; width: number; height: number; pages?: number };

async function reencode(type: ImageType, bytes: Buffer): Promise<Picture> {
  const fault = faultOfContainer(type, bytes);
  if (fault) throw new Refusal(fault);
  const { width, height, format, pages, icc } = await metadataOf(bytes);
  if (format === undefined || `image/${format}` !== type) throw new Refusal('not_an_image');
  if ((pages ?? 1) > 1) throw new Refusal('animated');
  if (hasTooManyPixels({ width, height })) throw new Refusal('too_many_pixels');
  const { data, info } = await toJpeg(limitedDecoder(bytes, { ignoreIcc: isNamedSrgb(icc) }));
  return { jpeg: data, width: info.width, height: info.height };
}

const SRGB = ['sRGB', Buffer.from('sRGB', 'utf16le').swap16()] as const;

/** Browsers attach such a profile to every camera frame. Applying it changes no pixel and takes most of the time. */
function isNamedSrgb(profile: Buffer | undefined): boolean {
  return profile !== undefined && SRGB.some((name) => profile.includes(name));
}

/** The code that draws pages is large, and only processes for PDFs need it. */
const pages = !import.meta.main || process.argv.includes('--pages') ? await import('./render-page.ts') : undefined;
await pages?.pdfiumCode();

async function firstPage(bytes: Buffer): Promise<Picture> {
  if (!pages) throw new Error('this process draws no pages');
  const page = await pages.renderPage(bytes);
  if ('reason' in page) throw new Refusal(page.reason);
  const { pixels, width, height } = page;
  const image = sharp(pixels, { raw: { width, height, channels: 4 } }).removeAlpha();
  return { jpeg: await image.jpeg({ quality: JPEG_QUALITY }).toBuffer(), width, height, pages: page.pages };
}

async function metadataOf(bytes: Buffer): Promise<Metadata> {
  try {
    return await sharp(bytes, { limitInputPixels: false, failOn: 'none' }).metadata();
  } catch (error) {
    throw reasonOf(error, 'not_an_image');
  }
}

async function toJpeg(image: Sharp) {
  try {
    return await image
      .flatten({ background: WHITE })
      .toColourspace('srgb')
      .jpeg({ quality: JPEG_QUALITY })
      .toBuffer({ resolveWithObject: true });
  } catch (error) {
    throw reasonOf(error, 'broke');
  }
}

/** Messages of the decoders. */
const TRUNCATED = /premature end|read error|unexpected end/i;

function reasonOf(error: unknown, otherwise: Reason): Refusal {
  const { message } = error as Error;
  if (/pixel limit/.test(message)) return new Refusal('too_many_pixels');
  return new Refusal(TRUNCATED.test(message) ? 'truncated' : otherwise);
}

function say(words: object, bytes?: Uint8Array): void {
  for (const part of frameParts(words, bytes)) if (part.length > 0) process.stdout.write(part);
}

async function serve(): Promise<void> {
  // The server may die at any moment, also while an image is decoded.
  process.stdin.once('end', () => process.exit());
  process.stdout.on('error', () => process.exit());
  say({ ready: true, confinement: await confine() });
  let uncollected = 0;
  for await (const { words, bytes } of readFrames(process.stdin, MAX_INPUT_BYTES)) {
    uncollected += bytes.length;
    try {
      const type = words.type as DecodedType;
      const { jpeg, ...size } = await (type === PDF_TYPE ? firstPage(bytes) : reencode(type, bytes));
      uncollected += jpeg.length;
      say(size, jpeg);
    } catch (error) {
      say({ reason: error instanceof Refusal ? error.reason : 'broke' });
    }
    // Little of an image is in the heap, so the collector sees no reason to run.
    if (uncollected < COLLECTED_AFTER_BYTES) continue;
    collectGarbage();
    uncollected = 0;
  }
}

// An installation only loads this file, so that it is compiled.
if (import.meta.main) await serve();
