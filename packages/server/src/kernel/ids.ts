import { randomFillSync } from 'node:crypto';

/** ULIDs: 48 bits of time and 80 random bits in 26 upper-case characters. They order by time and are never secrets. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const RANDOM_BYTES = 10;

const pool = new Uint8Array(RANDOM_BYTES * 512);
let used = pool.length;

export const ID_PATTERN = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

const TIME_LENGTH = 10;
const LAST_MOMENT = 2 ** 48 - 1;

/** A lower bound: ids that are made at or after the moment are not less than this, earlier ones are. */
export function firstIdAt(at: number): string {
  return timeOf(Math.min(Math.max(0, at), LAST_MOMENT));
}

function timeOf(at: number): string {
  let time = '';
  for (let rest = at, digits = 0; digits < TIME_LENGTH; digits++) {
    time = ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}

/** When an id was made, by the clock of the server that made it. */
export function creationTimeOf(id: string): number {
  let at = 0;
  for (const digit of id.slice(0, TIME_LENGTH)) at = at * 32 + ALPHABET.indexOf(digit);
  return at;
}

let moment = Number.NaN;
let time = '';

export function newId(nowMs: number): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let random = '';
  for (let half = 0; half < 2; half++) {
    // Five bytes are forty bits: eight characters of five bits each, taken from a high and a low part.
    const high = ((pool[used] as number) << 12) | ((pool[used + 1] as number) << 4) | ((pool[used + 2] as number) >> 4);
    const low =
      (((pool[used + 2] as number) & 15) << 16) | ((pool[used + 3] as number) << 8) | (pool[used + 4] as number);
    for (const bits of [high, low]) {
      random += `${ALPHABET[(bits >> 15) & 31]}${ALPHABET[(bits >> 10) & 31]}${ALPHABET[(bits >> 5) & 31]}${ALPHABET[bits & 31]}`;
    }
    used += 5;
  }
  // Many ids are made in one millisecond.
  if (nowMs !== moment) {
    moment = nowMs;
    time = timeOf(nowMs);
  }
  return time + random;
}

declare const brand: unique symbol;

/** A tenant's identifier, proven to come from a credential or from the operator, never from a request's free text. */
export type TenantId = string & { readonly [brand]: 'TenantId' };

/** A DNS label, because the tenant is part of the host name. */
const TENANT_ID = /^[a-z][a-z0-9-]{1,38}[a-z0-9]$/;

export function isTenantId(text: string): text is TenantId {
  return TENANT_ID.test(text);
}

/** For identifiers that we stored ourselves; a wrong one is a bug. */
export function asTenantId(text: string): TenantId {
  if (!isTenantId(text)) throw new Error(`not a tenant id: ${JSON.stringify(text)}`);
  return text;
}
