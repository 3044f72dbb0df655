import { newKeyRow, storeNewKey } from '../arthr/api-keys/api-keys.ts';
import { recordChange } from '../audit/audit.ts';
import { isUniqueViolation, type Reads, type TenantTx } from '../db/db.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { Platform } from '../kernel/feature.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';
import { bindDeps } from '../kernel/implement.ts';
import type { VersionedKey } from '../secrets/sealing.ts';
import {
  addTenant,
  findTenant,
  listTenants,
  searchTenants,
  setTenantStatus,
  type TenantRow,
} from './tenants.repository.ts';

/** Tenants are made by the operator of the installation, never through the API. */
export type Tenants = {
  list(): Promise<TenantRow[]>;
  find(tenantId: string): Promise<TenantRow | undefined>;
  /** A page of the tenants whose id or name is like the pattern. */
  search(pattern: string, page: { size: number; offset: number }): Promise<{ rows: TenantRow[]; total: number }>;
  /** Makes the tenant with its key, and a first API key that may do everything in it. */
  create(tenant: { id: string; name?: string; keyName?: string }): Promise<{ tenantId: TenantId; apiKey: string }>;
  /** A further API key that may do everything, for an operator who has lost the others. */
  createApiKey(
    tenantId: string,
    key: { name: string; environment?: 'live' | 'test' },
  ): Promise<{ id: string; apiKey: string }>;
  /** Suspends the tenant: nobody can use it until it is resumed. */
  suspend(tenantId: string, by?: string): Promise<TenantRow>;
  resume(tenantId: string, by?: string): Promise<TenantRow>;
};

/** An error that the operator can correct. */
export class OperatorError extends Error {}

const CREATED_BY = 'Operator';

type NewKeyRow = Parameters<typeof storeNewKey>[1];

export type TenantsDeps = Pick<Platform, 'db' | 'vault' | 'clock'> & {
  pepper: VersionedKey;
  /** The region of a tenant that does not live in this one. */
  elsewhere(tenantId: string): string | undefined;
  /** Gives a new tenant what it starts with, in the transaction that makes it. */
  onCreate?(tx: TenantTx, now: number): Promise<void>;
};

export function openTenants(deps: TenantsDeps): Tenants {
  const { system } = deps.db;
  return {
    ...bindDeps(deps, { create, createApiKey }),
    suspend: (id, by) => setStatus(deps, id, 'SUSPENDED', by),
    resume: (id, by) => setStatus(deps, id, 'ACTIVE', by),
    list: () => listTenants(system),
    find: async (id) => (isTenantId(id) ? findTenant(system, { id }) : undefined),
    search: (pattern, page) => searchTenants(system, pattern, page),
  };
}

type NewTenant = Parameters<Tenants['create']>[0];

async function create(deps: TenantsDeps, { id, name = id, keyName = 'First key' }: NewTenant) {
  const { db, vault, clock } = deps;
  if (!isTenantId(id)) {
    throw new OperatorError('A tenant id has 3 to 40 characters: a lower-case letter, then letters, digits or hyphens');
  }
  const region = deps.elsewhere(id);
  if (region !== undefined)
    throw new OperatorError(`The tenant ${id} lives in region ${region} (GROVE_TENANT_REGIONS). Create it there`);
  const { row, code } = newKey(deps, id, keyName);
  try {
    // One transaction, because a tenant without a key could neither be used nor created again.
    await db.of(id).write(async (tx) => {
      await addTenant(tx, { id, name, status: 'ACTIVE', created_at: clock.now() });
      await vault.createTenantKey(tx);
      await storeKey(tx, row);
      await deps.onCreate?.(tx, clock.now());
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new OperatorError(`The tenant ${id} already exists`);
    throw error;
  }
  return { tenantId: id, apiKey: code };
}

type NewKey = Parameters<Tenants['createApiKey']>[1];

async function createApiKey(deps: TenantsDeps, tenantId: string, { name, environment }: NewKey) {
  const { id } = await getTenant(deps, tenantId);
  const { row, code } = newKey(deps, id, name, environment);
  await deps.db.of(id).write((tx) => storeKey(tx, row));
  return { id: row.id, apiKey: code };
}

async function setStatus(
  deps: TenantsDeps,
  tenantId: string,
  status: 'ACTIVE' | 'SUSPENDED',
  actor = CREATED_BY,
): Promise<TenantRow> {
  const tenant = await getTenant(deps, tenantId);
  const { id } = tenant;
  if (tenant.status === 'DELETING')
    throw new OperatorError(`The tenant ${id} is being deleted: grove tenant delete ${id}`);
  if (tenant.status === status) return tenant;
  const action = status === 'ACTIVE' ? 'tenant.resumed' : 'tenant.suspended';
  await deps.db.of(id).write(async (tx) => {
    await setTenantStatus(tx, { id, status });
    await recordChange(tx, { action, environment: 'live', actor, at: deps.clock.now(), item: id, details: {} });
  });
  return { ...tenant, status };
}

async function getTenant({ db }: TenantsDeps, id: string): Promise<TenantRow & { id: TenantId }> {
  const tenant = isTenantId(id) ? await findTenant(db.system, { id }) : undefined;
  if (!tenant || !isTenantId(id))
    throw new OperatorError(`There is no tenant ${id}. grove tenant list shows those there are`);
  return { ...tenant, id };
}

function newKey({ pepper, clock }: TenantsDeps, id: TenantId, name: string, environment: 'live' | 'test' = 'live') {
  return newKeyRow(pepper, clock.now(), CREATED_BY, {
    environment,
    type: 'PERMANENT',
    name,
    description: null,
    status: 'ACTIVE',
    permissions: [`TNT#${id}#*`],
    expiring_at: null,
  });
}

/** Stores the key with its audit event, as for a key that a caller creates. */
async function storeKey(tx: TenantTx, row: NewKeyRow): Promise<void> {
  const { id, environment, name, type, status, created_at } = row;
  await storeNewKey(tx, row);
  const values = { environment, type, status, permissions: [`TNT#${tx.tenantId}#*`] };
  await recordChange(tx, {
    action: 'apiKey.created',
    environment,
    actor: CREATED_BY,
    at: created_at,
    item: name,
    details: { id, name, values },
  });
}

const MAX_NAMES = 1000;

/** Reads the names of tenants, which end users see. A name never changes. */
export function tenantNames(system: Reads): (tenantId: TenantId) => Promise<string> {
  const names = boundedMap<TenantId, string>(MAX_NAMES);
  return async (tenantId) => {
    const cachedName = names.get(tenantId);
    if (cachedName !== undefined) return cachedName;
    const name = (await findTenant(system, { id: tenantId }))?.name ?? tenantId;
    names.set(tenantId, name);
    return name;
  };
}
