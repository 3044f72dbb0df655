import type { TenantReads } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';
import { identityStores, type StoreRow } from './stores.table.ts';

const { columns } = identityStores;
const OF_ENVIRONMENT = 'WHERE tenant_id = :tenant_id AND environment = :environment';
const LIKE = `${OF_ENVIRONMENT} AND name_folded LIKE :pattern ESCAPE '\\'` as const;
const LIST = identityStores.list(columns, LIKE);

export const findStore = identityStores.select(columns, `${OF_ENVIRONMENT} AND name = :name`).get;

/** Locks the row until the transaction ends. */
export const findStoreForUpdate = identityStores.select(
  columns,
  `${OF_ENVIRONMENT} AND name = :name ${FOR_UPDATE}`,
).get;

export const addStore = identityStores.insert().run;

export const changeStore = identityStores.update(
  ['description', 'status', 'configuration', 'last_updated_at'],
  'WHERE tenant_id = :tenant_id AND id = :id',
).run;

export const countStores = identityStores.count(OF_ENVIRONMENT);

export function pageStores(
  db: TenantReads,
  { environment, pattern = '%' }: { environment: Environment; pattern: string | undefined },
  paging: Paging,
): Promise<{ rows: StoreRow[]; total: number }> {
  return LIST(db, { environment, pattern }, paging);
}
