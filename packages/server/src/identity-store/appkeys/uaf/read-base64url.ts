import { Malformed } from './malformed.ts';

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/**
 * Strict base64url (RFC 4648, section 5): no padding, no other alphabet, no blanks, and only the one spelling of each
 * value. Node's own decoder swallows anything, and what has two spellings can be presented twice.
 */
export function readBase64url(text: unknown, what: string, { min = 1, max }: { min?: number; max: number }): Buffer {
  if (typeof text !== 'string') throw new Malformed(`${what} is not a string`);
  // The length is looked at first, so that nothing long is decoded.
  if (text.length > Math.ceil((max * 4) / 3)) throw new Malformed(`${what} is longer than ${max} bytes`);
  if (!BASE64URL.test(text)) throw new Malformed(`${what} is not base64url`);
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new Malformed(`${what} is not the canonical base64url of its value`);
  if (bytes.length < min || bytes.length > max) throw new Malformed(`${what} is not ${min} to ${max} bytes long`);
  return bytes;
}
