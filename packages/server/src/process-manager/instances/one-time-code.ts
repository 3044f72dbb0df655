import { createHash, randomBytes } from 'node:crypto';
import { HOUR } from '../../kernel/clock.ts';
import type { TenantId } from '../../kernel/ids.ts';

/**
 * A code that opens one instance, once. It names its tenant, because the page that redeems it may stand at an address
 * that names none; only its hash is stored, and 256 random bits need no slower one.
 */
export const CODE_TTL_MS = 24 * HOUR;
const RANDOM_BYTES = 32;

export function newCode(tenantId: TenantId): string {
  return `${tenantId}.${newSecret()}`;
}

/** The first code of an instance names the instance too, so that no index of random hashes is needed to find it. */
export function newStartCode(tenantId: TenantId, instanceId: string): string {
  return `${tenantId}.${instanceId}${newSecret()}`;
}

const START_CODE = /^[^.]+\.([0-7][0-9A-HJKMNP-TV-Z]{25})[A-Za-z0-9_-]{43}$/;

export function instanceOfCode(code: string): string | undefined {
  return START_CODE.exec(code)?.[1];
}

function newSecret(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url');
}

export function hashCode(code: string): Uint8Array {
  return createHash('sha256').update(code).digest();
}
