import { X509Certificate } from 'node:crypto';
import { Malformed } from './malformed.ts';
import type { MetadataStatement } from './match-policy.ts';
import type { RegistrationAssertion } from './read-assertion.ts';
import { TAG } from './registry.ts';
import { isSignedBy, keyOf, verifyKey } from './verify-signature.ts';

/**
 * Verifies the attestation of a new key. In a surrogate attestation the new key signs for itself: this proves
 * possession of the key, but says nothing about where it is stored. In a full attestation a certificate of the model
 * signs. Its chain must lead to a root that the relying party configured for that model; no other root is trusted.
 */
export type AttestedKey = { assertion: RegistrationAssertion; spki: Buffer; statement?: MetadataStatement | undefined };

export const attestationTypeOf = (assertion: Pick<RegistrationAssertion, 'attestation'>): number =>
  assertion.attestation === 'FULL' ? TAG.ATTESTATION_BASIC_FULL : TAG.ATTESTATION_BASIC_SURROGATE;

/** Returns the reason why the attestation is refused, or undefined if it is valid. */
export function attestationFault({ assertion, spki, statement }: AttestedKey, now: number): string | undefined {
  const { attestationTypes } = statement ?? {};
  if (attestationTypes && !attestationTypes.includes(attestationTypeOf(assertion))) {
    return 'the metadata statement names other kinds of attestation';
  }
  const { signAlgorithm, signed: data, signature } = assertion;
  if (assertion.attestation === 'SURROGATE') {
    return isSignedBy(keyOf(spki), { signAlgorithm, data, signature }) ? undefined : 'the key did not sign for itself';
  }
  const chain = assertion.certificates.map(readCertificate);
  const [leaf] = chain;
  if (!leaf) return 'there is no certificate';
  if (!isSignedBy(verifyKey(leaf.publicKey), { signAlgorithm, data, signature }))
    return 'the certificate did not sign the key';
  if (namesAnotherModel(leaf, assertion.aaid)) return 'the certificate is of another model';
  const roots = (statement?.attestationRootCertificates ?? []).map((root) =>
    readCertificate(Buffer.from(root, 'base64')),
  );
  return leadsToRoot(chain, roots, now)
    ? undefined
    : 'the certificate does not lead to a root of the metadata statement';
}

function readCertificate(bytes: Buffer): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(bytes);
  } catch {
    throw new Malformed('a certificate cannot be read');
  }
  if (!certificate.raw.equals(bytes)) throw new Malformed('a certificate has trailing bytes');
  return certificate;
}

/**
 * Each certificate must be issued by the next one of the chain. One of them must be a root or be issued by a root. All
 * certificates up to that one must be within their validity period.
 */
function leadsToRoot(chain: readonly X509Certificate[], roots: readonly X509Certificate[], now: number): boolean {
  const linked = chain.every((certificate, at) => {
    const next = chain[at + 1];
    return !next || issued(next, certificate);
  });
  if (!linked) return false;
  for (const certificate of chain) {
    if (!isInTime(certificate, now)) return false;
    // A root may also be the certificate of the model itself.
    if (roots.some((root) => root.raw.equals(certificate.raw))) return true;
    if (roots.some((root) => isInTime(root, now) && issued(root, certificate))) return true;
  }
  return false;
}

function issued(issuer: X509Certificate, certificate: X509Certificate): boolean {
  return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isInTime(certificate: X509Certificate, now: number): boolean {
  return certificate.validFromDate.getTime() <= now && now <= certificate.validToDate.getTime();
}

/** id-fido-gen-ce-aaid, 1.3.6.1.4.1.45724.1.1.1, with its tag and length. */
const AAID_EXTENSION = Buffer.from('060b2b0601040182e51c010101', 'hex');
/** The length of the bytes that follow: a flag, two lengths and the AAID. */
const AAID_EXTENSION_REST = 18;

/** True if the certificate names a model (AAID) and it is not this one. */
function namesAnotherModel({ raw }: X509Certificate, aaid: string): boolean {
  const at = raw.indexOf(AAID_EXTENSION);
  if (at < 0) return false;
  const from = at + AAID_EXTENSION.length;
  return !raw
    .subarray(from, from + AAID_EXTENSION_REST)
    .toString('latin1')
    .toUpperCase()
    .includes(aaid);
}
