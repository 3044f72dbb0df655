import { Malformed } from './malformed.ts';
import { type Entries, type Rule, type Rules, readTlv } from './read-tlv.ts';
import { AAID_PATTERN, TAG } from './registry.ts';

/** Reads the two assertions of UAF 1.1 from TLV. The depth is fixed: each container has its own rules. */

const MAX_CONTAINER_BYTES = 16_384;
const MAX_KEY_ID_BYTES = 2048;
const MIN_KEY_ID_BYTES = 32;
const MAX_SIGNATURE_BYTES = 1024;
const MAX_CERTIFICATE_BYTES = 8192;
const MAX_PUBLIC_KEY_BYTES = 1024;
/** The leaf and the intermediate certificates below the root. */
export const MAX_CERTIFICATES = 8;
const MAX_EXTENSIONS = 8;
const HASH_BYTES = 32;
const AAID_BYTES = 9;
const MIN_NONCE_BYTES = 8;
const MAX_NONCE_BYTES = 64;

const once = (minBytes: number, maxBytes: number): Rule => ({ least: 1, most: 1, minBytes, maxBytes });
const atMostOnce = (maxBytes: number): Rule => ({ least: 0, most: 1, maxBytes });
const container = once(0, MAX_CONTAINER_BYTES);

const extensions: Rule = { least: 0, most: MAX_EXTENSIONS, maxBytes: MAX_CONTAINER_BYTES };
const IN_EXTENSION: Rules = new Map<number, Rule>([
  [TAG.EXTENSION_ID, once(1, 32)],
  [TAG.EXTENSION_DATA, once(0, MAX_CONTAINER_BYTES)],
]);

const IN_REGISTRATION: Rules = new Map<number, Rule>([
  [TAG.KRD, container],
  [TAG.ATTESTATION_BASIC_FULL, atMostOnce(65_535)],
  [TAG.ATTESTATION_BASIC_SURROGATE, atMostOnce(MAX_CONTAINER_BYTES)],
]);
const IN_KRD: Rules = new Map<number, Rule>([
  [TAG.AAID, once(AAID_BYTES, AAID_BYTES)],
  [TAG.ASSERTION_INFO, once(7, 7)],
  [TAG.FINAL_CHALLENGE_HASH, once(HASH_BYTES, HASH_BYTES)],
  [TAG.KEYID, once(MIN_KEY_ID_BYTES, MAX_KEY_ID_BYTES)],
  [TAG.COUNTERS, once(8, 8)],
  [TAG.PUB_KEY, once(1, MAX_PUBLIC_KEY_BYTES)],
  [TAG.EXTENSION_NON_CRITICAL, extensions],
]);
const IN_FULL: Rules = new Map<number, Rule>([
  [TAG.SIGNATURE, once(1, MAX_SIGNATURE_BYTES)],
  [TAG.ATTESTATION_CERT, { least: 1, most: MAX_CERTIFICATES, minBytes: 1, maxBytes: MAX_CERTIFICATE_BYTES }],
]);
const IN_SURROGATE: Rules = new Map<number, Rule>([[TAG.SIGNATURE, once(1, MAX_SIGNATURE_BYTES)]]);

const IN_AUTHENTICATION: Rules = new Map<number, Rule>([
  [TAG.SIGNED_DATA, container],
  [TAG.SIGNATURE, once(1, MAX_SIGNATURE_BYTES)],
]);
const IN_SIGNED_DATA: Rules = new Map<number, Rule>([
  [TAG.AAID, once(AAID_BYTES, AAID_BYTES)],
  [TAG.ASSERTION_INFO, once(5, 5)],
  [TAG.AUTHENTICATOR_NONCE, once(MIN_NONCE_BYTES, MAX_NONCE_BYTES)],
  [TAG.FINAL_CHALLENGE_HASH, once(HASH_BYTES, HASH_BYTES)],
  [TAG.TRANSACTION_CONTENT_HASH, once(0, HASH_BYTES)],
  [TAG.KEYID, once(MIN_KEY_ID_BYTES, MAX_KEY_ID_BYTES)],
  [TAG.COUNTERS, once(4, 4)],
  [TAG.EXTENSION_NON_CRITICAL, extensions],
]);

type AssertedKey = {
  readonly aaid: string;
  readonly keyId: Buffer;
  readonly authenticatorVersion: number;
  readonly mode: number;
  readonly signAlgorithm: number;
  readonly finalChallengeHash: Buffer;
  readonly signCounter: number;
  /** The container with its tag and length: the bytes that the authenticator signed. */
  readonly signed: Buffer;
  readonly signature: Buffer;
};

export type RegistrationAssertion = AssertedKey & {
  readonly keyAlgorithm: number;
  readonly publicKey: Buffer;
  readonly regCounter: number;
  /** The chain, leaf first. It is empty in a surrogate attestation, where the new key signs for itself. */
  readonly certificates: readonly Buffer[];
  readonly attestation: 'FULL' | 'SURROGATE';
};

export type AuthenticationAssertion = AssertedKey & {
  readonly nonce: Buffer;
  /** Empty if no transaction was confirmed. */
  readonly transactionHash: Buffer;
};

export function readRegistrationAssertion(bytes: Buffer): RegistrationAssertion {
  const assertion = readTlv(inside(bytes, TAG.REG_ASSERTION), IN_REGISTRATION, 'the registration assertion');
  const krd = assertion.one(TAG.KRD);
  const entries = readTlv(krd.value, IN_KRD, 'the key registration data');
  checkExtensions(entries);
  const info = entries.one(TAG.ASSERTION_INFO).value;
  const counters = entries.one(TAG.COUNTERS).value;
  return {
    ...readCommon(entries),
    ...attestationOf(assertion),
    signed: krd.whole,
    keyAlgorithm: info.readUInt16LE(5),
    publicKey: entries.one(TAG.PUB_KEY).value,
    regCounter: counters.readUInt32LE(4),
  };
}

export function readAuthenticationAssertion(bytes: Buffer): AuthenticationAssertion {
  const assertion = readTlv(inside(bytes, TAG.AUTH_ASSERTION), IN_AUTHENTICATION, 'the authentication assertion');
  const signed = assertion.one(TAG.SIGNED_DATA);
  const entries = readTlv(signed.value, IN_SIGNED_DATA, 'the signed data');
  checkExtensions(entries);
  const transactionHash = entries.one(TAG.TRANSACTION_CONTENT_HASH).value;
  if (transactionHash.length !== 0 && transactionHash.length !== HASH_BYTES) {
    throw new Malformed('the hash of the transaction is neither empty nor a SHA-256 hash');
  }
  return {
    ...readCommon(entries),
    signed: signed.whole,
    signature: assertion.one(TAG.SIGNATURE).value,
    nonce: entries.one(TAG.AUTHENTICATOR_NONCE).value,
    transactionHash,
  };
}

function readCommon(entries: Entries) {
  const aaid = entries.one(TAG.AAID).value.toString('latin1');
  if (!AAID_PATTERN.test(aaid)) throw new Malformed('the AAID is not of the form XXXX#XXXX');
  const info = entries.one(TAG.ASSERTION_INFO).value;
  return {
    aaid: aaid.toUpperCase(),
    keyId: entries.one(TAG.KEYID).value,
    authenticatorVersion: info.readUInt16LE(0),
    mode: info.readUInt8(2),
    signAlgorithm: info.readUInt16LE(3),
    finalChallengeHash: entries.one(TAG.FINAL_CHALLENGE_HASH).value,
    signCounter: entries.one(TAG.COUNTERS).value.readUInt32LE(0),
  };
}

/** Returns the value of the container. The container must span all bytes. */
function inside(bytes: Buffer, tag: number): Buffer {
  return readTlv(bytes, new Map([[tag, once(0, 65_535)]]), 'the assertion').one(tag).value;
}

function attestationOf(assertion: Entries): Pick<RegistrationAssertion, 'signature' | 'certificates' | 'attestation'> {
  const [full] = assertion.all(TAG.ATTESTATION_BASIC_FULL);
  const [surrogate] = assertion.all(TAG.ATTESTATION_BASIC_SURROGATE);
  if (full && surrogate) throw new Malformed('the registration assertion has two attestations');
  if (full) {
    const entries = readTlv(full.value, IN_FULL, 'the full attestation');
    return {
      attestation: 'FULL',
      signature: entries.one(TAG.SIGNATURE).value,
      certificates: entries.all(TAG.ATTESTATION_CERT).map(({ value }) => value),
    };
  }
  if (!surrogate) throw new Malformed('the registration assertion has no attestation that is known');
  const entries = readTlv(surrogate.value, IN_SURROGATE, 'the surrogate attestation');
  return { attestation: 'SURROGATE', signature: entries.one(TAG.SIGNATURE).value, certificates: [] };
}

/**
 * Non-critical extensions are ignored, but they must be well formed: they are signed, and another reader may use them.
 */
function checkExtensions(entries: Entries): void {
  for (const { value } of entries.all(TAG.EXTENSION_NON_CRITICAL)) readTlv(value, IN_EXTENSION, 'an extension');
}
