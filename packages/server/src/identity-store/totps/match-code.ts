import { hash, timingSafeEqual } from 'node:crypto';
import type { TotpParameters } from './totps.repository.ts';

/** Time-based one-time passwords (RFC 6238). Pure functions. */

export type Totp = TotpParameters & { readonly secret: Uint8Array };

export function codeOf(totp: Totp, step: number): string {
  return codes(totp)(step);
}

const BLOCK_BYTES = { SHA1: 64, SHA256: 64, SHA512: 128 };
const DIGEST_BYTES = { SHA1: 20, SHA256: 32, SHA512: 64 };
const COUNTER_BYTES = 8;

/**
 * Returns a function that computes the code of a step: dynamic truncation (RFC 4226, section 5.3) of an HMAC (RFC
 * 2104). The two hashes of the HMAC are computed separately, because Node's HMAC would be set up again for each step,
 * which takes several times as long.
 */
function codes({ algorithm, digits, secret }: Totp): (step: number) => string {
  const block = BLOCK_BYTES[algorithm];
  const key = secret.length > block ? hash(algorithm, secret, 'buffer') : secret;
  const inner = Buffer.allocUnsafe(block + COUNTER_BYTES);
  const outer = Buffer.allocUnsafe(block + DIGEST_BYTES[algorithm]);
  for (let at = 0; at < block; at++) {
    const byte = key[at] ?? 0;
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  }
  return (step) => {
    inner.writeUInt32BE(Math.floor(step / 2 ** 32), block);
    inner.writeUInt32BE(step >>> 0, block + 4);
    // As a binary string, which is twice as fast as a buffer.
    outer.write(hash(algorithm, inner, 'binary'), block, 'latin1');
    const mac = hash(algorithm, outer, 'binary');
    const offset = mac.charCodeAt(mac.length - 1) & 15;
    let number = mac.charCodeAt(offset) & 0x7f;
    for (let at = offset + 1; at < offset + 4; at++) number = number * 256 + mac.charCodeAt(at);
    return String(number % 10 ** digits).padStart(digits, '0');
  };
}

export function stepOf({ period }: Pick<Totp, 'period'>, now: number): number {
  return Math.floor(now / 1000 / period);
}

/** End users may type a code in two groups, as apps show it. */
export function normalCode(typedCode: string): string {
  return typedCode.replace(/[\s-]/g, '');
}

export function isWellFormed(code: string, { digits }: Pick<Totp, 'digits'>): boolean {
  return code.length === digits && /^[0-9]+$/.test(code);
}

export type Match = { readonly step: number; readonly used: boolean };

/**
 * Finds the step of a code among the current step and `window` steps before and after it, nearest first. Each step is
 * valid once: a step that is not later than the last accepted one is used. A wrong code is compared with every step, so
 * the time reveals nothing to an attacker who guesses. A right code ends the search early, which reveals only how far
 * the clock of its device is off.
 */
export function matchCode(
  totp: Totp,
  { code, window, lastStep, now }: { code: string; window: number; lastStep: number; now: number },
): Match | undefined {
  const codeBytes = Buffer.from(code);
  const codeAt = codes(totp);
  const current = stepOf(totp, now);
  let used: Match | undefined;
  for (let turn = 0; turn <= 2 * window; turn++) {
    const step = current + (turn % 2 === 0 ? turn / 2 : -(turn + 1) / 2);
    if (step < 0 || !timingSafeEqual(Buffer.from(codeAt(step)), codeBytes)) continue;
    if (step > lastStep) return { step, used: false };
    used ??= { step, used: true };
  }
  return used;
}
