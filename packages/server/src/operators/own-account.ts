import { type api, MAX_PASSKEYS_PER_OPERATOR } from '@grove/contract';
import { withHeaders } from '../kernel/answers.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { bindDeps, type Input } from '../kernel/implement.ts';
import {
  type AccountDeps,
  cookieText,
  ensureOperator,
  getOperatorForUpdate,
  placesFor,
  record,
  recordLock,
  viewOf,
} from './account-parts.ts';
import { openCeremony } from './ceremonies.repository.ts';
import { type OperatorPasskeyRow, passkeysOf, removePasskey } from './passkeys.repository.ts';
import { completeRegistration, recognise, requestOptions, startRegistration, throwRefused } from './passkeys.ts';
import { markAuthenticated, removeSession, sessionsOf } from './sessions.repository.ts';
import { toSessions } from './sessions.ts';
import { findTotp } from './totps.repository.ts';

type InputOf<Name extends keyof typeof api.consoleAccount> = Input<(typeof api.consoleAccount)[Name]>;

/** Manages the account of a signed-in operator: sessions, passkeys and confirmation. */
export function ownAccountHandlers(deps: AccountDeps) {
  return {
    ...bindDeps(deps, { getSession, signOut, startConfirmation, completeConfirmation }),
    ...bindDeps(deps, { startPasskey, completePasskey, deletePasskey }),
    listSessions,
    endSession,
    listPasskeys,
  };
}

function getSession(deps: AccountDeps, context: Context) {
  return viewOf(deps, ensureOperator(context));
}

async function signOut(deps: AccountDeps, context: Context) {
  const { callerId, operator } = ensureOperator(context);
  await context.db.write(async (tx) => {
    const row = await getOperatorForUpdate(tx, callerId);
    await removeSession(tx, { operatorId: callerId, id: operator.sessionId });
    await record(deps, tx, 'operator.signedOut', row, context);
  });
  return withHeaders({}, { 'set-cookie': cookieText(deps, { value: '', maxAge: 0 }) });
}

function startConfirmation(deps: AccountDeps, context: Context) {
  return context.db.write(async (tx) => {
    const { callerId, tenantId } = ensureOperator(context);
    const passkeys = await passkeysOf(tx, { operatorId: callerId });
    if (passkeys.length === 0) throw new ApiError(100239);
    const { id, challenge } = await openCeremony(tx, { kind: 'CONFIRM', operatorId: callerId, now: context.now });
    return { ceremonyId: id, publicKey: requestOptions(placesFor(deps, tenantId), challenge, passkeys) };
  });
}

async function completeConfirmation(deps: AccountDeps, context: Context, { body }: InputOf<'completeConfirmation'>) {
  const principal = ensureOperator(context);
  const { now } = context;
  const { callerId, tenantId, operator } = principal;
  const result = await context.db.write(async (tx) => {
    const expected = { places: placesFor(deps, tenantId), now, expected: callerId };
    const recognised = await recognise(tx, body, expected);
    if ('refused' in recognised) await recordLock(deps, tx, recognised, context);
    else await markAuthenticated(tx, { id: operator.sessionId, now });
    return recognised;
  });
  if ('refused' in result) throwRefused(result, now);
  return viewOf(deps, { ...principal, operator: { ...operator, authenticatedAt: now } });
}

async function listSessions(context: Context) {
  const { callerId, operator } = ensureOperator(context);
  return toSessions(await sessionsOf(context.db, { operatorId: callerId }), context.now, operator.sessionId);
}

async function endSession(context: Context, { params }: InputOf<'endSession'>) {
  const { callerId } = ensureOperator(context);
  const isEnded = await context.db.write((tx) =>
    removeSession(tx, { operatorId: callerId, id: params.operatorSessionId }),
  );
  if (!isEnded) throw new ApiError(100035);
  return undefined;
}

async function listPasskeys(context: Context) {
  const { callerId: operatorId } = ensureOperator(context);
  const rows = await passkeysOf(context.db, { operatorId });
  const totp = (await findTotp(context.db, { operatorId })) !== undefined;
  return { passkeys: rows.slice(0, MAX_PASSKEYS_PER_OPERATOR).map(toPasskey), totp };
}

async function startPasskey(deps: AccountDeps, context: Context) {
  const { callerId, tenantId } = ensureOperator(context);
  const tenantName = await deps.tenantName(tenantId);
  return context.db.write(async (tx) => {
    const operator = await getOperatorForUpdate(tx, callerId);
    return startRegistration(tx, { operator, places: placesFor(deps, tenantId), tenantName, now: context.now });
  });
}

function completePasskey(deps: AccountDeps, context: Context, { body }: InputOf<'completePasskey'>) {
  return context.db.write(async (tx) => {
    const { callerId, tenantId } = ensureOperator(context);
    const operator = await getOperatorForUpdate(tx, callerId);
    const name = `Passkey ${(await passkeysOf(tx, { operatorId: callerId })).length + 1}`;
    const at = { operatorId: callerId, places: placesFor(deps, tenantId), now: context.now, name };
    const row = await completeRegistration(tx, body, at);
    await record(deps, tx, 'operator.passkeyAdded', operator, context);
    return toPasskey(row);
  });
}

async function deletePasskey(deps: AccountDeps, context: Context, { params }: InputOf<'deletePasskey'>) {
  const { callerId } = ensureOperator(context);
  await context.db.write(async (tx) => {
    const operator = await getOperatorForUpdate(tx, callerId);
    const passkeys = await passkeysOf(tx, { operatorId: callerId });
    if (!passkeys.some(({ id }) => id === params.operatorPasskeyId)) throw new ApiError(100031);
    if (passkeys.length === 1 && !(await findTotp(tx, { operatorId: callerId }))) throw new ApiError(100220);
    await removePasskey(tx, { operatorId: callerId, id: params.operatorPasskeyId });
    await record(deps, tx, 'operator.passkeyDeleted', operator, context);
  });
  return undefined;
}

type PasskeyFields = Pick<OperatorPasskeyRow, 'id' | 'name' | 'created_at' | 'last_used_at'>;

function toPasskey({ id, name, created_at, last_used_at }: PasskeyFields) {
  const lastUsed = last_used_at !== null && { lastUsedDtm: toDtm(last_used_at) };
  return { id, name, createdDtm: toDtm(created_at), ...lastUsed };
}
