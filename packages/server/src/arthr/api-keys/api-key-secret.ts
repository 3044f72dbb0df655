import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../../kernel/hmac.ts';
import { randomSecret } from '../../kernel/random-secret.ts';

/**
 * An API key is `grv_<live|test>_<key id>_<secret>`. The secret has 256 random bits, so a keyed hash is all that has to
 * be stored; the pepper keeps a stolen database from being searched.
 */
export type ParsedApiKey = { environment: 'live' | 'test'; keyId: string };

const FORM = /^grv_(live|test)_([0-7][0-9A-HJKMNP-TV-Z]{25})_[A-Za-z0-9_-]{43}$/;

export function newApiKeySecret(environment: 'live' | 'test', keyId: string): string {
  return `grv_${environment}_${keyId}_${randomSecret()}`;
}

export function parseApiKey(code: string): ParsedApiKey | undefined {
  const match = FORM.exec(code);
  return match ? { environment: match[1] as 'live' | 'test', keyId: match[2] as string } : undefined;
}

/** Plain ASCII: one other character would double the time to write the whole answer. */
export function maskedCode(environment: string, keyId: string): string {
  return `grv_${environment}_${keyId}_...`;
}

export function hashApiKey(pepper: KeyObject, code: string): Buffer {
  return Buffer.from(hmacSha256(pepper, code, 'hex'), 'hex');
}

const NO_HASH = Buffer.alloc(32);

/** Takes the same time whether or not the key exists. */
export function matchesApiKey(pepper: KeyObject, code: string, stored: Uint8Array | undefined): boolean {
  const equal = timingSafeEqual(hashApiKey(pepper, code), stored ?? NO_HASH);
  return equal && stored !== undefined;
}
