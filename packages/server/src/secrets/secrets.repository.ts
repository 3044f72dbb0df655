import type { TenantReads } from '../db/db.ts';
import { inList } from '../db/sql/dialect.ts';
import { bytes, integer, table, text } from '../db/sql/table.ts';

/** The sealed keys and secrets. */
const SEALED = { version: integer(), sealed: bytes(), created_at: integer() };
const systemSecrets = table('system_secrets', { name: text(), ...SEALED });
const tenantKeys = table('tenant_keys', { tenant_id: text(), ...SEALED });
const dataKeys = table('data_keys', { tenant_id: text(), subject: text(), sealed: bytes(), created_at: integer() });

export const findSystemSecrets = systemSecrets.select(
  ['version', 'sealed'],
  'WHERE name = :name ORDER BY version DESC',
).all;

export const listSystemSecrets = systemSecrets.select(['name', 'version', 'sealed'], 'ORDER BY name, version').all;

/** Resolves to false if that version already exists. */
export const addSystemSecret = systemSecrets.insert('ON CONFLICT (name, version) DO NOTHING').changes;

export const resealSystemSecret = systemSecrets.update(['sealed'], 'WHERE name = :name AND version = :version').run;

export const findTenantKeys = tenantKeys.select(
  ['version', 'sealed'],
  'WHERE tenant_id = :tenant_id ORDER BY version DESC',
).all;

/** Resolves to false if that version already exists. */
export const addTenantKey = tenantKeys.insert('ON CONFLICT (tenant_id, version) DO NOTHING').changes;

export const resealTenantKey = tenantKeys.update(['sealed'], 'WHERE tenant_id = :tenant_id AND version = :version').run;

const OF_SUBJECT = 'WHERE tenant_id = :tenant_id AND subject = :subject';
const ONE_DATA_KEY = dataKeys.select(['sealed'], OF_SUBJECT);

export async function findDataKey(db: TenantReads, subject: string): Promise<Uint8Array | undefined> {
  return (await ONE_DATA_KEY.get(db, { subject }))?.sealed;
}

export const countDataKeys = dataKeys.count('WHERE tenant_id = :tenant_id');

/** The next data keys after a subject, in order, a bounded number at a time. */
export const pageDataKeys = dataKeys.select(
  ['subject', 'sealed'],
  'WHERE tenant_id = :tenant_id AND subject > :after ORDER BY subject LIMIT 500',
).all;

/** Adds the key unless another transaction was first. Resolves to the stored key. */
export const ensureDataKey = dataKeys.insert(
  'ON CONFLICT (tenant_id, subject) DO UPDATE SET sealed = data_keys.sealed RETURNING subject, sealed',
).get;

export const resealDataKey = dataKeys.update(['sealed'], OF_SUBJECT).run;

export const destroyDataKeys = dataKeys.delete(`WHERE tenant_id = :tenant_id AND subject ${inList(':subjects')}`).send;
