import type { api, Ok } from '@grove/contract';
import { MINUTE, toDtm } from '../../kernel/clock.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { Caller } from '../attempts/attempt.ts';
import { openCeremony } from '../ceremonies/ceremonies.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore } from '../stores/find-store.ts';
import { getUserForUpdate, type UserRef } from '../users/find-user.ts';
import { challengeOf, decodeInput } from './challenge.ts';
import type { Places } from './check-origin.ts';
import { getConfig } from './find-config.ts';
import { authenticationPolicyOf, MAX_PASSKEYS_PER_USER, placesOf, type UserVerification } from './passkey-policies.ts';
import { passkeysAt } from './passkeys.repository.ts';
import { CEREMONY_MS, toDescriptor } from './start-registration.ts';

/** Starts an authentication: creates the options for the browser and opens a session. */
export type AuthenticationStarted = Ok<typeof api.passkeys.startAuthentication>;

/** The data that completion needs, as it was at the start. */
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
  /** Absent if the passkey itself names the user. */
  readonly user: UserRef | undefined;
  /** A challenge of the caller, if the policy allows one. */
  readonly challenge?: string | undefined;
  /** Conditional: the login page waits until the user selects a passkey in the browser's autofill list. */
  readonly mediation?: 'conditional' | undefined;
  readonly prf?: Prf | undefined;
};

type Prf = { first: string; second?: string };

/** The session of a login page lasts longer than that of a dialog. */
const CONDITIONAL_MS = 30 * MINUTE;
const MAX_PRF_BYTES = 1024;

export function authenticationStarter(core: Pick<IdentityCore, 'ensureUsable'>) {
  return (caller: Caller, address: AuthenticationAddress): Promise<AuthenticationStarted> =>
    caller.db.write(async (tx) => {
      const { now } = caller;
      const { rpId, authPolicyName: policyName } = address;
      const store = await getActiveStore(tx, caller, address.storeName);
      const user = address.user && (await getUserForUpdate(tx, store.id, address.user));
      const config = await getConfig(tx, store.id, rpId);
      const { userVerification, hints, ...policy } = authenticationPolicyOf(config, policyName);
      const conditional = address.mediation === 'conditional';
      if (conditional && address.user) {
        throw invalidInput({ pointer: '/mediation', message: 'must not be conditional when a user is named' });
      }
      const extensions = prfInput(address.prf);
      if (user) await core.ensureUsable(tx, user, { modality: 'PASSKEY', now });
      const kind = 'PASSKEY_AUTHENTICATION';
      const challenge = await challengeOf(tx, address.challenge, { kind, storeId: store.id, rpId, now, policy });
      const own = user ? await passkeysAt(tx, { userId: user.id, rpId, limit: MAX_PASSKEYS_PER_USER }) : [];
      const usable = own.filter(({ status }) => status === 'ACTIVE');
      // An empty list would allow any passkey.
      if (user && usable.length === 0) throw new ApiError(100031);
      const allowCredentials = usable.map(toDescriptor);
      const allowed = allowCredentials.map(({ id }) => id);
      const data: AuthenticationCeremony = { challenge, places: placesOf(config), userVerification, allowed };
      const lifeMs = conditional ? CONDITIONAL_MS : CEREMONY_MS;
      const { sessionId, expiresAt } = await openCeremony(tx, {
        kind,
        storeId: store.id,
        userId: user?.id,
        rpId,
        policyName,
        data,
        now,
        lifeMs,
      });
      const publicKey = {
        challenge,
        timeout: lifeMs,
        rpId,
        allowCredentials,
        userVerification,
        ...(hints.length > 0 && { hints: [...hints] }),
        ...(extensions && { extensions }),
      };
      return { sessionId, expiringDtm: toDtm(expiresAt), publicKey };
    });
}

/** Returns the input of the `prf` extension, if requested. The output of the extension stays in the page. */
function prfInput(prf: Prf | undefined): { prf: { eval: Prf } } | undefined {
  if (!prf) return undefined;
  for (const name of ['first', 'second'] as const) {
    const value = prf[name];
    if (value !== undefined) decodeInput(value, `/prf/${name}`, { least: 1, most: MAX_PRF_BYTES });
  }
  return { prf: { eval: prf } };
}
