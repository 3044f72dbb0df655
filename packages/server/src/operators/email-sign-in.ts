import { randomBytes } from 'node:crypto';
import type { TenantTx } from '../db/db.ts';
import type { Context } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import { bindDeps, type OpenContext } from '../kernel/implement.ts';
import { operatorName } from '../kernel/operator-name.ts';
import {
  type AccountDeps,
  answerSignIn,
  beginSession,
  ensureOperator,
  getOperatorForUpdate,
  type RefusedRecognition,
  record,
  recordLock,
  tenantOf,
  viewOf,
} from './account-parts.ts';
import { CEREMONY_MS, findCeremony, storeCeremony, takeCeremony } from './ceremonies.repository.ts';
import { maySignInByEmail } from './email-links.ts';
import { changeOperator, findOperatorForUpdate, type OperatorRow } from './operators.repository.ts';
import { passkeysOf } from './passkeys.repository.ts';
import { type SignInResult, throwRefused } from './passkeys.ts';
import { markAuthenticated } from './sessions.repository.ts';
import { findTotp, removeTotp } from './totps.repository.ts';
import { enrol, newSecret, recogniseCode } from './totps.ts';

/** Signs in with a link by e-mail and a code of an authenticator app, and sets up the app of a signed-in operator. */
type Body<B> = { body: B };
type Code = { ceremonyId: string; code: string };

function languageOf(context: OpenContext): string {
  return /^[a-z]{2}/.exec(context.header('accept-language') ?? '')?.[0] ?? 'en';
}

function throwRefusedCode(recognised: RefusedRecognition, now: number): never {
  if (recognised.refused === 'passkey') throw new ApiError(100350);
  throwRefused(recognised, now);
}

/** A sealed secret that waits for its first code; empty if the operator has an app. */
const pendingOf = (challenge: string) => (challenge === '' ? undefined : Buffer.from(challenge, 'base64url'));

export function emailSignInHandlers(deps: AccountDeps) {
  return bindDeps(deps, { startEmailSignIn, openEmailLink, completeEmailSignIn });
}

async function startEmailSignIn(deps: AccountDeps, context: OpenContext, { body }: Body<{ email: string }>) {
  const linkRequest = { email: body.email, language: languageOf(context), network: context.address };
  deps.emailSignIn.request(tenantOf(context), linkRequest);
  return {};
}

async function openEmailLink(deps: AccountDeps, context: OpenContext, { body }: Body<{ code: string }>) {
  const { db, clock } = deps;
  const tenantId = tenantOf(context);
  const tenantName = await deps.tenantName(tenantId);
  const now = clock.now();
  return db.of(tenantId).write(async (tx) => {
    const operator = await deps.emailSignIn.open(tx, body.code, now);
    const hasTotp = (await findTotp(tx, { operatorId: operator.id })) !== undefined;
    const secret = hasTotp ? undefined : await newSecret(deps, tx, { operator, tenantName });
    const code = { kind: 'CODE', operatorId: operator.id, sealed: secret?.sealed, now } as const;
    const { id } = await openCodeCeremony(tx, code);
    return { ceremonyId: id, ...(secret && { enrolment: secret.enrolment }) };
  });
}

async function completeEmailSignIn(deps: AccountDeps, context: OpenContext, { body }: Body<Code>) {
  const { db, clock } = deps;
  const tenantId = tenantOf(context);
  const now = clock.now();
  const signIn = await db.of(tenantId).write((tx) => recogniseAndBegin(deps, tx, context, { ...body, now }));
  return 'refused' in signIn ? throwRefusedCode(signIn, now) : answerSignIn(deps, signIn);
}

/** An invited operator joins with the first code. */
async function join(
  deps: AccountDeps,
  tx: TenantTx,
  context: OpenContext,
  { operator, now }: { operator: OperatorRow; now: number },
): Promise<void> {
  const joined: OperatorRow = {
    ...operator,
    status: 'ACTIVE',
    link_hash: null,
    link_expires_at: null,
    last_updated_at: now,
    last_updated_by: operatorName(operator),
  };
  await changeOperator(tx, joined);
  await record(deps, tx, 'operator.joined', joined, context);
}

/** Checks the code and begins a session. A refusal is returned, so that the transaction with the counted failure commits. */
async function recogniseAndBegin(deps: AccountDeps, tx: TenantTx, context: OpenContext, input: Code & { now: number }) {
  const { ceremonyId, code, now } = input;
  const ceremony = await findCeremony(tx, { id: ceremonyId, kind: 'CODE', now });
  const operator = ceremony && (await findOperatorForUpdate(tx, { id: ceremony.operator_id }));
  if (!ceremony || !operator) return { refused: 'ceremony' as const };
  // An operator who has joined by passkey or single sign-on since the link was opened is not taken over by an address.
  if (!(await maySignInByEmail(tx, operator, now))) return { refused: 'ceremony' as const };
  const pending = pendingOf(ceremony.challenge);
  const recognised = await recogniseCode(deps, tx, { operator, code, now, pending });
  if ('refused' in recognised) {
    await recordLock(deps, tx, recognised, context);
    return recognised;
  }
  await takeCeremony(tx, ceremonyId, { kind: 'CODE', operatorId: operator.id, now });
  if (pending) await record(deps, tx, 'operator.totpAdded', recognised.operator, context);
  if (operator.status === 'INVITED') await join(deps, tx, context, { operator: recognised.operator, now });
  else await record(deps, tx, 'operator.signedIn', recognised.operator, context);
  return beginSession(deps, tx, context, { operatorId: operator.id });
}

const ID_BYTES = 32;
type Opening = { kind: 'CODE' | 'NEW_TOTP'; operatorId: string; sealed: Uint8Array | undefined; now: number };

async function openCodeCeremony(tx: TenantTx, { kind, operatorId, sealed, now }: Opening): Promise<{ id: string }> {
  const id = randomBytes(ID_BYTES).toString('base64url');
  const challenge = sealed ? Buffer.from(sealed).toString('base64url') : '';
  await storeCeremony(tx, { id, kind, operator_id: operatorId, challenge, expires_at: now + CEREMONY_MS }, now);
  return { id };
}

export function ownCodeHandlers(deps: AccountDeps) {
  return bindDeps(deps, { confirmByCode, startTotp, completeTotp, deleteTotp });
}

async function confirmByCode(deps: AccountDeps, context: Context, { body }: Body<{ code: string }>) {
  const principal = ensureOperator(context);
  const { now } = context;
  const { callerId, operator } = principal;
  const result = await context.db.write(async (tx): Promise<SignInResult> => {
    const row = await findOperatorForUpdate(tx, { id: callerId });
    if (!row) throw new ApiError(100210);
    if (!(await findTotp(tx, { operatorId: callerId }))) throw new ApiError(100239);
    const recognised = await recogniseCode(deps, tx, { operator: row, code: body.code, now });
    if ('refused' in recognised) await recordLock(deps, tx, recognised, context);
    else await markAuthenticated(tx, { id: operator.sessionId, now });
    return recognised;
  });
  if ('refused' in result) throwRefusedCode(result, now);
  return viewOf(deps, { ...principal, operator: { ...operator, authenticatedAt: now } });
}

async function startTotp(deps: AccountDeps, context: Context) {
  const { callerId, tenantId } = ensureOperator(context);
  const tenantName = await deps.tenantName(tenantId);
  return context.db.write(async (tx) => {
    const operator = await getOperatorForUpdate(tx, callerId);
    const { sealed, enrolment } = await newSecret(deps, tx, { operator, tenantName });
    const { id } = await openCodeCeremony(tx, { kind: 'NEW_TOTP', operatorId: callerId, sealed, now: context.now });
    return { ceremonyId: id, ...enrolment };
  });
}

function completeTotp(deps: AccountDeps, context: Context, { body }: Body<Code>) {
  return context.db.write(async (tx) => {
    const { callerId } = ensureOperator(context);
    const { now } = context;
    const ceremony = await findCeremony(tx, { id: body.ceremonyId, kind: 'NEW_TOTP', now });
    const sealed = ceremony?.operator_id === callerId ? pendingOf(ceremony.challenge) : undefined;
    if (!sealed) throw new ApiError(100035);
    const operator = await getOperatorForUpdate(tx, callerId);
    if (!(await enrol(deps, tx, { operatorId: callerId, sealed, code: body.code, now }))) throw new ApiError(100350);
    await takeCeremony(tx, body.ceremonyId, { kind: 'NEW_TOTP', operatorId: callerId, now });
    await record(deps, tx, 'operator.totpAdded', operator, context);
    return {};
  });
}

async function deleteTotp(deps: AccountDeps, context: Context) {
  const { callerId } = ensureOperator(context);
  await context.db.write(async (tx) => {
    const operator = await getOperatorForUpdate(tx, callerId);
    const isLast = operator.sso_account === '' && (await passkeysOf(tx, { operatorId: callerId })).length === 0;
    if (isLast) throw new ApiError(100220);
    if (await removeTotp(tx, { operatorId: callerId }))
      await record(deps, tx, 'operator.totpDeleted', operator, context);
  });
  return undefined;
}
