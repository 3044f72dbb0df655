import { randomBytes } from 'node:crypto';
import type { api, Body, Ok } from '@grove/contract';
import type { TenantTx } from '../../db/db.ts';
import { MINUTE, toDtm } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { Caller } from '../attempts/attempt.ts';
import { openCeremony } from '../ceremonies/ceremonies.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore } from '../stores/find-store.ts';
import { getUserForUpdate, type UserRef, type UserRow } from '../users/find-user.ts';
import { challengeOf, decodeInput } from './challenge.ts';
import type { Places } from './check-origin.ts';
import { getConfig } from './find-config.ts';
import {
  MAX_PASSKEYS_PER_USER,
  type PasskeyConfig,
  placesOf,
  type RegistrationPolicy,
  registrationPolicyOf,
} from './passkey-policies.ts';
import { countPasskeys, isHandleOfOther, type PasskeyRow, passkeysAt } from './passkeys.repository.ts';

/** Starts a registration: creates the options for the browser and opens a session. */
export type RegistrationStart = Body<typeof api.passkeys.startRegistration>;
export type RegistrationStarted = Ok<typeof api.passkeys.startRegistration>;

/** The data that completion needs, as it was at the start. */
export type RegistrationCeremony = {
  challenge: string;
  userHandle: string;
  places: Places;
  policy: RegistrationPolicy;
  /** The browser may create the passkey without asking the user (conditional create). */
  conditional?: boolean;
  /** The options for the audit, without the names of the user. */
  options: Omit<RegistrationStarted['publicKey'], 'user'>;
};

export type RegistrationAddress = {
  readonly storeName: string;
  readonly rpId: string;
  readonly regPolicyName: string;
  /** Absent if the completion creates the user. */
  readonly user: UserRef | undefined;
};

export const CEREMONY_MS = 5 * MINUTE;
const USER_HANDLE_BYTES = 32;
/** WebAuthn 5.4.3. */
const MAX_USER_HANDLE_BYTES = 64;

export function registrationStarter(core: Pick<IdentityCore, 'ensureUsable'>) {
  return (caller: Caller, address: RegistrationAddress, body: RegistrationStart): Promise<RegistrationStarted> =>
    caller.db.write(async (tx) => {
      const { now } = caller;
      const { rpId, regPolicyName } = address;
      const store = await getActiveStore(tx, caller, address.storeName);
      const user = address.user && (await getUserForUpdate(tx, store.id, address.user));
      const config = await getConfig(tx, store.id, rpId);
      const policy = registrationPolicyOf(config, regPolicyName);
      if (user) await core.ensureUsable(tx, user, { now });
      checkNames(body, policy);
      const conditional = body.mediation === 'conditional';
      if (conditional) ensureConditionalCreate(policy, user);
      const kind = 'PASSKEY_REGISTRATION';
      const challenge = await challengeOf(tx, body.challenge, { kind, storeId: store.id, rpId, now, policy });
      const own = user ? await passkeysAt(tx, { userId: user.id, rpId, limit: MAX_PASSKEYS_PER_USER }) : [];
      if (user) await ensureRoom(tx, user.id, own.length, policy);
      const userHandle = await userHandleOf(tx, body.userHandle, { user, own, rpId, environment: store.environment });
      const options = optionsOf(config, policy, { challenge, own });
      const data: RegistrationCeremony = {
        challenge,
        userHandle,
        places: placesOf(config),
        policy,
        options,
        ...(conditional && { conditional }),
      };
      const { sessionId, expiresAt } = await openCeremony(tx, {
        kind,
        storeId: store.id,
        userId: user?.id,
        rpId,
        policyName: regPolicyName,
        data,
        now,
        lifeMs: CEREMONY_MS,
      });
      const name = body.userName ?? user?.ext_id ?? user?.id ?? userHandle;
      const userView = { id: userHandle, name, displayName: body.displayName ?? name };
      return { sessionId, expiringDtm: toDtm(expiresAt), publicKey: { ...options, user: userView } };
    });
}

/** A conditional create does not ask the user: the policy must allow it, and the caller must name the user. */
function ensureConditionalCreate(policy: RegistrationPolicy, user: UserRow | undefined): void {
  const message = !policy.conditionalCreateAllowed
    ? 'must not be conditional: the policy does not set conditionalCreateAllowed'
    : user
      ? undefined
      : 'must not be conditional where no user is named';
  if (message) throw invalidInput({ pointer: '/mediation', message });
}

function checkNames({ userName, displayName }: RegistrationStart, policy: RegistrationPolicy): void {
  const missing = [
    policy.userNameRequired && userName === undefined ? '/userName' : undefined,
    policy.displayNameRequired && displayName === undefined ? '/displayName' : undefined,
  ].filter((pointer) => pointer !== undefined);
  if (missing.length === 0) return;
  throw invalidInput(...missing.map((pointer) => ({ pointer, message: 'is required by the policy' })));
}

/** Throws 100038 if the user has reached a limit. */
export async function ensureRoom(
  tx: TenantTx,
  userId: string,
  atRelyingParty: number,
  { maxPasskeysPerUser }: RegistrationPolicy,
): Promise<void> {
  const full = atRelyingParty >= maxPasskeysPerUser || (await countPasskeys(tx, { userId })) >= MAX_PASSKEYS_PER_USER;
  if (full) throw new ApiError(100038);
}

type HandleOf = { user: UserRow | undefined; own: readonly PasskeyRow[]; rpId: string; environment: 'live' | 'test' };

/**
 * Returns the user handle, by which authenticators identify the user. If two users had the same handle, they would
 * overwrite each other's passkeys on a shared authenticator. If one user had two handles, it would be listed twice.
 */
async function userHandleOf(
  tx: TenantTx,
  callersHandle: string | undefined,
  { user, own, rpId, environment }: HandleOf,
): Promise<string> {
  const [first] = own;
  const pointer = '/userHandle';
  if (callersHandle === undefined) {
    if (first) return first.user_handle;
    return (user ? Buffer.from(user.id) : randomBytes(USER_HANDLE_BYTES)).toString('base64url');
  }
  decodeInput(callersHandle, pointer, { least: 1, most: MAX_USER_HANDLE_BYTES });
  if (first && first.user_handle !== callersHandle) {
    throw invalidInput({ pointer, message: 'is not the user handle that the passkeys of this user have' });
  }
  if (await isHandleOfOther(tx, { environment, rpId, userHandle: callersHandle, userId: user?.id ?? '' })) {
    throw invalidInput({ pointer, message: 'is the user handle of another user' });
  }
  return callersHandle;
}

function optionsOf(
  { rpId, rpName }: PasskeyConfig,
  { algorithms, authenticatorSelection, attestation, attestationFormats, hints, extensions }: RegistrationPolicy,
  { challenge, own }: { challenge: string; own: readonly PasskeyRow[] },
): RegistrationCeremony['options'] {
  return {
    rp: { id: rpId, name: rpName ?? rpId },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: CEREMONY_MS,
    excludeCredentials: own.map(toDescriptor),
    authenticatorSelection,
    attestation,
    ...(attestationFormats.length > 0 && { attestationFormats: [...attestationFormats] }),
    ...(hints.length > 0 && { hints: [...hints] }),
    ...((extensions.credProps || extensions.prf) && {
      extensions: { ...(extensions.credProps && { credProps: true }), ...(extensions.prf && { prf: {} }) },
    }),
  };
}

export function toDescriptor({ credential_id, transports }: PasskeyRow) {
  const hints = JSON.parse(transports) as string[];
  return { id: credential_id, type: 'public-key' as const, ...(hints.length > 0 && { transports: hints }) };
}
