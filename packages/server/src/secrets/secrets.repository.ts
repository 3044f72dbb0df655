import type { TenantReads } from '../db/db.ts';
import { inList } from '../db/sql/dialect.ts';
import { countOf, query, statement } from '../db/sql/statement.ts';

/** The sealed keys and secrets, as rows. */
export type SealedVersion = { version: number; sealed: Uint8Array };
type DataKeyRow = { subject: string; sealed: Uint8Array };

export const findSystemSecrets = query<SealedVersion>()(
  'SELECT version, sealed FROM system_secrets WHERE name = :name ORDER BY version DESC',
).all;

export const listSystemSecrets = query<SealedVersion & { name: string }>()(
  'SELECT name, version, sealed FROM system_secrets ORDER BY name, version',
).all;

/** False if that version exists already. */
export const addSystemSecret =
  query<SealedVersion>()(`INSERT INTO system_secrets (name, version, sealed, created_at) VALUES (:name, :version, :sealed, :now)
  ON CONFLICT (name, version) DO NOTHING`).changes;

export const resealSystemSecret = query<SealedVersion>()(
  'UPDATE system_secrets SET sealed = :sealed WHERE name = :name AND version = :version',
).run;

export const findTenantKeys = query<SealedVersion>()(
  'SELECT version, sealed FROM tenant_keys WHERE tenant_id = :tenant_id ORDER BY version DESC',
).all;

export const addTenantKey = query<SealedVersion>()(`INSERT INTO tenant_keys (tenant_id, version, sealed, created_at)
  VALUES (:tenant_id, :version, :sealed, :now)
  ON CONFLICT (tenant_id, version) DO NOTHING`).changes;

export const resealTenantKey = query<SealedVersion>()(
  'UPDATE tenant_keys SET sealed = :sealed WHERE tenant_id = :tenant_id AND version = :version',
).run;

const DATA_ONE = query<{ sealed: Uint8Array }>()(
  'SELECT sealed FROM data_keys WHERE tenant_id = :tenant_id AND subject = :subject',
);

export async function findDataKey(db: TenantReads, subject: string): Promise<Uint8Array | undefined> {
  return (await DATA_ONE.get(db, { subject }))?.sealed;
}

export const countDataKeys = countOf('FROM data_keys WHERE tenant_id = :tenant_id');

/** The next data keys after a subject, in order, a bounded number at a time. */
export const pageDataKeys = query<DataKeyRow>()(
  'SELECT subject, sealed FROM data_keys WHERE tenant_id = :tenant_id AND subject > :after ORDER BY subject LIMIT 500',
).all;

/** Adds the key, or finds that another transaction was first. Gives what is stored. */
export const ensureDataKey =
  query<DataKeyRow>()(`INSERT INTO data_keys (tenant_id, subject, sealed, created_at) VALUES (:tenant_id, :subject, :sealed, :now)
  ON CONFLICT (tenant_id, subject) DO UPDATE SET sealed = data_keys.sealed RETURNING subject, sealed`).get;

export const resealDataKey = query<DataKeyRow>()(
  'UPDATE data_keys SET sealed = :sealed WHERE tenant_id = :tenant_id AND subject = :subject',
).run;

export const destroyDataKeys = statement(
  `DELETE FROM data_keys WHERE tenant_id = :tenant_id AND subject ${inList(':subjects')}`,
).send;
