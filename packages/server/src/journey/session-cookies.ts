import { createHash } from 'node:crypto';
import { ID_PATTERN, type TenantId } from '../kernel/ids.ts';
import type { JourneyDeps } from './journey-deps.ts';
import type { SessionRow } from './sessions.repository.ts';

/** The cookies of journeys: one for each instance that a browser has opened. */
export const MAX_OTHER_COOKIES = 10;
/** Tenant, id of the session and its secret. */
export const COOKIE = /^([a-z0-9-]{3,40})\.([0-7][0-9A-HJKMNP-TV-Z]{25})\.([A-Za-z0-9_-]{43})$/;

/** 256 random bits need no slow hash. */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

/** The instances of these cookies. */
export function journeysIn({ cookieName }: JourneyDeps, cookies: string): string[] {
  const prefix = cookieName('');
  return cookies
    .split(';')
    .map((pair) => pair.split('=', 1)[0]?.trim() ?? '')
    .filter((name) => name.startsWith(prefix) && ID_PATTERN.test(name.slice(prefix.length)))
    .map((name) => name.slice(prefix.length));
}

export function cookieText(
  { cookieName, secure }: JourneyDeps,
  tenantId: TenantId,
  { id, instance_id, expires_at }: SessionRow,
  secret: string,
  { now, embedded }: { now: number; embedded: boolean },
): string {
  const maxAge = Math.floor((expires_at - now) / 1000);
  const value = `${cookieName(instance_id)}=${tenantId}.${id}.${secret}`;
  return `${value}; Path=/; Max-Age=${maxAge}; ${attributesOf(secure, embedded)}`;
}

/**
 * In a frame of another site, a browser sends only cookies with `SameSite=None`. `Partitioned` limits it to frames of that
 * site, and every call must still come from our own page (100067).
 */
function attributesOf(secure: boolean, embedded: boolean): string {
  if (embedded) return 'HttpOnly; SameSite=None; Secure; Partitioned';
  return `HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`;
}

/** Deletes the oldest cookies: a shared browser would otherwise send more cookies than a server accepts. */
export function oldCookies(deps: JourneyDeps, header = '', embedded = false): string[] {
  // Ids of instances begin with the time.
  const ours = journeysIn(deps, header).sort();
  return ours
    .slice(0, Math.max(0, ours.length - MAX_OTHER_COOKIES))
    .map((id) => `${deps.cookieName(id)}=; Path=/; Max-Age=0; ${attributesOf(deps.secure, embedded)}`);
}
