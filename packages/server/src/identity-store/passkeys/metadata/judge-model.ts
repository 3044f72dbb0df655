import type { X509Certificate } from 'node:crypto';
import type { Certificate } from '../attestation/read-certificate.ts';
import { ensure } from '../ensure.ts';

/** What FIDO publishes of a model of authenticator. */
export type Model = {
  readonly description: string;
  readonly reports: readonly StatusReport[];
  /** The certificates that its attestations lead to. */
  roots(): X509Certificate[];
};

export type StatusReport = {
  readonly status: string;
  /** The one certificate that the report is about, DER; without it, it is about the model. */
  readonly certificate?: Buffer | undefined;
};

/** By the AAGUID, or, for authenticators of before FIDO2, by the key of the certificate that attests. */
export type FindModel = (aaguid: Buffer, leaf: Certificate | undefined) => Model | undefined;

/** FIDO Metadata Service 3.1.4: what a relying party should not accept. */
const BROKEN: ReadonlySet<string> = new Set([
  'REVOKED',
  'USER_VERIFICATION_BYPASS',
  'ATTESTATION_KEY_COMPROMISE',
  'USER_KEY_REMOTE_COMPROMISE',
  'USER_KEY_PHYSICAL_COMPROMISE',
]);

/** Ensures that FIDO has reported nothing of the model that makes its passkeys worthless. */
export function ensureSoundModel({ reports }: Model, path: readonly Certificate[]): void {
  const bad = reports.find(
    ({ status, certificate }) =>
      BROKEN.has(status) && (!certificate || path.some(({ x509 }) => x509.raw.equals(certificate))),
  );
  ensure(!bad, 100093, `FIDO reports the model of authenticator as ${bad?.status}`);
}
