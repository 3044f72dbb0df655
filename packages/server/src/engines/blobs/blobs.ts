import { ApiError } from '../../kernel/errors.ts';
import { ID_PATTERN } from '../../kernel/ids.ts';

/**
 * Stores images. Keys are random ids that mean nothing outside the rows that hold them, and the bytes arrive sealed:
 * whoever sees the store learns neither whose they are nor what they show. Faults are a `BlobError`.
 */
export type Blobs = {
  /** When this resolves, the bytes are durable. A reader sees all of them or what was there before. */
  put(key: string, content: Uint8Array | BlobContent): Promise<void>;
  /** Rejects if there is no such blob. Reads nothing beyond the part. */
  get(key: string, part?: BlobPart): Promise<BlobReader>;
  delete(key: string): Promise<void>;
  /** Rejects if one could not be deleted. Others may be deleted by then. */
  deleteAll(keys: readonly string[]): Promise<void>;
  /** Lists the blobs of one of the `SHARDS`. */
  list(shard: string): AsyncIterable<StoredBlob>;
  /** Rejects if the store cannot be used. Changes nothing. */
  check(): Promise<void>;
};

export type BlobPart = { readonly offset: number; readonly size: number };

/** Reads a blob, or a part of one, from its front. */
export type BlobReader = {
  /** Returns that many bytes, or fewer at the end. They stay valid until the next read or until the reader is closed. */
  read(bytes: number): Promise<Uint8Array>;
  /** Must always be called. A second call does nothing. */
  close(): Promise<void>;
};

/** The chunks can be produced again for another attempt. */
export type BlobContent = { readonly size: number; chunks(): AsyncIterable<Uint8Array> };

export type StoredBlob = {
  /** Undefined for what an interrupted write left behind. */
  readonly key: string | undefined;
  /**
   * The later of the store's clock and that of the server that made the key, so that one wrong clock cannot make it
   * old.
   */
  readonly storedAt: number;
  remove(): Promise<void>;
};

const DIGITS = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
/** The last characters of an id are random. The first ones are a time and would put all blobs of a day into one shard. */
export const SHARDS: readonly string[] = DIGITS.flatMap((one) => DIGITS.map((other) => one + other));

export const shardOf = (key: string) => key.slice(-2);

export type BlobFault = 'full' | 'unavailable' | 'missing';

const CODES = { full: 100020, unavailable: 100010, missing: 100290 } as const;
const RETRY_AFTER_SECONDS = 5;

/** The caller gets 507, 503 or 500: a caller cannot repair an image whose bytes are gone. */
export class BlobError extends ApiError {
  readonly fault: BlobFault;

  constructor(fault: BlobFault, log: string, cause?: unknown) {
    super(CODES[fault], { log, cause, ...(fault === 'unavailable' && { retryAfterSeconds: RETRY_AFTER_SECONDS }) });
    this.name = 'BlobError';
    this.fault = fault;
  }
}

/** An image that the database names and the store does not have. */
export function missingBlob(cause?: unknown): BlobError {
  return new BlobError(
    'missing',
    'an image is recorded in the database but is not where images are kept: do all servers have the same BLOB_URL, and was the place restored together with the database?',
    cause,
  );
}

export function assertKey(key: string): string {
  if (!ID_PATTERN.test(key)) throw new Error('the key of a blob is an id');
  return key;
}

const DELETED_AT_ONCE = 8;

/** For stores that delete one blob at a time. */
export async function deleteEach(keys: readonly string[], remove: (key: string) => Promise<void>): Promise<void> {
  for (let from = 0; from < keys.length; from += DELETED_AT_ONCE) {
    await Promise.all(keys.slice(from, from + DELETED_AT_ONCE).map(remove));
  }
}

export function asContent(content: Uint8Array | BlobContent): BlobContent {
  if (!(content instanceof Uint8Array)) return content;
  return {
    size: content.length,
    async *chunks() {
      yield content;
    },
  };
}
