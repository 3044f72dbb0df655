import { sign } from 'node:crypto';
import type { SigningKey } from './signing-keys.ts';
import { TOKEN_ALG, TOKEN_TYPE, type TokenClaims } from './token-claims.ts';

const headers = new WeakMap<SigningKey, string>();

function headerOf(key: SigningKey): string {
  let header = headers.get(key);
  if (!header) {
    const json = JSON.stringify({ alg: TOKEN_ALG, typ: TOKEN_TYPE, kid: key.kid });
    header = Buffer.from(json).toString('base64url');
    headers.set(key, header);
  }
  return header;
}

/**
 * RFC 7515 compact serialization, signed with Ed25519 (RFC 8037). The signature is most of the cost of a token, so
 * another thread makes it, and other requests are served meanwhile.
 */
export function signToken(key: SigningKey, claims: TokenClaims): Promise<string> {
  const signed = `${headerOf(key)}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return new Promise((resolve, reject) => {
    sign(null, Buffer.from(signed, 'latin1'), key.privateKey, (error, signature) => {
      if (error) reject(error);
      else resolve(`${signed}.${signature.toString('base64url')}`);
    });
  });
}
