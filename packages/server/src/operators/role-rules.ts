import { checkGrants } from '../arthr/api-keys/api-key-rules.ts';
import type { TenantReads, TenantTx } from '../db/db.ts';
import type { Principal } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { PERMISSION_TYPE } from '../kernel/permissions.ts';
import type { BuiltInRole } from './built-in-roles.ts';
import { builtInRole } from './built-in-roles.ts';
import { findRoleForUpdate, findRoleRow } from './roles.repository.ts';
import type { SessionInUse } from './sessions.repository.ts';

/** The permissions of a role, written as by callers, with the tenant, and its environments. */
export type RoleGrant = Pick<BuiltInRole, 'permissions' | 'environments' | 'isMasked'>;

type StoredRole = Pick<SessionInUse, 'permissions' | 'environments' | 'masked'>;

/** The grant of a built-in role, or of a stored role of the tenant. */
export function grantOf(tenantId: TenantId, name: string, stored: StoredRole | undefined): RoleGrant | undefined {
  const builtIn = builtInRole(name);
  if (builtIn) return { ...builtIn, permissions: builtIn.permissions.map((each) => withTenant(tenantId, each)) };
  if (!stored?.permissions || !stored.environments) return undefined;
  return {
    permissions: JSON.parse(stored.permissions) as string[],
    environments: JSON.parse(stored.environments) as ('live' | 'test')[],
    isMasked: stored.masked === 1,
  };
}

function withTenant(tenantId: TenantId, permission: string): string {
  return `${PERMISSION_TYPE}${tenantId}#${permission}`;
}

export async function findGrant(db: TenantReads, name: string): Promise<RoleGrant | undefined> {
  return grantOf(db.tenantId, name, builtInRole(name) ? undefined : await findRoleRow(db, { name }));
}

export async function getGrant(db: TenantReads, name: string): Promise<RoleGrant> {
  return ensureExists(await findGrant(db, name));
}

/** Locks a role that is about to be given to somebody: nobody can delete it until the transaction ends. */
export async function lockGrant(tx: TenantTx, name: string): Promise<RoleGrant> {
  return ensureExists(
    grantOf(tx.tenantId, name, builtInRole(name) ? undefined : await findRoleForUpdate(tx, { name })),
  );
}

function ensureExists(grant: RoleGrant | undefined): RoleGrant {
  if (!grant) throw new ApiError(100214);
  return grant;
}

/**
 * Ensures that a caller neither gives nor takes more than it holds: permissions, environments, or sight of personal
 * data. Otherwise somebody who may invite could create an owner and sign in as that owner, and a test key could let
 * somebody into live.
 */
export function ensureHolds(caller: Principal, { permissions, environments, isMasked }: RoleGrant): void {
  checkGrants(caller, permissions);
  const own = environmentsOf(caller);
  if (!environments.every((environment) => own.includes(environment))) {
    throw new ApiError(100015, { detail: 'the role works in an environment that the caller may not work in' });
  }
  if (caller.operator?.isMasked && !isMasked) {
    throw new ApiError(100015, { detail: 'the role sees personal data that the caller sees masked' });
  }
}

/**
 * Ensures that only a caller who may work in live changes operators, roles and single sign-on, which both environments
 * share: a leaked test key could otherwise put its own provider in front of every operator. Nobody else sees names and
 * addresses of operators either, because they are targets for phishing.
 */
export function ensureLive(caller: Principal): void {
  if (environmentsOf(caller).includes('live')) return;
  throw new ApiError(100015, {
    detail: 'operators work in live, too; a test key neither sees nor changes who they are',
  });
}

/** A live API key may let others into test; a test key may not let them into live. */
function environmentsOf({ operator, environment }: Principal): readonly ('live' | 'test')[] {
  if (operator) return operator.environments;
  return environment === 'live' ? ['live', 'test'] : ['test'];
}
