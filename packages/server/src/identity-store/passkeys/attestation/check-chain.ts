import type { X509Certificate } from 'node:crypto';
import { ensure } from '../ensure.ts';
import type { TrustPath } from './statement.ts';

/**
 * Ensures that the certificates of a statement form one chain: each is issued by the next. The root is configured by
 * the relying party and must not be in the statement. Only Android's key store always adds it. A single certificate may
 * be self-signed, because some makers publish such a certificate as their root.
 */
export function ensureChain(path: TrustPath, { rootMayClose }: { rootMayClose: boolean }): void {
  const certificates = path.map(({ x509 }) => x509);
  for (const [at, certificate] of certificates.entries()) {
    const next = certificates[at + 1];
    ensure(!next || isIssuedBy(certificate, next), 100093, 'a certificate of the statement was not issued by the next');
    const rootAllowed = rootMayClose && !next;
    ensure(at === 0 || rootAllowed || !isIssuedBy(certificate, certificate), 100093, 'the statement contains a root');
  }
}

export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
