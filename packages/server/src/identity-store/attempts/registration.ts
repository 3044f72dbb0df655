import type { TenantTx } from '../../db/db.ts';
import { getActiveStore, type Store } from '../stores/find-store.ts';
import { getUserForUpdate, type UserRow } from '../users/find-user.ts';
import type { User } from '../users/user-view.ts';
import type { AttemptInput } from './attempt.ts';
import { type AttemptDeps, acceptedOf, type Caller, type WhoAttempts } from './attempt.ts';
import { clearLock } from './locks.repository.ts';
import { Refusal } from './refusal.ts';
import { faultOfStatus } from './usable.ts';

/**
 * The transaction around the completion of a registration. As in an attempt, a refusal commits and the response
 * contains the user. Unlike an attempt, a refusal is not counted, and a locked modality does not prevent it: a new
 * registration is the way to enable a disabled modality again.
 */
export type RegistrationInput<Result> = Pick<AttemptInput<Result>, 'storeName' | 'modality' | 'rpId' | 'process'> & {
  /** Spends the session and returns the user it belongs to, or `undefined` if the registration creates the user. */
  find(tx: TenantTx, store: Store): Promise<WhoAttempts | undefined>;
  /** Checks and stores the registered key or secret; returns its user. */
  run(
    tx: TenantTx,
    user: UserRow | undefined,
    now: number,
    store: Store,
  ): Promise<{ user: UserRow; result: Result; rpId?: string | undefined }>;
};

export type UserResult<Result> = { user: User; result: Result };

export type Registration = <Result>(caller: Caller, input: RegistrationInput<Result>) => Promise<UserResult<Result>>;

type Judgement<Result> = UserResult<Result> | { refused: Refusal; user?: User };

export function openRegistrations(deps: AttemptDeps): Registration {
  return async (caller, input) => {
    return acceptedOf(await caller.db.write((tx) => judge(deps, tx, caller, input)));
  };
}

async function judge<Result>(
  deps: AttemptDeps,
  tx: TenantTx,
  caller: Caller,
  input: RegistrationInput<Result>,
): Promise<Judgement<Result>> {
  const { now } = caller;
  const { modality, process = caller.process } = input;
  const store = await getActiveStore(tx, caller, input.storeName);
  let existingUser: UserRow | undefined;
  let rpId = input.rpId;
  const eventFields = { environment: store.environment, storeName: store.name, modality, process, now };
  try {
    const who = await input.find(tx, store);
    rpId = who?.rpId ?? rpId;
    existingUser = who && (await getUserForUpdate(tx, store.id, who));
    // No modality is passed: a disabled user is refused with 502, whatever it registers.
    const fault = existingUser && faultOfStatus(existingUser, undefined, now);
    if (fault) throw new Refusal(fault, { counts: false });
    const { user, result, ...ran } = await input.run(tx, existingUser, now, store);
    clearLock(tx, { userId: user.id, modality });
    const event = { ...eventFields, userId: user.id, rpId: ran.rpId ?? rpId };
    await deps.addIdentityEvent(tx, { ...event, type: 'identity.authenticatorRegistered' });
    return { result, user: await deps.userView(tx, user, now) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const type = 'identity.registrationFailed';
    await deps.addIdentityEvent(tx, { ...eventFields, type, userId: existingUser?.id, rpId, code: error.code });
    return { refused: error, ...(existingUser && { user: await deps.userView(tx, existingUser, now) }) };
  }
}
