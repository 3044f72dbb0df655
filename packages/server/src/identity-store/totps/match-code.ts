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
  counter.writeUInt32BE(Math.floor(step / 2 ** 32), 0);
  counter.writeUInt32BE(step >>> 0, 4);
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
 * The step whose code it is, among `window` before now and after, the nearest first. Each is good once: one that is not
 * later than the last accepted is used, and so is every step before it. A wrong code is compared with all of them, so
 * the time tells whoever guesses nothing; that a right one ends the search tells how well its clock goes.
 */
export function matchCode(
  totp: Totp,
  { code, window, lastStep, now }: { code: string; window: number; lastStep: number; now: number },
): Match | undefined {
  const given = Buffer.from(code);
  // One key for all steps: to make it costs more than to use it.
  const key = createSecretKey(totp.secret);
  const current = stepOf(totp, now);
  let used: Match | undefined;
  for (let turn = 0; turn <= 2 * window; turn++) {
    const step = current + (turn % 2 === 0 ? turn / 2 : -(turn + 1) / 2);
    if (step < 0 || !timingSafeEqual(Buffer.from(codeWith(key, totp, step)), given)) continue;
    if (step > lastStep) return { step, used: false };
    used ??= { step, used: true };
  }
  return used;
}
