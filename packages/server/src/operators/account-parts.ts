import type { api, Ok } from '@grove/contract';
import type { Audit, AuditAction } from '../audit/audit.ts';
import type { Db, TenantTx } from '../db/db.ts';
import { type WithHeaders, withHeaders } from '../kernel/answers.ts';
import { type Clock, toDtm } from '../kernel/clock.ts';
import type { Context, OperatorPrincipal, Principal } from '../kernel/context.ts';
import { cookieOf } from '../kernel/cookie-of.ts';
import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { OpenContext } from '../kernel/implement.ts';
import { nameBrowser } from '../kernel/name-browser.ts';
import { operatorName } from '../kernel/operator-name.ts';
import type { Vault } from '../secrets/vault.ts';
import type { EmailLinks } from './email-links.ts';
import { findOperator, type OperatorRow } from './operators.repository.ts';
import type { Recognised } from './passkeys.ts';
import { endSessionOf, IDLE_MS, type OperatorSession, startSession } from './sessions.ts';
import type { SingleSignOnSignIn } from './single-sign-on/sign-in.ts';

/** What every way to sign in needs: a session that begins, its cookie, and a line in the audit trail. */
export type AccountDeps = {
  db: Db;
  clock: Clock;
  audit: Pick<Audit, 'record'>;
  region: string;
  secure: boolean;
  cookieName: string;
  session: OperatorSession;
  singleSignOn: SingleSignOnSignIn;
  emailSignIn: EmailLinks;
  vault: Pick<Vault, 'sealFor' | 'openFor'>;
  baseUrlOf(tenantId: string): string;
  tenantName(tenantId: TenantId): Promise<string>;
};

type SessionView = Ok<typeof api.consoleAccount.getSession>;

export function accountParts(deps: AccountDeps) {
  const { clock, audit, tenantName } = deps;
  const record = (tx: TenantTx, action: AuditAction, operator: OperatorRow) =>
    audit.record(tx, {
      action,
      environment: 'live',
      actor: operatorName(operator),
      operatorId: operator.id,
      at: clock.now(),
      item: operator.id,
    });

  const viewOf = async (principal: Principal & { operator: OperatorPrincipal }): Promise<SessionView> => {
    const { tenantId, callerId, callerName, operator } = principal;
    return {
      tenantId,
      tenantName: await tenantName(tenantId),
      region: deps.region,
      operator: {
        id: callerId,
        name: callerName,
        role: operator.role,
        ...(operator.email && { email: operator.email }),
      },
      permissions: [...operator.permissions],
      environments: [...operator.environments],
      ofInstallation: operator.ofInstallation,
      sessionId: operator.sessionId,
      authenticatedDtm: toDtm(operator.authenticatedAt),
      idleSeconds: IDLE_MS / 1000,
      expiringDtm: toDtm(operator.expiresAt),
    };
  };

  const ceremonyCookie = `${deps.cookieName}-sign-in`;
  const cookieText = (value: string, maxAge: number, name = deps.cookieName) =>
    `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${deps.secure ? '; Secure' : ''}`;

  /** In the transaction that recognised the operator: the old session of this browser ends and a new one begins. */
  const begin = async (
    tx: TenantTx,
    context: OpenContext,
    operatorId: string,
    authenticatedAt = clock.now(),
  ): Promise<string> => {
    const before = cookieOf(context.header('cookie'), deps.cookieName);
    if (before !== undefined) await endSessionOf(tx, before);
    const visitor = { browser: nameBrowser(context.header('user-agent')), network: context.address };
    return (await startSession(tx, { operatorId, now: clock.now(), visitor, authenticatedAt })).cookie;
  };

  const signedIn = async (tenantId: TenantId, cookie: string): Promise<WithHeaders<SessionView>> => {
    const principal = own({ principal: await deps.session(tenantId, cookie, undefined) });
    const maxAge = Math.floor((principal.operator.expiresAt - clock.now()) / 1000);
    return withHeaders(await viewOf(principal), { 'set-cookie': cookieText(cookie, maxAge) });
  };

  const recordLock = async (tx: TenantTx, { isNewLock, operator }: Extract<Recognised, { refused: string }>) => {
    if (isNewLock && operator) await record(tx, 'operator.locked', operator);
  };
  return { record, viewOf, ceremonyCookie, cookieText, begin, signedIn, recordLock };
}

export function tenantOf({ hostTenant }: OpenContext): TenantId {
  if (hostTenant === undefined) throw new ApiError(100217);
  return hostTenant;
}

/** The session of the caller, which the guard has ensured. */
export function own({ principal }: Pick<Context, 'principal'>): Principal & { operator: OperatorPrincipal } {
  const { operator } = principal;
  if (!operator) throw new ApiError(100210);
  return { ...principal, operator };
}

export async function existing(tx: TenantTx, id: string): Promise<OperatorRow> {
  const row = await findOperator(tx, id);
  if (!row) throw new ApiError(100210);
  return row;
}
