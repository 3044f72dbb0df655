import type { KeyObject } from 'node:crypto';
import { type Alg, fitsAlgorithm, isAlg, isSignature } from '../algorithms.ts';
import { ensure } from '../ensure.ts';
import type { AttestedCredential } from '../read-authenticator-data.ts';
import type { CborMap, CborValue } from '../read-cbor.ts';
import type { CredentialKey } from '../read-cose-key.ts';
import { type Certificate, readCertificate } from './read-certificate.ts';
import { expect, OCTET_STRING, readDer } from './read-der.ts';

/** The statement of an attestation, and the data it is about. */
export type Attestation = {
  readonly format: string;
  readonly statement: CborMap;
  readonly authData: Buffer;
  readonly clientDataHash: Buffer;
  readonly rpIdHash: Buffer;
  readonly attested: AttestedCredential;
  readonly key: CredentialKey;
};

/** Weak options that are refused unless a policy allows them. */
export type WeakOptions = {
  /** SHA-1 in signatures and hashes of a TPM statement. */
  readonly sha1InTpm: boolean;
};

/** The certificates of a valid statement, the attesting one first. Empty if the credential attests itself. */
export type TrustPath = readonly Certificate[];

const MAX_CERTIFICATES = 10;

/** Returns the certificates of the statement, at least one. */
export function certificatesOf(statement: CborMap): [Certificate, ...Certificate[]] {
  const x5c = statement.get('x5c');
  ensure(Array.isArray(x5c) && x5c.length <= MAX_CERTIFICATES, 100093, 'the statement has no certificates');
  const [first, ...others] = x5c.map(readCertificate);
  ensure(first, 100093, 'the statement has no certificates');
  return [first, ...others];
}

export function bytesOf(value: CborValue | undefined, name: string): Buffer {
  ensure(Buffer.isBuffer(value), 100093, `the statement has no ${name}`);
  return value;
}

/** Ensures that the statement has no other member: a member that no check reads must not be believed later. */
export function ensureMembers(statement: CborMap, ...names: string[]): void {
  const areKnown = [...statement.keys()].every((key) => names.includes(String(key)));
  ensure(areKnown, 100093, 'the statement has a member that its format does not know');
}

/** Ensures that `data` is signed by this key, with the algorithm that the statement names. */
export function ensureSigned(statement: CborMap, key: KeyObject, data: Buffer): Alg {
  const alg = statement.get('alg');
  ensure(isAlg(alg) && fitsAlgorithm(alg, key), 100093, 'the key is not of the algorithm that the statement names');
  const signature = bytesOf(statement.get('sig'), 'sig');
  ensure(isSignature(alg, data, key, signature), 100093, 'the signature of the statement is wrong');
  return alg;
}

const FIDO_AAGUID = '1.3.6.1.4.1.45724.1.1.4';

/** WebAuthn 8.2.1: if the certificate names a model, it must be the model of this authenticator. */
export function ensureModel({ extensions }: Certificate, aaguid: Buffer): void {
  const extension = extensions.get(FIDO_AAGUID);
  if (!extension) return;
  ensure(!extension.critical, 100093, 'the model in the certificate is marked critical');
  const model = expect(readDer(extension.value), OCTET_STRING).contents;
  ensure(model.equals(aaguid), 100093, 'the certificate is of another model of authenticator');
}
