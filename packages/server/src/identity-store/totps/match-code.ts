import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { TotpParameters } from './totps.repository.ts';

/** Time-based one-time passwords as RFC 6238 has them. Pure. */

export type Totp = TotpParameters & { readonly secret: Uint8Array };

export function codeOf(totp: Totp, step: number): string {
  return codeWith(createSecretKey(totp.secret), totp, step);
}

/** The code of a step: dynamic truncation as in RFC 4226, section 5.3. */
function codeWith(key: KeyObject, { algorithm, digits }: TotpParameters, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac(algorithm, key).update(counter).digest();
  const offset = (mac[mac.length - 1] as number) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

export function stepOf({ period }: Pick<Totp, 'period'>, now: number): number {
  return Math.floor(now / 1000 / period);
}

/** End users type codes as they are shown: in two groups, at times. */
export function normalCode(given: string): string {
  return given.replace(/[\s-]/g, '');
}

export function isWellFormed(code: string, { digits }: Pick<Totp, 'digits'>): boolean {
  return code.length === digits && /^[0-9]+$/.test(code);
}

export type Match = { readonly step: number; readonly used: boolean };

/**
 * The step whose code it is, among `window` before now and after. Each is good once: one that is not later than the last
 * accepted is used, and so is every step before it. All are compared, so that the time tells nothing.
 */
export function matchCode(
  totp: Totp,
  { code, window, lastStep, now }: { code: string; window: number; lastStep: number; now: number },
): Match | undefined {
  const given = Buffer.from(code);
  // One key for all steps: to make it costs more than to use it.
  const key = createSecretKey(totp.secret);
  const current = stepOf(totp, now);
  let match: Match | undefined;
  for (let step = Math.max(0, current - window); step <= current + window; step++) {
    const equal = timingSafeEqual(Buffer.from(codeWith(key, totp, step)), given);
    if (equal && (match === undefined || match.used)) match = { step, used: step <= lastStep };
  }
  return match;
}
