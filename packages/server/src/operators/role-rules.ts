import { checkGrants } from '../arthr/api-keys/api-key-rules.ts';
import type { TenantReads, TenantTx } from '../db/db.ts';
import type { Principal } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { PERMISSION_TYPE } from '../kernel/permissions.ts';
import { builtInRole } from './built-in-roles.ts';
import { findRoleForUpdate, findRoleRow } from './roles.repository.ts';

/** What a role permits, and where; permissions as callers write them, with the tenant. */
export type RoleGrant = {
  permissions: readonly string[];
  environments: readonly ('live' | 'test')[];
  /** Whether it sees personal data masked. */
  isMasked: boolean;
};

type StoredRole = { permissions: string | null; environments: string | null; masked: 0 | 1 | null };

/** The grant of a role: one of Grove's by its name, or what is stored of one of the tenant's. */
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

/** Undefined if there is no such role. */
export async function findGrant(db: TenantReads, name: string): Promise<RoleGrant | undefined> {
  return grantOf(db.tenantId, name, builtInRole(name) ? undefined : await findRoleRow(db, { name }));
}

export async function getGrant(db: TenantReads, name: string): Promise<RoleGrant> {
  return existing(await findGrant(db, name));
}

/** The same for a role that is about to be given to somebody: nobody deletes it until the transaction ends. */
export async function lockGrant(tx: TenantTx, name: string): Promise<RoleGrant> {
  return existing(grantOf(tx.tenantId, name, builtInRole(name) ? undefined : await findRoleForUpdate(tx, { name })));
}

function existing(grant: RoleGrant | undefined): RoleGrant {
  if (!grant) throw new ApiError(100214);
  return grant;
}

/**
 * Ensures that a caller gives, and takes from, nobody more than it holds itself: permissions, an environment, or sight of
 * personal data.
 * Otherwise whoever may invite could make an owner and be one, and a test key could let somebody into live.
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
 * Ensures that operators, their roles and single sign-on, which are one set for both environments, are changed by somebody who
 * may work in live: a leaked test key would otherwise put a provider of its own in front of every operator. Names and
 * addresses of operators are shown to nobody else either: they are whom a letter of a stranger would go to.
 */
export function ensureLive(caller: Principal): void {
  if (environmentsOf(caller).includes('live')) return;
  throw new ApiError(100015, {
    detail: 'operators work in live, too; a test key neither sees nor changes who they are',
  });
}

/** An operator has those of the role. A live API key may let others into test; a test key may not let them into live. */
function environmentsOf({ operator, environment }: Principal): readonly ('live' | 'test')[] {
  if (operator) return operator.environments;
  return environment === 'live' ? ['live', 'test'] : ['test'];
}
