import { createPrivateKey, type KeyObject, sign } from 'node:crypto';

/** Signs a token for a provider: RFC 7515 in its compact form. */
export function signJwt(key: KeyObject, header: { alg: 'ES256' | 'RS256'; kid?: string }, claims: object): string {
  const encoded = [{ typ: 'JWT', ...header }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = encoded.join('.');
  const how = header.alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' as const } : { key };
  return `${signed}.${sign('sha256', Buffer.from(signed), how).toString('base64url')}`;
}

/** The key in a PEM text; undefined if it is not a key of that kind. */
export function privateKeyOf(pem: string, kind: 'ec' | 'rsa'): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== kind) return undefined;
    return kind === 'rsa' || key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
