import { type Sql, sql, type TenantReads, type TenantTx, unprepared } from '../../db/db.ts';
import { FOR_UPDATE } from '../../db/sql/dialect.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';

export type SecretType = 'STRING' | 'NUMBER' | 'BINARY';

/** What callers may see of a secret: everything but its value. */
export type CloudSecretView = {
  environment: Environment;
  /** The hosts it may be sent to, a JSON array. Null: it is older than hosts, and may be sent to any. */
  hosts: string | null;
  id: string;
  name: string;
  description: string | null;
  type: SecretType;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
};
export type CloudSecretRow = CloudSecretView & { name_folded: string; sealed: Uint8Array };

/** The properties a list can be sorted by. */
export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  type: 'type',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;

const VIEW =
  'environment, hosts, id, name, description, type, created_at, created_by, last_updated_at, last_updated_by';
const ADD = sql(`INSERT INTO cloud_secrets (tenant_id, ${VIEW}, name_folded, sealed)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`);
const ONE_FOR_UPDATE =
  sql(`SELECT ${VIEW}, name_folded, sealed FROM cloud_secrets WHERE tenant_id = $1 AND environment = $2 AND id = $3
  ${FOR_UPDATE}`);
const CHANGE = sql(`UPDATE cloud_secrets SET description = $3, sealed = $4, last_updated_at = $5, last_updated_by = $6,
  hosts = $7
  WHERE tenant_id = $1 AND id = $2`);
const REMOVE = sql('DELETE FROM cloud_secrets WHERE tenant_id = $1 AND environment = $2 AND id = $3');
const COUNT = sql('SELECT count(*) AS total FROM cloud_secrets WHERE tenant_id = $1 AND environment = $2');
const COUNT_LIKE = sql(
  `SELECT count(*) AS total FROM cloud_secrets
   WHERE tenant_id = $1 AND environment = $2 AND name_folded LIKE $3 ESCAPE '\\'`,
);
const SEALED = sql(
  'SELECT id, hosts, sealed FROM cloud_secrets WHERE tenant_id = $1 AND environment = $2 AND name = $3',
);

export async function addCloudSecret(tx: TenantTx, row: CloudSecretRow): Promise<void> {
  await tx.run(ADD, [
    ...[
      tx.tenantId,
      row.environment,
      row.hosts,
      row.id,
      row.name,
      row.description,
      row.type,
      row.created_at,
      row.created_by,
    ],
    ...[row.last_updated_at, row.last_updated_by, row.name_folded, row.sealed],
  ]);
}

/** Nobody else can change the secret until the transaction ends. */
export function findCloudSecretForUpdate(
  tx: TenantTx,
  environment: Environment,
  id: string,
): Promise<CloudSecretRow | undefined> {
  return tx.get<CloudSecretRow>(ONE_FOR_UPDATE, [tx.tenantId, environment, id]);
}

export async function changeCloudSecret(tx: TenantTx, row: CloudSecretRow): Promise<void> {
  const { id, description, sealed, last_updated_at, last_updated_by, hosts } = row;
  await tx.run(CHANGE, [tx.tenantId, id, description, sealed, last_updated_at, last_updated_by, hosts]);
}

/** False if there is none. */
export async function removeCloudSecret(tx: TenantTx, environment: Environment, id: string): Promise<boolean> {
  return (await tx.run(REMOVE, [tx.tenantId, environment, id])) === 1;
}

export function findSealedSecret(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<Pick<CloudSecretRow, 'id' | 'hosts' | 'sealed'> | undefined> {
  return db.get(SEALED, [db.tenantId, environment, name]);
}

export async function countCloudSecrets(db: TenantReads, environment: Environment): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0;
}

export async function pageCloudSecrets(
  db: TenantReads,
  { environment, pattern = '%' }: { environment: Environment; pattern: string | undefined },
  { orderBy, size, offset }: Paging,
): Promise<{ rows: CloudSecretView[]; total: number }> {
  const counted = await db.get<{ total: number }>(COUNT_LIKE, [db.tenantId, environment, pattern]);
  const page: Sql = unprepared(`SELECT ${VIEW} FROM cloud_secrets WHERE tenant_id = $1
    AND environment = $2 AND name_folded LIKE $3 ESCAPE '\\' ORDER BY ${orderBy} LIMIT $4 + 0 OFFSET $5 + 0`);
  const rows = await db.all<CloudSecretView>(page, [db.tenantId, environment, pattern, size, offset]);
  return { rows, total: counted?.total ?? 0 };
}
