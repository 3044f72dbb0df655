import type { TenantTx } from '../../db/db.ts';
import type {
  Acted,
  Begun,
  IdentityActs,
  OfAnyUser,
  PasskeyPolicy,
  Recognised,
  RefusedAct,
  StepAbout,
  StoreUser,
} from '../../process-manager/engine/steps/identity-acts.ts';
import type { Caller } from '../attempts/attempt.ts';
import type { CeremonyKind } from '../ceremonies/ceremonies.repository.ts';
import { takeCeremony } from '../ceremonies/ceremonies.ts';
import type { PasskeyCeremonies } from '../passkeys/passkeys.ts';
import type { Completion } from '../passkeys/read-completion.ts';
import { getActiveStore } from '../stores/find-store.ts';
import { getUser } from '../users/find-user.ts';
import type { User } from '../users/user-view.ts';
import { acted, SESSION_GONE } from './judge-refusal.ts';
import { putStepCeremony, takeStepCeremony } from './step-ceremonies.repository.ts';

/** Passkeys in a journey: the same ceremonies as those of callers, each bound to the step that began it. */
type PasskeyActs = Pick<
  IdentityActs,
  | 'startPasskeyRegistration'
  | 'completePasskeyRegistration'
  | 'startPasskeyAuthentication'
  | 'completePasskeyAuthentication'
>;

export type Acting = { readonly tx: TenantTx; readonly caller: Caller; readonly about: StepAbout };

const OTHER_USER = { code: 363, status: 'FAILED', advice: 'final' } as const satisfies RefusedAct;

export function passkeyActs(passkeys: PasskeyCeremonies, acting: Acting): PasskeyActs {
  const { tx, caller, about } = acting;
  const { now } = about;

  /** What was begun before is given up, so that a step has one session at most. */
  const begin = async (
    kind: CeremonyKind,
    { store: storeName }: OfAnyUser,
    start: () => Promise<{ sessionId: string; expiringDtm: string; publicKey: object }>,
  ): Promise<Begun> => {
    const before = await takeStepCeremony(tx, about);
    if (before) await takeCeremony(tx, kind, (await getActiveStore(tx, caller, storeName)).id, before, now);
    const { sessionId, expiringDtm, publicKey } = await start();
    await putStepCeremony(tx, about, { sessionId, now });
    return { publicKey, expiringDtm };
  };

  /** Without a session the start says why there is none: the user may be locked, or have no passkey. */
  const finish = async (
    { user }: OfAnyUser,
    start: () => Promise<Acted<Begun>>,
    complete: (sessionId: string) => Promise<User>,
  ): Promise<Acted<Recognised>> => {
    const sessionId = await takeStepCeremony(tx, about);
    if (!sessionId) {
      const { refused } = await start();
      return { refused: refused ?? SESSION_GONE };
    }
    const completed = await acted(() => complete(sessionId));
    if (completed.refused) return completed;
    return isSame(completed.done, user) ? { done: { userId: completed.done.id } } : { refused: OTHER_USER };
  };

  const startRegistration: PasskeyActs['startPasskeyRegistration'] = (asked) =>
    acted(() =>
      begin('PASSKEY_REGISTRATION', asked, async () => {
        const { store: storeName, rpId, policy: regPolicyName, user } = asked;
        const store = await getActiveStore(tx, caller, storeName);
        const { id, ext_id } = await getUser(tx, store.id, user);
        const userName = ext_id ?? id;
        const body = { userName, displayName: userName };
        return passkeys.startRegistration(caller, { storeName, rpId, regPolicyName, user: { userId: id } }, body);
      }),
    );

  const startAuthentication = (asked: OfAnyUser & PasskeyPolicy): Promise<Acted<Begun>> =>
    acted(() =>
      begin('PASSKEY_AUTHENTICATION', asked, () => {
        const { store: storeName, rpId, policy: authPolicyName, user } = asked;
        return passkeys.startAuthentication(caller, { storeName, rpId, authPolicyName, user });
      }),
    );

  return {
    startPasskeyRegistration: startRegistration,
    startPasskeyAuthentication: startAuthentication,
    completePasskeyRegistration: (asked) =>
      finish(
        asked,
        () => startRegistration(asked),
        async (sessionId) => {
          const address = { storeName: asked.store, sessionId };
          return (await passkeys.completeRegistration(caller, address, asked.answer as Completion)).user;
        },
      ),
    completePasskeyAuthentication: (asked) =>
      finish(
        asked,
        () => startAuthentication(asked),
        async (sessionId) => {
          const address = { storeName: asked.store, sessionId };
          return (await passkeys.completeAuthentication(caller, address, asked.answer as Completion)).user;
        },
      ),
  };
}

/** The session was begun for the user of then; a reviewer may have had another one added since. */
function isSame({ id, extId }: User, user: StoreUser | undefined): boolean {
  if (!user) return true;
  return user.userId === undefined ? extId === user.userExtId : id === user.userId;
}
