import { fitsAlgorithm, isSignature } from '../algorithms.ts';
import { ensure } from '../ensure.ts';
import { type Attestation, bytesOf, certificatesOf, ensureMembers, type TrustPath } from './statement.ts';

/** WebAuthn 8.6: security keys older than FIDO2. */
export function verifyFidoU2f({ statement, rpIdHash, clientDataHash, attested, key }: Attestation): TrustPath {
  ensureMembers(statement, 'sig', 'x5c');
  const [first, ...others] = certificatesOf(statement);
  ensure(others.length === 0, 100093, 'the statement has more than one certificate');
  ensure(fitsAlgorithm(-7, first.key) && key.alg === -7, 100093, 'a key is not on P-256');
  // FIDO's server requirements demand an AAGUID of zeros, although the W3C's test vector has another value.
  ensure(!attested.aaguid.some(Boolean), 100093, 'a U2F authenticator must not name a model');
  const { x, y } = key.key.export({ format: 'jwk' });
  const point = [Buffer.of(4), Buffer.from(String(x), 'base64url'), Buffer.from(String(y), 'base64url')];
  const signed = Buffer.concat([Buffer.of(0), rpIdHash, clientDataHash, attested.credentialId, ...point]);
  const signature = bytesOf(statement.get('sig'), 'sig');
  ensure(isSignature(-7, signed, first.key, signature), 100093, 'the signature of the statement is wrong');
  return [first];
}
