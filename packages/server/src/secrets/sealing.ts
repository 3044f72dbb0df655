import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/**
 * AES-256-GCM that authenticates a context: a value that was sealed for one place does not open in another. A sealed
 * value names the version of its key, so keys can be rotated without haste. Layout: 1 byte format, 4 bytes key version,
 * 12 bytes nonce, 16 bytes tag, ciphertext.
 */
const FORMAT = 1;
const NONCE = 12;
const TAG = 16;
const HEADER = 5;

export const KEY_BYTES = 32;

export type VersionedKey = { readonly version: number; readonly key: KeyObject };

export function newKey(): KeyObject {
  return createSecretKey(randomBytes(KEY_BYTES));
}

export function keyFrom(bytes: Uint8Array): KeyObject {
  if (bytes.length !== KEY_BYTES) throw new Error(`a key has ${KEY_BYTES} bytes, not ${bytes.length}`);
  return createSecretKey(bytes);
}

export function seal({ version, key }: VersionedKey, context: string, plain: Uint8Array): Uint8Array {
  const sealed = Buffer.allocUnsafe(HEADER + NONCE + TAG + plain.length);
  sealed[0] = FORMAT;
  sealed.writeUInt32BE(version, 1);
  const nonce = freshNonce();
  nonce.copy(sealed, HEADER);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(boundContext(sealed, context));
  // In this mode `update` returns all bytes, and `final` returns none.
  cipher.update(plain).copy(sealed, HEADER + NONCE + TAG);
  cipher.final();
  cipher.getAuthTag().copy(sealed, HEADER + NONCE);
  return sealed;
}

const NONCES_AT_ONCE = 256;
let nonces = Buffer.alloc(0);

/** To request 12 random bytes costs as much as 3,072, and as much as to seal a short value. Each nonce is used once. */
function freshNonce(): Buffer {
  if (nonces.length === 0) nonces = randomBytes(NONCE * NONCES_AT_ONCE);
  const nonce = nonces.subarray(0, NONCE);
  nonces = nonces.subarray(NONCE);
  return nonce;
}

/** The version of the key that sealed the value. */
export function sealedBy(sealed: Uint8Array): number {
  return sealedBytes(sealed).readUInt32BE(1);
}

/** Two random numbers of a sealed value, by which values can be told apart, though not with certainty. */
export function randomnessOf(sealed: Uint8Array): { mark: number; spread: number } {
  const bytes = sealedBytes(sealed);
  return { mark: bytes.readUInt32BE(HEADER), spread: bytes.readUInt32BE(HEADER + 4) };
}

export function unseal(key: KeyObject, context: string, sealed: Uint8Array): Buffer {
  const bytes = sealedBytes(sealed);
  const { buffer, byteOffset } = bytes;
  // Plain views, because views of a Buffer take several times as long to create.
  const part = (from: number, length: number) => new Uint8Array(buffer, byteOffset + from, length);
  const decipher = createDecipheriv('aes-256-gcm', key, part(HEADER, NONCE));
  decipher.setAAD(boundContext(bytes, context));
  decipher.setAuthTag(part(HEADER + NONCE, TAG));
  const plain = decipher.update(part(HEADER + NONCE + TAG, bytes.length - HEADER - NONCE - TAG));
  // In this mode `update` returns all bytes, and `final` throws if they are not authentic.
  decipher.final();
  return plain;
}

function sealedBytes(sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < HEADER + NONCE + TAG || bytes[0] !== FORMAT) throw new Error('not a sealed value');
  return bytes;
}

/** `header` may be the start of a sealed value. */
function boundContext(header: Buffer, context: string): Buffer {
  const bound = Buffer.allocUnsafe(HEADER + Buffer.byteLength(context));
  header.copy(bound, 0, 0, HEADER);
  bound.write(context, HEADER);
  return bound;
}

/** Joins the parts of a context so that no two contexts can be confused. */
export function contextOf(...parts: (string | number)[]): string {
  return JSON.stringify(parts);
}
