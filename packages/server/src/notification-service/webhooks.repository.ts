import { type Sql, sql, type TenantReads, type TenantTx, unprepared } from '../db/db.ts';
import { FOR_UPDATE } from '../db/sql/dialect.ts';
import type { Environment } from '../kernel/environment.ts';
import type { Paging } from '../kernel/pages.ts';

/** The columns of a webhook. Only this file and its neighbours in the folder know them. */
export type WebhookRow = {
  id: string;
  environment: Environment;
  name: string;
  name_folded: string;
  description: string | null;
  version: number;
  status: 'ACTIVE' | 'DISABLED';
  disabled_reason: string | null;
  method: 'POST' | 'GET';
  uri: string;
  headers: string;
  sensitive_names: string;
  sensitive_sealed: Uint8Array | null;
  body_template: string | null;
  events: string;
  retry_intervals: string;
  secret_sealed: Uint8Array;
  old_secret: Uint8Array | null;
  old_secret_until: number | null;
  created_at: number;
  created_by: string;
  last_updated_at: number;
  last_updated_by: string;
};

const NAMES = [
  ...['id', 'environment', 'name', 'name_folded', 'description', 'version', 'status', 'disabled_reason', 'method'],
  ...['uri', 'headers', 'sensitive_names', 'sensitive_sealed', 'body_template', 'events', 'retry_intervals'],
  ...['secret_sealed', 'old_secret', 'old_secret_until', 'created_at', 'created_by', 'last_updated_at'],
  'last_updated_by',
] as (keyof WebhookRow)[];
const COLUMNS = NAMES.join(', ');
/** Id, environment and who made it are for good. */
const CHANGING = NAMES.filter((name) => !['id', 'environment', 'created_at', 'created_by'].includes(name));

/** The properties a list can be sorted by. */
export const SORTABLE = {
  id: 'id',
  name: 'name_folded',
  status: 'status',
  createdDtm: 'created_at',
  lastUpdatedDtm: 'last_updated_at',
} as const;

const OF_ENVIRONMENT = 'tenant_id = $1 AND environment = $2';
const ONE = sql(`SELECT ${COLUMNS} FROM webhooks WHERE ${OF_ENVIRONMENT} AND id = $3`);
const ONE_FOR_UPDATE = sql(`SELECT ${COLUMNS} FROM webhooks WHERE ${OF_ENVIRONMENT} AND id = $3 ${FOR_UPDATE}`);
const BY_ID = sql(`SELECT ${COLUMNS} FROM webhooks WHERE tenant_id = $1 AND id = $2`);
const NAMED = sql(`SELECT id, status, events FROM webhooks WHERE ${OF_ENVIRONMENT} AND name = $3`);
const NAME_TAKEN = sql('SELECT 1 AS known FROM webhooks WHERE tenant_id = $1 AND name = $2 LIMIT 1');
const ACTIVE = sql(`SELECT id, events FROM webhooks WHERE ${OF_ENVIRONMENT} AND status = 'ACTIVE'`, ([id, events]) => ({
  id,
  events,
}));
const COUNT = sql(`SELECT count(*) AS total FROM webhooks WHERE ${OF_ENVIRONMENT}`);
const COUNT_LIKE = sql(
  `SELECT count(*) AS total FROM webhooks WHERE ${OF_ENVIRONMENT} AND name_folded LIKE $3 ESCAPE '\\'`,
);
const ADD = sql(`INSERT INTO webhooks (tenant_id, ${COLUMNS})
  VALUES ($1, ${NAMES.map((_, at) => `$${at + 2}`).join(', ')})`);
const CHANGE = sql(`UPDATE webhooks SET ${CHANGING.map((name, at) => `${name} = $${at + 3}`).join(', ')}
  WHERE tenant_id = $1 AND id = $2`);
const DISABLE = sql(`UPDATE webhooks SET status = 'DISABLED', disabled_reason = $3, version = version + 1,
  last_updated_at = $4, last_updated_by = $5 WHERE tenant_id = $1 AND id = $2 AND status = 'ACTIVE'`);
const REMOVE = sql('DELETE FROM webhooks WHERE tenant_id = $1 AND id = $2');
const FORGET_OLD_SECRETS = sql(`UPDATE webhooks SET old_secret = NULL, old_secret_until = NULL
  WHERE tenant_id = $1 AND old_secret_until <= $2`);

type Key = { environment: Environment; id: string };

export function findWebhook(db: TenantReads, { environment, id }: Key): Promise<WebhookRow | undefined> {
  return db.get<WebhookRow>(ONE, [db.tenantId, environment, id]);
}

/** Nobody else can change the webhook until the transaction ends. */
export function findWebhookForUpdate(tx: TenantTx, { environment, id }: Key): Promise<WebhookRow | undefined> {
  return tx.get<WebhookRow>(ONE_FOR_UPDATE, [tx.tenantId, environment, id]);
}

/** For those who send: the delivery says which it is. */
export function findWebhookById(db: TenantReads, id: string): Promise<WebhookRow | undefined> {
  return db.get<WebhookRow>(BY_ID, [db.tenantId, id]);
}

export type Subscriber = { id: string; events: string };

export function activeWebhooks(db: TenantReads, environment: Environment): Promise<Subscriber[]> {
  return db.all<Subscriber>(ACTIVE, [db.tenantId, environment]);
}

export function findWebhookNamed(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<Pick<WebhookRow, 'id' | 'status' | 'events'> | undefined> {
  return db.get(NAMED, [db.tenantId, environment, name]);
}

/** In either environment. */
export async function isWebhookName(db: TenantReads, name: string): Promise<boolean> {
  return (await db.get(NAME_TAKEN, [db.tenantId, name])) !== undefined;
}

export async function countWebhooks(db: TenantReads, environment: Environment): Promise<number> {
  return (await db.get<{ total: number }>(COUNT, [db.tenantId, environment]))?.total ?? 0;
}

export async function addWebhook(tx: TenantTx, row: WebhookRow): Promise<void> {
  await tx.run(ADD, [tx.tenantId, ...NAMES.map((name) => row[name])]);
}

export async function changeWebhook(tx: TenantTx, row: WebhookRow): Promise<void> {
  await tx.run(CHANGE, [tx.tenantId, row.id, ...CHANGING.map((name) => row[name])]);
}

/** For what happens without a caller. False if it was disabled already. */
export async function disableWebhook(
  tx: TenantTx,
  id: string,
  { reason, now, by }: { reason: string; now: number; by: string },
): Promise<boolean> {
  return (await tx.run(DISABLE, [tx.tenantId, id, reason, now, by])) === 1;
}

export async function removeWebhook(tx: TenantTx, id: string): Promise<void> {
  await tx.run(REMOVE, [tx.tenantId, id]);
}

export async function forgetOldSecrets(tx: TenantTx, now: number): Promise<number> {
  return tx.run(FORGET_OLD_SECRETS, [tx.tenantId, now]);
}

export async function pageWebhooks(
  db: TenantReads,
  { environment, pattern = '%' }: { environment: Environment; pattern: string | undefined },
  { orderBy, size, offset }: Paging,
): Promise<{ rows: WebhookRow[]; total: number }> {
  const key = [db.tenantId, environment, pattern];
  const counted = await db.get<{ total: number }>(COUNT_LIKE, key);
  const page: Sql = unprepared(`SELECT ${COLUMNS} FROM webhooks WHERE ${OF_ENVIRONMENT}
    AND name_folded LIKE $3 ESCAPE '\\' ORDER BY ${orderBy} LIMIT $4 + 0 OFFSET $5 + 0`);
  return { total: counted?.total ?? 0, rows: await db.all<WebhookRow>(page, [...key, size, offset]) };
}
