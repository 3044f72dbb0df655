import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isSoundEd25519, isSoundExponent } from '../sound-key.ts';
import { ALGORITHMS, type Alg, isAlg } from './algorithms.ts';
import { Malformed } from './malformed.ts';
import type { CborMap, CborValue } from './read-cbor.ts';

/** The public key of a credential (RFC 9052) and its algorithm. Other parameters are refused. */
export type CredentialKey = { alg: Alg; key: KeyObject };

const KTY = 1;
const ALG = 3;
const CRV = -1;
const X = -2;
const Y = -3;
const RSA_N = -1;
const RSA_E = -2;
const AKP_PUB = -1;

const COSE_KTY = { OKP: 1, EC: 2, RSA: 3, AKP: 7 } as const;
const COSE_CRV: Readonly<Record<string, number>> = { 'P-256': 1, 'P-384': 2, 'P-521': 3, Ed25519: 6, secp256k1: 8 };

const MIN_RSA_BYTES = 256;
const MAX_RSA_BYTES = 1024;
const MAX_EXPONENT_BYTES = 4;

/** Undefined if the algorithm is not supported: the caller decides whether that is a fault. */
export function readCoseKey(map: CborMap): CredentialKey | undefined {
  const alg = map.get(ALG);
  if (typeof alg !== 'number') throw new Malformed('the public key names no algorithm');
  if (!isAlg(alg)) return undefined;
  const { kty } = ALGORITHMS[alg];
  if (map.get(KTY) !== COSE_KTY[kty]) throw new Malformed('the public key is not of the kind of its algorithm');
  const jwk = kty === 'RSA' ? rsaKey(map) : kty === 'AKP' ? latticeKey(map, alg) : curveKey(map, alg);
  return { alg, key: ensureSound(imported(jwk), jwk) };
}

function imported(jwk: JsonWebKey): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    // For example, the point is not on the curve.
    throw new Malformed('the public key is not valid');
  }
}

/** Ensures that the key is strong: for a weak key, anybody can make signatures. */
function ensureSound(key: KeyObject, { kty, x = '' }: JsonWebKey): KeyObject {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (kty === 'RSA' && modulusLength < MIN_RSA_BYTES * 8) throw new Malformed('the RSA key has fewer than 2048 bits');
  if (kty === 'RSA' && !isSoundExponent(publicExponent)) {
    throw new Malformed('the RSA key has an exponent that is 1 or even');
  }
  if (kty === 'OKP' && !isSoundEd25519(Buffer.from(x, 'base64url'))) {
    throw new Malformed('the Ed25519 key is not a point of the curve, or one of small order');
  }
  return key;
}

function curveKey(map: CborMap, alg: Alg): JsonWebKey {
  const { kty, crv, bytes: coordinateBytes } = ALGORITHMS[alg];
  if (crv === null || map.get(CRV) !== COSE_CRV[crv]) throw new Malformed('the public key is on another curve');
  const x = bytesOf(map.get(X), coordinateBytes, coordinateBytes);
  if (kty === 'OKP') return only(map, 4, { kty, crv, x });
  return only(map, 5, { kty, crv, x, y: bytesOf(map.get(Y), coordinateBytes, coordinateBytes) });
}

/** Reads an ML-DSA key: its algorithm name and the public key. */
function latticeKey(map: CborMap, alg: Alg): JsonWebKey {
  const { name, bytes } = ALGORITHMS[alg];
  return only(map, 3, { kty: 'AKP', alg: name, pub: bytesOf(map.get(AKP_PUB), bytes, bytes) });
}

function rsaKey(map: CborMap): JsonWebKey {
  const n = bytesOf(map.get(RSA_N), MIN_RSA_BYTES, MAX_RSA_BYTES);
  return only(map, 4, { kty: 'RSA', n, e: bytesOf(map.get(RSA_E), 1, MAX_EXPONENT_BYTES) });
}

/** WebAuthn 6.5.2: the key must not contain any other parameter. */
function only(map: CborMap, members: number, jwk: JsonWebKey): JsonWebKey {
  if (map.size !== members) throw new Malformed('the public key has more members than it needs');
  return jwk;
}

function bytesOf(value: CborValue | undefined, least: number, most: number): string {
  if (!Buffer.isBuffer(value) || value.length < least || value.length > most) {
    throw new Malformed('the public key has a part of the wrong size');
  }
  return value.toString('base64url');
}
