import { availableParallelism } from 'node:os';
import { MAX_IMAGE_BYTES } from '@grove/contract';
import { ApiError } from '../../kernel/errors.ts';
import { detectImageType, type ImageType } from './detect-image-type.ts';
import { ImageRefused, isReason } from './refused.ts';
import { type ChildLimits, type ImageChild, startChild } from './start-child.ts';

/**
 * Images of strangers, made harmless: decoded in a process of its own and encoded anew as a JPEG without anything that is
 * not a pixel. Nothing else ever looks at what was sent.
 */
export type Images = {
  /** Refuses with an `ImageRefused`, or with 100010 when too many are waiting. */
  reencode(bytes: Uint8Array, contentType: string): Promise<Reencoded>;
  /** Whoever still waits is told that the server is stopping. */
  stop(): Promise<void>;
};

export type Reencoded = { readonly bytes: Buffer; readonly contentType: 'image/jpeg'; width: number; height: number };

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

type Job = { type: ImageType; bytes: Uint8Array; done(result: Reencoded): void; failed(error: unknown): void };
type Place = { child?: ImageChild; work?: Promise<void> | undefined; idle?: NodeJS.Timeout };

export function openImages(options: ImagesOptions = {}): Images {
  const { processes = PROCESSES, idleMs = IDLE_MS, maxWaitingBytes = MAX_WAITING_BYTES, onError } = options;
  const limits = { timeoutMs: options.timeoutMs ?? TIMEOUT_MS, memoryBytes: options.memoryBytes ?? MEMORY_BYTES };
  const places: Place[] = Array.from({ length: processes }, () => ({}));
  const waiting: Job[] = [];
  let waitingBytes = 0;
  let stopped = false;

  const pump = () => {
    // A process that runs already is ready sooner.
    const free = places.find(({ work, child }) => !work && child) ?? places.find(({ work }) => !work);
    const job = free && waiting.shift();
    if (!job) return;
    waitingBytes -= job.bytes.length;
    clearTimeout(free.idle);
    free.work = work(free, job).finally(() => {
      free.work = undefined;
      free.idle = setTimeout(() => void release(free), idleMs).unref();
      pump();
    });
  };

  const work = async (place: Place, { type, bytes, done, failed }: Job): Promise<void> => {
    try {
      place.child ??= await startChild(limits);
      if (stopped) throw stopping();
      const frame = await place.child.ask(type, bytes);
      // In a process where something broke, more than that may be broken.
      if (!frame || frame.words.reason === 'broke') await release(place);
      if (!frame && stopped) throw stopping();
      done(resultOf(frame));
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

  return {
    async reencode(bytes, contentType) {
      const type = ensureImage(bytes, contentType);
      if (stopped) throw stopping();
      if (waitingBytes + bytes.length > maxWaitingBytes) throw notNow('too many images are waiting');
      return new Promise((done, failed) => {
        waiting.push({ type, bytes, done, failed });
        waitingBytes += bytes.length;
        pump();
      });
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

function notNow(detail: string): ApiError {
  return new ApiError(100010, { detail, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const stopping = () => notNow('the server is stopping');

/** What can be told without decoding. */
function ensureImage(bytes: Uint8Array, contentType: string): ImageType {
  if (bytes.length === 0) throw new ImageRefused('empty');
  if (bytes.length > MAX_IMAGE_BYTES) throw new ImageRefused('too_large');
  const type = detectImageType(bytes);
  if (type === undefined) throw new ImageRefused('not_an_image');
  if (type !== contentType) throw new ImageRefused('another_type', { detail: `it is ${type} and not ${contentType}` });
  return type;
}

/** What comes back was written by a process that read what strangers sent: it is believed as little. */
function resultOf(frame: Awaited<ReturnType<ImageChild['ask']>>): Reencoded {
  if (!frame) throw new ImageRefused('broke', { cause: new Error('the process that decodes images died over it') });
  const { reason, width, height } = frame.words;
  if (isReason(reason)) throw new ImageRefused(reason);
  const whole = Number.isInteger(width) && Number.isInteger(height) && detectImageType(frame.bytes) === 'image/jpeg';
  if (!whole) throw new ImageRefused('broke', { cause: new Error('what came back is no image') });
  return { bytes: frame.bytes, contentType: 'image/jpeg', width: width as number, height: height as number };
}
