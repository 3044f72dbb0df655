import { FOR_UPDATE } from '../db/sql/dialect.ts';
import { NAME_FILTER } from '../db/sql/list.ts';
import { statement } from '../db/sql/statement.ts';
import { seenFrom } from '../kernel/environment.ts';
import { type WebhookRow, webhooks } from './webhooks.table.ts';

const { columns } = webhooks;
/** All columns except those that never change: the id, the environment and the creation. */
const CHANGING = columns.filter((name) => !['id', 'environment', 'created_at', 'created_by'].includes(name));

const BY_ID = 'WHERE tenant_id = :tenant_id AND id = :id';
const OF_ENVIRONMENT = 'WHERE tenant_id = :tenant_id AND environment = :environment';

export const findWebhook = webhooks.select(columns, `${OF_ENVIRONMENT} AND id = :id`).get;

/** Locks the webhook until the transaction ends. */
export const findWebhookForUpdate = webhooks.select(columns, `${OF_ENVIRONMENT} AND id = :id ${FOR_UPDATE}`).get;

/** Finds the webhook of a delivery, in any environment. */
export const findWebhookById = webhooks.select(columns, BY_ID).get;

export type Subscriber = Pick<WebhookRow, 'id' | 'environment' | 'events'>;

/** The active webhooks of both environments. */
export const activeWebhooks = webhooks.select(
  ['id', 'environment', 'events'],
  "WHERE tenant_id = :tenant_id AND status = 'ACTIVE'",
).all;

export const findWebhookNamed = webhooks.select(['id', 'status', 'events'], `${OF_ENVIRONMENT} AND name = :name`).get;

/** Whether a definition of the environment may name the webhook. A live journey sends only to live webhooks. */
export const isWebhookName = webhooks.select(
  ['id'],
  `WHERE tenant_id = :tenant_id AND ${seenFrom(':environment')} AND name = :name LIMIT 1`,
).exists;

export const countWebhooks = webhooks.count(OF_ENVIRONMENT);

export const addWebhook = webhooks.insert().run;
export const changeWebhook = webhooks.update(CHANGING, BY_ID).run;

/** Disables a webhook without a caller. Resolves to false if it was already disabled. */
export const disableWebhook =
  statement(`UPDATE webhooks SET status = 'DISABLED', disabled_reason = :reason, version = version + 1,
  last_updated_at = :now, last_updated_by = :by WHERE tenant_id = :tenant_id AND id = :id AND status = 'ACTIVE'`).changes;

export const removeWebhook = webhooks.delete(BY_ID).run;

export const forgetOldSecrets = statement(`UPDATE webhooks SET old_secret = NULL, old_secret_until = NULL
  WHERE tenant_id = :tenant_id AND old_secret_until <= :now`).run;

export const pageWebhooks = webhooks.list(columns, OF_ENVIRONMENT, NAME_FILTER);
