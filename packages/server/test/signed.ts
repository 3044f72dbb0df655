import { createPublicKey, verify } from 'node:crypto';
import type { TestApp } from './harness.ts';

/** Verifies a signature of Grove with nothing but the published keys. */
export type Verified = { header: { alg: string; typ: string; kid: string }; payload: Buffer };

/** `detached` is the payload of a JWS that does not contain its own. */
export async function verifySigned(app: TestApp, jws: string, detached?: Uint8Array): Promise<Verified> {
  const [header = '', own = '', signature = '', ...rest] = jws.trim().split('.');
  if (rest.length > 0 || (own === '') !== (detached !== undefined)) throw new Error('not the JWS that was expected');
  const payload = detached ? Buffer.from(detached).toString('base64url') : own;
  const parsedHeader = JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as Verified['header'];
  const { body } = await app.call('/.well-known/jwks.json', { token: null });
  const jwk = body.keys.find(({ kid }: { kid: string }) => kid === parsedHeader.kid);
  if (!jwk) throw new Error(`the key ${parsedHeader.kid} is not published`);
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
  if (!verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url'))) {
    throw new Error('the signature is wrong');
  }
  return { header: parsedHeader, payload: Buffer.from(payload, 'base64url') };
}
