import type { api, Ok } from '@grove/contract';
import { HEADER_VALUE_FAULT, headerNameFault, isHeaderValue } from '../engines/outbound/header-rules.ts';
import { toDtm } from '../kernel/clock.ts';
import { ApiError, invalidInput } from '../kernel/errors.ts';
import { pointerTo } from '../kernel/escape.ts';
import { trackedView } from '../kernel/tracked.ts';
import { hasTooManySecrets, SECRETS_FAULT } from '../process-manager/cloud-secrets/secret-names.ts';
import type { DeliveryRow } from './deliveries.repository.ts';
import { webhookTemplateFault } from './fill-template.ts';
import type { WebhookRow } from './webhooks.table.ts';

/** The rules and views of a webhook, as pure functions. */

type Webhook = Ok<typeof api.webhooks.get>;
type Delivery = Ok<typeof api.webhooks.test>;
export type Headers = Readonly<Record<string, string>>;

export function checkHeaders(plain: Headers, sensitive: readonly string[], values: Headers): void {
  const foldedNames = new Set<string>();
  const check = (name: string, pointer: string) => {
    const folded = name.toLowerCase();
    const message = headerNameFault(name);
    if (message) throw invalidInput({ pointer, message });
    if (foldedNames.has(folded)) throw invalidInput({ pointer, message: 'occurs twice' });
    foldedNames.add(folded);
  };
  const checkValue = (value: string, pointer: string) => {
    if (!isHeaderValue(value)) throw invalidInput({ pointer, message: HEADER_VALUE_FAULT });
    if (hasTooManySecrets(value)) throw invalidInput({ pointer, message: SECRETS_FAULT });
  };
  for (const [name, value] of Object.entries(plain)) {
    check(name, pointerTo('/headers', name));
    checkValue(value, pointerTo('/headers', name));
  }
  for (const name of sensitive) check(name, pointerTo('/sensitiveHeaders', name));
  for (const [name, value] of Object.entries(values)) checkValue(value, pointerTo('/sensitiveHeaders', name));
}

export function checkTemplate(template: string | null, method: WebhookRow['method']): void {
  if (template === null) return;
  const pointer = '/bodyTemplate';
  if (method === 'GET')
    throw invalidInput({ pointer, message: 'is not allowed for a webhook of method GET, which has no body' });
  const message = webhookTemplateFault(template);
  if (message) throw invalidInput({ pointer, message });
}

export function checkUri(uri: string, faultOf: (uri: string) => string | undefined): void {
  const message = faultOf(uri);
  if (message) throw new ApiError(100071, { detail: message, errors: [{ pointer: '/uri', message }] });
}

/** The normal form of a list of events: without order and repetitions, and `*` alone if it occurs. */
export function normalEvents(events: readonly string[]): string[] {
  return events.includes('*') ? ['*'] : [...new Set(events)].sort();
}

export function subscribes(events: string, type: string): boolean {
  if (events === '[]') return false;
  const all = JSON.parse(events) as string[];
  return all[0] === '*' || all.includes(type);
}

export function toWebhook(row: WebhookRow, tenantId: string): Webhook {
  return {
    id: row.id,
    tenantId,
    environment: row.environment,
    version: row.version,
    status: row.status,
    ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
    name: row.name,
    ...(row.description !== null && { description: row.description }),
    uri: row.uri,
    method: row.method,
    headers: JSON.parse(row.headers) as Record<string, string>,
    sensitiveHeaders: JSON.parse(row.sensitive_names) as string[],
    ...(row.body_template !== null && { bodyTemplate: row.body_template }),
    events: JSON.parse(row.events) as string[],
    retryIntervalsMs: JSON.parse(row.retry_intervals) as number[],
    ...trackedView(row),
  };
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    event: row.event,
    ...(row.instance_id !== null && { processInstanceId: row.instance_id }),
    ...(row.sequence !== null && { sequence: row.sequence }),
    status: row.status,
    attempts: row.attempts,
    createdDtm: toDtm(row.created_at),
    ...(row.next_at !== null && { nextAttemptDtm: toDtm(row.next_at) }),
    ...(row.last_at !== null && {
      lastAttempt: {
        dateTime: toDtm(row.last_at),
        ...(row.last_status !== null && { statusCode: row.last_status }),
        ...(row.last_error !== null && { error: row.last_error }),
        milliseconds: row.last_ms ?? 0,
      },
    }),
  };
}
