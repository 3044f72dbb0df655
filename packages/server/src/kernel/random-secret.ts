import { randomFillSync } from 'node:crypto';

/** 256 random bits, in 43 characters of base64url. */
const SECRET_BYTES = 32;
const SECRETS_AT_ONCE = 128;

const pool = Buffer.alloc(SECRET_BYTES * SECRETS_AT_ONCE);
let used = pool.length;

/** Random bytes are drawn in bulk, because each call of the generator is slow. Each is used once and then overwritten. */
export function randomSecret(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.subarray(used, used + SECRET_BYTES);
  used += SECRET_BYTES;
  const secret = bytes.toString('base64url');
  bytes.fill(0);
  return secret;
}
