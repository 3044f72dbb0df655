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
    const sealed = cipher.update(plain.subarray(number * CHUNK_BYTES, (number + 1) * CHUNK_BYTES));
    yield Buffer.concat([sealed, cipher.final(), cipher.getAuthTag()]);
    await letOthersRun();
  }
}

/** Yields only what has been proven; throws at the first chunk that is not what was sealed. */
export async function* openChunks(
  dataKey: KeyObject,
  context: string,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let key: KeyObject | undefined;
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  const open = (chunk: Buffer, last: boolean): Buffer => {
    if (!key || chunk.length < TAG) throw new Error('a sealed value ends too early');
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(number, last));
    decipher.setAuthTag(chunk.subarray(chunk.length - TAG));
    const plain = decipher.update(chunk.subarray(0, chunk.length - TAG));
    decipher.final();
    number += 1;
    return plain;
  };
  for await (const part of sealed) {
    rest = rest.length === 0 ? Buffer.from(part.buffer, part.byteOffset, part.length) : Buffer.concat([rest, part]);
    if (!key && rest.length >= HEADER) {
      if (rest[0] !== FORMAT) throw new Error('not a value sealed in chunks');
      key = keyOf(dataKey, rest.subarray(1, HEADER), context);
      rest = rest.subarray(HEADER);
    }
    // A full chunk with nothing behind it may be the last one.
    while (key && rest.length > SEALED_CHUNK) {
      yield open(rest.subarray(0, SEALED_CHUNK), false);
      rest = rest.subarray(SEALED_CHUNK);
    }
  }
  yield open(rest, true);
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
