import { type Reads, sql, type TenantReads, type TenantTx, type Writes } from '../db/db.ts';

/** The sealed keys and secrets, as rows. */
export type SealedVersion = { version: number; sealed: Uint8Array };

const SYSTEM_ALL = sql('SELECT version, sealed FROM system_secrets WHERE name = $1 ORDER BY version DESC');
const SYSTEM_EVERY = sql('SELECT name, version, sealed FROM system_secrets ORDER BY name, version');
const SYSTEM_ADD = sql(`INSERT INTO system_secrets (name, version, sealed, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (name, version) DO NOTHING`);
const SYSTEM_RESEAL = sql('UPDATE system_secrets SET sealed = $3 WHERE name = $1 AND version = $2');

export function findSystemSecrets(db: Reads, name: string): Promise<SealedVersion[]> {
  return db.all<SealedVersion>(SYSTEM_ALL, [name]);
}

export function listSystemSecrets(db: Reads): Promise<(SealedVersion & { name: string })[]> {
  return db.all(SYSTEM_EVERY, []);
}

/** True if it was added, false if that version is there already. */
export async function addSystemSecret(
  tx: Writes,
  secret: { name: string; version: number; sealed: Uint8Array; now: number },
): Promise<boolean> {
  return (await tx.run(SYSTEM_ADD, [secret.name, secret.version, secret.sealed, secret.now])) === 1;
}

export async function resealSystemSecret(tx: Writes, name: string, { version, sealed }: SealedVersion): Promise<void> {
  await tx.run(SYSTEM_RESEAL, [name, version, sealed]);
}

const TENANT_ALL = sql('SELECT version, sealed FROM tenant_keys WHERE tenant_id = $1 ORDER BY version DESC');
const TENANT_ADD = sql(`INSERT INTO tenant_keys (tenant_id, version, sealed, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant_id, version) DO NOTHING`);
const TENANT_RESEAL = sql('UPDATE tenant_keys SET sealed = $3 WHERE tenant_id = $1 AND version = $2');

export function findTenantKeys(db: TenantReads): Promise<SealedVersion[]> {
  return db.all<SealedVersion>(TENANT_ALL, [db.tenantId]);
}

export async function addTenantKey(tx: TenantTx, key: SealedVersion, now: number): Promise<boolean> {
  return (await tx.run(TENANT_ADD, [tx.tenantId, key.version, key.sealed, now])) === 1;
}

export async function resealTenantKey(tx: TenantTx, key: SealedVersion): Promise<void> {
  await tx.run(TENANT_RESEAL, [tx.tenantId, key.version, key.sealed]);
}

const DATA_ONE = sql('SELECT sealed FROM data_keys WHERE tenant_id = $1 AND subject = $2');
const DATA_PAGE = sql(
  'SELECT subject, sealed FROM data_keys WHERE tenant_id = $1 AND subject > $2 ORDER BY subject LIMIT 500',
);
const DATA_ADD = sql(`INSERT INTO data_keys (tenant_id, subject, sealed, created_at) VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant_id, subject) DO NOTHING`);
const DATA_RESEAL = sql('UPDATE data_keys SET sealed = $3 WHERE tenant_id = $1 AND subject = $2');
const DATA_DESTROY = sql('DELETE FROM data_keys WHERE tenant_id = $1 AND subject = $2');

export async function findDataKey(db: TenantReads, subject: string): Promise<Uint8Array | undefined> {
  return (await db.get<{ sealed: Uint8Array }>(DATA_ONE, [db.tenantId, subject]))?.sealed;
}

/** The next data keys after a subject, in order, a bounded number at a time. */
export function pageDataKeys(db: TenantReads, after: string): Promise<{ subject: string; sealed: Uint8Array }[]> {
  return db.all(DATA_PAGE, [db.tenantId, after]);
}

export async function addDataKey(tx: TenantTx, subject: string, sealed: Uint8Array, now: number): Promise<void> {
  await tx.run(DATA_ADD, [tx.tenantId, subject, sealed, now]);
}

export async function resealDataKey(tx: TenantTx, subject: string, sealed: Uint8Array): Promise<void> {
  await tx.run(DATA_RESEAL, [tx.tenantId, subject, sealed]);
}

export async function destroyDataKey(tx: TenantTx, subject: string): Promise<void> {
  await tx.run(DATA_DESTROY, [tx.tenantId, subject]);
}
