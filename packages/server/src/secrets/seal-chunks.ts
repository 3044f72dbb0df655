import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { KEY_BYTES, keyFrom } from './sealing.ts';

/**
 * AES-256-GCM in chunks, for what is too long to be held at once or to be sealed in one go. Each value has a key of its
 * own, made from the data key, a random salt and the place it belongs to; each chunk has its number and whether it is the
 * last as its nonce. So a chunk that was changed, moved, left out or added, a value that was cut and one that was put in
 * another's place do not open, and what comes out of the reader is authentic chunk by chunk.
 *
 * Layout: 1 byte format, 32 bytes salt, then for each chunk its ciphertext and 16 bytes tag. Every chunk but the last is
 * full, and the last may be empty.
 */
const FORMAT = 2;
const SALT = 32;
const TAG = 16;
const NONCE = 12;
export const CHUNK_BYTES = 256 * 1024;
const HEADER = 1 + SALT;
const SEALED_CHUNK = CHUNK_BYTES + TAG;

/** How long the sealed value is. */
export function sealedSize(plainSize: number): number {
  return HEADER + plainSize + TAG * chunksOf(plainSize);
}

/** Between two chunks others have their turn: 12 MB in one go would hold up everybody for a tenth of a second. */
export async function* sealChunks(dataKey: KeyObject, context: string, plain: Uint8Array): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT);
  const key = keyOf(dataKey, salt, context);
  yield Buffer.concat([Buffer.from([FORMAT]), salt]);
  const count = chunksOf(plain.length);
  for (let number = 0; number < count; number++) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(number, number === count - 1));
    yield cipher.update(plain.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES));
    // What is copied for no reason is collected for no reason.
    yield Buffer.concat([cipher.final(), cipher.getAuthTag()]);
    await letOthersRun();
  }
}

/** Yields only what has been proven; throws at the first chunk that is not what was sealed. */
export async function* openChunks(
  dataKey: KeyObject,
  context: string,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const pieces = pieceQueue();
  let key: KeyObject | undefined;
  let number = 0;
  for await (const part of sealed) {
    pieces.add(part);
    if (!key && pieces.size() >= HEADER) {
      const header = Buffer.concat(pieces.take(HEADER));
      if (header[0] !== FORMAT) throw new Error('not a value sealed in chunks');
      key = keyOf(dataKey, header.subarray(1), context);
    }
    // A full chunk with nothing behind it may be the last one.
    while (key && pieces.size() > SEALED_CHUNK) {
      // One by one: a reader that goes away in the middle of a list of them would be told of a fault in it.
      for (const piece of openChunk(key, nonceOf(number, false), pieces.take(CHUNK_BYTES), pieces.take(TAG)))
        yield piece;
      number += 1;
    }
  }
  if (!key || pieces.size() < TAG) throw new Error('a sealed value ends too early');
  for (const piece of openChunk(key, nonceOf(number, true), pieces.take(pieces.size() - TAG), pieces.take(TAG)))
    yield piece;
}

function openChunk(key: KeyObject, nonce: Buffer, sealed: readonly Uint8Array[], tag: readonly Uint8Array[]): Buffer[] {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce);
  decipher.setAuthTag(Buffer.concat(tag));
  const plain = sealed.map((piece) => decipher.update(piece));
  decipher.final();
  return plain;
}

/** Bytes as they arrived, taken in other portions than they came in: to join them would be to copy them. */
function pieceQueue() {
  const queue: Uint8Array[] = [];
  let size = 0;
  return {
    size: () => size,
    add(piece: Uint8Array) {
      queue.push(piece);
      size += piece.length;
    },
    take(wanted: number): Uint8Array[] {
      const taken: Uint8Array[] = [];
      for (let missing = wanted; missing > 0; ) {
        const piece = queue.shift();
        if (!piece) throw new Error('there are not that many bytes');
        taken.push(piece.subarray(0, missing));
        if (piece.length > missing) queue.unshift(piece.subarray(missing));
        missing -= Math.min(missing, piece.length);
      }
      size -= wanted;
      return taken;
    },
  };
}

/** At least one, so that nothing at all is not the same as an empty value. */
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
