import type { TenantTx } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { bytes, integer, optional, type RowOf, table, text } from '../../db/sql/table.ts';

/** The configurations of relying parties and the policies of a store, by kind and name. */
export type PolicyKind = 'PASSKEY' | 'APPKEY' | 'TOTP' | 'PUSH';

export type PolicyKey = {
  readonly storeId: string;
  readonly kind: PolicyKind;
  /** The relying party id, or the name of the policy. */
  readonly name: string;
};

const policies = table('relying_parties', {
  tenant_id: text(),
  store_id: text(),
  kind: text<PolicyKind>(),
  name: text(),
  /** JSON, as callers see it. */
  config: text(),
  /** The parts that callers must not see, sealed by the feature that owns them. */
  sealed: optional(bytes()),
  created_at: integer(),
  last_updated_at: integer(),
});
const COLUMNS = ['kind', 'name', 'config', 'sealed', 'last_updated_at'] as const;
export type PolicyRow = Pick<RowOf<typeof policies>, (typeof COLUMNS)[number]>;

const KEY = 'WHERE tenant_id = :tenant_id AND store_id = :storeId AND kind = :kind AND name = :name';
/** The limit of the list below: as many stores as a tenant may have in one environment. */
const MAX_NAMED = 1000;

/** Returns the policies of one name in all stores. */
export const policiesNamed = policies.select(
  COLUMNS,
  `WHERE tenant_id = :tenant_id AND kind = :kind AND name = :name ORDER BY store_id LIMIT ${MAX_NAMED}`,
).all;

export const findPolicy = policies.select(COLUMNS, KEY).get;

/** Locks the row until the transaction ends. */
export const findPolicyForUpdate = policies.select(COLUMNS, `${KEY} ${FOR_UPDATE}`).get;

const ADD = policies.insert();
const CHANGE = policies.update(['config', 'sealed', 'last_updated_at'], KEY);
type NewPolicy = PolicyKey & Pick<PolicyRow, 'config' | 'sealed'> & { now: number };

export async function addPolicy(tx: TenantTx, { storeId: store_id, now, ...policy }: NewPolicy): Promise<void> {
  await ADD.run(tx, { ...policy, store_id, created_at: now, last_updated_at: now });
}

export async function changePolicy(tx: TenantTx, { now, ...policy }: NewPolicy): Promise<void> {
  await CHANGE.run(tx, { ...policy, last_updated_at: now });
}

/** Resolves to false if there is no such row. */
export const removePolicy = policies.delete(KEY).changes;

export const countPolicies = policies.count('WHERE tenant_id = :tenant_id AND store_id = :storeId AND kind = :kind');

export const policiesOfStore = policies.select(
  COLUMNS,
  'WHERE tenant_id = :tenant_id AND store_id = :storeId ORDER BY kind, name',
).all;
