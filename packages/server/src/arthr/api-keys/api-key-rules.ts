import { FURTHER_PERMISSIONS, marksPersonal, operations } from '@grove/contract';
import { boundedMap } from '../../kernel/bounded-map.ts';
import { HOUR, toDtm } from '../../kernel/clock.ts';
import { closest } from '../../kernel/closest.ts';
import type { Principal } from '../../kernel/context.ts';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import type { TenantId } from '../../kernel/ids.ts';
import { momentOf } from '../../kernel/moment-of.ts';
import { PERMISSION_TYPE, permissionSet, withoutTenant } from '../../kernel/permissions.ts';
import type { ApiKeyType } from './api-keys.table.ts';

/** The rules of an API key, as pure functions. */

/** A token carries the permissions in a header of limited size. */
const MAX_PERMISSIONS_LENGTH = 6000;
const MAX_SESSION_MS = 24 * HOUR;

/**
 * `before` are the present permissions of the key. They may be sent back even if no operation requires them any more.
 */
export function checkPermissions(
  tenantId: TenantId,
  permissions: readonly string[],
  before: readonly string[] = [],
): void {
  const prefix = `${PERMISSION_TYPE}${tenantId}#`;
  if (JSON.stringify(permissions).length > MAX_PERMISSIONS_LENGTH) {
    const message = `must not exceed ${MAX_PERMISSIONS_LENGTH} characters in all; use a wildcard such as ${prefix}ProcessManager*`;
    throw invalidInput({ pointer: '/permissions', message });
  }
  permissions.forEach((permission, at) => {
    const pointer = `/permissions/${at}`;
    if (!permission.startsWith(PERMISSION_TYPE)) {
      throw new ApiError(264, { errors: [{ pointer, message: `must begin with ${prefix}` }] });
    }
    if (!permission.startsWith(prefix)) throw invalidInput({ pointer, message: `must begin with ${prefix}` });
    if (!/^([A-Z][A-Za-z]*(:[A-Za-z]*)?)?\*$|^[A-Z][A-Za-z]*:[A-Za-z]+$/.test(permission.slice(prefix.length))) {
      throw invalidInput({
        pointer,
        message: `must be ${prefix}<Component>:<operation>, or end in * for all of a kind`,
      });
    }
    const fault = before.includes(permission) ? undefined : unknownFault(permission.slice(prefix.length), prefix);
    if (fault) throw invalidInput({ pointer, message: fault });
  });
}

const OF_OPERATIONS = [...new Set(operations().flatMap(({ operation }) => operation.permission ?? []))].sort();
/** Every permission that a caller may need. The catalogue of the documentation lists the same. */
const CATALOGUE: readonly string[] = [...OF_OPERATIONS, ...Object.keys(FURTHER_PERMISSIONS)];

/** Refuses a permission that matches no operation: it is a typing error, and the key would be refused everywhere. */
function unknownFault(permission: string, prefix: string): string | undefined {
  const stem = permission.endsWith('*') ? permission.slice(0, -1) : undefined;
  const opens = CATALOGUE.some((each) => (stem === undefined ? each === permission : each.startsWith(stem)));
  if (opens) return undefined;
  const components = new Set(CATALOGUE.map((each) => each.slice(0, each.indexOf(':'))));
  const candidates = stem?.replace(/:$/, '').includes(':') === false ? components : CATALOGUE;
  const suggestion = closest((stem ?? permission).replace(/:$/, ''), candidates);
  if (suggestion === undefined) return 'opens nothing';
  return `opens nothing; did you mean ${prefix}${suggestion}${candidates === components ? ':*' : ''}?`;
}

/**
 * A caller can grant only permissions that it holds. Every change that leaves the key active grants all its permissions
 * again, so that a change of its name cannot keep permissions beyond those of the caller.
 */
export function checkGrants(caller: Principal, permissions: readonly string[]): void {
  const missing = permissions.findIndex((permission) => !caller.permissions.holds(withoutTenant(permission)));
  if (missing >= 0) {
    const message = 'is not held by the caller';
    throw new ApiError(100015, { errors: [{ pointer: `/permissions/${missing}`, message }] });
  }
}

const OF_PERSONS = [
  ...new Set(
    operations().flatMap(({ operation: { permission, persons, ok } }) =>
      permission && (persons || marksPersonal(ok)) ? permission : [],
    ),
  ),
];

/** Ensures that an operator who sees personal data masked creates no key that shows it. */
export function checkSight({ operator, tenantId }: Principal, permissions: readonly string[]): void {
  if (!operator?.isMasked) return;
  const opened = permissions.findIndex((each) => OF_PERSONS.some(permissionSet(tenantId, [each]).holds));
  if (opened < 0) return;
  const message = 'shows personal data, which the caller sees masked';
  throw new ApiError(100015, { errors: [{ pointer: `/permissions/${opened}`, message }] });
}

/** The time at which the key expires, from the input and the stored row. */
export function checkExpiry(
  type: ApiKeyType,
  input: { expiringDtm?: string | null; changesType: boolean },
  before: number | null,
  now: number,
): number | null {
  const pointer = '/expiringDtm';
  const at = input.expiringDtm === undefined ? before : momentOf(input.expiringDtm ?? undefined, pointer);
  if (at === null) {
    if (type === 'SESSION') throw invalidInput({ pointer, message: 'is required for a key of type SESSION' });
    return null;
  }
  if (input.expiringDtm === undefined && !input.changesType) return at;
  if (at <= now) throw invalidInput({ pointer, message: `must be in the future; it is ${toDtm(now)} now` });
  if (type === 'SESSION' && at > now + MAX_SESSION_MS) {
    throw invalidInput({ pointer, message: 'must be at most 24 hours ahead for a key of type SESSION' });
  }
  return at;
}

type OpenedPermissions = { permissions: string[]; permittedOperations: string[] };

/** Many keys share their permissions, and a list shows many keys. */
const opened = boundedMap<string, OpenedPermissions>(2000);
let last: { json: string; entry: OpenedPermissions } | undefined;

/**
 * Reads the stored permissions of a key, and lists the operations that they permit, in the words of the permission
 * table. Every permission names its tenant, so the text alone is a sufficient key of the cache.
 */
export function openPermissions(tenantId: TenantId, json: string): OpenedPermissions {
  if (last?.json === json) return last.entry;
  let entry = opened.get(json);
  if (!entry) {
    const permissions = JSON.parse(json) as string[];
    const set = permissionSet(tenantId, permissions);
    entry = { permissions, permittedOperations: OF_OPERATIONS.filter((permission) => set.holds(permission)) };
    opened.set(json, entry);
  }
  last = { json, entry };
  return entry;
}
