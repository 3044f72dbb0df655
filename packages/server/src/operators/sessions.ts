import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TenantTx } from '../db/db.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import { HOUR, MINUTE, MOST_APART_MS, toDtm } from '../kernel/clock.ts';
import type { OperatorPrincipal, Principal } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Platform } from '../kernel/feature.ts';
import { ID_PATTERN, newId, type TenantId } from '../kernel/ids.ts';
import { type PermissionSet, permissionSet } from '../kernel/permissions.ts';
import { grantOf, type RoleGrant } from './role-rules.ts';
import {
  addSession,
  findSessionInUse,
  markSeen,
  type OperatorSessionRow,
  removeDeadSessions,
  removeSession,
  type SessionInUse,
  sessionsOf,
} from './sessions.repository.ts';

/** The session of an operator: a cookie, of which only the hash is stored. */
export const IDLE_MS = 30 * MINUTE;
export const ABSOLUTE_MS = 12 * HOUR;
/** The use of a session is recorded once in this time. */
const SEEN_EVERY_MS = MINUTE;
const MAX_SESSIONS_PER_OPERATOR = 20;
const SECRET_BYTES = 32;
const MAX_GRANTS = 1000;

/** Finds the signed-in operator, for the environment that the request names. Refuses with 100210. */
export type OperatorSession = (
  tenantId: TenantId,
  cookieValue: string,
  environment: string | undefined,
) => Promise<Principal>;

type Grant = RoleGrant & { set: PermissionSet };

type ReaderDeps = Pick<Platform, 'db' | 'clock'> & {
  ensureActive(tenantId: TenantId): Promise<void>;
};

export function sessionReader({ db, clock, ensureActive }: ReaderDeps): OperatorSession {
  const grants = boundedMap<string, Grant>(MAX_GRANTS);

  const grantFor = (tenantId: TenantId, row: SessionInUse): Grant => {
    const key = JSON.stringify([tenantId, row.role, row.permissions, row.environments, row.masked]);
    const cached = grants.get(key);
    if (cached) return cached;
    const grant = computeGrant(tenantId, row);
    grants.set(key, grant);
    return grant;
  };

  return async (tenantId, cookieValue, wantedEnvironment) => {
    const now = clock.now();
    const { id, secret } = readCookie(cookieValue);
    const row = await findSessionInUse(db.of(tenantId), { id });
    if (!row || !isLive(row, secret, now)) throw new ApiError(100210);
    await ensureActive(tenantId);
    if (now - row.last_seen_at >= SEEN_EVERY_MS) await db.of(tenantId).write((tx) => markSeen(tx, { id, now }));
    return principalOf(tenantId, row, grantFor(tenantId, row), wantedEnvironment);
  };
}

export type SignedIn = Principal & { operator: OperatorPrincipal };

function principalOf(
  tenantId: TenantId,
  row: SessionInUse,
  { set, permissions, environments, isMasked }: Grant,
  wantedEnvironment: string | undefined,
): SignedIn {
  return {
    tenantId,
    callerId: row.operator_id,
    callerName: row.name,
    environment: environmentOf(wantedEnvironment, environments),
    permissions: set,
    operator: {
      sessionId: row.id,
      email: row.email,
      role: row.role,
      permissions,
      environments,
      isMasked,
      ofInstallation: row.of_installation === 1,
      authenticatedAt: row.authenticated_at,
      expiresAt: row.expires_at,
    },
  };
}

function computeGrant(tenantId: TenantId, row: SessionInUse): Grant {
  const role = roleOf(tenantId, row);
  return { ...role, set: permissionSet(tenantId, role.permissions) };
}

/** A deleted role permits nothing. */
function roleOf(tenantId: TenantId, row: SessionInUse): RoleGrant {
  return grantOf(tenantId, row.role, row) ?? { permissions: [], environments: [], isMasked: true };
}

/**
 * Whether the operator of a request that is still being answered could make it now: the session is still valid, the
 * role is the same and permits it in its environment, and hides no more than before. It does not extend the session.
 */
export async function isStillPermitted(
  { db, clock }: Pick<ReaderDeps, 'db' | 'clock'>,
  { tenantId, environment, operator }: Principal & { operator: OperatorPrincipal },
  permission: string,
): Promise<boolean> {
  const row = await findSessionInUse(db.of(tenantId), { id: operator.sessionId });
  if (!row || !isInUse(row, clock.now())) return false;
  if (row.role !== operator.role) return false;
  const { environments, permissions, isMasked } = roleOf(tenantId, row);
  if (isMasked && !operator.isMasked) return false;
  return environments.includes(environment) && permissionSet(tenantId, permissions).holds(permission);
}

const COOKIE = /^([0-7][0-9A-HJKMNP-TV-Z]{25})\.([A-Za-z0-9_-]{43})$/;

function readCookie(value: string): { id: string; secret: string } {
  const [, id = '', secret = ''] = COOKIE.exec(value) ?? [];
  if (!ID_PATTERN.test(id)) throw new ApiError(100210);
  return { id, secret };
}

function isLive(row: SessionInUse, secret: string, now: number): boolean {
  return timingSafeEqual(row.token_hash, hashOf(secret)) && isInUse(row, now);
}

function isInUse(row: SessionInUse, now: number): boolean {
  return (
    row.status === 'ACTIVE' &&
    row.expires_at > now &&
    row.last_seen_at + IDLE_MS > now &&
    // A clock that was ahead at the sign-in must not make the session longer.
    row.created_at <= now + MOST_APART_MS
  );
}

/** Live, unless the request or the role says otherwise. */
function environmentOf(wantedEnvironment: string | undefined, allowed: readonly ('live' | 'test')[]): 'live' | 'test' {
  const [first] = allowed;
  const environment = wantedEnvironment ?? (allowed.includes('live') ? 'live' : first);
  if (environment !== 'live' && environment !== 'test') throw new ApiError(100221);
  if (!allowed.includes(environment)) throw new ApiError(100221, { detail: environment });
  return environment;
}

/** 256 random bits need no slow hash. */
function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export type Visitor = { browser: string; network: string };

type NewSession = { operatorId: string; now: number; visitor: Visitor; authenticatedAt?: number };

export type BegunSession = { cookie: string; principal: SignedIn };

/**
 * Makes a session with a new secret. The operator is read in the same transaction: other sign-ins of the operator may
 * end this session soon.
 */
export async function startSession(
  tx: TenantTx,
  { operatorId, now, visitor, authenticatedAt = now }: NewSession,
): Promise<BegunSession> {
  await removeDeadSessions(tx, { operatorId, now, idleSince: now - IDLE_MS });
  const others = await sessionsOf(tx, { operatorId });
  for (const { id } of others.slice(MAX_SESSIONS_PER_OPERATOR - 1)) await removeSession(tx, { operatorId, id });
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const session: OperatorSessionRow = {
    id: newId(now),
    operator_id: operatorId,
    token_hash: hashOf(secret),
    ...visitor,
    created_at: now,
    authenticated_at: authenticatedAt,
    last_seen_at: now,
    expires_at: now + ABSOLUTE_MS,
  };
  await addSession(tx, session);
  const row = await findSessionInUse(tx, { id: session.id });
  if (!row) throw new Error('a new session was not stored');
  const { tenantId } = tx;
  const principal = principalOf(tenantId, row, computeGrant(tenantId, row), undefined);
  return { cookie: `${session.id}.${secret}`, principal };
}

export async function endSessionOf(tx: TenantTx, cookieValue: string): Promise<void> {
  const [, id = '', secret = ''] = COOKIE.exec(cookieValue) ?? [];
  const row = ID_PATTERN.test(id) ? await findSessionInUse(tx, { id }) : undefined;
  if (row && timingSafeEqual(row.token_hash, hashOf(secret)))
    await removeSession(tx, { operatorId: row.operator_id, id });
}

export function toSessions(rows: readonly OperatorSessionRow[], now: number, current: string | undefined) {
  const live = rows.filter((row) => row.expires_at > now && row.last_seen_at + IDLE_MS > now);
  return {
    sessions: live.map((row) => ({
      id: row.id,
      browser: row.browser,
      network: row.network,
      current: row.id === current,
      createdDtm: toDtm(row.created_at),
      lastSeenDtm: toDtm(row.last_seen_at),
      expiringDtm: toDtm(Math.min(row.expires_at, row.last_seen_at + IDLE_MS)),
    })),
  };
}
