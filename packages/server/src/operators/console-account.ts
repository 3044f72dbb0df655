import { api } from '@grove/contract';
import type { TenantTx } from '../db/db.ts';
import { withHeaders } from '../kernel/answers.ts';
import { cookieOf } from '../kernel/cookie-of.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { bindDeps, type Input, implement, type OpenContext } from '../kernel/implement.ts';
import { nameBrowser } from '../kernel/name-browser.ts';
import { operatorName } from '../kernel/operator-name.ts';
import { fold } from '../kernel/pages.ts';
import {
  type AccountDeps,
  answerSignIn,
  beginSession,
  ceremonyCookieName,
  cookieText,
  placesFor,
  record,
  recordLock,
  tenantOf,
} from './account-parts.ts';
import { CEREMONY_MS, openCeremony } from './ceremonies.repository.ts';
import { emailSignInHandlers, ownCodeHandlers } from './email-sign-in.ts';
import { hashLink, withOwnEmail } from './links.ts';
import { changeOperator, findByLink, type OperatorRow } from './operators.repository.ts';
import { ownAccountHandlers } from './own-account.ts';
import { completeRegistration, recognise, requestOptions, startRegistration, throwRefused } from './passkeys.ts';
import { viewHandlers } from './views.ts';

type InputOf<Name extends keyof typeof api.consoleAccount> = Input<(typeof api.consoleAccount)[Name]>;

export function consoleAccountHandlers(deps: AccountDeps) {
  return implement(api.consoleAccount, {
    ...bindDeps(deps, { startSignIn, completeSignIn, signInOptions, startSingleSignOn, completeSingleSignOn }),
    ...bindDeps(deps, { openInvitation, acceptInvitation }),
    ...ownAccountHandlers(deps),
    ...emailSignInHandlers(deps),
    ...ownCodeHandlers(deps),
    ...viewHandlers(deps),
  });
}

async function startSignIn(deps: AccountDeps, context: OpenContext) {
  const tenantId = tenantOf(context);
  const now = deps.clock.now();
  const { id, challenge } = await deps.db.of(tenantId).write((tx) => openCeremony(tx, { kind: 'SIGN_IN', now }));
  return { ceremonyId: id, publicKey: requestOptions(placesFor(deps, tenantId), challenge) };
}

async function completeSignIn(deps: AccountDeps, context: OpenContext, { body }: InputOf<'completeSignIn'>) {
  const tenantId = tenantOf(context);
  const now = deps.clock.now();
  const signIn = await deps.db.of(tenantId).write(async (tx) => {
    const recognised = await recognise(tx, body, { places: placesFor(deps, tenantId), now });
    if ('refused' in recognised) {
      await recordLock(deps, tx, recognised, context);
      return recognised;
    }
    await record(deps, tx, 'operator.signedIn', recognised.operator, context);
    return beginSession(deps, tx, context, { operatorId: recognised.operator.id });
  });
  return 'refused' in signIn ? throwRefused(signIn, now) : answerSignIn(deps, signIn);
}

async function signInOptions(deps: AccountDeps, context: OpenContext) {
  return {
    singleSignOn: await deps.singleSignOn.isOffered(tenantOf(context)),
    emailLink: deps.emailSignIn.isOffered(),
  };
}

async function startSingleSignOn(deps: AccountDeps, context: OpenContext, { body }: InputOf<'startSingleSignOn'>) {
  const { url, ceremonyId } = await deps.singleSignOn.start(tenantOf(context), body.again === true);
  const cookie = cookieText(deps, { name: ceremonyCookieName(deps), value: ceremonyId, maxAge: CEREMONY_MS / 1000 });
  return withHeaders({ url }, { 'set-cookie': cookie });
}

async function completeSingleSignOn(
  deps: AccountDeps,
  context: OpenContext,
  { body }: InputOf<'completeSingleSignOn'>,
) {
  const tenantId = tenantOf(context);
  const ceremonyId = cookieOf(context.header('cookie'), ceremonyCookieName(deps)) ?? '';
  const answer = { ceremonyId, query: body.query };
  const session = await deps.singleSignOn.complete(tenantId, answer, async (tx, account) => {
    const { operator, isNew, authenticatedAt } = account;
    await record(deps, tx, isNew ? 'operator.joined' : 'operator.signedIn', operator, context);
    return beginSession(deps, tx, context, { operatorId: operator.id, authenticatedAt });
  });
  return answerSignIn(deps, session);
}

async function openInvitation(deps: AccountDeps, context: OpenContext, { body }: InputOf<'openInvitation'>) {
  const tenantId = tenantOf(context);
  const now = deps.clock.now();
  const tenantName = await deps.tenantName(tenantId);
  return deps.db.of(tenantId).write(async (tx) => {
    const operator = await invited(tx, body.code, now);
    const registration = await startRegistration(tx, { operator, places: placesFor(deps, tenantId), tenantName, now });
    const { name, email, role } = operator;
    return { tenantName, name, role, ...(email !== '' && { email }), ...registration };
  });
}

async function acceptInvitation(deps: AccountDeps, context: OpenContext, { body }: InputOf<'acceptInvitation'>) {
  const tenantId = tenantOf(context);
  const now = deps.clock.now();
  const session = await deps.db.of(tenantId).write(async (tx) => {
    const operator = await invited(tx, body.code, now);
    const at = {
      operatorId: operator.id,
      places: placesFor(deps, tenantId),
      now,
      name: nameBrowser(context.header('user-agent')),
    };
    await completeRegistration(tx, body, at);
    const joined = joinedOperator(operator, body, now);
    await withOwnEmail(() => changeOperator(tx, joined));
    await record(deps, tx, 'operator.joined', joined, context);
    return beginSession(deps, tx, context, { operatorId: operator.id });
  });
  return answerSignIn(deps, session);
}

async function invited(tx: TenantTx, code: string, now: number): Promise<OperatorRow> {
  const operator = await findByLink(tx, { hash: hashLink(code), now });
  if (operator?.status !== 'INVITED') throw new ApiError(100219);
  return operator;
}

/** The link is spent. The operator may change the name, but the address only if the invitation had none. */
function joinedOperator(before: OperatorRow, input: { name?: string; email?: string }, now: number): OperatorRow {
  const { name = before.name } = input;
  const email = before.email || input.email;
  if (!email) throw invalidInput({ pointer: '/email', message: 'is required: the invitation has none' });
  const after = {
    ...before,
    name,
    name_folded: fold(name),
    email,
    email_folded: fold(email),
    status: 'ACTIVE' as const,
  };
  const link = { link_hash: null, link_expires_at: null, last_sign_in_at: now };
  return { ...after, ...link, last_updated_at: now, last_updated_by: operatorName(after) };
}
