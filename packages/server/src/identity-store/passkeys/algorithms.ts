import { constants, type KeyObject, verify } from 'node:crypto';

/** The signature algorithms of passkeys, by COSE number (RFC 9053, RFC 8812, RFC 8230 and the COSE registry). */
export const ALGORITHMS = {
  [-7]: { name: 'ES256', hash: 'sha256', kty: 'EC', crv: 'P-256', bytes: 32 },
  [-8]: { name: 'EdDSA', hash: null, kty: 'OKP', crv: 'Ed25519', bytes: 32 },
  [-35]: { name: 'ES384', hash: 'sha384', kty: 'EC', crv: 'P-384', bytes: 48 },
  [-36]: { name: 'ES512', hash: 'sha512', kty: 'EC', crv: 'P-521', bytes: 66 },
  [-37]: { name: 'PS256', hash: 'sha256', kty: 'RSA', crv: null, bytes: 0, saltBytes: 32 },
  [-38]: { name: 'PS384', hash: 'sha384', kty: 'RSA', crv: null, bytes: 0, saltBytes: 48 },
  [-39]: { name: 'PS512', hash: 'sha512', kty: 'RSA', crv: null, bytes: 0, saltBytes: 64 },
  [-47]: { name: 'ES256K', hash: 'sha256', kty: 'EC', crv: 'secp256k1', bytes: 32 },
  [-48]: { name: 'ML-DSA-44', hash: null, kty: 'AKP', crv: null, bytes: 1312 },
  [-49]: { name: 'ML-DSA-65', hash: null, kty: 'AKP', crv: null, bytes: 1952 },
  [-50]: { name: 'ML-DSA-87', hash: null, kty: 'AKP', crv: null, bytes: 2592 },
  [-257]: { name: 'RS256', hash: 'sha256', kty: 'RSA', crv: null, bytes: 0 },
  [-258]: { name: 'RS384', hash: 'sha384', kty: 'RSA', crv: null, bytes: 0 },
  [-259]: { name: 'RS512', hash: 'sha512', kty: 'RSA', crv: null, bytes: 0 },
} as const;

export type Alg = keyof typeof ALGORITHMS;

/** The offer if a policy names no algorithms, in order of preference: an authenticator uses the first one it supports. */
export const OFFERED: readonly Alg[] = [-7, -8, -257, -35, -36];

export function isAlg(value: unknown): value is Alg {
  return typeof value === 'number' && Object.hasOwn(ALGORITHMS, value);
}

/** The key types and curves as `node:crypto` names them. */
const KEY_TYPES = { EC: 'ec', OKP: 'ed25519', RSA: 'rsa' } as const;
const CURVES: Readonly<Record<string, string>> = {
  'P-256': 'prime256v1',
  'P-384': 'secp384r1',
  'P-521': 'secp521r1',
  secp256k1: 'secp256k1',
};

/** Ensures that the key is of the algorithm. Otherwise an attacker could choose a weaker signature. */
export function fitsAlgorithm(alg: Alg, key: KeyObject): boolean {
  const { kty, crv, name } = ALGORITHMS[alg];
  if (key.asymmetricKeyType !== (kty === 'AKP' ? name.toLowerCase() : KEY_TYPES[kty])) return false;
  return kty !== 'EC' || key.asymmetricKeyDetails?.namedCurve === CURVES[crv];
}

export function isSignature(alg: Alg, data: Buffer, key: KeyObject, signature: Buffer): boolean {
  const algorithm = ALGORITHMS[alg];
  if (!('saltBytes' in algorithm)) return verify(algorithm.hash, data, key, signature);
  const options = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: algorithm.saltBytes };
  return verify(algorithm.hash, data, options, signature);
}
