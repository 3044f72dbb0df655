import type { TenantReads } from '../db/db.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Vault } from '../secrets/vault.ts';
import { type Attempt, type AttemptDeps, openAttempts } from './attempts/attempt.ts';
import type { Modality } from './attempts/lock-rules.ts';
import { locksOf } from './attempts/locks.repository.ts';
import { openRegistrations, type Registration } from './attempts/registration.ts';
import { faultOfLock, faultOfStatus } from './attempts/usable.ts';
import { type AddIdentityEvent, identityEvents, type NotifyIdentity } from './events/identity-events.ts';
import { openUserViews, type UserViews } from './users/user-view.ts';
import type { UserRow } from './users/users.repository.ts';

/** The common services of passkeys, appkeys, TOTP and faces. */
export type IdentityCore = UserViews & {
  readonly vault: Vault;
  readonly addIdentityEvent: AddIdentityEvent;
  readonly attempt: Attempt;
  readonly registration: Registration;
  /** For the start of a ceremony: refuses a user that could not complete it. The response contains the user. */
  ensureUsable(
    db: TenantReads,
    user: UserRow,
    /** With a modality, its lock refuses too. Authentications pass it, registrations do not. */
    event: { modality?: Modality; now: number },
  ): Promise<void>;
};

export type IdentityCoreDeps = Pick<AttemptDeps, 'expectEvent'> & { vault: Vault; notify: NotifyIdentity };

export function openIdentityCore({ vault, notify, expectEvent }: IdentityCoreDeps): IdentityCore {
  const views = openUserViews({ vault });
  const addIdentityEvent = identityEvents(notify);
  const deps = { userView: views.userView, addIdentityEvent, expectEvent };
  return {
    ...views,
    vault,
    addIdentityEvent,
    attempt: openAttempts(deps),
    registration: openRegistrations(deps),
    async ensureUsable(db, user, { modality, now }) {
      const lock = modality && (await locksOf(db, [user.id])).get(user.id)?.[modality];
      const fault = faultOfStatus(user, modality, now) ?? faultOfLock(lock, now);
      if (fault) throw new ApiError(fault, { user: await views.userView(db, user, now) });
    },
  };
}
