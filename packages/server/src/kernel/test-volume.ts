import type { Clock } from './clock.ts';
import type { Principal } from './context.ts';
import { ApiError } from './errors.ts';
import { rateLimiter } from './rate-limiter.ts';

/**
 * Ensures that the test callers of a tenant do not fill the disk, which live callers of all tenants need: a leaked test key
 * could store 5 MB a second. What they send may add up to a number of megabytes, which are free again after a day. Each
 * server counts by itself. Live callers have no such limit, because a tenant that reached it could serve nobody.
 */
export type TestVolume = {
  /** Before a request of this many bytes is stored. Refuses it with 100007 if it is too much, and counts it otherwise. */
  admit(caller: Pick<Principal, 'tenantId' | 'environment'>, bytes: number): void;
};

const DAY_SECONDS = 86_400;
const KB_PER_MB = 1024;
/** A row with its indexes and events takes this much, however short the request was. */
const LEAST_KB = 4;

export function testVolume(megabytesPerDay: number | 'off', clock: Clock): TestVolume {
  if (megabytesPerDay === 'off') return { admit: () => undefined };
  const limiter = rateLimiter({ limit: megabytesPerDay * KB_PER_MB, windowSeconds: DAY_SECONDS, clock });
  return {
    admit({ tenantId, environment }, bytes) {
      if (environment !== 'test') return;
      const { allowed, retryAfterSeconds } = limiter.take(tenantId, Math.max(LEAST_KB, Math.ceil(bytes / 1024)));
      if (allowed) return;
      const detail = `test callers of this tenant have sent ${megabytesPerDay} MB within a day; live callers are not limited`;
      throw new ApiError(100007, { retryAfterSeconds, detail });
    },
  };
}
