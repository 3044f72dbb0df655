import type { X509Certificate } from 'node:crypto';
import { ensure } from '../ensure.ts';
import { Malformed } from '../malformed.ts';
import { ensureChain } from './check-chain.ts';
import { findTrust } from './find-trust.ts';
import type { Attestation, TrustPath } from './statement.ts';
import { verifyAndroidKey } from './verify-android-key.ts';
import { verifyApple } from './verify-apple.ts';
import { verifyFidoU2f } from './verify-fido-u2f.ts';
import { verifyPacked } from './verify-packed.ts';
import { verifyTpm } from './verify-tpm.ts';

/** How much is known of an authenticator: nothing, what it says itself, or what a trusted maker says of it. */
export type AttestationTrust = 'none' | 'self' | 'trusted';

export type AttestationPolicy = {
  /** The least that is taken. */
  readonly trust: AttestationTrust;
  readonly roots: readonly X509Certificate[];
  /** The only models taken, where any is given. */
  readonly aaguids: readonly string[];
};

const FORMATS: Readonly<Record<string, (attestation: Attestation) => TrustPath>> = {
  packed: verifyPacked,
  tpm: verifyTpm,
  'android-key': verifyAndroidKey,
  apple: verifyApple,
  'fido-u2f': verifyFidoU2f,
};

/**
 * WebAuthn 7.1 steps 21 to 24. Where the policy asks for nothing, a statement is not looked at: nobody should be turned
 * away for something that was not asked. But what says that it is none must be none (8.7).
 */
export function assessAttestation(attestation: Attestation, policy: AttestationPolicy, now: number): AttestationTrust {
  const { format, statement } = attestation;
  ensure(format !== 'none' || statement.size === 0, 100093, 'the format is none, and yet there is a statement');
  const trust = policy.trust === 'none' ? 'none' : assess(attestation, policy, now);
  ensure(trust !== 'none' || policy.trust === 'none', 100093, 'an attestation is required');
  ensure(trust === 'trusted' || policy.trust !== 'trusted', 100093, 'no root that is trusted stands behind it');
  const model = attestation.attested.aaguid.toString('hex');
  const models = policy.aaguids.map((aaguid) => aaguid.replaceAll('-', '').toLowerCase());
  ensure(models.length === 0 || models.includes(model), 100093, 'the model of authenticator is not on the list');
  return trust;
}

function assess(attestation: Attestation, { roots }: AttestationPolicy, now: number): AttestationTrust {
  const { format } = attestation;
  if (format === 'none') return 'none';
  const verify = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  ensure(verify, 100093, 'the format of the statement is unknown');
  return reading(() => {
    const path = verify(attestation);
    ensureChain(path, { rootMayClose: format === 'android-key' });
    return path.length > 0 && findTrust(path, roots, now) ? 'trusted' : 'self';
  });
}

/** A statement that cannot be read attests nothing. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    ensure(false, 100093, error.message);
  }
}
