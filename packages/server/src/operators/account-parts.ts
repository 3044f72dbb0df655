import type { api, Ok } from '@grove/contract';
import type { Audit, AuditAction } from '../audit/audit.ts';
import type { TenantTx } from '../db/db.ts';
import type { Places } from '../identity-store/passkeys/check-origin.ts';
import { type WithHeaders, withHeaders } from '../kernel/answers.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { cookieOf } from '../kernel/cookie-of.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Platform } from '../kernel/feature.ts';
import type { TenantId } from '../kernel/ids.ts';
import type { OpenContext } from '../kernel/implement.ts';
import { nameBrowser } from '../kernel/name-browser.ts';
import { operatorName } from '../kernel/operator-name.ts';
import type { Vault } from '../secrets/vault.ts';
import type { EmailLinks } from './email-links.ts';
import { findOperatorForUpdate, type OperatorRow } from './operators.repository.ts';
import type { SignInResult } from './passkeys.ts';
import { type BegunSession, endSessionOf, IDLE_MS, type SignedIn, startSession } from './sessions.ts';
import type { SingleSignOnSignIn } from './single-sign-on/sign-in.ts';

/** The parts of every way to sign in: the new session, its cookie, and an audit event. */
export type AccountDeps = Pick<Platform, 'db' | 'clock' | 'baseUrlOf'> & {
  audit: Pick<Audit, 'record'>;
  region: string;
  secure: boolean;
  cookieName: string;
  singleSignOn: SingleSignOnSignIn;
  emailSignIn: EmailLinks;
  vault: Pick<Vault, 'sealFor' | 'openFor'>;
  tenantName(tenantId: TenantId): Promise<string>;
  /** Refuses with 100320 if the tenant is suspended. */
  ensureActive(tenantId: TenantId): Promise<void>;
};

type SessionView = Ok<typeof api.consoleAccount.getSession>;

export type RefusedRecognition = Extract<SignInResult, { refused: string }>;

type Caller = { readonly address: string };

export function record(
  { audit, clock }: AccountDeps,
  tx: TenantTx,
  action: AuditAction,
  operator: OperatorRow,
  { address }: Caller,
) {
  const { id } = operator;
  const actor = operatorName(operator);
  return audit.record(tx, { action, environment: 'live', actor, operatorId: id, at: clock.now(), item: id, address });
}

export async function recordLock(
  deps: AccountDeps,
  tx: TenantTx,
  { isNewLock, operator }: RefusedRecognition,
  caller: Caller,
): Promise<void> {
  if (isNewLock && operator) await record(deps, tx, 'operator.locked', operator, caller);
}

export async function viewOf(
  { tenantName, region }: AccountDeps,
  { tenantId, callerId: id, callerName: name, operator }: SignedIn,
): Promise<SessionView> {
  const { role, email } = operator;
  return {
    tenantId,
    tenantName: await tenantName(tenantId),
    region,
    operator: { id, name, role, ...(email && { email }) },
    permissions: [...operator.permissions],
    environments: [...operator.environments],
    masked: operator.isMasked,
    ofInstallation: operator.ofInstallation,
    sessionId: operator.sessionId,
    authenticatedDtm: toDtm(operator.authenticatedAt),
    idleSeconds: IDLE_MS / 1000,
    expiringDtm: toDtm(operator.expiresAt),
  };
}

/** The only origin for passkeys is the tenant's own address. */
export function placesFor({ baseUrlOf }: AccountDeps, tenantId: TenantId): Places {
  const { hostname, origin } = new URL(baseUrlOf(tenantId));
  return { rpId: hostname, restrictedOrigins: [origin], relatedOrigins: [], topOrigins: [] };
}

/** The cookie of a sign-in that leaves the page and comes back. */
export function ceremonyCookieName({ cookieName }: AccountDeps): string {
  return `${cookieName}-sign-in`;
}

type Cookie = { name?: string; value: string; maxAge: number };

export function cookieText({ cookieName, secure }: AccountDeps, { name = cookieName, value, maxAge }: Cookie): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

/**
 * Ends the old session of this browser and begins a new one, in the transaction that recognised the operator. Whoever
 * planted or stole the old cookie gains nothing.
 */
export async function beginSession(
  { clock, cookieName }: AccountDeps,
  tx: TenantTx,
  context: OpenContext,
  { operatorId, authenticatedAt = clock.now() }: { operatorId: string; authenticatedAt?: number },
): Promise<BegunSession> {
  const before = cookieOf(context.header('cookie'), cookieName);
  if (before !== undefined) await endSessionOf(tx, before);
  const visitor = { browser: nameBrowser(context.header('user-agent')), network: context.address };
  return startSession(tx, { operatorId, now: clock.now(), visitor, authenticatedAt });
}

export async function answerSignIn(
  deps: AccountDeps,
  { cookie, principal }: BegunSession,
): Promise<WithHeaders<SessionView>> {
  await deps.ensureActive(principal.tenantId);
  const maxAge = Math.floor((principal.operator.expiresAt - deps.clock.now()) / 1000);
  const header = cookieText(deps, { value: cookie, maxAge });
  return withHeaders(await viewOf(deps, principal), { 'set-cookie': header });
}

export function tenantOf({ hostTenant }: OpenContext): TenantId {
  if (hostTenant === undefined) throw new ApiError(100217);
  return hostTenant;
}

export function ensureOperator({ principal }: Pick<Context, 'principal'>): SignedIn {
  const { operator } = principal;
  if (!operator) throw new ApiError(100210);
  return { ...principal, operator };
}

/** Locks the operator: two requests that each remove one of the last two passkeys run one after another. */
export async function getOperatorForUpdate(tx: TenantTx, id: string): Promise<OperatorRow> {
  const row = await findOperatorForUpdate(tx, { id });
  if (!row) throw new ApiError(100210);
  return row;
}
