import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import { countOf, query, statement } from '../../db/sql/statement.ts';

/** The configurations of relying parties and the policies of a store, by kind and name. */
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
  /** The parts that callers must not see, sealed by the feature that owns them. */
  sealed: Uint8Array | null;
  last_updated_at: number;
};

const COLUMNS = 'kind, name, config, sealed, last_updated_at';
const KEY = 'tenant_id = :tenant_id AND store_id = :storeId AND kind = :kind AND name = :name';
/** The limit of the list below: as many stores as a tenant may have in one environment. */
const MOST_NAMED = 1000;

/** Returns the policies of one name in all stores. */
export const policiesNamed = query<PolicyRow>()(
  `SELECT ${COLUMNS} FROM relying_parties WHERE tenant_id = :tenant_id AND kind = :kind AND name = :name
  ORDER BY store_id LIMIT ${MOST_NAMED}`,
).all;

export const findPolicy = query<PolicyRow>()(`SELECT ${COLUMNS} FROM relying_parties WHERE ${KEY}`).get;

/** Locks the row until the transaction ends. */
export const findPolicyForUpdate = query<PolicyRow>()(
  `SELECT ${COLUMNS} FROM relying_parties WHERE ${KEY} ${FOR_UPDATE}`,
).get;

export const addPolicy = query<PolicyRow>()(`INSERT INTO relying_parties
  (tenant_id, store_id, kind, name, config, sealed, created_at, last_updated_at)
  VALUES (:tenant_id, :storeId, :kind, :name, :config, :sealed, :now, :now)`).run;

export const changePolicy = query<PolicyRow>()(
  `UPDATE relying_parties SET config = :config, sealed = :sealed, last_updated_at = :now WHERE ${KEY}`,
).run;

/** False if there is no such row. */
export const removePolicy = statement(`DELETE FROM relying_parties WHERE ${KEY}`).changes;

export const countPolicies = countOf(
  'FROM relying_parties WHERE tenant_id = :tenant_id AND store_id = :storeId AND kind = :kind',
);

export const policiesOfStore = query<PolicyRow>()(
  `SELECT ${COLUMNS} FROM relying_parties WHERE tenant_id = :tenant_id AND store_id = :storeId ORDER BY kind, name`,
).all;
