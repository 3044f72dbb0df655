import type { X509Certificate } from 'node:crypto';
import { isIssuedBy } from './check-chain.ts';
import { BASIC_CONSTRAINTS, type Certificate, pathLengthOf } from './read-certificate.ts';
import type { TrustPath } from './statement.ts';

/**
 * Whether a chain leads to a trusted root. All certificates must be within their validity period. All except the first
 * must be of authorities whose path length allows the certificates below. A root may be the certificate of an
 * authenticator itself. No network access: neither certificates nor revocation lists are fetched.
 */
export function findTrust(path: TrustPath, roots: readonly X509Certificate[], now: number): boolean {
  const usable = roots.filter((root) => isWithinDates(root, now));
  for (const [at, certificate] of path.entries()) {
    const { x509 } = certificate;
    if (!isWithinDates(x509, now) || (at > 0 && !mayIssue(certificate, at - 1))) return false;
    if (usable.some((root) => root.raw.equals(x509.raw))) return true;
    if (usable.some((root) => root.ca && isIssuedBy(x509, root))) return true;
  }
  return false;
}

function isWithinDates({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  return validFromDate.getTime() <= now && now <= validToDate.getTime();
}

/** RFC 5280, 4.2.1.9: an authority whose path length allows `between` other authorities below it. */
function mayIssue({ x509, extensions }: Certificate, between: number): boolean {
  const constraints = extensions.get(BASIC_CONSTRAINTS);
  return x509.ca && between <= (pathLengthOf(constraints) ?? between);
}
