import { hash, type KeyObject } from 'node:crypto';
import { type Alg, isSignature } from './algorithms.ts';
import { checkClientData, type ExpectedData } from './check-client-data.ts';
import { decodePart } from './decode-base64url.ts';
import { ensure, refusingMalformed } from './ensure.ts';
import { Malformed } from './malformed.ts';
import { readAuthenticatorData } from './read-authenticator-data.ts';
import { readClientData } from './read-client-data.ts';

/** The credential as the client sent it (WebAuthn's AuthenticationResponseJSON), not yet verified. */
export type ClientCredential = {
  readonly id: string;
  readonly rawId?: string;
  readonly clientExtensionResults?: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>>;
};

export type StoredPasskey = {
  readonly credentialId: string;
  readonly userId: string;
  readonly userHandle: string;
  readonly status: 'ACTIVE' | 'DISABLED';
  readonly alg: Alg;
  readonly key: KeyObject;
  readonly signCount: number;
  readonly backupEligible: boolean;
};

export type ExpectedAuthentication = ExpectedData & {
  /** Undefined if the passkey identifies the user. */
  readonly userId: string | undefined;
  /** The credential ids in the options of the start; empty if any passkey was allowed. */
  readonly allowed: readonly string[];
  readonly userVerification: 'required' | 'preferred' | 'discouraged';
};

export type AuthenticationResult = { signCount: number; backedUp: boolean; userVerified: boolean };

/** Returns the credential id of the answer; refuses any other spelling of it. */
export function credentialIdOf({ id, rawId }: ClientCredential): string {
  return refusingMalformed(() => {
    if (decodePart({ id }, 'id').length === 0) throw new Malformed('id is empty');
    if (rawId !== undefined && rawId !== id) throw new Malformed('id and rawId differ');
    return id;
  });
}

/**
 * WebAuthn Level 3, 7.2, in its order, with one change: the owner of the passkey is checked before the list of allowed
 * credentials, because the two faults have different codes. The caller stores the returned counter, and only if the
 * stored counter has not changed since.
 */
export function verifyAuthentication(
  credential: ClientCredential,
  passkey: StoredPasskey | undefined,
  expected: ExpectedAuthentication,
): AuthenticationResult {
  const { response } = credential;
  ensure(response.attestationObject === undefined, 352);
  ensure(passkey !== undefined && credentialIdOf(credential) === passkey.credentialId, 362);
  checkOwner(response.userHandle, passkey, expected);
  return refusingMalformed(() => {
    const clientDataJson = decodePart(response, 'clientDataJSON');
    const authenticatorData = decodePart(response, 'authenticatorData');
    const signature = decodePart(response, 'signature');
    checkClientData(readClientData(clientDataJson), 'webauthn.get', expected);
    const data = checkAuthenticatorData(authenticatorData, passkey, expected);
    const signed = Buffer.concat([authenticatorData, hash('sha256', clientDataJson, 'buffer')]);
    ensure(isSignature(passkey.alg, signed, passkey.key, signature), 100091);
    // Checked last: without a valid signature, the counter means nothing.
    ensure(advances(passkey.signCount, data.signCount), 372);
    return { signCount: data.signCount, backedUp: data.backedUp, userVerified: data.userVerified };
  });
}

/** Steps 5 to 7: the passkey belongs to the expected user, or identifies the user if none was expected. */
function checkOwner(userHandle: unknown, passkey: StoredPasskey, { userId, allowed }: ExpectedAuthentication): void {
  ensure(userId === undefined || passkey.userId === userId, 363);
  ensure(passkey.status === 'ACTIVE', 348);
  ensure(allowed.length === 0 || allowed.includes(passkey.credentialId), 364);
  const hasHandle = userHandle !== undefined && userHandle !== null && userHandle !== '';
  ensure(hasHandle || userId !== undefined, 364);
  ensure(!hasHandle || userHandle === passkey.userHandle, 365);
}

/** Steps 15 to 19. */
function checkAuthenticatorData(
  bytes: Buffer,
  passkey: StoredPasskey,
  { rpId, userVerification }: ExpectedAuthentication,
) {
  const data = readAuthenticatorData(bytes);
  if (data.attested) throw new Malformed('an assertion has an attested credential');
  ensure(data.rpIdHash.equals(hash('sha256', rpId, 'buffer')), 383, 'the authenticator answered another relying party');
  ensure(data.userPresent, 100092, 'nobody was present');
  ensure(data.userVerified || userVerification !== 'required', 100092);
  if (data.backedUp && !data.backupEligible) throw new Malformed('it is backed up, but not eligible for backup');
  if (data.backupEligible !== passkey.backupEligible) throw new Malformed('the backup eligibility has changed');
  return data;
}

/** Step 23: the counter must grow. Authenticators without a counter always send 0. */
function advances(stored: number, signed: number): boolean {
  return signed > stored || (signed === 0 && stored === 0);
}
