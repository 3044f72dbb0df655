import type { TenantReads, TenantTx } from '../../db/db.ts';
import { FOR_UPDATE, inJson } from '../../db/sql/dialect.ts';
import { query } from '../../db/sql/statement.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';
import { type CloudSecretRow, type CloudSecretView, cloudSecrets, VIEW } from './cloud-secrets.table.ts';

const OF_ENVIRONMENT = 'WHERE tenant_id = :tenant_id AND environment = :environment';
const ADD = cloudSecrets.insert();
const ONE_FOR_UPDATE = cloudSecrets.select(cloudSecrets.columns, `${OF_ENVIRONMENT} AND id = :id ${FOR_UPDATE}`);
const CHANGE = cloudSecrets.update(
  ['description', 'sealed', 'last_updated_at', 'last_updated_by', 'hosts'],
  'WHERE tenant_id = :tenant_id AND id = :id',
);
const REMOVE = cloudSecrets.delete(`${OF_ENVIRONMENT} AND id = :id`);
const COUNT = cloudSecrets.count(OF_ENVIRONMENT);
const LIST = cloudSecrets.list(VIEW, `${OF_ENVIRONMENT} AND name_folded LIKE :pattern ESCAPE '\\'`);
const SEALED = cloudSecrets.select(['id', 'hosts', 'sealed'], `${OF_ENVIRONMENT} AND name = :name`);

// By an index that holds these events alone.
const LAST_USES = query<{ name: string; at: number }>()(`SELECT item AS name, max(at) AS at FROM audit_events
  WHERE tenant_id = :tenant_id AND environment = :environment AND action = 'cloudSecret.used' AND item ${inJson(':names')}
  GROUP BY item`);

/** When each of the secrets was sent last, as far back as the audit log goes. */
export async function lastUses(
  db: TenantReads,
  environment: Environment,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const rows = await LAST_USES.all(db, { environment, names: JSON.stringify(names) });
  return new Map(rows.map(({ name, at }) => [name, at]));
}

export async function addCloudSecret(tx: TenantTx, row: CloudSecretRow): Promise<void> {
  await ADD.run(tx, row);
}

/** Locks the row until the transaction ends. */
export function findCloudSecretForUpdate(
  tx: TenantTx,
  environment: Environment,
  id: string,
): Promise<CloudSecretRow | undefined> {
  return ONE_FOR_UPDATE.get(tx, { environment, id });
}

export async function changeCloudSecret(tx: TenantTx, row: CloudSecretRow): Promise<void> {
  await CHANGE.run(tx, row);
}

/** False if there is no such row. */
export async function removeCloudSecret(tx: TenantTx, environment: Environment, id: string): Promise<boolean> {
  return (await REMOVE.run(tx, { environment, id })) === 1;
}

export function findSealedSecret(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<Pick<CloudSecretRow, 'id' | 'hosts' | 'sealed'> | undefined> {
  return SEALED.get(db, { environment, name });
}

export async function countCloudSecrets(db: TenantReads, environment: Environment): Promise<number> {
  return (await COUNT.get(db, { environment }))?.total ?? 0;
}

export function pageCloudSecrets(
  db: TenantReads,
  { environment, pattern = '%' }: { environment: Environment; pattern: string | undefined },
  paging: Paging,
): Promise<{ rows: CloudSecretView[]; total: number }> {
  return LIST(db, { environment, pattern }, paging);
}
