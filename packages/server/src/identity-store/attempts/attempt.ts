import type { TenantDb, TenantTx } from '../../db/db.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lineOf, openTurns } from '../../kernel/take-turns.ts';
import type { AddIdentityEvent, NewIdentityEvent, ProcessFields } from '../events/identity-events.ts';
import { getActiveStore, type Store } from '../stores/find-store.ts';
import { getUserForUpdate, getUserInStoreForUpdate, type UserRef, type UserRow } from '../users/find-user.ts';
import type { SummaryPart, User, UserViews } from '../users/user-view.ts';
import { recordSuccess, tempLockUser } from '../users/users.repository.ts';
import { addAuthentication } from './authentications.repository.ts';
import { afterFailure, type LockState, lockLimitsOf, type Modality, NO_FAILURES } from './lock-rules.ts';
import { clearLock, findLock, putLock } from './locks.repository.ts';
import { Refusal } from './refusal.ts';
import { faultOfLock, faultOfStatus } from './usable.ts';

/**
 * Every authentication runs in this one transaction and this one catch. The row of the user is locked from before the
 * first check until the commit. So concurrent attempts are judged one after another, and none can pass the limit of
 * failures. A refusal commits: its failure is counted in the same transaction. Every other error rolls back.
 */
export type Caller = {
  readonly db: TenantDb;
  readonly now: number;
  readonly principal: { readonly environment: 'live' | 'test' };
  /** The process of the calling step, if the caller is a step of a journey. */
  readonly process?: ProcessFields | undefined;
};

/** The user that attempts to authenticate, and the relying party if only the session names it. */
export type WhoAttempts = UserRef & { readonly rpId?: string | undefined };

export type AttemptInput<Result, Ahead = void> = {
  readonly storeName: string;
  readonly modality: Modality;
  readonly rpId?: string | undefined;
  /** The process in which the attempt happens, if any. */
  readonly process?: ProcessFields | undefined;
  /**
   * The user that attempts to authenticate, or a function that finds it. Such a function spends the session first. It
   * may refuse; then the response names no user. An `ApiError`, such as 100035, rolls back.
   */
  readonly find: WhoAttempts | ((tx: TenantTx, store: Store) => Promise<WhoAttempts>);
  /** Whether `find` and `run` may be called again after a conflict, see `WriteOptions`. */
  readonly runsAgain?: boolean;
  /**
   * Starts the reads that `run` needs, before the lock state is known: on PostgreSQL all of them share one round trip.
   * It must not wait, and each of its promises must have a handler for its failure.
   */
  ahead?(tx: TenantTx, user: UserRow, store: Store): Ahead;
  /**
   * Given if `run` changes nothing that callers see: the part of the view that the user surely has. Then the view of the
   * user is read while it runs.
   */
  readonly leavesView?: SummaryPart;
  /** Compares, and writes the changes. It refuses by throwing a `Refusal`; what it wrote before stays. */
  run(tx: TenantTx, user: UserRow, now: number, store: Store, ahead: Ahead): Promise<Result>;
};

export type AttemptSuccess<Result> = { authenticationId: string; user: User; result: Result };

export type Attempt = <Result, Ahead = void>(
  caller: Caller,
  input: AttemptInput<Result, Ahead>,
) => Promise<AttemptSuccess<Result>>;

export type AttemptDeps = {
  userView: UserViews['userView'];
  addIdentityEvent: AddIdentityEvent;
  /** Starts to read the subscribers of an event of this transaction. */
  expectEvent?: ((tx: TenantTx) => void) | undefined;
};

type Judgement<Result> = PassedAttempt<Result> | { refused: Refusal; user?: User };
type PassedAttempt<Result> = Omit<AttemptSuccess<Result>, 'user'> & { row: UserRow; user: User | undefined };

/** How many attempts may wait for earlier ones of the same user. */
const MOST_WAITING = 500;

export function openAttempts(deps: AttemptDeps): Attempt {
  const takeTurns = openTurns(MOST_WAITING);
  return async (caller, input) => {
    const { db } = caller;
    const { runsAgain = false } = input;
    const attempt = () => db.write((tx) => judge(deps, tx, caller, input), { runsAgain });
    // Attempts for one user queue here and not at the row lock: there, each would hold a connection of the pool until
    // none is free. An attempt that already has a connection must not wait for attempts that have none.
    const judgement = await (typeof input.find !== 'function' && !db.inTransaction
      ? takeTurns(lineOfUser(caller, input.storeName, input.find), attempt)
      : attempt());
    const { row, user, ...attempted } = acceptedOf(judgement);
    return { ...attempted, user: user ?? (await deps.userView(db, row, caller.now)) };
  };
}

/** Returns the queue name of a user. If two users share a name by chance, they only wait for each other. */
function lineOfUser({ db, principal }: Caller, storeName: string, { userId, userExtId }: UserRef): string {
  const line = lineOf(db.tenantId, principal.environment);
  return userId === undefined ? `${line}\n${storeName}\next:${userExtId}` : `${line}\n${storeName}\nid:${userId}`;
}

/** Throws the refusal after the commit, so that its counted failure stays. */
export function acceptedOf<Accepted extends object>(judgement: Accepted | { refused: Refusal; user?: User }): Accepted {
  if (!('refused' in judgement)) return judgement;
  const { refused: refusal, user } = judgement;
  throw new ApiError(refusal.code, { ...refusal.problem, ...(user && { user }) });
}

async function judge<Result, Ahead>(
  deps: AttemptDeps,
  tx: TenantTx,
  caller: Caller,
  input: AttemptInput<Result, Ahead>,
): Promise<Judgement<Result>> {
  const { now } = caller;
  const { modality, process = caller.process } = input;
  const fields = { environment: caller.principal.environment, storeName: input.storeName, modality, process, now };
  const attempting = await findWhom(tx, caller, input);
  if (attempting instanceof Refusal) {
    const { code } = attempting;
    await deps.addIdentityEvent(tx, { ...fields, type: 'identity.authenticationFailed', code, rpId: input.rpId });
    return { refused: attempting };
  }
  const { store, user, rpId } = attempting;
  const ahead = input.ahead?.(tx, user, store) as Ahead;
  const row = { ...user, last_success_at: now };
  const view = input.leavesView && !tx.hasOneWriter ? settle(deps.userView(tx, row, now, input.leavesView)) : undefined;
  deps.expectEvent?.(tx);
  const before = await findLock(tx, { userId: user.id, modality });
  const result = await catchRefusal(async () => {
    const fault = faultOfStatus(user, modality, now) ?? faultOfLock(before, now);
    if (fault) throw new Refusal(fault, { counts: false });
    return input.run(tx, user, now, store, ahead);
  });
  const viewBefore = await view;
  const about: About = { fields: { ...fields, rpId, userId: user.id }, user, before, store };
  if (result instanceof Refusal) {
    const after = await noteRefusal(deps, tx, about, result);
    return { refused: result, user: await deps.userView(tx, after, now) };
  }
  const authenticationId = await recordAttempt(deps.addIdentityEvent, tx, about.fields);
  if (before) clearLock(tx, { userId: user.id, modality });
  recordSuccess(tx, { id: user.id, last_success_at: now });
  return { authenticationId, result, row, user: before ? undefined : viewBefore?.() };
}

/** Waits for the promise; the returned function throws its error or returns its value. */
async function settle<T>(promise: Promise<T>): Promise<() => T> {
  const [end] = await Promise.allSettled([promise]);
  return () => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  };
}

/** Finds the user and locks its row. If the input names the user, one query reads user and store. */
async function findWhom(
  tx: TenantTx,
  caller: Caller,
  { find, storeName, rpId }: Pick<AttemptInput<unknown>, 'find' | 'storeName' | 'rpId'>,
): Promise<{ store: Store; user: UserRow; rpId: string | undefined } | Refusal> {
  if (typeof find !== 'function') {
    return { ...(await getUserInStoreForUpdate(tx, caller, storeName, find)), rpId: find.rpId ?? rpId };
  }
  const store = await getActiveStore(tx, caller, storeName);
  const who = await catchRefusal(() => find(tx, store));
  if (who instanceof Refusal) return who;
  return { store, user: await getUserForUpdate(tx, store.id, who), rpId: who.rpId ?? rpId };
}

async function catchRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

type About = { fields: AttemptFields; user: UserRow; before: LockState | undefined; store: Store };

/** Records the refused attempt and counts it if it counts; returns the user as it is afterwards. */
async function noteRefusal(deps: AttemptDeps, tx: TenantTx, about: About, refusal: Refusal): Promise<UserRow> {
  const { fields, user, before, store } = about;
  const { modality, now } = fields;
  await recordAttempt(deps.addIdentityEvent, tx, fields, refusal.code);
  if (!refusal.counts) return user;
  const { state, became } = afterFailure(before ?? NO_FAILURES, lockLimitsOf(store.configuration, modality), now);
  putLock(tx, { user_id: user.id, modality, ...state });
  if (!became) return user;
  const { environment, storeName, userId, process } = fields;
  const lock = { environment, storeName, userId, process, now };
  const type = became === 'LOCKED' ? 'identity.modalityLocked' : 'identity.modalityDisabled';
  await deps.addIdentityEvent(tx, { ...lock, type, modality });
  const { scope } = store.configuration.lockConfiguration ?? {};
  if (scope !== 'USER' || state.locked_until === null) return user;
  tempLockUser(tx, { id: user.id, temp_lock_at: now, temp_lock_until: state.locked_until });
  await deps.addIdentityEvent(tx, { ...lock, type: 'identity.userLocked' });
  return { ...user, temp_lock_at: now, temp_lock_until: state.locked_until };
}

type AttemptFields = Omit<NewIdentityEvent, 'type' | 'code' | 'userId'> & { modality: Modality; userId: string };

/** Records an attempt and publishes its event. `code` is set when it was refused. Returns the id of the authentication. */
async function recordAttempt(
  addIdentityEvent: AddIdentityEvent,
  tx: TenantTx,
  fields: AttemptFields,
  code?: number,
): Promise<string> {
  const { userId, modality, rpId, now } = fields;
  const id = newId(now);
  const succeeded = code === undefined;
  addAuthentication(tx, {
    id,
    user_id: userId,
    modality,
    succeeded: succeeded ? 1 : 0,
    code: code ?? null,
    rp_id: rpId ?? null,
    created_at: now,
  });
  const type = succeeded ? 'identity.authenticationSucceeded' : 'identity.authenticationFailed';
  await addIdentityEvent(tx, { ...fields, type, code });
  return id;
}
