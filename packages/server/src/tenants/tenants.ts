import { newKeyRow, storeNewKey } from '../arthr/api-keys/api-keys.ts';
import type { Db } from '../db/db.ts';
import { isUniqueViolation } from '../db/db.ts';
import type { Clock } from '../kernel/clock.ts';
import { isTenantId, type TenantId } from '../kernel/ids.ts';
import type { VersionedKey } from '../secrets/sealing.ts';
import type { Vault } from '../secrets/vault.ts';
import { addTenant, findTenant, listTenants, type TenantRow } from './tenants.repository.ts';

/** Tenants are made by the operator of the installation, never through the API. */
export type Tenants = {
  list(): Promise<TenantRow[]>;
  /** Makes the tenant with its key, and a first API key that may do everything in it. */
  create(tenant: { id: string; name?: string; keyName?: string }): Promise<{ tenantId: TenantId; apiKey: string }>;
  /** A further API key that may do everything, for an operator who has lost the others. */
  createApiKey(
    tenantId: string,
    key: { name: string; environment?: 'live' | 'test' },
  ): Promise<{ id: string; apiKey: string }>;
};

/** What an operator can correct. */
export class OperatorError extends Error {}

const CREATED_BY = 'Operator';

export function openTenants(deps: { db: Db; vault: Vault; clock: Clock; pepper: VersionedKey }): Tenants {
  const { db, vault, clock, pepper } = deps;

  const newKey = (id: TenantId, name: string, environment: 'live' | 'test' = 'live') =>
    newKeyRow(pepper, clock.now(), CREATED_BY, {
      environment,
      type: 'PERMANENT',
      name,
      description: null,
      status: 'ACTIVE',
      permissions: [`TNT#${id}#*`],
      expiring_at: null,
    });

  return {
    list: () => listTenants(db.system),
    async createApiKey(id, { name, environment }) {
      if (!isTenantId(id) || !(await findTenant(db.system, id))) throw new OperatorError(`There is no tenant ${id}`);
      const { row, code } = newKey(id, name, environment);
      await db.of(id).write((tx) => storeNewKey(tx, row));
      return { id: row.id, apiKey: code };
    },
    async create({ id, name = id, keyName = 'First key' }) {
      if (!isTenantId(id)) {
        throw new OperatorError(
          'A tenant id has 3 to 40 characters: a lower-case letter, then letters, digits or hyphens',
        );
      }
      const { row, code } = newKey(id, keyName);
      try {
        // All of it or nothing: a tenant without a key could not be used, nor made again.
        await db.of(id).write(async (tx) => {
          await addTenant(tx, { id, name, status: 'ACTIVE', created_at: clock.now() });
          await vault.createTenantKey(tx);
          await storeNewKey(tx, row);
        });
      } catch (error) {
        if (isUniqueViolation(error)) throw new OperatorError(`There is a tenant ${id} already`);
        throw error;
      }
      return { tenantId: id, apiKey: code };
    },
  };
}
