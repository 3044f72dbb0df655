import { type KeyObject, verify } from 'node:crypto';

/** The signature algorithms a passkey may use, by their COSE number (RFC 9053, RFC 8812). */
export const ALGORITHMS = {
  [-7]: { name: 'ES256', hash: 'sha256', kty: 'EC', crv: 'P-256', coordinateBytes: 32 },
  [-8]: { name: 'EdDSA', hash: null, kty: 'OKP', crv: 'Ed25519', coordinateBytes: 32 },
  [-35]: { name: 'ES384', hash: 'sha384', kty: 'EC', crv: 'P-384', coordinateBytes: 48 },
  [-36]: { name: 'ES512', hash: 'sha512', kty: 'EC', crv: 'P-521', coordinateBytes: 66 },
  [-257]: { name: 'RS256', hash: 'sha256', kty: 'RSA', crv: null, coordinateBytes: 0 },
} as const;

export type Alg = keyof typeof ALGORITHMS;

/** In the order in which authenticators are asked for them: the first that they know. */
export const OFFERED: readonly Alg[] = [-7, -8, -257, -35, -36];

export function isAlg(value: unknown): value is Alg {
  return typeof value === 'number' && Object.hasOwn(ALGORITHMS, value);
}

/** What a key of this algorithm is, in the words of `node:crypto`. */
const KEY_TYPES = { EC: 'ec', OKP: 'ed25519', RSA: 'rsa' } as const;
const CURVES: Readonly<Record<string, string>> = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' };

/** A key of another kind would let whoever answers choose how strong the signature is. */
export function fitsAlgorithm(alg: Alg, key: KeyObject): boolean {
  const { kty, crv } = ALGORITHMS[alg];
  if (key.asymmetricKeyType !== KEY_TYPES[kty]) return false;
  return kty !== 'EC' || key.asymmetricKeyDetails?.namedCurve === CURVES[crv];
}

export function isSignature(alg: Alg, data: Buffer, key: KeyObject, signature: Buffer): boolean {
  return verify(ALGORITHMS[alg].hash, data, key, signature);
}
