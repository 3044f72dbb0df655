import { api, type Body } from '@grove/contract';
import { ensureBelowLimit } from '../db/below-limit.ts';
import type { TenantTx } from '../db/db.ts';
import { ensureUniqueName } from '../db/unique-name.ts';
import type { Outbound } from '../engines/outbound/outbound.ts';
import { actor } from '../kernel/actor.ts';
import type { Context } from '../kernel/context.ts';
import { ensurePermission, READ_PARAMETERS, USE_CLOUD_SECRET } from '../kernel/ensure-permission.ts';
import { ensureUnchanged } from '../kernel/ensure-unchanged.ts';
import { ensureUnmasked } from '../kernel/ensure-unmasked.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { pointerTo } from '../kernel/escape.ts';
import { newId } from '../kernel/ids.ts';
import { implement } from '../kernel/implement.ts';
import { mapInSlices } from '../kernel/in-slices.ts';
import { fold, likePattern, paging, toPage } from '../kernel/pages.ts';
import { creation, updateOf } from '../kernel/tracked.ts';
import type { secretHostFault } from '../process-manager/cloud-secrets/find-secret.ts';
import { secretNames } from '../process-manager/cloud-secrets/secret-names.ts';
import type { Vault } from '../secrets/vault.ts';
import { deliveryHandlers } from './deliveries.ts';
import { namesParameters } from './fill-template.ts';
import { addEndpoint, resetEndpoint } from './queue.repository.ts';
import { DEFAULT_RETRY_INTERVALS_MS } from './retry-rules.ts';
import { newSigningSecret, secretText } from './sign-payload.ts';
import { checkHeaders, checkTemplate, checkUri, type Headers, normalEvents, toWebhook } from './webhook-rules.ts';
import { OLD_SECRET_MS, openWebhook, sealHeaders, sealSecret } from './webhook-secrets.ts';
import {
  addWebhook,
  changeWebhook,
  countWebhooks,
  findWebhook,
  findWebhookForUpdate,
  pageWebhooks,
  removeWebhook,
} from './webhooks.repository.ts';
import { SORTABLE, type WebhookRow } from './webhooks.table.ts';

/** Webhooks define which receiver gets which events. A caller sees the webhooks of its own environment. */

export const MAX_WEBHOOKS_PER_ENVIRONMENT = 100;

export type WebhooksDeps = {
  vault: Pick<Vault, 'sealFor' | 'openFor'>;
  secretHostFault: typeof secretHostFault;
  outbound: Pick<Outbound, 'faultOf'>;
  /** Wakes the worker, because a delivery may be due. */
  ring(): void;
};

type Input = Body<typeof api.webhooks.create>;
type Change = Body<typeof api.webhooks.update>;

export function webhookHandlers(deps: WebhooksDeps) {
  const { vault } = deps;
  return implement(api.webhooks, {
    async list({ db, tenantId, principal: { environment } }, { query }) {
      const page = paging(query, SORTABLE);
      const pattern = likePattern(query.name, '/query/name');
      const { rows, total } = await pageWebhooks(db, { environment, pattern }, page);
      return toPage(await mapInSlices(db, rows, (row) => toWebhook(row, tenantId)), total, page);
    },

    async create(context, { body }) {
      const secret = newSigningSecret();
      const row = await context.db.write(async (tx) => {
        await ensureRoom(tx, context);
        const newRow = await newWebhook(tx, context, body, secret, deps);
        await ensureUniqueName('webhook', newRow.name, () => addWebhook(tx, newRow));
        await addEndpoint(tx, newRow.id, newRow.status === 'ACTIVE');
        return newRow;
      });
      return { ...toWebhook(row, context.tenantId), secret: secretText(secret) };
    },

    async get({ db, tenantId, principal: { environment } }, { params }) {
      const row = await findWebhook(db, { environment, id: params.webhookId });
      if (!row) throw new ApiError(100070);
      return toWebhook(row, tenantId);
    },

    async update(context, { params, query, body }) {
      const row = await context.db.write(async (tx) => {
        const before = await getForUpdate(tx, context, params.webhookId);
        ensureUnchanged(query, before);
        const after = await changedWebhook(tx, context, before, body, deps);
        await ensureUniqueName('webhook', after.name, () => changeWebhook(tx, after));
        // Earlier failures do not count for a new address, or when a caller activates the webhook again.
        await resetEndpoint(tx, after.id, after.status === 'ACTIVE');
        tx.afterCommit(deps.ring);
        return after;
      });
      return toWebhook(row, context.tenantId);
    },

    async delete(context, { params }) {
      await context.db.write(async (tx) => {
        const { id } = await getForUpdate(tx, context, params.webhookId);
        await removeWebhook(tx, { id });
      });
      return undefined;
    },

    async rotateSecret(context, { params }) {
      const secret = newSigningSecret();
      const row = await context.db.write(async (tx) => {
        const before = await getForUpdate(tx, context, params.webhookId);
        const after: WebhookRow = {
          ...nextVersion(before, context),
          secret_sealed: await sealSecret(vault, tx, before.id, secret),
          old_secret: before.secret_sealed,
          old_secret_until: context.now + OLD_SECRET_MS,
        };
        await changeWebhook(tx, after);
        return after;
      });
      return { ...toWebhook(row, context.tenantId), secret: secretText(secret) };
    },

    ...deliveryHandlers(deps),
  });
}

async function ensureRoom(tx: TenantTx, { principal: { environment } }: Context): Promise<void> {
  const count = () => countWebhooks(tx, { environment });
  await ensureBelowLimit(tx, { of: ['webhooks', environment], limit: MAX_WEBHOOKS_PER_ENVIRONMENT, count });
}

async function getForUpdate(tx: TenantTx, { principal }: Context, id: string): Promise<WebhookRow> {
  const row = await findWebhookForUpdate(tx, { environment: principal.environment, id });
  if (!row) throw new ApiError(100070);
  return row;
}

async function newWebhook(
  tx: TenantTx,
  context: Context,
  body: Input,
  secret: Uint8Array,
  deps: WebhooksDeps,
): Promise<WebhookRow> {
  const { now, principal } = context;
  const { vault, outbound } = deps;
  const { name, method = 'POST', headers = {}, sensitiveHeaders = {}, bodyTemplate = null } = body;
  checkName(name);
  checkUri(body.uri, outbound.faultOf);
  checkHeaders(headers, Object.keys(sensitiveHeaders), sensitiveHeaders);
  checkTemplate(bodyTemplate, method);
  await ensureMaySend(
    tx,
    context,
    { uri: body.uri, headers, sensitive: sensitiveHeaders, template: bodyTemplate },
    deps,
  );
  const id = newId(now);
  return {
    id,
    environment: principal.environment,
    name,
    name_folded: fold(name),
    description: body.description ?? null,
    version: 1,
    status: body.status ?? 'ACTIVE',
    disabled_reason: null,
    method,
    uri: body.uri,
    headers: JSON.stringify(headers),
    ...(await sealHeaders(vault, tx, id, sensitiveHeaders)),
    body_template: bodyTemplate,
    events: JSON.stringify(normalEvents(body.events ?? [])),
    retry_intervals: JSON.stringify(body.retryIntervalsMs ?? DEFAULT_RETRY_INTERVALS_MS),
    secret_sealed: await sealSecret(vault, tx, id, secret),
    old_secret: null,
    old_secret_until: null,
    ...creation(actor(principal), now),
  };
}

/** The webhook after a change. Ensures that every rule holds for the whole result. */
async function changedWebhook(
  tx: TenantTx,
  context: Context,
  before: WebhookRow,
  change: Change,
  deps: WebhooksDeps,
): Promise<WebhookRow> {
  const { vault, outbound } = deps;
  const { name = before.name, uri = before.uri, method = before.method, status = before.status } = change;
  const template = change.bodyTemplate === undefined ? before.body_template : change.bodyTemplate;
  const headers = change.headers ?? (JSON.parse(before.headers) as Headers);
  const names = Object.keys(change.sensitiveHeaders ?? {});
  const sensitive = change.sensitiveHeaders ? names : (JSON.parse(before.sensitive_names) as string[]);
  checkName(name);
  if (change.uri !== undefined) checkUri(uri, outbound.faultOf);
  checkHeaders(headers, sensitive, change.sensitiveHeaders ?? {});
  checkTemplate(template, method);
  const values = change.sensitiveHeaders ?? (await openWebhook(vault, tx, before)).sensitive;
  await ensureMaySend(tx, context, { uri, headers, sensitive: values, template }, deps);
  if (!change.sensitiveHeaders) ensureSameHost(before.uri, uri, values);
  return {
    ...nextVersion(before, context),
    name,
    name_folded: fold(name),
    uri,
    method,
    status,
    body_template: template,
    description: change.description ?? before.description,
    disabled_reason: change.status === undefined ? before.disabled_reason : null,
    headers: JSON.stringify(headers),
    ...(change.sensitiveHeaders && (await sealHeaders(vault, tx, before.id, change.sensitiveHeaders))),
    events: change.events ? JSON.stringify(normalEvents(change.events)) : before.events,
    retry_intervals: change.retryIntervalsMs ? JSON.stringify(change.retryIntervalsMs) : before.retry_intervals,
  };
}

/** Ensures that a caller cannot read hidden header values by changing the address to its own host (exfiltration). */
function ensureSameHost(before: string, after: string, keptHeaders: Headers): void {
  // The hosts of cloud secrets are already checked.
  const hasPlain = Object.values(keptHeaders).some((value) => secretNames(value).length === 0);
  if (!hasPlain || new URL(before).origin === new URL(after).origin) return;
  const message = 'must be sent again, because the new address has another host';
  throw invalidInput({ pointer: '/sensitiveHeaders', message });
}

type WebhookRequest = { uri: string; headers: Headers; sensitive: Headers; template: string | null };

/**
 * Ensures that the caller may read everything that the changed webhook will send. Otherwise a key that may only create
 * webhooks could read secrets and parameters at an address of its own (exfiltration).
 */
async function ensureMaySend(
  tx: TenantTx,
  { principal }: Context,
  { uri, headers, sensitive, template }: WebhookRequest,
  { secretHostFault }: WebhooksDeps,
): Promise<void> {
  if (template !== null && namesParameters(template)) {
    ensurePermission(principal, READ_PARAMETERS, 'a webhook that sends parameters');
    ensureUnmasked(principal, 'a webhook that sends parameters');
  }
  const { environment } = principal;
  for (const [field, values] of Object.entries({ headers, sensitiveHeaders: sensitive })) {
    for (const [header, value] of Object.entries(values)) {
      for (const name of secretNames(value)) {
        ensurePermission(principal, USE_CLOUD_SECRET, 'a webhook that sends a cloud secret');
        const message = await secretHostFault(tx, { environment, name, url: uri });
        if (message) throw invalidInput({ pointer: pointerTo(`/${field}`, header), message });
      }
    }
  }
}

function nextVersion(before: WebhookRow, { now, principal }: Context): WebhookRow {
  return { ...before, version: before.version + 1, ...updateOf({ principal, now }) };
}

function checkName(name: string): void {
  if (name.trim() === '') throw invalidInput({ pointer: '/name', message: 'must not be empty' });
}
