import { hash } from 'node:crypto';
import { ensure } from '../ensure.ts';
import { expect, inContext, OCTET_STRING, readDer, SEQUENCE, valuesIn } from './read-der.ts';
import { type Attestation, certificatesOf, ensureMembers, type TrustPath } from './statement.ts';

const NONCE = '1.2.840.113635.100.8.2';

/** WebAuthn 8.8: Apple issues a certificate for this ceremony and this credential. */
export function verifyApple({ statement, authData, clientDataHash, key }: Attestation): TrustPath {
  ensureMembers(statement, 'x5c', 'alg');
  const path = certificatesOf(statement);
  const [first] = path;
  const extension = first.extensions.get(NONCE);
  ensure(extension, 100093, 'the certificate has no nonce');
  const tagged = inContext(valuesIn(expect(readDer(extension.value), SEQUENCE)), 1);
  ensure(tagged, 100093, 'the certificate has no nonce');
  const nonce = expect(readDer(tagged.contents), OCTET_STRING).contents;
  const expected = hash('sha256', Buffer.concat([authData, clientDataHash]), 'buffer');
  ensure(nonce.equals(expected), 100093, 'the certificate is of another ceremony');
  ensure(first.key.equals(key.key), 100093, 'the certificate is of another credential');
  return path;
}
