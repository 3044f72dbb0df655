import type { TenantReads, TenantTx, Writes } from '../db/db.ts';
import { inJson } from '../db/sql/dialect.ts';
import { countOf, query, statement } from '../db/sql/statement.ts';

/** The sealed keys and secrets, as rows. */
export type SealedVersion = { version: number; sealed: Uint8Array };

const SYSTEM_ADD =
  statement(`INSERT INTO system_secrets (name, version, sealed, created_at) VALUES (:name, :version, :sealed, :now)
  ON CONFLICT (name, version) DO NOTHING`);
const SYSTEM_RESEAL = statement('UPDATE system_secrets SET sealed = :sealed WHERE name = :name AND version = :version');

export const findSystemSecrets = query<SealedVersion>()(
  'SELECT version, sealed FROM system_secrets WHERE name = :name ORDER BY version DESC',
).all;

export const listSystemSecrets = query<SealedVersion & { name: string }>()(
  'SELECT name, version, sealed FROM system_secrets ORDER BY name, version',
).all;

/** False if that version exists already. */
export async function addSystemSecret(
  tx: Writes,
  secret: { name: string; version: number; sealed: Uint8Array; now: number },
): Promise<boolean> {
  return (await SYSTEM_ADD.run(tx, secret)) === 1;
}

export async function resealSystemSecret(tx: Writes, name: string, { version, sealed }: SealedVersion): Promise<void> {
  await SYSTEM_RESEAL.run(tx, { name, version, sealed });
}

const TENANT_ADD = statement(`INSERT INTO tenant_keys (tenant_id, version, sealed, created_at)
  VALUES (:tenant_id, :version, :sealed, :now)
  ON CONFLICT (tenant_id, version) DO NOTHING`);
const TENANT_RESEAL = statement(
  'UPDATE tenant_keys SET sealed = :sealed WHERE tenant_id = :tenant_id AND version = :version',
);

export const findTenantKeys = query<SealedVersion>()(
  'SELECT version, sealed FROM tenant_keys WHERE tenant_id = :tenant_id ORDER BY version DESC',
).all;

export async function addTenantKey(tx: TenantTx, key: SealedVersion, now: number): Promise<boolean> {
  return (await TENANT_ADD.run(tx, { version: key.version, sealed: key.sealed, now })) === 1;
}

export async function resealTenantKey(tx: TenantTx, key: SealedVersion): Promise<void> {
  await TENANT_RESEAL.run(tx, key);
}

const DATA_ONE = query<{ sealed: Uint8Array }>()(
  'SELECT sealed FROM data_keys WHERE tenant_id = :tenant_id AND subject = :subject',
);
const DATA_PAGE = query<{ subject: string; sealed: Uint8Array }>()(
  'SELECT subject, sealed FROM data_keys WHERE tenant_id = :tenant_id AND subject > :after ORDER BY subject LIMIT 500',
);
const DATA_ADD =
  statement(`INSERT INTO data_keys (tenant_id, subject, sealed, created_at) VALUES (:tenant_id, :subject, :sealed, :now)
  ON CONFLICT (tenant_id, subject) DO NOTHING`);
const DATA_RESEAL = statement(
  'UPDATE data_keys SET sealed = :sealed WHERE tenant_id = :tenant_id AND subject = :subject',
);
const DATA_DESTROY = statement(`DELETE FROM data_keys WHERE tenant_id = :tenant_id AND subject ${inJson(':subjects')}`);

export async function findDataKey(db: TenantReads, subject: string): Promise<Uint8Array | undefined> {
  return (await DATA_ONE.get(db, { subject }))?.sealed;
}

export const countDataKeys = countOf('FROM data_keys WHERE tenant_id = :tenant_id');

/** The next data keys after a subject, in order, a bounded number at a time. */
export function pageDataKeys(db: TenantReads, after: string): Promise<{ subject: string; sealed: Uint8Array }[]> {
  return DATA_PAGE.all(db, { after });
}

export async function addDataKey(tx: TenantTx, subject: string, sealed: Uint8Array, now: number): Promise<void> {
  DATA_ADD.send(tx, { subject, sealed, now });
}

export async function resealDataKey(tx: TenantTx, subject: string, sealed: Uint8Array): Promise<void> {
  await DATA_RESEAL.run(tx, { subject, sealed });
}

export async function destroyDataKeys(tx: TenantTx, subjects: readonly string[]): Promise<void> {
  DATA_DESTROY.send(tx, { subjects: JSON.stringify(subjects) });
}
