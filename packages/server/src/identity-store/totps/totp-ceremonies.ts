import { randomBytes } from 'node:crypto';
import type { TenantReads, TenantTx } from '../../db/db.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { bindDeps } from '../../kernel/implement.ts';
import type { AttemptSuccess, Caller } from '../attempts/attempt.ts';
import { Refusal } from '../attempts/refusal.ts';
import type { IdentityCore } from '../identity-core.ts';
import { getActiveStore } from '../stores/find-store.ts';
import { getPolicy } from '../stores/store-policies.ts';
import { getUser, getUserForUpdate, type UserRef, userSubject } from '../users/find-user.ts';
import type { User } from '../users/user-view.ts';
import { isWellFormed, matchCode, normalCode, type Totp } from './match-code.ts';
import { showSecret } from './show-secret.ts';
import { type TotpPolicy, withoutColon } from './totp-policies.ts';
import {
  failPending,
  findPending,
  findTotp,
  type PendingTotpRow,
  putPending,
  putTotp,
  removePending,
  spendStep,
  type TotpKey,
  type TotpRow,
} from './totps.repository.ts';

/** Registration and authentication with one-time passwords, for API callers and for steps of a journey. */

const SECRET_BYTES = 20;
export const PENDING_LIFE_MS = 10 * MINUTE;
/** After this many wrong first codes, the registration must be started again. */
export const MAX_PENDING_FAILURES = 5;
/** No step has been accepted yet: step 0 is in 1970. */
const NO_STEP = -1;
export const MODALITY = 'TOTP';

/** The key of the user, if it was read together with the row. */
const keyOf = (row: object): Uint8Array | null => ('data_key' in row ? (row.data_key as Uint8Array | null) : null);
const contextOf = (id: string) => `totp:${id}`;

export type TotpAddress = { readonly storeName: string; readonly policyName: string; readonly user: UserRef };
export type TotpCeremonies = ReturnType<typeof totpCeremonies>;

/** Returns the policy of that name, or throws 100030. */
export async function totpPolicyOf(db: TenantReads, storeId: string, name: string): Promise<TotpPolicy> {
  return (await getPolicy<TotpPolicy>(db, { storeId, kind: MODALITY, name })).config;
}

export function totpCeremonies(core: IdentityCore) {
  return bindDeps(core, { startRegistration, completeRegistration, startAuthentication, authenticate });
}

/** `pendingId`: the registration to continue, if it is still pending and has not expired. */
function startRegistration(core: IdentityCore, caller: Caller, address: TotpAddress, pendingId?: string) {
  return caller.db.write(async (tx) => {
    const { now } = caller;
    const store = await getActiveStore(tx, caller, address.storeName);
    const policy = await totpPolicyOf(tx, store.id, address.policyName);
    const user = await getUserForUpdate(tx, store.id, address.user);
    await core.ensureUsable(tx, user, { now });
    const key = { userId: user.id, policyName: policy.name };
    const before =
      pendingId === undefined
        ? undefined
        : await findPending(tx, { userId: key.userId, policyName: key.policyName, now });
    const continued = before !== undefined && before.id === pendingId;
    const pending = continued ? before : await addPending(core, tx, key, policy, now);
    // An older policy may have a colon in its issuer.
    const appLabel = { issuer: withoutColon(policy.issuer), label: user.ext_id ?? user.id };
    const secretView = showSecret(await openTotp(core, tx, pending), appLabel);
    const { id, digits, expires_at: expiresAt } = pending;
    return { id, continued, secretView, digits, expiresAt };
  });
}

async function completeRegistration(
  core: IdentityCore,
  caller: Caller,
  address: TotpAddress,
  typedCode: string,
): Promise<User> {
  const { user } = await core.registration(caller, {
    storeName: address.storeName,
    modality: MODALITY,
    find: async () => address.user,
    async run(tx, owner, now, store) {
      if (!owner) throw new ApiError(100028);
      const policy = await totpPolicyOf(tx, store.id, address.policyName);
      const key = { userId: owner.id, policyName: policy.name };
      const pending = await findPending(tx, { userId: key.userId, policyName: key.policyName, now });
      if (!pending) throw new Refusal(100053, { counts: false });
      const { failed, expires_at, ...row } = pending;
      const code = wellFormed(typedCode, pending);
      const totp = await openTotp(core, tx, pending);
      const match = matchCode(totp, { code, window: policy.window, lastStep: NO_STEP, now });
      if (!match) {
        await (failed + 1 >= MAX_PENDING_FAILURES ? removePending(tx, key) : failPending(tx, key));
        throw new Refusal(100051, { counts: false });
      }
      await removePending(tx, key);
      putTotp(tx, { ...row, last_step: match.step, created_at: now });
      return { user: owner, result: undefined };
    },
  });
  return user;
}

/** Returns the data for a page that asks for a code. Refuses a user that could not authenticate. */
async function startAuthentication(
  core: IdentityCore,
  caller: Caller,
  address: TotpAddress,
): Promise<{ digits: number }> {
  const { db, now } = caller;
  const store = await getActiveStore(db, caller, address.storeName);
  const policy = await totpPolicyOf(db, store.id, address.policyName);
  const user = await getUser(db, store.id, address.user);
  await core.ensureUsable(db, user, { modality: MODALITY, now });
  const row = await findTotp(db, { userId: user.id, policyName: policy.name });
  if (!row) throw new ApiError(100053);
  return { digits: row.digits };
}

function authenticate(
  core: IdentityCore,
  caller: Caller,
  address: TotpAddress,
  code: string,
): Promise<AttemptSuccess<void>> {
  return core.attempt(caller, {
    storeName: address.storeName,
    modality: MODALITY,
    find: address.user,
    runsAgain: true,
    leavesView: 'totps',
    ahead: (tx, user, store) => readAhead(tx, store.id, { userId: user.id, policyName: address.policyName }),
    async run(tx, _user, now, _store, { key, ...ahead }) {
      const policy = await ahead.policy;
      const row = await ahead.row;
      if (!row) throw new Refusal(100053, { counts: false });
      const wellFormedCode = wellFormed(code, row);
      const totp = await openTotp(core, tx, row);
      const expected = { code: wellFormedCode, window: policy.window, lastStep: row.last_step, now };
      const match = matchCode(totp, expected);
      if (!match) throw new Refusal(100051, { counts: true });
      // A replayed code is not a guess, so it does not count.
      if (match.used) throw new Refusal(100052, { counts: false });
      spendStep(tx, { ...key, id: row.id, step: match.step });
    },
  });
}

async function openTotp({ vault }: IdentityCore, db: TenantReads, row: TotpRow | PendingTotpRow): Promise<Totp> {
  const { algorithm, digits, period } = row;
  const secret = await vault.openFor(db, userSubject(row.user_id), contextOf(row.id), row.sealed, keyOf(row));
  return { algorithm, digits, period, secret };
}

async function addPending(
  { vault }: IdentityCore,
  tx: TenantTx,
  { userId, policyName }: TotpKey,
  { algorithm, digits, period }: TotpPolicy,
  now: number,
): Promise<PendingTotpRow> {
  const id = newId(now);
  const sealed = await vault.sealFor(tx, userSubject(userId), contextOf(id), randomBytes(SECRET_BYTES));
  const pending: PendingTotpRow = {
    user_id: userId,
    policy_name: policyName,
    id,
    sealed,
    algorithm,
    digits,
    period,
    failed: 0,
    created_at: now,
    expires_at: now + PENDING_LIFE_MS,
  };
  putPending(tx, pending);
  return pending;
}

/** Starts the reads. The later await reports a failure; until then the empty handler prevents an unhandled rejection. */
function readAhead(tx: TenantTx, storeId: string, key: TotpKey) {
  const [policy, row] = [totpPolicyOf(tx, storeId, key.policyName), findTotp(tx, key)];
  for (const each of [policy, row]) each.catch(() => undefined);
  return { key, policy, row };
}

/** A text that cannot be a code of this length is not a guess, so it does not count. */
function wellFormed(typedCode: string, row: Pick<TotpRow, 'digits'>): string {
  const code = normalCode(typedCode);
  if (!isWellFormed(code, row)) throw new Refusal(100051, { counts: false });
  return code;
}
