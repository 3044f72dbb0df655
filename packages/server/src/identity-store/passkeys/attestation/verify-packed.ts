import { ensure } from '../ensure.ts';
import type { Certificate } from './read-certificate.ts';
import {
  type Attestation,
  certificatesOf,
  ensureMembers,
  ensureModel,
  ensureSigned,
  type TrustPath,
} from './statement.ts';

const COUNTRY = '2.5.4.6';
const ORGANISATION = '2.5.4.10';
const UNIT = '2.5.4.11';
const COMMON_NAME = '2.5.4.3';

/** WebAuthn 8.2: the statement is signed by a key of the maker or by the credential itself. */
export function verifyPacked({ statement, authData, clientDataHash, attested, key }: Attestation): TrustPath {
  ensureMembers(statement, 'alg', 'sig', 'x5c');
  const signed = Buffer.concat([authData, clientDataHash]);
  if (!statement.has('x5c')) {
    const alg = ensureSigned(statement, key.key, signed);
    ensure(alg === key.alg, 100093, 'the statement names another algorithm than the credential');
    return [];
  }
  const [first, ...others] = certificatesOf(statement);
  ensureSigned(statement, first.key, signed);
  ensureAttestationCertificate(first);
  ensureModel(first, attested.aaguid);
  return [first, ...others];
}

/** WebAuthn 8.2.1. */
function ensureAttestationCertificate({ version, subject, x509 }: Certificate): void {
  ensure(version === 3, 100093, 'the certificate is not of version 3');
  ensure(/^[A-Za-z]{2}$/.test(subject.get(COUNTRY) ?? ''), 100093, 'the certificate names no country');
  ensure(subject.get(ORGANISATION), 100093, 'the certificate names no maker');
  ensure(subject.get(UNIT) === 'Authenticator Attestation', 100093, 'the certificate is not for attestation');
  ensure(subject.get(COMMON_NAME), 100093, 'the certificate has no name');
  ensure(!x509.ca, 100093, 'the certificate is of a certificate authority');
}
