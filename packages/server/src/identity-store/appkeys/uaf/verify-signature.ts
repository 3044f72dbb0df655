import { constants, createPublicKey, type KeyObject, type VerifyKeyObjectInput, verify } from 'node:crypto';
import { boundedMap } from '../../../kernel/bounded-map.ts';
import { isSoundExponent } from '../../sound-key.ts';
import { Malformed } from './malformed.ts';
import { KEY, SIGN } from './registry.ts';

/** The signature algorithms and public key formats of the UAF registry. Each number allows exactly one encoding. */

type Family = 'P256' | 'K256' | 'RSA';
type Way = {
  readonly family: Family;
  readonly scheme: 'ECDSA_RAW' | 'ECDSA_DER' | 'PSS' | 'PKCS1';
  /** The signature is wrapped in a DER octet string. */
  readonly wrapped?: true;
};

const WAYS: ReadonlyMap<number, Way> = new Map<number, Way>([
  [SIGN.SECP256R1_ECDSA_SHA256_RAW, { family: 'P256', scheme: 'ECDSA_RAW' }],
  [SIGN.SECP256R1_ECDSA_SHA256_DER, { family: 'P256', scheme: 'ECDSA_DER' }],
  [SIGN.SECP256K1_ECDSA_SHA256_RAW, { family: 'K256', scheme: 'ECDSA_RAW' }],
  [SIGN.SECP256K1_ECDSA_SHA256_DER, { family: 'K256', scheme: 'ECDSA_DER' }],
  [SIGN.RSASSA_PSS_SHA256_RAW, { family: 'RSA', scheme: 'PSS' }],
  [SIGN.RSASSA_PSS_SHA256_DER, { family: 'RSA', scheme: 'PSS', wrapped: true }],
  [SIGN.RSA_EMSA_PKCS1_SHA256_RAW, { family: 'RSA', scheme: 'PKCS1' }],
  [SIGN.RSA_EMSA_PKCS1_SHA256_DER, { family: 'RSA', scheme: 'PKCS1', wrapped: true }],
]);

const RAW_SIGNATURE_BYTES = 64;
const SHA256_BYTES = 32;
const MODULUS_BYTES = 256;
const MIN_MODULUS_BITS = 2048;
const MAX_MODULUS_BITS = 4096;
const MAX_EXPONENT_BYTES = 4;
const POINT_BYTES = 65;
/** The start of a SubjectPublicKeyInfo for secp256r1 and for secp256k1; the point follows. */
const P256_PREFIX = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');
const K256_PREFIX = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

/** Returns the public key as SubjectPublicKeyInfo, the stored format. Throws `Malformed` if the key is not valid. */
export function toSpki(signAlgorithm: number, keyAlgorithm: number, bytes: Buffer): Buffer {
  const way = WAYS.get(signAlgorithm);
  if (!way) throw new Malformed('the signature algorithm is not known');
  let key: KeyObject;
  try {
    key = importKey(keyAlgorithm, bytes, way.family);
  } catch (error) {
    if (error instanceof Malformed) throw error;
    throw new Malformed('the public key cannot be read');
  }
  if (familyOf(key) !== way.family) throw new Malformed('the signature algorithm does not go with the public key');
  return key.export({ type: 'spki', format: 'der' });
}

function importKey(keyAlgorithm: number, bytes: Buffer, family: Family): KeyObject {
  switch (keyAlgorithm) {
    case KEY.ECC_X962_RAW:
      if (bytes.length !== POINT_BYTES || bytes[0] !== 4) throw new Malformed('the public key is not a point');
      return spkiKey(Buffer.concat([family === 'K256' ? K256_PREFIX : P256_PREFIX, bytes]));
    case KEY.ECC_X962_DER:
      return spkiKey(bytes);
    case KEY.RSA_2048_RAW: {
      const exponent = bytes.subarray(MODULUS_BYTES);
      if (exponent.length < 1 || exponent.length > MAX_EXPONENT_BYTES) throw new Malformed('the exponent is missing');
      const n = bytes.subarray(0, MODULUS_BYTES).toString('base64url');
      return createPublicKey({ key: { kty: 'RSA', n, e: exponent.toString('base64url') }, format: 'jwk' });
    }
    case KEY.RSA_2048_DER:
      return spkiKey(rsaSpki(bytes));
    default:
      throw new Malformed('the encoding of the public key is not known');
  }
}

/** The AlgorithmIdentifier of rsaEncryption, with NULL parameters. */
const RSA_ALGORITHM = Buffer.from('300d06092a864886f70d0101010500', 'hex');

/** Wraps a SEQUENCE of modulus and exponent into a SubjectPublicKeyInfo. */
function rsaSpki(bytes: Buffer): Buffer {
  return der(0x30, RSA_ALGORITHM, der(0x03, Buffer.of(0), bytes));
}

/** Writes the length in two bytes: everything encoded here has 256 to 65,535 bytes. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, 0x82, value.length >> 8, value.length & 255), value]);
}

/** Encodes the key again and compares: a second spelling or trailing bytes are refused. */
function spkiKey(bytes: Buffer): KeyObject {
  const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  if (!key.export({ type: 'spki', format: 'der' }).equals(bytes)) throw new Malformed('the public key is not DER');
  return key;
}

/** Accepts only the keys that the registry allows: secp256r1, secp256k1 and RSA of sufficient size. */
function familyOf(key: KeyObject): Family | undefined {
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') {
    return namedCurve === 'prime256v1' ? 'P256' : namedCurve === 'secp256k1' ? 'K256' : undefined;
  }
  const decent = modulusLength >= MIN_MODULUS_BITS && modulusLength <= MAX_MODULUS_BITS;
  return key.asymmetricKeyType === 'rsa' && decent && isSoundExponent(publicExponent) ? 'RSA' : undefined;
}

export type SignedData = { signAlgorithm: number; data: Buffer; signature: Buffer };

/** A public key that was parsed and checked. */
export type VerifyKey = { readonly key: KeyObject; readonly family: Family | undefined };

export function verifyKey(key: KeyObject): VerifyKey {
  return { key, family: familyOf(key) };
}

/** A cache of keys in use. To import a key takes half as long as to verify a signature. */
const MAX_KEYS = 10_000;
const keys = boundedMap<string, VerifyKey>(MAX_KEYS);

/** Returns the key of a stored SubjectPublicKeyInfo. */
export function keyOf(spki: Uint8Array): VerifyKey {
  const bytes = Buffer.from(spki.buffer, spki.byteOffset, spki.byteLength);
  const name = bytes.toString('latin1');
  const cached = keys.get(name);
  if (cached) return cached;
  const key = verifyKey(createPublicKey({ key: bytes, format: 'der', type: 'spki' }));
  keys.set(name, key);
  return key;
}

/** Whether the key made this signature over the data, in exactly the encoding that the algorithm number stands for. */
export function isSignedBy(by: VerifyKey, signed: SignedData): boolean {
  const parameters = parametersOf(by, signed);
  if (!parameters) return false;
  try {
    return verify('sha256', signed.data, parameters.options, parameters.signature);
  } catch {
    // OpenSSL throws for some malformed signatures instead of returning false.
    return false;
  }
}

/** Verifies on another thread, so that the server can handle other requests at the same time. */
export function isSignedByElsewhere(by: VerifyKey, signed: SignedData): Promise<boolean> {
  const parameters = parametersOf(by, signed);
  if (!parameters) return Promise.resolve(false);
  return new Promise((resolve) => {
    verify('sha256', signed.data, parameters.options, parameters.signature, (error, good) => resolve(!error && good));
  });
}

type Parameters = { options: VerifyKeyObjectInput; signature: Buffer };

/** Returns undefined if algorithm, key and signature do not fit together. */
function parametersOf({ key, family }: VerifyKey, { signAlgorithm, signature }: SignedData): Parameters | undefined {
  const way = WAYS.get(signAlgorithm);
  if (!way || family !== way.family) return undefined;
  const plain = way.wrapped ? unwrap(signature) : signature;
  if (!plain) return undefined;
  switch (way.scheme) {
    case 'ECDSA_RAW':
      if (plain.length !== RAW_SIGNATURE_BYTES) return undefined;
      return { signature: plain, options: { key, dsaEncoding: 'ieee-p1363' } };
    case 'ECDSA_DER':
      return { signature: plain, options: { key, dsaEncoding: 'der' } };
    case 'PSS':
      return {
        signature: plain,
        options: { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: SHA256_BYTES },
      };
    case 'PKCS1':
      return { signature: plain, options: { key, padding: constants.RSA_PKCS1_PADDING } };
  }
}

/**
 * Returns the content of a DER octet string that spans all bytes. RSA signatures are long, so the length has two bytes.
 */
function unwrap(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 4 || bytes[0] !== 0x04 || bytes[1] !== 0x82) return undefined;
  return bytes.readUInt16BE(2) === bytes.length - 4 ? bytes.subarray(4) : undefined;
}
