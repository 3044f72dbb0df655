import { type Sql, sql, type TenantReads, type TenantTx, unprepared } from '../../db/db.ts';
import type { Paging } from '../../kernel/pages.ts';

export type Environment = 'live' | 'test';

/** The columns of an identity store. Only this folder knows them. */
export type StoreRow = {
  id: string;
  environment: Environment;
  name: string;
  name_folded: string;
  description: string | null;
  status: 'ACTIVE' | 'INACTIVE';
  /** A JSON object. */
  configuration: string;
  created_at: number;
  last_updated_at: number;
};

/** The properties a list can be sorted by. */
export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  status: 'status',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;

const COLUMNS = 'id, environment, name, name_folded, description, status, configuration, created_at, last_updated_at';
const BY_NAME = `SELECT ${COLUMNS} FROM identity_stores WHERE tenant_id = $1 AND environment = $2 AND name = $3`;
const ONE = sql(BY_NAME);
const ONE_FOR_UPDATE = sql(`${BY_NAME} /*postgres FOR UPDATE*/`);
const ADD = sql(`INSERT INTO identity_stores (tenant_id, ${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`);
const CHANGE = sql(`UPDATE identity_stores SET description = $3, status = $4, configuration = $5, last_updated_at = $6
  WHERE tenant_id = $1 AND id = $2`);
const COUNT = sql('SELECT count(*) AS total FROM identity_stores WHERE tenant_id = $1 AND environment = $2');
const COUNT_LIKE = sql(`SELECT count(*) AS total FROM identity_stores
  WHERE tenant_id = $1 AND environment = $2 AND name_folded LIKE $3 ESCAPE '\\'`);

type Named = { environment: Environment; name: string };

export function findStore(db: TenantReads, { environment, name }: Named): Promise<StoreRow | undefined> {
  return db.get<StoreRow>(ONE, [db.tenantId, environment, name]);
}

/** Nobody else can change the store until the transaction ends. */
export function findStoreForUpdate(tx: TenantTx, { environment, name }: Named): Promise<StoreRow | undefined> {
  return tx.get<StoreRow>(ONE_FOR_UPDATE, [tx.tenantId, environment, name]);
}

export async function addStore(tx: TenantTx, row: StoreRow): Promise<void> {
  await tx.run(ADD, [
    ...[tx.tenantId, row.id, row.environment, row.name, row.name_folded, row.description, row.status],
    ...[row.configuration, row.created_at, row.last_updated_at],
  ]);
}

export async function changeStore(tx: TenantTx, row: StoreRow): Promise<void> {
  const { id, description, status, configuration, last_updated_at } = row;
  await tx.run(CHANGE, [tx.tenantId, id, description, status, configuration, last_updated_at]);
}

/** Of both environments. */
export async function countStores(db: TenantReads, environment: Environment): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0;
}

export async function pageStores(
  db: TenantReads,
  { environment, pattern = '%' }: { environment: Environment; pattern: string | undefined },
  { orderBy, size, offset }: Paging,
): Promise<{ rows: StoreRow[]; total: number }> {
  const key = [db.tenantId, environment, pattern];
  const counted = await db.get<{ total: number }>(COUNT_LIKE, key);
  const page: Sql = unprepared(`SELECT ${COLUMNS} FROM identity_stores WHERE tenant_id = $1 AND environment = $2
    AND name_folded LIKE $3 ESCAPE '\\' ORDER BY ${orderBy} LIMIT $4 + 0 OFFSET $5 + 0`);
  return { total: counted?.total ?? 0, rows: await db.all<StoreRow>(page, [...key, size, offset]) };
}
