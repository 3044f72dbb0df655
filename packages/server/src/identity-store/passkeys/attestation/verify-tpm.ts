import { hash, verify } from 'node:crypto';
import { ALGORITHMS } from '../algorithms.ts';
import { ensure } from '../ensure.ts';
import type { CborMap } from '../read-cbor.ts';
import type { CredentialKey } from '../read-cose-key.ts';
import { type Certificate, readName } from './read-certificate.ts';
import { expect, inContext, readDer, SEQUENCE, toOid, valuesIn } from './read-der.ts';
import { readTpmCertified, readTpmKey, type TpmKey } from './read-tpm.ts';
import {
  type Attestation,
  bytesOf,
  certificatesOf,
  ensureMembers,
  ensureModel,
  ensureSigned,
  type TrustPath,
  type WeakOptions,
} from './statement.ts';

const ALTERNATIVE_NAME = '2.5.29.17';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const DIRECTORY_NAME = 4;
const TPM_MANUFACTURER = '2.23.133.2.1';
const TPM_MODEL = '2.23.133.2.2';
const TPM_VERSION = '2.23.133.2.3';
const TPM_ATTESTATION_KEY = '2.23.133.8.3';

/** RSASSA-PKCS1-v1_5 with SHA-1. Only TPM statements may use it, if the policy allows it. */
const RS1 = -65535;

const HASHES: Readonly<Record<number, string>> = { 4: 'sha1', 11: 'sha256', 12: 'sha384', 13: 'sha512' };

/**
 * WebAuthn 8.3: a TPM certifies a key that it holds. Windows Hello signs such statements with SHA-1. A collision does
 * not help an attacker here, because only the TPM writes the signed data. Still the policy must allow it.
 */
export function verifyTpm(
  { statement, authData, clientDataHash, attested, key }: Attestation,
  allowed: WeakOptions,
): TrustPath {
  ensureMembers(statement, 'ver', 'alg', 'x5c', 'sig', 'certInfo', 'pubArea');
  ensure(statement.get('ver') === '2.0', 100093, 'the TPM is not of version 2.0');
  const publicArea = bytesOf(statement.get('pubArea'), 'pubArea');
  const certInfo = bytesOf(statement.get('certInfo'), 'certInfo');
  const path = certificatesOf(statement);
  const [first] = path;
  const tpmKey = readTpmKey(publicArea);
  ensure(isOfCredential(tpmKey, key), 100093, 'the TPM describes another key');
  const { extraData, attestedName } = readTpmCertified(certInfo);
  const digest = ensureTpmSigned(statement, first, { certInfo, allowed });
  const ceremony = hash(digest, Buffer.concat([authData, clientDataHash]), 'buffer');
  ensure(extraData.equals(ceremony), 100093, 'the TPM certified another ceremony');
  ensure(attestedName.equals(nameOf(tpmKey.nameAlg, publicArea, allowed)), 100093, 'the TPM certified another key');
  ensureKeyCertificate(first);
  ensureModel(first, attested.aaguid);
  return path;
}

const WITH_SHA1 = 'the TPM uses SHA-1, which the policy takes only with sha1InTpm';

/** Verifies the signature of the TPM; returns the hash algorithm it was made with. */
function ensureTpmSigned(
  statement: CborMap,
  { key }: Certificate,
  { certInfo, allowed }: { certInfo: Buffer; allowed: WeakOptions },
): string {
  if (statement.get('alg') !== RS1) {
    const digest = ALGORITHMS[ensureSigned(statement, key, certInfo)].hash;
    ensure(digest, 100093, 'the TPM signs with an algorithm that has no hash');
    return digest;
  }
  ensure(allowed.sha1InTpm, 100093, WITH_SHA1);
  ensure(key.asymmetricKeyType === 'rsa', 100093, 'the key is not of the algorithm that the statement names');
  const signature = bytesOf(statement.get('sig'), 'sig');
  ensure(verify('sha1', certInfo, key, signature), 100093, 'the signature of the statement is wrong');
  return 'sha1';
}

function isOfCredential({ jwk }: TpmKey, { key }: CredentialKey): boolean {
  const own = key.export({ format: 'jwk' }) as Readonly<Record<string, unknown>>;
  return Object.entries(jwk).every(([name, value]) => own[name] === value);
}

/** The name of a key: the number of the hash algorithm, then the hash of the public area. */
function nameOf(nameAlg: number, publicArea: Buffer, { sha1InTpm }: WeakOptions): Buffer {
  const digest = HASHES[nameAlg];
  ensure(digest !== 'sha1' || sha1InTpm, 100093, WITH_SHA1);
  ensure(digest, 100093, 'the TPM names its key with an unknown hash');
  const number = Buffer.alloc(2);
  number.writeUInt16BE(nameAlg);
  return Buffer.concat([number, hash(digest, publicArea, 'buffer')]);
}

/** WebAuthn 8.3.1: the certificate of a TPM's attestation key. */
function ensureKeyCertificate({ version, subject, extensions, x509 }: Certificate): void {
  ensure(version === 3, 100093, 'the certificate is not of version 3');
  ensure(subject.size === 0, 100093, 'the certificate has a subject');
  ensure(!x509.ca, 100093, 'the certificate is of a certificate authority');
  const usage = extensions.get(EXTENDED_KEY_USAGE);
  ensure(usage, 100093, 'the certificate does not say what it is for');
  const purposes = valuesIn(expect(readDer(usage.value), SEQUENCE)).map(toOid);
  ensure(purposes.includes(TPM_ATTESTATION_KEY), 100093, 'the certificate is not for the attestation key of a TPM');
  const alternative = extensions.get(ALTERNATIVE_NAME);
  ensure(alternative, 100093, 'the certificate names no TPM');
  const directory = inContext(valuesIn(expect(readDer(alternative.value), SEQUENCE)), DIRECTORY_NAME);
  ensure(directory, 100093, 'the certificate names no TPM');
  const name = readName(expect(readDer(directory.contents), SEQUENCE));
  const whole = /^id:[0-9A-Fa-f]{8}$/.test(name.get(TPM_MANUFACTURER) ?? '');
  ensure(whole && name.has(TPM_MODEL) && name.has(TPM_VERSION), 100093, 'the certificate names no TPM');
}
