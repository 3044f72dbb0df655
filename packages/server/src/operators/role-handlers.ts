import { api } from '@grove/contract';
import { checkPermissions } from '../arthr/api-keys/api-key-rules.ts';
import { ensureBelowLimit } from '../db/below-limit.ts';
import { isUniqueViolation, type TenantTx } from '../db/db.ts';
import { actor } from '../kernel/actor.ts';
import { toDtm } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import { ensureUnchanged } from '../kernel/ensure-unchanged.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { type Input, implement } from '../kernel/implement.ts';
import { fold } from '../kernel/pages.ts';
import { pathNameFault } from '../kernel/path-name.ts';
import { creation, updateOf } from '../kernel/tracked.ts';
import { BUILT_IN_ROLES } from './built-in-roles.ts';
import { countByRole } from './operators.repository.ts';
import { ensureHolds, ensureLive, grantOf, type RoleGrant } from './role-rules.ts';
import {
  addRole,
  allRoles,
  changeRole,
  findRoleForUpdate,
  MAX_ROLES,
  type RoleRow,
  removeRole,
} from './roles.repository.ts';

export function roleHandlers() {
  return implement(api.operatorRoles, {
    async list({ db, tenantId }) {
      const counts = await countByRole(db);
      const builtIn = BUILT_IN_ROLES.map(({ name, description }) => {
        const grant = grantOf(tenantId, name, undefined) as RoleGrant;
        return toRole({ name, description, grant, builtIn: true }, counts);
      });
      const own = (await allRoles(db)).map((row) => toRole(ownRole(row), counts));
      return { roles: [...builtIn, ...own] };
    },

    create: (context, { body }) =>
      context.db.write(async (tx) => {
        ensureLive(context.principal);
        const { name, description = null, permissions = [], environments = ['live', 'test'], masked = false } = body;
        checkName(name);
        checkPermissions(context.tenantId, permissions);
        ensureHolds(context.principal, { permissions, environments, isMasked: masked });
        const count = async () => (await allRoles(tx)).length;
        await ensureBelowLimit(tx, { of: ['roles'], limit: MAX_ROLES, count });
        const row: RoleRow = {
          name,
          name_folded: fold(name),
          description,
          permissions: JSON.stringify(permissions),
          environments: JSON.stringify(environments),
          masked: masked ? 1 : 0,
          ...creation(actor(context.principal), context.now),
        };
        await addRole(tx, row).catch(throwIfNameTaken);
        return toRole(ownRole(row), new Map());
      }),

    update,

    async delete(context, { params }) {
      await context.db.write(async (tx) => {
        ensureLive(context.principal);
        const row = await ownRoleForUpdate(tx, params.roleName);
        ensureHolds(context.principal, ownRole(row).grant);
        if ((await countByRole(tx)).has(row.name)) throw new ApiError(100215);
        await removeRole(tx, { name: row.name });
      });
      return undefined;
    },
  });
}

function update(context: Context, { params, query, body }: Input<typeof api.operatorRoles.update>) {
  return context.db.write(async (tx) => {
    ensureLive(context.principal);
    const before = await ownRoleForUpdate(tx, params.roleName);
    ensureUnchanged(query, before);
    const { grant } = ownRole(before);
    const { permissions = grant.permissions, environments = grant.environments, masked = grant.isMasked } = body;
    checkPermissions(context.tenantId, permissions, grant.permissions);
    // The caller must hold what the role permitted before, and what it will permit.
    for (const each of [grant, { permissions, environments, isMasked: masked }]) ensureHolds(context.principal, each);
    const after: RoleRow = {
      ...before,
      description: body.description ?? before.description,
      permissions: JSON.stringify(permissions),
      environments: JSON.stringify(environments),
      masked: masked ? 1 : 0,
      ...updateOf(context),
    };
    await changeRole(tx, after);
    return toRole(ownRole(after), await countByRole(tx));
  });
}

function checkName(name: string): void {
  const folded = fold(name);
  if (BUILT_IN_ROLES.some((role) => fold(role.name) === folded)) nameIsTaken();
  if (name.trim() !== name) throw invalidInput({ pointer: '/name', message: 'must not begin or end with a space' });
  const fault = pathNameFault('/name', name);
  if (fault) throw invalidInput(fault);
}

function throwIfNameTaken(error: unknown): never {
  if (isUniqueViolation(error)) nameIsTaken();
  throw error;
}

function nameIsTaken(): never {
  throw new ApiError(100014, { errors: [{ pointer: '/name', message: 'is the name of another role' }] });
}

async function ownRoleForUpdate(tx: TenantTx, name: string): Promise<RoleRow> {
  const row = await findRoleForUpdate(tx, { name });
  if (!row) throw new ApiError(100214);
  return row;
}

type RoleView = {
  name: string;
  description: string | null;
  grant: RoleGrant;
  builtIn: boolean;
  lastUpdatedDtm?: string;
};

function ownRole({ name, description, permissions, environments, masked, last_updated_at }: RoleRow): RoleView {
  return {
    name,
    description,
    builtIn: false,
    lastUpdatedDtm: toDtm(last_updated_at),
    grant: {
      permissions: JSON.parse(permissions),
      environments: JSON.parse(environments),
      isMasked: masked === 1,
    },
  };
}

function toRole({ name, description, grant, builtIn, lastUpdatedDtm }: RoleView, counts: ReadonlyMap<string, number>) {
  return {
    name,
    builtIn,
    operators: counts.get(name) ?? 0,
    ...(description !== null && { description }),
    permissions: [...grant.permissions],
    environments: [...grant.environments],
    masked: grant.isMasked,
    ...(lastUpdatedDtm && { lastUpdatedDtm }),
  };
}
