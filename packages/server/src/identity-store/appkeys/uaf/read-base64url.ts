import { Malformed } from './malformed.ts';

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/**
 * Strict base64url (RFC 4648, section 5): no padding, no other alphabet, no white space, one spelling for each value.
 * Node's decoder accepts almost anything. A value with two spellings could be replayed in the second one.
 */
export function readBase64url(text: unknown, what: string, { min = 1, max }: { min?: number; max: number }): Buffer {
  if (typeof text !== 'string') throw new Malformed(`${what} is not a string`);
  // The length is checked first, so that no long text is decoded.
  if (text.length > Math.ceil((max * 4) / 3)) throw new Malformed(`${what} is longer than ${max} bytes`);
  if (!BASE64URL.test(text)) throw new Malformed(`${what} is not base64url`);
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new Malformed(`${what} is not the canonical base64url of its value`);
  if (bytes.length < min || bytes.length > max) throw new Malformed(`${what} is not ${min} to ${max} bytes long`);
  return bytes;
}
