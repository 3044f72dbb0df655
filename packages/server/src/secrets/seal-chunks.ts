import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { KEY_BYTES, keyFrom } from './sealing.ts';

/**
 * AES-256-GCM in chunks, for values that are too long for memory or would take too long at once. Each value has its own
 * key, derived from the data key, a random salt and the context. The nonce of a chunk is its number and whether it is
 * the last. So a changed, moved, missing or additional chunk, a truncated value and a value of another context do not
 * open.
 *
 * Layout: 1 byte format, 32 bytes salt, then for each chunk its ciphertext and 16 bytes tag. Every chunk but the last
 * is full, and the last may be empty.
 */
const FORMAT = 2;
const SALT = 32;
const TAG = 16;
const NONCE = 12;
export const CHUNK_BYTES = 256 * 1024;
const HEADER = 1 + SALT;
/** The largest read: the header, a chunk, and one byte behind the last one. */
export const MAX_PORTION_BYTES = HEADER + CHUNK_BYTES + TAG + 1;

/** The size of the sealed value. */
export function sealedSize(plainSize: number): number {
  return HEADER + plainSize + TAG * chunksOf(plainSize);
}

/** Serves other requests between two chunks: 12 MB at once would delay them for a tenth of a second. */
export async function* sealChunks(dataKey: KeyObject, context: string, plain: Uint8Array): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT);
  const key = keyOf(dataKey, salt, context);
  yield Buffer.concat([Buffer.from([FORMAT]), salt]);
  const count = chunksOf(plain.length);
  for (let number = 0; number < count; number++) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, number === count - 1));
    yield cipher.update(plain.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES));
    // A view, not a copy, to spare the garbage collector.
    yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
    await letOthersRun();
  }
}

/**
 * The source of a sealed value. `read` returns that many bytes, or fewer at the end; they are valid until the next
 * call.
 */
export type SealedSource = { read(bytes: number): Promise<Uint8Array> };

/**
 * Yields authenticated chunks, and throws at the first chunk that was changed. It reads the value chunk by chunk, so
 * that the memory holds one chunk for a reader who is slow.
 */
export async function* openChunks(
  dataKey: KeyObject,
  context: string,
  source: SealedSource,
  plainSize: number,
): AsyncGenerator<Buffer> {
  const count = chunksOf(plainSize);
  const sizeOf = (number: number) => TAG + (number < count - 1 ? CHUNK_BYTES : plainSize - number * CHUNK_BYTES);
  let key: KeyObject | undefined;
  for (let number = 0; number < count; number++) {
    const headerSize = number === 0 ? HEADER : 0;
    const size = headerSize + sizeOf(number);
    const isLast = number === count - 1;
    // Reads one byte more than the last chunk, to notice a longer value.
    const portion = await source.read(isLast ? size + 1 : size);
    if (portion.length !== size) throw new Error('a sealed value has another length than it should');
    key ??= keyOfHeader(dataKey, context, portion.subarray(0, HEADER));
    const plain = openChunk(key, nonceOf(number, isLast), portion.subarray(headerSize));
    if (plain.length > 0) yield plain;
  }
}

function keyOfHeader(dataKey: KeyObject, context: string, header: Uint8Array): KeyObject {
  if (header[0] !== FORMAT) throw new Error('not a value sealed in chunks');
  return keyOf(dataKey, header.subarray(1), context);
}

function openChunk(key: KeyObject, nonce: Buffer, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG });
  decipher.setAuthTag(sealed.subarray(-TAG));
  const plain = decipher.update(sealed.subarray(0, -TAG));
  decipher.final();
  return plain;
}

/** At least one chunk, so that a missing value differs from an empty one. */
function chunksOf(plainSize: number): number {
  return Math.max(1, Math.ceil(plainSize / CHUNK_BYTES));
}

function keyOf(dataKey: KeyObject, salt: Uint8Array, context: string): KeyObject {
  return keyFrom(Buffer.from(hkdfSync('sha256', dataKey, salt, context, KEY_BYTES)));
}

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE);
  nonce.writeUInt32BE(number, 0);
  nonce[NONCE - 1] = last ? 1 : 0;
  return nonce;
}
