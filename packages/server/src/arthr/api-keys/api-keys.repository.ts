import { addToCounter, readCounter } from '../../db/counters.ts';
import { type Reads, type Sql, sql, type TenantReads, type TenantTx, type Value } from '../../db/db.ts';
import { pageStatement } from '../../db/kept-statement.ts';
import type { Paging } from '../../kernel/pages.ts';

export type ApiKeyStatus = 'ACTIVE' | 'BLOCKED' | 'ARCHIVED';
export type ApiKeyType = 'PERMANENT' | 'SESSION';

/** What callers may see of a key. */
export type ApiKeyView = {
  id: string;
  environment: 'live' | 'test';
  type: ApiKeyType;
  name: string;
  description: string | null;
  status: ApiKeyStatus;
  permissions: string;
  created_at: number;
  last_updated_at: number;
  created_by: string;
  last_updated_by: string;
  expiring_at: number | null;
  last_issued_at: number | null;
};

export type ApiKeyRow = ApiKeyView & {
  tenant_id: string;
  name_folded: string;
  secret_hash: Uint8Array;
  pepper_version: number;
};

const COUNTER = 'apiKeys';
const VIEW = `id, environment, type, name, description, status, permissions, created_at, last_updated_at, created_by,
  last_updated_by, expiring_at, last_issued_at`;
const COLUMNS = `${VIEW}, tenant_id, name_folded, secret_hash, pepper_version`;

/** In the order of VIEW. */
function toView(values: Value[]): ApiKeyView {
  return {
    id: values[0] as string,
    environment: values[1] as ApiKeyView['environment'],
    type: values[2] as ApiKeyType,
    name: values[3] as string,
    description: values[4] as string | null,
    status: values[5] as ApiKeyStatus,
    permissions: values[6] as string,
    created_at: values[7] as number,
    last_updated_at: values[8] as number,
    created_by: values[9] as string,
    last_updated_by: values[10] as string,
    expiring_at: values[11] as number | null,
    last_issued_at: values[12] as number | null,
  };
}

/** The properties a list can be sorted by. What may be absent comes first, on both engines. */
export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  description: "coalesce(description, '')",
  type: 'type',
  status: 'status',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
  createdBy: 'created_by',
  lastUpdatedBy: 'last_updated_by',
  expiringDtm: 'coalesce(expiring_at, 0)',
  lastIssuedAtDtm: 'coalesce(last_issued_at, 0)',
} as const;

const ONE = sql(`SELECT ${COLUMNS} FROM api_keys WHERE tenant_id = $1 AND id = $2`);
const ONE_VIEW = sql(`SELECT ${VIEW} FROM api_keys WHERE tenant_id = $1 AND id = $2`, toView);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM api_keys WHERE tenant_id = $1 AND id = $2 /*postgres FOR UPDATE*/`);
const OWNER = sql('SELECT owner_tenant_id FROM key_tenants WHERE key_id = $1');
const ADD_OWNER = sql('INSERT INTO key_tenants (key_id, owner_tenant_id) VALUES ($1, $2)');
const REMOVE_OWNER = sql('DELETE FROM key_tenants WHERE key_id = $1');
const ADD = sql(`INSERT INTO api_keys (${COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`);
const CHANGE = sql(`UPDATE api_keys SET type = $3, name = $4, name_folded = $5, description = $6, status = $7,
  permissions = $8, last_updated_at = $9, last_updated_by = $10, expiring_at = $11 WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM api_keys WHERE tenant_id = $1 AND id = $2');
const COUNT_LIKE = sql(
  `SELECT count(*) AS total FROM api_keys WHERE tenant_id = $1 AND name_folded LIKE $2 ESCAPE '\\'`,
);
const TOUCH = sql(`UPDATE api_keys SET last_issued_at = $3
  WHERE tenant_id = $1 AND id = $2 AND (last_issued_at IS NULL OR last_issued_at < $3)`);

export async function findApiKey(db: TenantReads, id: string): Promise<ApiKeyRow | undefined> {
  return db.get<ApiKeyRow>(ONE, [db.tenantId, id]);
}

export async function findApiKeyView(db: TenantReads, id: string): Promise<ApiKeyView | undefined> {
  return db.get<ApiKeyView>(ONE_VIEW, [db.tenantId, id]);
}

/** Nobody else can change the key until the transaction ends. */
export async function findApiKeyForUpdate(tx: TenantTx, id: string): Promise<ApiKeyRow | undefined> {
  return tx.get<ApiKeyRow>(ONE_FOR_UPDATE, [tx.tenantId, id]);
}

/** The one question that is asked before the tenant is known. */
export async function findOwner(system: Reads, keyId: string): Promise<string | undefined> {
  return (await system.get<{ owner_tenant_id: string }>(OWNER, [keyId]))?.owner_tenant_id;
}

export async function addApiKey(tx: TenantTx, row: Omit<ApiKeyRow, 'tenant_id'>): Promise<void> {
  await tx.run(ADD, [
    row.id,
    row.environment,
    row.type,
    row.name,
    row.description,
    row.status,
    row.permissions,
    row.created_at,
    row.last_updated_at,
    row.created_by,
    row.last_updated_by,
    row.expiring_at,
    row.last_issued_at,
    tx.tenantId,
    row.name_folded,
    row.secret_hash,
    row.pepper_version,
  ]);
  await tx.run(ADD_OWNER, [row.id, tx.tenantId]);
  await addToCounter(tx, COUNTER, 1);
}

export async function changeApiKey(tx: TenantTx, row: ApiKeyRow): Promise<void> {
  await tx.run(CHANGE, [
    tx.tenantId,
    row.id,
    row.type,
    row.name,
    row.name_folded,
    row.description,
    row.status,
    row.permissions,
    row.last_updated_at,
    row.last_updated_by,
    row.expiring_at,
  ]);
}

export async function removeApiKey(tx: TenantTx, id: string): Promise<boolean> {
  if ((await tx.run(REMOVE, [tx.tenantId, id])) === 0) return false;
  await tx.run(REMOVE_OWNER, [id]);
  await addToCounter(tx, COUNTER, -1);
  return true;
}

export function countApiKeys(db: TenantReads): Promise<number> {
  return readCounter(db, COUNTER);
}

export async function pageApiKeys(
  db: TenantReads,
  pattern: string | undefined,
  paging: Paging,
): Promise<{ rows: ApiKeyView[]; total: number }> {
  const { tenantId } = db;
  const limits = [paging.size, paging.offset];
  if (pattern === undefined) {
    const rows = await db.all<ApiKeyView>(keysStatement(paging, false), [tenantId, ...limits]);
    return { rows, total: await countApiKeys(db) };
  }
  const counted = await db.get<{ total: number }>(COUNT_LIKE, [tenantId, pattern]);
  return {
    total: counted?.total ?? 0,
    rows: await db.all<ApiKeyView>(keysStatement(paging, true), [tenantId, ...limits, pattern]),
  };
}

function keysStatement(paging: Paging, filtered: boolean): Sql {
  // SQLite would plan anew for every other limit; of a sum it does not know what it will be.
  const text = `SELECT ${VIEW} FROM api_keys WHERE tenant_id = $1
    ${filtered ? "AND name_folded LIKE $4 ESCAPE '\\'" : ''} ORDER BY ${paging.orderBy} LIMIT $2 + 0 OFFSET $3 + 0`;
  return pageStatement(paging, text, toView);
}

/** Records when keys last issued a token; never moves a time backwards. */
export async function touchApiKeys(tx: TenantTx, issued: readonly (readonly [string, number])[]): Promise<void> {
  for (const [id, at] of issued) await tx.run(TOUCH, [tx.tenantId, id, at]);
}
