import { joinTransaction } from '../../db/db.ts';
import { lockName } from '../../db/named-lock.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { IdentityActs, RefusedAct } from '../../process-manager/engine/steps/identity-acts.ts';
import type { IdentityPort } from '../../process-manager/runtime/identity-port.ts';
import type { FaceCeremonies } from '../biometrics/biometrics.ts';
import type { IdentityCore } from '../identity-core.ts';
import type { PasskeyCeremonies } from '../passkeys/passkeys.ts';
import { getActiveStore } from '../stores/find-store.ts';
import type { TotpCeremonies } from '../totps/totp-ceremonies.ts';
import { createUser } from '../users/create-user.ts';
import { findUser } from '../users/users.repository.ts';
import { attemptAct, SESSION_GONE } from './judge-refusal.ts';
import { type ActContext, passkeyActs } from './passkey-acts.ts';
import { findStepCeremony, putStepCeremony } from './step-ceremonies.repository.ts';

/**
 * The identity store for steps of journeys. It uses the same functions as the API: the same locks, the same records,
 * and events that name the process. Only the response differs, because an end user does not learn the reason of a
 * refusal.
 */
export type JourneyStepsDeps = {
  core: IdentityCore;
  passkeys: PasskeyCeremonies;
  totps: TotpCeremonies;
  faces: FaceCeremonies;
};

const EXISTS = { code: 100037, status: 'FAILED', advice: 'final' } as const satisfies RefusedAct;

export function journeySteps(deps: JourneyStepsDeps): IdentityPort {
  return {
    presentFace: deps.faces.presentFace,
    acts(tx, about) {
      const { environment, process, now } = about;
      const actContext: ActContext = {
        tx,
        about,
        caller: { db: joinTransaction(tx), now, principal: { environment }, process },
      };
      return {
        ...userActs(deps, actContext),
        ...passkeyActs(deps.passkeys, actContext),
        ...totpActs(deps, actContext),
        ...faceActs(deps, actContext),
      };
    },
  };
}

function userActs({ core }: JourneyStepsDeps, { tx, caller, about }: ActContext): Pick<IdentityActs, 'addUser'> {
  const { now, process } = about;
  return {
    async addUser({ store: storeName, extId, attributes, existing, before }) {
      const actResult = await attemptAct(async () => {
        const store = await getActiveStore(tx, caller, storeName);
        // Journeys that add a user of the same name run one after another: the second finds the user of the first.
        lockName(tx, 'ext_id', store.id, extId);
        const existingUser = await findUser(tx, store.id, { userExtId: extId });
        if (existingUser) return { userId: existingUser.id, created: false };
        // If an API caller adds the user first, the unique index refuses. Then the step runs again and finds the user.
        const newUser = await createUser(core, tx, store, { input: { extId, attributes }, now, process });
        return { userId: newUser.id, created: true };
      });
      if (actResult.refusal || actResult.done.created || existing === 'link') return actResult;
      return actResult.done.userId === before ? actResult : { refusal: EXISTS };
    },
  };
}

type TotpActs = Pick<
  IdentityActs,
  'startTotpRegistration' | 'completeTotpRegistration' | 'startTotpAuthentication' | 'authenticateTotp'
>;

function totpActs({ totps }: JourneyStepsDeps, { tx, caller, about }: ActContext): TotpActs {
  return {
    startTotpRegistration: ({ store: storeName, policy: policyName, user, anew }) =>
      attemptAct(async () => {
        // Shows a secret again only if this step showed it before. A secret that another registration began is not
        // revealed.
        const before = await findStepCeremony(tx, about);
        const address = { storeName, policyName, user };
        const registration = await totps.startRegistration(caller, address, anew ? undefined : before);
        const { id, continued, secretView, digits, expiresAt } = registration;
        if (!continued) putStepCeremony(tx, about, id, about.now);
        const replaces = before !== undefined && !continued;
        return { ...secretView, digits, expiringDtm: toDtm(expiresAt), replaces };
      }),
    async completeTotpRegistration({ store: storeName, policy: policyName, user, code }) {
      const address = { storeName, policyName, user };
      const completed = await attemptAct(async () => ({
        userId: (await totps.completeRegistration(caller, address, code)).id,
      }));
      // The registration has expired or was never started: the end user can start it again.
      return completed.refusal?.code === 100053 ? { refusal: SESSION_GONE } : completed;
    },
    startTotpAuthentication: ({ store: storeName, policy: policyName, user }) =>
      attemptAct(() => totps.startAuthentication(caller, { storeName, policyName, user })),
    authenticateTotp: ({ store: storeName, policy: policyName, user, code }) =>
      attemptAct(async () => ({
        userId: (await totps.authenticate(caller, { storeName, policyName, user }, code)).user.id,
      })),
  };
}

function faceActs(
  { faces }: JourneyStepsDeps,
  { caller }: ActContext,
): Pick<IdentityActs, 'enrolFace' | 'authenticateFace'> {
  return {
    enrolFace: ({ store: storeName, user, presented }) =>
      attemptAct(async () => ({
        userId: (await faces.enrol(caller, { storeName, user, presented, status: 'ACTIVE' })).id,
      })),
    authenticateFace: ({ store: storeName, user, presented, threshold }) =>
      attemptAct(async () => {
        const attempt = { storeName, user, presented, matching: { threshold } };
        const { user: recognised, result } = await faces.authenticate(caller, attempt);
        return { userId: recognised.id, score: result.score };
      }),
  };
}
