import { hash, timingSafeEqual } from 'node:crypto';
import type { TotpParameters } from './totps.repository.ts';

/** Time-based one-time passwords as RFC 6238 has them. Pure. */

export type Totp = TotpParameters & { readonly secret: Uint8Array };

export function codeOf(totp: Totp, step: number): string {
  return codes(totp)(step);
}

const BLOCK_BYTES = { SHA1: 64, SHA256: 64, SHA512: 128 };
const DIGEST_BYTES = { SHA1: 20, SHA256: 32, SHA512: 64 };
const COUNTER_BYTES = 8;

/**
 * The codes of steps: dynamic truncation as in RFC 4226, section 5.3, of an HMAC as in RFC 2104. The two hashes are asked
 * for one by one, because Node's own HMAC is set up anew for each step, which takes several times as long.
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
    // As text of one character a byte, which is made in half the time of a buffer.
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

/** End users type codes as they are shown: in two groups, at times. */
export function normalCode(typedCode: string): string {
  return typedCode.replace(/[\s-]/g, '');
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
