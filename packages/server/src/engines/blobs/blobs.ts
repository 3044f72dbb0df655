import { ApiError } from '../../kernel/errors.ts';
import { ID_PATTERN } from '../../kernel/ids.ts';

/**
 * Where images are kept. Keys are random ids that mean nothing outside the rows that hold them, and the bytes arrive
 * sealed: whoever sees the place sees neither whose they are nor what they show. What goes wrong there is a `BlobError`.
 */
export type Blobs = {
  /** The bytes are durable when this resolves; under the key there is then all of them or what was there before. */
  put(key: string, content: Uint8Array | BlobContent): Promise<void>;
  /** Rejects if there is nothing under the key. Of a part, nothing behind it is read. */
  get(key: string, part?: BlobPart): Promise<BlobReader>;
  /** What is not there needs no deleting. */
  delete(key: string): Promise<void>;
  /** The same for many. Rejects if one could not be deleted; others may be gone by then. */
  deleteAll(keys: readonly string[]): Promise<void>;
  /** What is kept in one of the `SHARDS`. */
  list(shard: string): AsyncIterable<StoredBlob>;
  /** Rejects if the place cannot be used. Nothing is changed. */
  check(): Promise<void>;
};

export type BlobPart = { readonly offset: number; readonly size: number };

/** A blob, or a part of one, from its front. */
export type BlobReader = {
  /** So many bytes, and fewer only where it ends. They are good until more are asked for, or it is closed. */
  read(bytes: number): Promise<Uint8Array>;
  /** Has to be called, whatever happened. A second time does nothing. */
  close(): Promise<void>;
};

/** Its chunks can be asked for again if the first try fails. */
export type BlobContent = { readonly size: number; chunks(): AsyncIterable<Uint8Array> };

export type StoredBlob = {
  /** Undefined for what was left behind by a write that never ended. */
  readonly key: string | undefined;
  /** By the clock of the store or of the server that made the key, whichever is later: neither alone may make it old. */
  readonly storedAt: number;
  remove(): Promise<void>;
};

const DIGITS = [...'0123456789ABCDEFGHJKMNPQRSTVWXYZ'];
/** The last characters of an id are random, its first ones are not: they would put all of a day into one place. */
export const SHARDS: readonly string[] = DIGITS.flatMap((one) => DIGITS.map((other) => one + other));

export const shardOf = (key: string) => key.slice(-2);

export type BlobFault = 'full' | 'unavailable' | 'missing';

const CODES = { full: 100020, unavailable: 100010, missing: 100290 } as const;
const RETRY_AFTER_SECONDS = 5;

/** For the caller 507, 503, or 500: an image whose bytes are gone is nothing that a caller could repair. */
export class BlobError extends ApiError {
  readonly fault: BlobFault;

  constructor(fault: BlobFault, log: string, cause?: unknown) {
    super(CODES[fault], { log, cause, ...(fault === 'unavailable' && { retryAfterSeconds: RETRY_AFTER_SECONDS }) });
    this.name = 'BlobError';
    this.fault = fault;
  }
}

/** An image that the database names and that is not there. */
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

/** For places that delete one blob at a time. */
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
