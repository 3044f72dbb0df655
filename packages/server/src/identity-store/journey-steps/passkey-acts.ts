import type { TenantTx } from '../../db/db.ts';
import type {
  ActResult,
  IdentityActs,
  OfAnyUser,
  PasskeyPolicy,
  RefusedAct,
  StartData,
  StepAbout,
  StoreUser,
  UserMatch,
} from '../../process-manager/engine/steps/identity-acts.ts';
import type { Caller } from '../attempts/attempt.ts';
import type { CeremonyKind } from '../ceremonies/ceremonies.repository.ts';
import { takeCeremony } from '../ceremonies/ceremonies.ts';
import { getConfig } from '../passkeys/find-config.ts';
import { registrationPolicyOf } from '../passkeys/passkey-policies.ts';
import type { PasskeyCeremonies } from '../passkeys/passkeys.ts';
import type { Completion } from '../passkeys/read-completion.ts';
import { getActiveStore } from '../stores/find-store.ts';
import { getUser } from '../users/find-user.ts';
import type { User } from '../users/user-view.ts';
import { attemptAct, SESSION_GONE } from './judge-refusal.ts';
import { putStepCeremony, takeStepCeremony } from './step-ceremonies.repository.ts';

/** Passkeys in a journey: the same ceremonies as in the API, each bound to the step that started it. */
type PasskeyActs = Pick<
  IdentityActs,
  | 'startPasskeyRegistration'
  | 'completePasskeyRegistration'
  | 'startPasskeyAuthentication'
  | 'completePasskeyAuthentication'
>;

type StartedCeremony = { sessionId: string; expiringDtm: string; publicKey: object; mediation?: 'conditional' };

const CONDITIONAL = { mediation: 'conditional' } as const;

export type ActContext = { readonly tx: TenantTx; readonly caller: Caller; readonly about: StepAbout };

const OTHER_USER = { code: 363, status: 'FAILED', advice: 'final' } as const satisfies RefusedAct;

export function passkeyActs(passkeys: PasskeyCeremonies, actContext: ActContext): PasskeyActs {
  const { tx, caller } = actContext;

  const startRegistration: PasskeyActs['startPasskeyRegistration'] = (input) =>
    attemptAct(() =>
      begin(actContext, 'PASSKEY_REGISTRATION', input, async () => {
        const { store: storeName, rpId, policy: regPolicyName, user } = input;
        const store = await getActiveStore(tx, caller, storeName);
        const { id, ext_id } = await getUser(tx, store.id, user);
        const userName = ext_id ?? id;
        const policy = registrationPolicyOf(await getConfig(tx, store.id, rpId), regPolicyName);
        // Only right after a login: then the browser may create a passkey without asking (WebAuthn 5.1.3, conditional
        // create).
        const mediation = input.isProven && policy.conditionalCreateAllowed ? CONDITIONAL : {};
        const body = { userName, displayName: userName, ...mediation };
        const address = { storeName, rpId, regPolicyName, user: { userId: id } };
        return { ...(await passkeys.startRegistration(caller, address, body)), ...mediation };
      }),
    );

  const startAuthentication = (input: OfAnyUser & PasskeyPolicy): Promise<ActResult<StartData>> =>
    attemptAct(() =>
      begin(actContext, 'PASSKEY_AUTHENTICATION', input, async () => {
        const { store: storeName, rpId, policy: authPolicyName, user } = input;
        // If the step names no user, the browser may offer all its passkeys in an input field (autofill).
        const mediation = user ? {} : CONDITIONAL;
        const address = { storeName, rpId, authPolicyName, user, ...mediation };
        return { ...(await passkeys.startAuthentication(caller, address)), ...mediation };
      }),
    );

  return {
    startPasskeyRegistration: startRegistration,
    startPasskeyAuthentication: startAuthentication,
    completePasskeyRegistration: (input) =>
      finish(actContext, input, {
        start: () => startRegistration(input),
        async complete(sessionId) {
          const address = { storeName: input.store, sessionId };
          return (await passkeys.completeRegistration(caller, address, input.answer as Completion)).user;
        },
      }),
    completePasskeyAuthentication: (input) =>
      finish(actContext, input, {
        start: () => startAuthentication(input),
        async complete(sessionId) {
          const address = { storeName: input.store, sessionId };
          return (await passkeys.completeAuthentication(caller, address, input.answer as Completion)).user;
        },
      }),
  };
}

/** Removes an earlier session, so that a step has at most one. */
async function begin(
  { tx, caller, about }: ActContext,
  kind: CeremonyKind,
  { store: storeName }: OfAnyUser,
  start: () => Promise<StartedCeremony>,
) {
  const { now } = about;
  const before = await takeStepCeremony(tx, about);
  if (before) await takeCeremony(tx, kind, (await getActiveStore(tx, caller, storeName)).id, before, now);
  const { sessionId, expiringDtm, publicKey, mediation } = await start();
  putStepCeremony(tx, about, sessionId, now);
  return { publicKey, expiringDtm, ...(mediation && { mediation }) };
}

type Ceremony = { start(): Promise<ActResult<StartData>>; complete(sessionId: string): Promise<User> };

/** If there is no session, calls the start to get the reason: the user may be locked or have no passkey. */
async function finish(
  { tx, about }: ActContext,
  { user }: OfAnyUser,
  { start, complete }: Ceremony,
): Promise<ActResult<UserMatch>> {
  const sessionId = await takeStepCeremony(tx, about);
  if (!sessionId) return { refusal: (await start()).refusal ?? SESSION_GONE };
  const completed = await attemptAct(() => complete(sessionId));
  if (completed.refusal) return completed;
  return isSame(completed.done, user) ? { done: { userId: completed.done.id } } : { refusal: OTHER_USER };
}

/** False if the session belongs to another user: a reviewer may have changed the user of the step since the start. */
function isSame({ id, extId }: User, user: StoreUser | undefined): boolean {
  if (!user) return true;
  return user.userId === undefined ? extId === user.userExtId : id === user.userId;
}
