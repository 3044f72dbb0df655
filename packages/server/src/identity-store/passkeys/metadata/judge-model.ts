import type { X509Certificate } from 'node:crypto';
import type { Certificate } from '../attestation/read-certificate.ts';
import { ensure } from '../ensure.ts';

/** The metadata that FIDO publishes about a model of authenticator. */
export type Model = {
  readonly description: string;
  readonly reports: readonly StatusReport[];
  /** The root certificates of its attestations. */
  roots(): X509Certificate[];
};

export type StatusReport = {
  readonly status: string;
  /** The certificate that the report is about (DER). Without it, the report is about the whole model. */
  readonly certificate?: Buffer | undefined;
};

/** Finds a model by AAGUID. Authenticators older than FIDO2 are found by the key of their attestation certificate. */
export type FindModel = (aaguid: Buffer, leaf: Certificate | undefined) => Model | undefined;

/** FIDO Metadata Service 3.1.4: status values that a relying party should refuse. */
const BROKEN: ReadonlySet<string> = new Set([
  'REVOKED',
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
]);

/** Ensures that FIDO has not reported the model as revoked or compromised. */
export function ensureSoundModel({ reports }: Model, path: readonly Certificate[]): void {
  const bad = reports.find(
    ({ status, certificate }) =>
      BROKEN.has(status) && (!certificate || path.some(({ x509 }) => x509.raw.equals(certificate))),
  );
  ensure(!bad, 100093, `FIDO reports the model of authenticator as ${bad?.status}`);
}
