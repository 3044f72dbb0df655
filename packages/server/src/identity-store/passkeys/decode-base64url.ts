import { Malformed } from './malformed.ts';

/** As many bytes as each part of a response may have: by far more than any authenticator sends. */
export const MOST_BYTES = {
  id: 1023,
  clientDataJSON: 16_384,
  authenticatorData: 16_384,
  /** That of ML-DSA-87 has 4627. */
  signature: 5000,
  attestationObject: 65_536,
} as const;

/** The bytes of a base64url text that has exactly one spelling: no padding, no foreign characters, no bits left over. */
export function decodeBase64Url(text: unknown, what: string, most: number): Buffer {
  if (typeof text !== 'string') throw new Malformed(`${what} is missing`);
  if (text.length > Math.ceil((most * 4) / 3)) throw new Malformed(`${what} is too long`);
  const bytes = Buffer.from(text, 'base64url');
  // Node skips what it does not know and forgives left-over bits, so only what encodes to the same text is taken.
  if (bytes.toString('base64url') !== text) throw new Malformed(`${what} is not base64url without padding`);
  return bytes;
}

/** A part of a response, by the name that WebAuthn gives it. */
export function decodePart(parts: Readonly<Record<string, unknown>>, name: keyof typeof MOST_BYTES): Buffer {
  return decodeBase64Url(parts[name], name, MOST_BYTES[name]);
}
