import { createRequire } from 'node:module';
import type * as otpauth from 'otpauth';
import type * as uqr from 'uqr';
import type { Totp } from './match-code.ts';

/** Loaded with the first secret, so that the server starts faster. */
const load = createRequire(import.meta.url);

/** The secret for the app of the end user. It is shown once. */
export type ShownSecret = { secret: string; uri: string; qrCode: string };

export function showSecret(totp: Totp, { issuer, label }: { issuer: string; label: string }): ShownSecret {
  const { Secret, TOTP } = load('otpauth') as typeof otpauth;
  const { renderSVG } = load('uqr') as typeof uqr;
  const { algorithm, digits, period } = totp;
  const secret = new Secret({ buffer: new Uint8Array(totp.secret).buffer });
  const uri = new TOTP({ issuer, label, algorithm, digits, period, secret }).toString();
  const svg = renderSVG(uri, { border: 2 });
  return { secret: secret.base32, uri, qrCode: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
}
