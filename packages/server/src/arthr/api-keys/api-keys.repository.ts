import { addToCounter, readCounter } from '../../db/counters.ts';
import type { Reads, TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { NAME_FILTER } from '../../db/sql/list.ts';
import { query } from '../../db/sql/statement.ts';
import type { Paging } from '../../kernel/pages.ts';
import { type ApiKeyRow, type ApiKeyView, apiKeys, CHANGEABLE, keyTenants, VIEW } from './api-keys.table.ts';

const COUNTER = 'apiKeys';
const BY_ID = 'WHERE tenant_id = :tenant_id AND id = :id';

const ADD = apiKeys.insert();
const REMOVE = apiKeys.delete(BY_ID);
const LIST = apiKeys.list(VIEW, 'WHERE tenant_id = :tenant_id', {
  ...NAME_FILTER,
  environment: 'AND environment = :environment',
  expiresAfter: "AND status = 'ACTIVE' AND expiring_at > :expiresAfter",
  expiresUntil: 'AND expiring_at <= :expiresUntil',
});
const TOUCH = apiKeys.update(
  ['last_issued_at'],
  `${BY_ID} AND (last_issued_at IS NULL OR last_issued_at < :last_issued_at)`,
);
const OWNER = query<{ owner_tenant_id: string; status: string }>()(
  `SELECT key_tenants.owner_tenant_id, tenants.status FROM key_tenants
    JOIN tenants ON tenants.id = key_tenants.owner_tenant_id WHERE key_tenants.key_id = :key_id`,
);
const ADD_OWNER = keyTenants.insert();
const REMOVE_OWNER = keyTenants.delete('WHERE key_id = :key_id');

export const findApiKey = apiKeys.select(apiKeys.columns, BY_ID).get;
export const findApiKeyView = apiKeys.select(VIEW, BY_ID).get;

/** Locks the key until the transaction ends. */
export const findApiKeyForUpdate = apiKeys.select(apiKeys.columns, `${BY_ID} ${FOR_UPDATE}`).get;

/** Finds the tenant of a key. All other queries know the tenant. */
export async function findOwner(
  system: Reads,
  keyId: string,
): Promise<{ tenantId: string; isSuspended: boolean } | undefined> {
  const row = await OWNER.get(system, { key_id: keyId });
  return row && { tenantId: row.owner_tenant_id, isSuspended: row.status !== 'ACTIVE' };
}

export async function addApiKey(tx: TenantTx, row: ApiKeyRow): Promise<void> {
  await ADD.run(tx, row);
  await ADD_OWNER.run(tx, { key_id: row.id, owner_tenant_id: tx.tenantId });
  await addToCounter(tx, COUNTER, 1);
}

export const changeApiKey = apiKeys.update(CHANGEABLE, BY_ID).run;

export async function removeApiKey(tx: TenantTx, id: string): Promise<boolean> {
  if ((await REMOVE.run(tx, { id })) === 0) return false;
  await REMOVE_OWNER.run(tx, { key_id: id });
  await addToCounter(tx, COUNTER, -1);
  return true;
}

export function countApiKeys(db: TenantReads): Promise<number> {
  return readCounter(db, COUNTER);
}

export async function pageApiKeys(
  db: TenantReads,
  filter: {
    pattern: string | undefined;
    environment: 'test' | undefined;
    expiresAfter?: number;
    expiresUntil?: number;
  },
  paging: Paging,
): Promise<{ rows: ApiKeyView[]; total: number }> {
  const rows = await LIST.page(db, filter, paging);
  const isWhole = Object.values(filter).every((value) => value === undefined);
  return { rows, total: isWhole ? await countApiKeys(db) : await LIST.count(db, filter) };
}

/** Records when keys last issued a token; never moves a time backwards. */
export async function touchApiKeys(tx: TenantTx, issued: readonly (readonly [string, number])[]): Promise<void> {
  for (const [id, last_issued_at] of issued) await TOUCH.run(tx, { id, last_issued_at });
}
