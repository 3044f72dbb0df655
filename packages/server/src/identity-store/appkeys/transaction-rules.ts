import { invalidInput } from '../../kernel/errors.ts';
import { Malformed } from './uaf/malformed.ts';
import { readBase64url } from './uaf/read-base64url.ts';
import type { Transaction } from './uaf/write-request.ts';

/**
 * A transaction is a text or an image that the user must confirm. The authenticator signs a hash of what it displayed.
 */

const MAX_TEXT_LENGTH = 200;
const MAX_IMAGE_BYTES = 48 * 1024;
const ASCII = /^[\x20-\x7e\r\n]*$/;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

/** Throws if an authenticator could not display the content. */
export function ensureTransaction(transaction: Transaction | undefined, pointer: string): void {
  if (!transaction) return;
  const message = faultOf(transaction);
  if (message) throw invalidInput({ pointer: `${pointer}/content`, message });
}

function faultOf({ contentType, content }: Transaction): string | undefined {
  let bytes: Buffer;
  try {
    bytes = readBase64url(content, 'content', { max: MAX_IMAGE_BYTES });
  } catch (error) {
    if (error instanceof Malformed) return `must be base64url of at most ${MAX_IMAGE_BYTES} bytes`;
    throw error;
  }
  if (contentType === 'image/png') return bytes.subarray(0, PNG.length).equals(PNG) ? undefined : 'must be a PNG image';
  const fits = bytes.length <= MAX_TEXT_LENGTH && ASCII.test(bytes.toString('latin1'));
  return fits ? undefined : `must be ASCII text of at most ${MAX_TEXT_LENGTH} characters`;
}

export function transactionBytes({ content }: Transaction): Buffer {
  return Buffer.from(content, 'base64url');
}
