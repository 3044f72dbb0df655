import { availableParallelism } from 'node:os';
import { MAX_IMAGE_BYTES } from '@grove/contract';
import { ApiError } from '../../kernel/errors.ts';
import { type DecodedType, detectImageType, type ImageType, isPdf, PDF_TYPE } from './detect-image-type.ts';
import type { Frame } from './frames.ts';
import { ImageRefused, isReason } from './refused.ts';
import { type ChildLimits, type ImageChild, startChild } from './start-child.ts';

/**
 * Images of strangers, made harmless: decoded in a process of its own and encoded anew as a JPEG without anything that is
 * not a pixel. Nothing else ever looks at what was sent.
 */
export type Images = {
  /** Refuses with an `ImageRefused`, or with 100010 when too many are waiting. */
  reencode(bytes: Uint8Array, contentType: string): Promise<Reencoded>;
  /** The first page of a PDF, as an image like any other. Refuses likewise. */
  firstPage(bytes: Uint8Array): Promise<FirstPage>;
  /** An image will come soon: the process that decodes it is started, if none is there. */
  warm(): void;
  /** Whoever still waits is told that the server is stopping. */
  stop(): Promise<void>;
};

export type Reencoded = { readonly bytes: Buffer; readonly contentType: 'image/jpeg'; width: number; height: number };

/** With how many pages there were. */
export type FirstPage = Reencoded & { readonly pages: number };

export type ImagesOptions = Partial<ChildLimits> & {
  processes?: number;
  idleMs?: number;
  maxWaitingBytes?: number;
  onError?(what: string, error: unknown): void;
};

/** One processor is left to whoever asks for something else. */
const PROCESSES = Math.max(1, Math.min(2, availableParallelism() - 1));
const TIMEOUT_MS = 10_000;
/** 25 megapixels with transparency as WebP, turned on their side, take 450 MiB. */
const MEMORY_BYTES = 640 * 2 ** 20;
/** Started with the first image and ended when there were none for a while: most of the time nobody needs them. */
const IDLE_MS = 60_000;
const MAX_WAITING_BYTES = 256 * 2 ** 20;
const RETRY_AFTER_SECONDS = 5;

type Job = { type: DecodedType; bytes: Uint8Array; done(frame: Frame): void; failed(error: unknown): void };
type Place = { child?: ImageChild; work?: Promise<void> | undefined; idle?: NodeJS.Timeout };

export function openImages(options: ImagesOptions = {}): Images {
  const { processes = PROCESSES, idleMs = IDLE_MS, maxWaitingBytes = MAX_WAITING_BYTES, onError } = options;
  const limits = { timeoutMs: options.timeoutMs ?? TIMEOUT_MS, memoryBytes: options.memoryBytes ?? MEMORY_BYTES };
  const places: Place[] = Array.from({ length: processes }, () => ({}));
  const waiting: Job[] = [];
  let waitingBytes = 0;
  let stopped = false;
  const { start, work, release } = workIn({ limits, onError, isStopped: () => stopped });

  /** One place does something at a time, and is given up when there was nothing to do for a while. */
  const occupy = (place: Place, doing: Promise<void>) => {
    clearTimeout(place.idle);
    place.work = doing.finally(() => {
      place.work = undefined;
      place.idle = setTimeout(() => void release(place), idleMs).unref();
      pump();
    });
  };

  const pump = () => {
    // A process that runs already is ready sooner.
    const free = places.find(({ work, child }) => !work && child) ?? places.find(({ work }) => !work);
    const job = free && waiting.shift();
    if (!job) return;
    waitingBytes -= job.bytes.length;
    occupy(free, work(free, job));
  };

  const decode = async (type: DecodedType, bytes: Uint8Array): Promise<Frame> => {
    if (stopped) throw stopping();
    if (waitingBytes + bytes.length > maxWaitingBytes) throw notNow('too many images are waiting');
    return new Promise((done, failed) => {
      waiting.push({ type, bytes, done, failed });
      waitingBytes += bytes.length;
      pump();
    });
  };

  return {
    async reencode(bytes, contentType) {
      return jpegOf(await decode(ensureImage(bytes, contentType), bytes));
    },
    async firstPage(bytes) {
      const frame = await decode(ensurePdf(bytes), bytes);
      const { pages } = frame.words;
      if (!Number.isInteger(pages)) throw broke('what came back says nothing of pages');
      return { ...jpegOf(frame), pages: pages as number };
    },
    warm() {
      const [first] = places;
      if (first && !stopped && places.every(({ child, work }) => !child && !work)) occupy(first, start(first));
    },
    async stop() {
      stopped = true;
      for (const { failed } of waiting.splice(0)) failed(stopping());
      await Promise.all(places.map(release));
      // One that was just starting is there now.
      await Promise.all(places.map(({ work }) => work));
      await Promise.all(places.map(release));
    },
  };
}

type WorkDeps = { limits: ChildLimits; onError: ImagesOptions['onError']; isStopped(): boolean };

/** What is done in a place: its process is started, asked and ended. */
function workIn({ limits, onError, isStopped }: WorkDeps) {
  const start = async (place: Place): Promise<void> => {
    // Whoever comes with an image is told what is wrong.
    const child = await startChild(limits).catch(() => undefined);
    if (child) place.child = child;
  };

  const work = async (place: Place, { type, bytes, done, failed }: Job): Promise<void> => {
    try {
      place.child ??= await startChild(limits);
      if (isStopped()) throw stopping();
      const frame = await place.child.ask(type, bytes);
      const gone = typeof frame === 'string';
      // In a process where something broke, more than that may be broken.
      if (gone || frame.words.reason === 'broke') await release(place);
      if (gone && isStopped()) throw stopping();
      done(wholeFrame(frame));
    } catch (error) {
      if (error instanceof ApiError) return failed(error);
      onError?.('images cannot be decoded', error);
      failed(new ApiError(100010, { cause: error, retryAfterSeconds: RETRY_AFTER_SECONDS }));
    }
  };

  const release = async (place: Place): Promise<void> => {
    const { child } = place;
    clearTimeout(place.idle);
    delete place.child;
    await child?.end();
  };
  return { start, work, release };
}

function notNow(detail: string): ApiError {
  return new ApiError(100010, { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const stopping = () => notNow('the server is stopping');

/** What can be told without decoding. */
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

/** What comes back was written by a process that read what strangers sent: it is believed as little. */
function wholeFrame(frame: Awaited<ReturnType<ImageChild['ask']>>): Frame {
  if (frame === 'too_slow') throw new ImageRefused('too_slow');
  if (frame === 'died') throw broke('the process that decodes images died over it');
  const { reason, width, height } = frame.words;
  if (isReason(reason)) throw new ImageRefused(reason);
  const whole = Number.isInteger(width) && Number.isInteger(height) && detectImageType(frame.bytes) === 'image/jpeg';
  if (!whole) throw broke('what came back is no image');
  return frame;
}

const broke = (why: string) => new ImageRefused('broke', { cause: new Error(why) });

function jpegOf({ words: { width, height }, bytes }: Frame): Reencoded {
  return { bytes, contentType: 'image/jpeg', width: width as number, height: height as number };
}
