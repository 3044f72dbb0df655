import { sql, type TenantReads } from '../../db/db.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { UserRow } from './user-row.ts';

type OfStore = Pick<UserRow, 'store_id'>;

const FIND = sql('SELECT environment FROM identity_stores WHERE tenant_id = $1 AND id = $2');
const MAX_STORES = 10_000;

/**
 * The environment of a user is that of its store. A store never changes it and ids are never used again, so it is read
 * once: views of users are on the way of every authentication.
 */
export function openStoreEnvironments() {
  const known = new Map<string, Environment>();
  return {
    known: ({ store_id }: OfStore) => known.get(store_id),
    async find(db: TenantReads, { store_id }: OfStore): Promise<Environment> {
      const found = await db.get<{ environment: Environment }>(FIND, [db.tenantId, store_id]);
      if (!found) throw new ApiError(100027);
      if (known.size >= MAX_STORES) known.clear();
      known.set(store_id, found.environment);
      return found.environment;
    },
  };
}
