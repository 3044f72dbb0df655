import { MAX_IMAGE_BYTES } from '@grove/contract';
import type { Share } from '../../kernel/fair-queue.ts';
import { type LaneOptions, openLanes } from './decode-lanes.ts';
import { detectImageType, type ImageType, isPdf, PDF_TYPE } from './detect-image-type.ts';
import type { Frame } from './frames.ts';
import { ImageRefused, isReason } from './refused.ts';

/**
 * Makes images of strangers harmless: a separate process decodes them and encodes them again as a JPEG of pixels alone.
 * Nothing else ever reads what was sent.
 */
export type Images = {
  /** Refuses with an `ImageRefused`, or with 100010 if too many are waiting. The share decides whose turn it is. */
  reencode(bytes: Uint8Array, contentType: string, share: Share): Promise<Reencoded>;
  /** Returns the first page of a PDF as an image. Refuses likewise. */
  firstPage(bytes: Uint8Array, share: Share): Promise<FirstPage>;
  /** Starts the decoding process, because an image will come soon. */
  warm(): void;
  /** Refuses those who still wait: the server is stopping. */
  stop(): Promise<void>;
};

export type Reencoded = { readonly bytes: Buffer; readonly contentType: 'image/jpeg'; width: number; height: number };

export type FirstPage = Reencoded & { readonly pages: number };

export function openImages(options: LaneOptions = {}): Images {
  const { decode, warm, stop } = openLanes(options);
  return {
    warm,
    stop,
    async reencode(bytes, contentType, share) {
      return jpegOf(wholeFrame(await decode(ensureImage(bytes, contentType), bytes, share)));
    },
    async firstPage(bytes, share) {
      const frame = wholeFrame(await decode(ensurePdf(bytes), bytes, share));
      const { pages } = frame.words;
      if (!Number.isInteger(pages)) throw brokenBy('the decoder did not return the number of pages');
      return { ...jpegOf(frame), pages: pages as number };
    },
  };
}

/** Checks what can be checked without decoding. */
function ensureImage(bytes: Uint8Array, contentType: string): ImageType {
  ensureBytes(bytes);
  const type = detectImageType(bytes);
  if (type === undefined) throw new ImageRefused('not_an_image');
  if (type !== contentType) throw new ImageRefused('another_type', { detail: `it is ${type} and not ${contentType}` });
  return type;
}

function ensurePdf(bytes: Uint8Array): typeof PDF_TYPE {
  ensureBytes(bytes);
  if (!isPdf(bytes)) throw new ImageRefused('not_a_pdf');
  return PDF_TYPE;
}

function ensureBytes({ length }: Uint8Array): void {
  if (length === 0) throw new ImageRefused('empty');
  if (length > MAX_IMAGE_BYTES) throw new ImageRefused('too_large');
}

/** The response was written by a process that read what strangers sent, so it is trusted as little. */
function wholeFrame(frame: Frame | 'died' | 'too_slow'): Frame {
  if (frame === 'too_slow') throw new ImageRefused('too_slow');
  if (frame === 'died') throw brokenBy('the process that decodes images ended');
  const { reason, width, height } = frame.words;
  if (isReason(reason)) throw new ImageRefused(reason);
  const whole = Number.isInteger(width) && Number.isInteger(height) && detectImageType(frame.bytes) === 'image/jpeg';
  if (!whole) throw brokenBy('the decoder did not return a JPEG image');
  return frame;
}

const brokenBy = (why: string) => new ImageRefused('broke', { cause: new Error(why) });

function jpegOf({ words: { width, height }, bytes }: Frame): Reencoded {
  return { bytes, contentType: 'image/jpeg', width: width as number, height: height as number };
}
