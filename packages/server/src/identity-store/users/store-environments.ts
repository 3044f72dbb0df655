import type { TenantReads } from '../../db/db.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import { ApiError } from '../../kernel/errors.ts';
import type { UserRow } from './users.table.ts';

type OfStore = Pick<UserRow, 'store_id'>;

const FIND = query<{ environment: Environment }>()(
  'SELECT environment FROM identity_stores WHERE tenant_id = :tenant_id AND id = :store_id',
);
const MAX_STORES = 10_000;

/**
 * A user has the environment of its store. A store never changes it, and ids are never reused. So it is read once and
 * cached, because every authentication builds a view of a user.
 */
export function openStoreEnvironments() {
  const environments = new Map<string, Environment>();
  return {
    known: ({ store_id }: OfStore) => environments.get(store_id),
    async find(db: TenantReads, { store_id }: OfStore): Promise<Environment> {
      const row = await FIND.get(db, { store_id });
      if (!row) throw new ApiError(100027);
      if (environments.size >= MAX_STORES) environments.clear();
      environments.set(store_id, row.environment);
      return row.environment;
    },
  };
}
