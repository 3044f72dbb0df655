import type { X509Certificate } from 'node:crypto';
import type { TrustPath } from './statement.ts';

/**
 * Whether certificates lead to a root that the relying party trusts. Each is within its dates and signed by the next;
 * all but the first are of authorities. Nothing is fetched: neither certificates nor lists of revoked ones.
 */
export function findTrust(path: TrustPath, roots: readonly X509Certificate[], now: number): boolean {
  const certificates = path.map(({ x509 }) => x509);
  const usable = roots.filter((root) => isWithinDates(root, now));
  for (const [at, certificate] of certificates.entries()) {
    if (!isWithinDates(certificate, now) || (at > 0 && !certificate.ca)) return false;
    if (usable.some((root) => root.raw.equals(certificate.raw))) return true;
    if (usable.some((root) => root.ca && isIssuedBy(certificate, root))) return true;
    const next = certificates[at + 1];
    if (!next || !isIssuedBy(certificate, next)) return false;
  }
  return false;
}

function isWithinDates({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && now <= validToDate.getTime();
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}
