import { hash, randomBytes } from 'node:crypto';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { randomSecret } from '../../kernel/random-secret.ts';

/**
 * A code that opens one instance, once. It contains its tenant, because the address of the page that redeems it may have
 * none. Only its hash is stored, and 256 random bits need no slow hash.
 */
/** The code of a new instance is used at once, because the caller redirects the browser. */
export const START_CODE_TTL_MS = 10 * MINUTE;
/** Links that are sent and opened later: resume links and the processes of pushes. */
export const SENT_CODE_TTL_MS = 24 * HOUR;

export function newCode(tenantId: TenantId): string {
  return `${tenantId}.${randomSecret()}`;
}

const OFFER_BYTES = 16;

/**
 * The code of a hand-off is in a QR code, where every character makes the squares smaller. Nobody can guess 128 random bits
 * within the minutes of its life.
 */
export function newOfferCode(tenantId: TenantId): string {
  return `${tenantId}.${randomBytes(OFFER_BYTES).toString('base64url')}`;
}

/** The first code of an instance contains the instance too, which saves an index of random hashes. */
export function newStartCode(tenantId: TenantId, instanceId: string): string {
  return `${tenantId}.${instanceId}${randomSecret()}`;
}

const START_CODE = /^[^.]+\.([0-7][0-9A-HJKMNP-TV-Z]{25})[A-Za-z0-9_-]{43}$/;

export function instanceOfCode(code: string): string | undefined {
  return START_CODE.exec(code)?.[1];
}

export function hashCode(code: string): Uint8Array {
  return hash('sha256', code, 'buffer');
}
