import { Malformed } from './malformed.ts';

/** The maximum bytes of each part of a response: far more than any authenticator sends. */
export const MOST_BYTES = {
  id: 1023,
  clientDataJSON: 16_384,
  authenticatorData: 16_384,
  /** A signature of ML-DSA-87 has 4627 bytes. */
  signature: 5000,
  attestationObject: 65_536,
} as const;

/** Decodes strict base64url: no padding, no foreign characters, no unused bits. So each value has one spelling. */
export function decodeBase64Url(text: unknown, what: string, most: number): Buffer {
  if (typeof text !== 'string') throw new Malformed(`${what} is missing`);
  if (text.length > Math.ceil((most * 4) / 3)) throw new Malformed(`${what} is too long`);
  const bytes = Buffer.from(text, 'base64url');
  // Node's decoder skips unknown characters and ignores unused bits, so the bytes must encode to the same text.
  if (bytes.toString('base64url') !== text) throw new Malformed(`${what} is not base64url without padding`);
  return bytes;
}

/** Decodes a part of a response; `name` is WebAuthn's name for it. */
export function decodePart(parts: Readonly<Record<string, unknown>>, name: keyof typeof MOST_BYTES): Buffer {
  return decodeBase64Url(parts[name], name, MOST_BYTES[name]);
}
