import { hash, type KeyObject } from 'node:crypto';
import { type Alg, isSignature } from './algorithms.ts';
import { checkClientData, type Expected } from './check-client-data.ts';
import { decodePart } from './decode-base64url.ts';
import { ensure, refusingMalformed } from './ensure.ts';
import { Malformed } from './malformed.ts';
import { readAuthenticatorData } from './read-authenticator-data.ts';
import { readClientData } from './read-client-data.ts';

/** What the client sent: WebAuthn's AuthenticationResponseJSON, not yet looked at. */
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

export type AuthenticationAsked = Expected & {
  /** None if the passkey is to tell who the user is. */
  readonly userId: string | undefined;
  /** The credential ids that the client was told; empty if any would do. */
  readonly allowed: readonly string[];
  readonly userVerification: 'required' | 'preferred' | 'discouraged';
};

export type Authenticated = { signCount: number; backedUp: boolean; userVerified: boolean };

/** The credential id that an answer names, in its one spelling. */
export function credentialIdOf({ id, rawId }: ClientCredential): string {
  return refusingMalformed(() => {
    if (decodePart({ id }, 'id').length === 0) throw new Malformed('id is empty');
    if (rawId !== undefined && rawId !== id) throw new Malformed('id and rawId differ');
    return id;
  });
}

/**
 * WebAuthn Level 3, 7.2, in its order, but that whose passkey it is comes before whether it was asked for: so the two
 * have codes of their own. Storage is the caller's: the counter it returns is to be stored only where
 * the stored one is still the one that was compared.
 */
export function verifyAuthentication(
  credential: ClientCredential,
  passkey: StoredPasskey | undefined,
  expected: AuthenticationAsked,
): Authenticated {
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
    // Only now: a counter that nobody signed says nothing.
    ensure(advances(passkey.signCount, data.signCount), 372);
    return { signCount: data.signCount, backedUp: data.backedUp, userVerified: data.userVerified };
  });
}

/** Steps 5 to 7: the passkey is one of the user who is expected, or tells who that is. */
function checkOwner(userHandle: unknown, passkey: StoredPasskey, { userId, allowed }: AuthenticationAsked): void {
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
  { rpId, userVerification }: AuthenticationAsked,
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

/** Step 23: authenticators that do not count say 0 for ever; all others count up. */
function advances(stored: number, signed: number): boolean {
  return signed > stored || (signed === 0 && stored === 0);
}
