import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';

/** Configurations of relying parties and policies of a store, each by its kind and its name. */
export type PolicyKind = 'PASSKEY' | 'APPKEY' | 'TOTP' | 'PUSH';

export type PolicyKey = {
  readonly storeId: string;
  readonly kind: PolicyKind;
  /** The relying party id, or the name of the policy. */
  readonly name: string;
};

export type PolicyRow = {
  kind: PolicyKind;
  name: string;
  /** JSON, as callers see it. */
  config: string;
  /** What callers may not see, sealed by the feature that keeps it. */
  sealed: Uint8Array | null;
};

const COLUMNS = 'kind, name, config, sealed';
const KEY = 'tenant_id = $1 AND store_id = $2 AND kind = $3 AND name = $4';
const ONE = sql(`SELECT ${COLUMNS} FROM relying_parties WHERE ${KEY}`);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM relying_parties WHERE ${KEY} ${FOR_UPDATE}`);
const ADD = sql(`INSERT INTO relying_parties
  (tenant_id, store_id, kind, name, config, sealed, created_at, last_updated_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $7)`);
const CHANGE = sql(`UPDATE relying_parties SET config = $5, sealed = $6, last_updated_at = $7 WHERE ${KEY}`);
const REMOVE = sql(`DELETE FROM relying_parties WHERE ${KEY}`);
const COUNT = sql('SELECT count(*) AS total FROM relying_parties WHERE tenant_id = $1 AND store_id = $2 AND kind = $3');
/** One for each store, of which a tenant has only so many. */
const MOST_NAMED = 1000;
const NAMED = sql(
  `SELECT ${COLUMNS} FROM relying_parties WHERE tenant_id = $1 AND kind = $2 AND name = $3 ORDER BY store_id LIMIT ${MOST_NAMED}`,
);
const OF_STORE = sql(
  `SELECT ${COLUMNS} FROM relying_parties WHERE tenant_id = $1 AND store_id = $2 ORDER BY kind, name`,
);

/** Those of one name in all stores. */
export function policiesNamed(db: TenantReads, kind: PolicyKind, name: string): Promise<PolicyRow[]> {
  return db.all<PolicyRow>(NAMED, [db.tenantId, kind, name]);
}

export function findPolicy(db: TenantReads, { storeId, kind, name }: PolicyKey): Promise<PolicyRow | undefined> {
  return db.get<PolicyRow>(ONE, [db.tenantId, storeId, kind, name]);
}

/** Nobody else can change it until the transaction ends. */
export function findPolicyForUpdate(tx: TenantTx, { storeId, kind, name }: PolicyKey): Promise<PolicyRow | undefined> {
  return tx.get<PolicyRow>(ONE_FOR_UPDATE, [tx.tenantId, storeId, kind, name]);
}

export type PolicyContent = { config: string; sealed: Uint8Array | null; now: number };

export async function addPolicy(tx: TenantTx, key: PolicyKey, { config, sealed, now }: PolicyContent): Promise<void> {
  await tx.run(ADD, [tx.tenantId, key.storeId, key.kind, key.name, config, sealed, now]);
}

export async function changePolicy(
  tx: TenantTx,
  { storeId, kind, name }: PolicyKey,
  { config, sealed, now }: PolicyContent,
): Promise<void> {
  await tx.run(CHANGE, [tx.tenantId, storeId, kind, name, config, sealed, now]);
}

/** False if there is none. */
export async function removePolicy(tx: TenantTx, { storeId, kind, name }: PolicyKey): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, storeId, kind, name])) === 1;
}

export async function countPolicies(db: TenantReads, storeId: string, kind: PolicyKind): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, storeId, kind]))?.total ?? 0;
}

export function policiesOfStore(db: TenantReads, storeId: string): Promise<PolicyRow[]> {
  return db.all<PolicyRow>(OF_STORE, [db.tenantId, storeId]);
}
