import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { ApiError } from '../kernel/errors.ts';

export type SignedFrame = {
  readonly challengeId: string;
  readonly token: string;
  /** Of the frame, in hex. */
  readonly sha256: string;
  readonly signature: string;
};

/**
 * Ensures that a frame comes from the page that started the challenge: it alone can sign with the key that it named then.
 * Stops a stolen cookie from adding frames. Says nothing about where the page has its pictures from. Refuses with 100180.
 */
export function ensureSigned(publicKey: string, { challengeId, token, sha256, signature }: SignedFrame): void {
  const text = Buffer.from(`${challengeId}.${token}.${sha256}`);
  if (!isSigned(publicKey, text, Buffer.from(signature, 'base64url'))) throw new ApiError(100180);
}

function isSigned(publicKey: string, text: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey({ key: JSON.parse(publicKey) as JsonWebKey, format: 'jwk' });
    return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    // A point that is not on the curve.
    return false;
  }
}
