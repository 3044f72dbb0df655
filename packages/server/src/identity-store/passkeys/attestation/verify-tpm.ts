import { hash } from 'node:crypto';
import { ALGORITHMS } from '../algorithms.ts';
import { ensure } from '../ensure.ts';
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
} from './statement.ts';

const ALTERNATIVE_NAME = '2.5.29.17';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const DIRECTORY_NAME = 4;
const TPM_MANUFACTURER = '2.23.133.2.1';
const TPM_MODEL = '2.23.133.2.2';
const TPM_VERSION = '2.23.133.2.3';
const TPM_ATTESTATION_KEY = '2.23.133.8.3';

const HASHES: Readonly<Record<number, string>> = { 11: 'sha256', 12: 'sha384', 13: 'sha512' };

/** WebAuthn 8.3: a TPM certifies the key that it holds. SHA-1 is refused, as everywhere. */
export function verifyTpm({ statement, authData, clientDataHash, attested, key }: Attestation): TrustPath {
  ensureMembers(statement, 'ver', 'alg', 'x5c', 'sig', 'certInfo', 'pubArea');
  ensure(statement.get('ver') === '2.0', 100093, 'the TPM is not of version 2.0');
  const publicArea = bytesOf(statement.get('pubArea'), 'pubArea');
  const certInfo = bytesOf(statement.get('certInfo'), 'certInfo');
  const path = certificatesOf(statement);
  const [first] = path;
  const tpmKey = readTpmKey(publicArea);
  ensure(isOfCredential(tpmKey, key), 100093, 'the TPM speaks of another key');
  const { extraData, attestedName } = readTpmCertified(certInfo);
  const alg = ensureSigned(statement, first.key, certInfo);
  const digest = ALGORITHMS[alg].hash;
  ensure(digest, 100093, 'the TPM signs with an algorithm that has no hash');
  const ceremony = hash(digest, Buffer.concat([authData, clientDataHash]), 'buffer');
  ensure(extraData.equals(ceremony), 100093, 'the TPM speaks of another ceremony');
  ensure(attestedName.equals(nameOf(tpmKey.nameAlg, publicArea)), 100093, 'the TPM certified another key');
  ensureKeyCertificate(first);
  ensureModel(first, attested.aaguid);
  return path;
}

function isOfCredential({ jwk }: TpmKey, { key }: CredentialKey): boolean {
  const own = key.export({ format: 'jwk' }) as Readonly<Record<string, unknown>>;
  return Object.entries(jwk).every(([name, value]) => own[name] === value);
}

/** The name of a key is the hash of its public area, behind the number of the hash. */
function nameOf(nameAlg: number, publicArea: Buffer): Buffer {
  const digest = HASHES[nameAlg];
  ensure(digest, 100093, 'the TPM names its key with an unknown hash');
  const number = Buffer.alloc(2);
  number.writeUInt16BE(nameAlg);
  return Buffer.concat([number, hash(digest, publicArea, 'buffer')]);
}

/** WebAuthn 8.3.1: the certificate of a key that a TPM attests with. */
function ensureKeyCertificate({ version, subject, extensions, x509 }: Certificate): void {
  ensure(version === 3, 100093, 'the certificate is not of version 3');
  ensure(subject.size === 0, 100093, 'the certificate has a subject');
  ensure(!x509.ca, 100093, 'the certificate is of an authority');
  const usage = extensions.get(EXTENDED_KEY_USAGE);
  ensure(usage, 100093, 'the certificate does not say what it is for');
  const purposes = valuesIn(expect(readDer(usage.value), SEQUENCE)).map(toOid);
  ensure(purposes.includes(TPM_ATTESTATION_KEY), 100093, 'the certificate is for something else');
  const alternative = extensions.get(ALTERNATIVE_NAME);
  ensure(alternative, 100093, 'the certificate names no TPM');
  const directory = inContext(valuesIn(expect(readDer(alternative.value), SEQUENCE)), DIRECTORY_NAME);
  ensure(directory, 100093, 'the certificate names no TPM');
  const name = readName(expect(readDer(directory.contents), SEQUENCE));
  const whole = /^id:[0-9A-Fa-f]{8}$/.test(name.get(TPM_MANUFACTURER) ?? '');
  ensure(whole && name.has(TPM_MODEL) && name.has(TPM_VERSION), 100093, 'the certificate names no TPM');
}
