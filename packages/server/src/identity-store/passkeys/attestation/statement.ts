import type { KeyObject } from 'node:crypto';
import { type Alg, fitsAlgorithm, isAlg, isSignature } from '../algorithms.ts';
import { ensure } from '../ensure.ts';
import type { AttestedCredential } from '../read-authenticator-data.ts';
import type { CborMap, CborValue } from '../read-cbor.ts';
import type { CredentialKey } from '../read-cose-key.ts';
import { type Certificate, readCertificate } from './read-certificate.ts';
import { expect, OCTET_STRING, readDer } from './read-der.ts';

/** What an attestation is about, and what it says. */
export type Attestation = {
  readonly format: string;
  readonly statement: CborMap;
  readonly authData: Buffer;
  readonly clientDataHash: Buffer;
  readonly rpIdHash: Buffer;
  readonly attested: AttestedCredential;
  readonly key: CredentialKey;
};

/** What a policy lets a format do that is not done otherwise. */
export type Allowed = {
  /** Signatures and hashes of SHA-1 in the statement of a TPM. */
  readonly sha1InTpm: boolean;
};

/** A statement that holds: its certificates, the one that attests first. None if the credential attests itself. */
export type TrustPath = readonly Certificate[];

const MAX_CERTIFICATES = 10;

/** The certificates of a statement that must have some. */
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

/** No member but these: what a verification does not look at must not be there to be believed. */
export function ensureMembers(statement: CborMap, ...names: string[]): void {
  const areKnown = [...statement.keys()].every((key) => names.includes(String(key)));
  ensure(areKnown, 100093, 'the statement has a member that its format does not know');
}

/** The signature over `data`, by a key that is of the algorithm the statement names. */
export function ensureSigned(statement: CborMap, key: KeyObject, data: Buffer): Alg {
  const alg = statement.get('alg');
  ensure(isAlg(alg) && fitsAlgorithm(alg, key), 100093, 'the statement names an algorithm that its key is not of');
  const signature = bytesOf(statement.get('sig'), 'sig');
  ensure(isSignature(alg, data, key, signature), 100093, 'the signature of the statement is wrong');
  return alg;
}

const FIDO_AAGUID = '1.3.6.1.4.1.45724.1.1.4';

/** WebAuthn 8.2.1: a certificate that names a model of authenticator names the one that answered. */
export function ensureModel({ extensions }: Certificate, aaguid: Buffer): void {
  const extension = extensions.get(FIDO_AAGUID);
  if (!extension) return;
  ensure(!extension.critical, 100093, 'the model in the certificate is marked critical');
  const model = expect(readDer(extension.value), OCTET_STRING).contents;
  ensure(model.equals(aaguid), 100093, 'the certificate is of another model of authenticator');
}
