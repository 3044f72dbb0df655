import assert from 'node:assert/strict';
import { createPublicKey, randomBytes, X509Certificate } from 'node:crypto';
import { Refusal } from '../../src/identity-store/attempts/refusal.ts';
import { OFFERED } from '../../src/identity-store/passkeys/algorithms.ts';
import type { ExpectedAuthentication, StoredPasskey } from '../../src/identity-store/passkeys/verify-authentication.ts';
import {
  type ExpectedRegistration,
  type RegisteredPasskey,
  verifyRegistration,
} from '../../src/identity-store/passkeys/verify-registration.ts';
import { type Authenticator, type AuthenticatorOptions, authenticator } from './authenticator.ts';

/** The values that a relying party expects, for tests of the verifications alone. */
export const RP_ID = 'example.org';
export const ORIGIN = 'https://login.example.org';
export const USER_ID = '01M7EK55GPPBVSG5TAX910HKS7';
export const USER_HANDLE = Buffer.from(USER_ID).toString('base64url');

const PLACES = { rpId: RP_ID, restrictedOrigins: [], relatedOrigins: [], topOrigins: [] };

export const newChallenge = () => randomBytes(32).toString('base64url');

export function expectedRegistration(more: Partial<ExpectedRegistration> = {}): ExpectedRegistration {
  return {
    ...PLACES,
    challenge: newChallenge(),
    userVerification: 'required',
    algorithms: OFFERED,
    attestation: { trust: 'none', roots: [], aaguids: [] },
    now: Date.now(),
    ...more,
  };
}

export function expectedAuthentication(more: Partial<ExpectedAuthentication> = {}): ExpectedAuthentication {
  return { ...PLACES, challenge: newChallenge(), userId: USER_ID, allowed: [], userVerification: 'required', ...more };
}

export const trusting = (pem: string) =>
  ({ trust: 'trusted', roots: [new X509Certificate(pem)], aaguids: [] }) as const;

export const creation = ({ challenge, rpId }: { challenge: string; rpId: string }) => ({
  rp: { id: rpId },
  user: { id: USER_HANDLE },
  challenge,
});

export function toStored(registered: RegisteredPasskey, more: Partial<StoredPasskey> = {}): StoredPasskey {
  const { credentialId, alg, signCount, backupEligible, publicKey } = registered;
  const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  const owned = { userId: USER_ID, userHandle: USER_HANDLE, status: 'ACTIVE' } as const;
  return { credentialId, ...owned, alg, key, signCount, backupEligible, ...more };
}

/** An authenticator with a registered passkey. */
export function registeredAuthenticator(options: Partial<AuthenticatorOptions> = {}): {
  device: Authenticator;
  passkey: StoredPasskey;
} {
  const device = authenticator({ origin: ORIGIN, ...options });
  const expected = expectedRegistration({ userVerification: 'preferred' });
  return { device, passkey: toStored(verifyRegistration(device.create(creation(expected)), expected)) };
}

/** Asserts that a verification refuses with exactly this code, and whether it counts as a failure of the user. */
export function refusesWith(verify: () => unknown, code: number, counts?: boolean): void {
  assert.throws(verify, (error: unknown) => {
    assert.ok(error instanceof Refusal, String(error));
    assert.equal(error.code, code, JSON.stringify(error.problem));
    if (counts !== undefined) assert.equal(error.counts, counts);
    return true;
  });
}
