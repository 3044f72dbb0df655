import type { TenantId } from './ids.ts';

/**
 * Permissions are `TNT#<tenant>#<Component>:<operation>`; a trailing `*` allows everything that begins the same way. The
 * part behind the tenant is compared with the permission that an operation declares.
 */
export type PermissionSet = {
  /** Whether a caller with this set holds the permission, which may be one with a wildcard. */
  holds(permission: string): boolean;
};

export const PERMISSION_TYPE = 'TNT#';

export function permissionSet(tenantId: TenantId, permissions: readonly string[]): PermissionSet {
  const prefix = `${PERMISSION_TYPE}${tenantId}#`;
  const exact = new Set<string>();
  const stems: string[] = [];
  for (const permission of permissions) {
    if (!permission.startsWith(prefix)) continue;
    const rest = permission.slice(prefix.length);
    if (rest.endsWith('*')) stems.push(rest.slice(0, -1));
    else exact.add(rest);
  }
  return {
    // `Arthr*` itself is held by a caller with a stem that begins it: only a wildcard covers a wildcard.
    holds: (permission) => exact.has(permission) || stems.some((stem) => permission.startsWith(stem)),
  };
}

/** The permission without its tenant prefix, as `holds` takes it. */
export function withoutTenant(permission: string): string {
  return permission.slice(permission.indexOf('#', PERMISSION_TYPE.length) + 1);
}
