import { api, MAX_PASSKEYS_PER_OPERATOR } from '@grove/contract';
import type { TenantTx } from '../db/db.ts';
import { withHeaders } from '../kernel/answers.ts';
import { toDtm } from '../kernel/clock.ts';
import { cookieOf } from '../kernel/cookie-of.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { implement, type OpenContext } from '../kernel/implement.ts';
import { nameBrowser } from '../kernel/name-browser.ts';
import { operatorName } from '../kernel/operator-name.ts';
import { fold } from '../kernel/pages.ts';
import { type AccountDeps, accountParts, existing, own, tenantOf } from './account-parts.ts';
import { CEREMONY_MS, openCeremony } from './ceremonies.repository.ts';
import { emailSignInHandlers, ownCodeHandlers } from './email-sign-in.ts';
import { hashLink, withOwnEmail } from './links.ts';
import { changeOperator, findByLink, type OperatorRow } from './operators.repository.ts';
import { passkeysOf, removePasskey } from './passkeys.repository.ts';
import {
  completeRegistration,
  placesOf,
  recognise,
  requestOptions,
  startRegistration,
  throwRefused,
} from './passkeys.ts';
import { markAuthenticated, removeSession, sessionsOf } from './sessions.repository.ts';
import { toSessions } from './sessions.ts';
import { findTotp } from './totps.repository.ts';

/** What the pages of the console call: to sign in, and for the own account. */
export function consoleAccountHandlers(deps: AccountDeps) {
  const { db, clock, tenantName } = deps;
  const places = (tenantId: TenantId) => placesOf(deps.baseUrlOf(tenantId));

  const { record, viewOf, ceremonyCookie, cookieText, begin, signedIn, recordLock } = accountParts(deps);

  return implement(api.consoleAccount, {
    async startSignIn(context) {
      const tenantId = tenantOf(context);
      const { id, challenge } = await db
        .of(tenantId)
        .write((tx) => openCeremony(tx, { kind: 'SIGN_IN', now: clock.now() }));
      return { ceremonyId: id, publicKey: requestOptions(places(tenantId), challenge) };
    },

    async completeSignIn(context, { body }) {
      const tenantId = tenantOf(context);
      const now = clock.now();
      const signIn = await db.of(tenantId).write(async (tx) => {
        const recognised = await recognise(tx, body, { places: places(tenantId), now });
        if ('refused' in recognised) {
          await recordLock(tx, recognised);
          return recognised;
        }
        await record(tx, 'operator.signedIn', recognised.operator);
        return { cookie: await begin(tx, context, recognised.operator.id) };
      });
      return 'refused' in signIn ? throwRefused(signIn, now) : signedIn(tenantId, signIn.cookie);
    },

    signInOptions: async (context) => ({
      singleSignOn: await deps.singleSignOn.isOffered(tenantOf(context)),
      emailLink: deps.emailSignIn.isOffered(),
    }),

    ...emailSignInHandlers(deps),

    ...ownCodeHandlers(deps),

    async startSingleSignOn(context, { body }) {
      const { url, ceremonyId } = await deps.singleSignOn.start(tenantOf(context), body.again === true);
      const cookie = cookieText(ceremonyId, CEREMONY_MS / 1000, ceremonyCookie);
      return withHeaders({ url }, { 'set-cookie': cookie });
    },

    async completeSingleSignOn(context, { body }) {
      const tenantId = tenantOf(context);
      const ceremonyId = cookieOf(context.header('cookie'), ceremonyCookie) ?? '';
      const answer = { ceremonyId, query: body.query };
      const cookie = await deps.singleSignOn.complete(tenantId, answer, async (tx, signedIn) => {
        await record(tx, signedIn.isNew ? 'operator.joined' : 'operator.signedIn', signedIn.operator);
        return begin(tx, context, signedIn.operator.id, signedIn.authenticatedAt);
      });
      return signedIn(tenantId, cookie);
    },

    async openInvitation(context, { body }) {
      const tenantId = tenantOf(context);
      const now = clock.now();
      const shownName = await tenantName(tenantId);
      return db.of(tenantId).write(async (tx) => {
        const operator = await invited(tx, body.code, now);
        const started = await startRegistration(tx, { operator, places: places(tenantId), tenantName: shownName, now });
        const { name, email, role } = operator;
        return { tenantName: shownName, name, role, ...(email !== '' && { email }), ...started };
      });
    },

    async acceptInvitation(context, { body }) {
      const tenantId = tenantOf(context);
      const now = clock.now();
      const cookie = await db.of(tenantId).write(async (tx) => {
        const operator = await invited(tx, body.code, now);
        const at = { operatorId: operator.id, places: places(tenantId), now, name: passkeyName(context) };
        await completeRegistration(tx, body, at);
        const joined = joinedOperator(operator, body, now);
        await withOwnEmail(() => changeOperator(tx, joined));
        await record(tx, 'operator.joined', joined);
        return begin(tx, context, operator.id);
      });
      return signedIn(tenantId, cookie);
    },

    getSession: (context) => viewOf(own(context)),

    async signOut(context) {
      const { callerId, operator } = own(context);
      await context.db.write(async (tx) => {
        await removeSession(tx, callerId, operator.sessionId);
        await record(tx, 'operator.signedOut', await existing(tx, callerId));
      });
      return withHeaders({}, { 'set-cookie': cookieText('', 0) });
    },

    startConfirmation: (context) =>
      context.db.write(async (tx) => {
        const { callerId, tenantId } = own(context);
        const passkeys = await passkeysOf(tx, callerId);
        if (passkeys.length === 0) throw new ApiError(100239);
        const { id, challenge } = await openCeremony(tx, { kind: 'CONFIRM', operatorId: callerId, now: context.now });
        return { ceremonyId: id, publicKey: requestOptions(places(tenantId), challenge, passkeys) };
      }),

    async completeConfirmation(context, { body }) {
      const principal = own(context);
      const { now } = context;
      const { callerId, tenantId, operator } = principal;
      const result = await context.db.write(async (tx) => {
        const recognised = await recognise(tx, body, { places: places(tenantId), now, expected: callerId });
        if ('refused' in recognised) await recordLock(tx, recognised);
        else await markAuthenticated(tx, operator.sessionId, now);
        return recognised;
      });
      if ('refused' in result) throwRefused(result, now);
      return viewOf({ ...principal, operator: { ...operator, authenticatedAt: now } });
    },

    async listSessions(context) {
      const { callerId, operator } = own(context);
      return toSessions(await sessionsOf(context.db, callerId), context.now, operator.sessionId);
    },

    async endSession(context, { params }) {
      const { callerId } = own(context);
      const isEnded = await context.db.write((tx) => removeSession(tx, callerId, params.operatorSessionId));
      if (!isEnded) throw new ApiError(100035);
      return undefined;
    },

    async listPasskeys(context) {
      const rows = await passkeysOf(context.db, own(context).callerId);
      const totp = (await findTotp(context.db, own(context).callerId)) !== undefined;
      return { passkeys: rows.slice(0, MAX_PASSKEYS_PER_OPERATOR).map(toPasskey), totp };
    },

    async startPasskey(context) {
      const { callerId, tenantId } = own(context);
      const shownName = await tenantName(tenantId);
      return context.db.write(async (tx) => {
        const operator = await existing(tx, callerId);
        const at = { places: places(tenantId), tenantName: shownName, now: context.now };
        return startRegistration(tx, { operator, ...at });
      });
    },

    completePasskey: (context, { body }) =>
      context.db.write(async (tx) => {
        const { callerId, tenantId } = own(context);
        const number = (await passkeysOf(tx, callerId)).length + 1;
        const at = { operatorId: callerId, places: places(tenantId), now: context.now, name: `Passkey ${number}` };
        const row = await completeRegistration(tx, body, at);
        await record(tx, 'operator.passkeyAdded', await existing(tx, callerId));
        return toPasskey(row);
      }),

    async deletePasskey(context, { params }) {
      const { callerId } = own(context);
      await context.db.write(async (tx) => {
        const operator = await existing(tx, callerId);
        const own = await passkeysOf(tx, callerId);
        if (!own.some(({ id }) => id === params.operatorPasskeyId)) throw new ApiError(100031);
        if (own.length === 1 && !(await findTotp(tx, callerId))) throw new ApiError(100220);
        await removePasskey(tx, callerId, params.operatorPasskeyId);
        await record(tx, 'operator.passkeyDeleted', operator);
      });
      return undefined;
    },
  });
}

async function invited(tx: TenantTx, code: string, now: number): Promise<OperatorRow> {
  const operator = await findByLink(tx, hashLink(code), now);
  if (operator?.status !== 'INVITED') throw new ApiError(100219);
  return operator;
}

/** The link is spent. A name is what the operator says; an address only where the invitation had none. */
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

function passkeyName(context: OpenContext): string {
  return nameBrowser(context.header('user-agent'));
}

function toPasskey({
  id,
  name,
  created_at,
  last_used_at,
}: {
  id: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
}) {
  return {
    id,
    name,
    createdDtm: toDtm(created_at),
    ...(last_used_at !== null && { lastUsedDtm: toDtm(last_used_at) }),
  };
}
