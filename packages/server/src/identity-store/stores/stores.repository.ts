import type { TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';
import { identityStores, type StoreRow } from './stores.table.ts';

const { columns } = identityStores;
const OF_ENVIRONMENT = 'WHERE tenant_id = :tenant_id AND environment = :environment';
const LIKE = `${OF_ENVIRONMENT} AND name_folded LIKE :pattern ESCAPE '\\'` as const;
const ONE = identityStores.select(columns, `${OF_ENVIRONMENT} AND name = :name`);
const ONE_FOR_UPDATE = identityStores.select(columns, `${OF_ENVIRONMENT} AND name = :name ${FOR_UPDATE}`);
const ADD = identityStores.insert();
const CHANGE = identityStores.update(
  ['description', 'status', 'configuration', 'last_updated_at'],
  'WHERE tenant_id = :tenant_id AND id = :id',
);
const COUNT = identityStores.count(OF_ENVIRONMENT);
const LIST = identityStores.list(columns, LIKE);

type StoreName = { environment: Environment; name: string };

export function findStore(db: TenantReads, name: StoreName): Promise<StoreRow | undefined> {
  return ONE.get(db, name);
}

/** Locks the row until the transaction ends. */
export function findStoreForUpdate(tx: TenantTx, name: StoreName): Promise<StoreRow | undefined> {
  return ONE_FOR_UPDATE.get(tx, name);
}

export async function addStore(tx: TenantTx, row: StoreRow): Promise<void> {
  await ADD.run(tx, row);
}

export async function changeStore(tx: TenantTx, row: StoreRow): Promise<void> {
  await CHANGE.run(tx, row);
}

export async function countStores(db: TenantReads, environment: Environment): Promise<number> {
  return (await COUNT.get(db, { environment }))?.total ?? 0;
}

export function pageStores(
  db: TenantReads,
  { environment, pattern = '%' }: { environment: Environment; pattern: string | undefined },
  paging: Paging,
): Promise<{ rows: StoreRow[]; total: number }> {
  return LIST(db, { environment, pattern }, paging);
}
