import type { api, Ok } from '@grove/contract';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { Caller } from '../attempts/attempt.ts';
import { openCeremony } from '../ceremonies/ceremonies.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore } from '../stores/find-store.ts';
import { getUserForUpdate, type UserRef } from '../users/find-user.ts';
import { challengeOf } from './challenge.ts';
import type { Places } from './check-origin.ts';
import { getConfig } from './find-config.ts';
import { authenticationPolicyOf, MAX_PASSKEYS_PER_USER, placesOf, type UserVerification } from './passkey-policies.ts';
import { passkeysAt } from './passkeys.repository.ts';
import { CEREMONY_MS, toDescriptor } from './start-registration.ts';

/** The first half of an authentication. */
export type AuthenticationStarted = Ok<typeof api.passkeys.startAuthentication>;

/** What completing needs to know: everything as it was at the start. */
export type AuthenticationCeremony = {
  challenge: string;
  places: Places;
  userVerification: UserVerification;
  allowed: string[];
};

export type AuthenticationAddress = {
  readonly storeName: string;
  readonly rpId: string;
  readonly authPolicyName: string;
  /** None if the passkey is to tell. */
  readonly user: UserRef | undefined;
  /** Of the caller, where the policy takes one. */
  readonly challenge?: string | undefined;
};

export function authenticationStarter(core: Pick<IdentityCore, 'ensureUsable'>) {
  return (caller: Caller, address: AuthenticationAddress): Promise<AuthenticationStarted> =>
    caller.db.write(async (tx) => {
      const { now } = caller;
      const { rpId, authPolicyName: policyName } = address;
      const store = await getActiveStore(tx, caller, address.storeName);
      const user = address.user && (await getUserForUpdate(tx, store.id, address.user));
      const config = await getConfig(tx, store.id, rpId);
      const { userVerification, ...policy } = authenticationPolicyOf(config, policyName);
      if (user) await core.ensureUsable(tx, user, { modality: 'PASSKEY', now });
      const kind = 'PASSKEY_AUTHENTICATION';
      const challenge = await challengeOf(tx, address.challenge, { kind, storeId: store.id, rpId, now, policy });
      const own = user ? await passkeysAt(tx, { userId: user.id, rpId, limit: MAX_PASSKEYS_PER_USER }) : [];
      const usable = own.filter(({ status }) => status === 'ACTIVE');
      // An empty list would mean that any passkey will do.
      if (user && usable.length === 0) throw new ApiError(100031);
      const allowCredentials = usable.map(toDescriptor);
      const allowed = allowCredentials.map(({ id }) => id);
      const data: AuthenticationCeremony = { challenge, places: placesOf(config), userVerification, allowed };
      const { sessionId, expiresAt } = await openCeremony(tx, {
        ...{ kind, storeId: store.id, userId: user?.id, rpId, policyName, data, now },
        lifeMs: CEREMONY_MS,
      });
      const publicKey = { challenge, timeout: CEREMONY_MS, rpId, allowCredentials, userVerification };
      return { sessionId, expiringDtm: toDtm(expiresAt), publicKey };
    });
}
