import type { TenantReads, TenantTx } from '../db/db.ts';
import { FOR_UPDATE } from '../db/sql/dialect.ts';
import { statement } from '../db/sql/statement.ts';
import type { Environment } from '../kernel/environment.ts';
import type { Paging } from '../kernel/pages.ts';
import { type WebhookRow, webhooks } from './webhooks.table.ts';

const { columns } = webhooks;
/** Id, environment and who made it are for good. */
const CHANGING = columns.filter((name) => !['id', 'environment', 'created_at', 'created_by'].includes(name));

const BY_ID = 'WHERE tenant_id = :tenant_id AND id = :id';
const OF_ENVIRONMENT = 'WHERE tenant_id = :tenant_id AND environment = :environment';
const ONE = webhooks.select(columns, `${OF_ENVIRONMENT} AND id = :id`);
const ONE_FOR_UPDATE = webhooks.select(columns, `${OF_ENVIRONMENT} AND id = :id ${FOR_UPDATE}`);
const ONE_BY_ID = webhooks.select(columns, BY_ID);
const OF_NAME = webhooks.select(['id', 'status', 'events'], `${OF_ENVIRONMENT} AND name = :name`);
const ANY_OF_NAME = webhooks.select(['id'], 'WHERE tenant_id = :tenant_id AND name = :name LIMIT 1');
const ACTIVE = webhooks.select(['id', 'environment', 'events'], "WHERE tenant_id = :tenant_id AND status = 'ACTIVE'");
const COUNT = webhooks.count(OF_ENVIRONMENT);
const LIST = webhooks.list(columns, `${OF_ENVIRONMENT} AND name_folded LIKE :pattern ESCAPE '\\'`);
const ADD = webhooks.insert();
const CHANGE = webhooks.update(CHANGING, BY_ID);
const DISABLE = statement(`UPDATE webhooks SET status = 'DISABLED', disabled_reason = :reason, version = version + 1,
  last_updated_at = :now, last_updated_by = :by WHERE tenant_id = :tenant_id AND id = :id AND status = 'ACTIVE'`);
const REMOVE = webhooks.delete(BY_ID);
const FORGET_OLD_SECRETS = statement(`UPDATE webhooks SET old_secret = NULL, old_secret_until = NULL
  WHERE tenant_id = :tenant_id AND old_secret_until <= :now`);

type WebhookKey = { environment: Environment; id: string };

export function findWebhook(db: TenantReads, key: WebhookKey): Promise<WebhookRow | undefined> {
  return ONE.get(db, key);
}

/** Nobody else can change the webhook until the transaction ends. */
export function findWebhookForUpdate(tx: TenantTx, key: WebhookKey): Promise<WebhookRow | undefined> {
  return ONE_FOR_UPDATE.get(tx, key);
}

/** For those who send: the delivery says which it is. */
export function findWebhookById(db: TenantReads, id: string): Promise<WebhookRow | undefined> {
  return ONE_BY_ID.get(db, { id });
}

export type Subscriber = Pick<WebhookRow, 'id' | 'environment' | 'events'>;

/** Of both environments. */
export function activeWebhooks(db: TenantReads): Promise<Subscriber[]> {
  return ACTIVE.all(db, {});
}

export function findWebhookNamed(
  db: TenantReads,
  environment: Environment,
  name: string,
): Promise<Pick<WebhookRow, 'id' | 'status' | 'events'> | undefined> {
  return OF_NAME.get(db, { environment, name });
}

/** In either environment. */
export async function isWebhookName(db: TenantReads, name: string): Promise<boolean> {
  return (await ANY_OF_NAME.get(db, { name })) !== undefined;
}

export async function countWebhooks(db: TenantReads, environment: Environment): Promise<number> {
  return (await COUNT.get(db, { environment }))?.total ?? 0;
}

export async function addWebhook(tx: TenantTx, row: WebhookRow): Promise<void> {
  await ADD.run(tx, row);
}

export async function changeWebhook(tx: TenantTx, row: WebhookRow): Promise<void> {
  await CHANGE.run(tx, row);
}

/** Disables a webhook without a caller. False if it was disabled already. */
export async function disableWebhook(
  tx: TenantTx,
  id: string,
  why: { reason: string; now: number; by: string },
): Promise<boolean> {
  return (await DISABLE.run(tx, { id, ...why })) === 1;
}

export async function removeWebhook(tx: TenantTx, id: string): Promise<void> {
  await REMOVE.run(tx, { id });
}

export function forgetOldSecrets(tx: TenantTx, now: number): Promise<number> {
  return FORGET_OLD_SECRETS.run(tx, { now });
}

export function pageWebhooks(
  db: TenantReads,
  { environment, pattern = '%' }: { environment: Environment; pattern: string | undefined },
  paging: Paging,
): Promise<{ rows: WebhookRow[]; total: number }> {
  return LIST(db, { environment, pattern }, paging);
}
