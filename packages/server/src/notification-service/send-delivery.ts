import type { TenantDb, TenantReads } from '../db/db.ts';
import type { Outbound } from '../engines/outbound/outbound.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import type { Clock } from '../kernel/clock.ts';
import { fillHeaders } from '../process-manager/cloud-secrets/fill-headers.ts';
import type { FindSecret } from '../process-manager/cloud-secrets/find-secret.ts';
import type { Vault } from '../secrets/vault.ts';
import { type DeliveryRow, findDelivery } from './deliveries.repository.ts';
import { fillWebhookTemplate, MAX_BODY_BYTES, namesParameters } from './fill-template.ts';
import type { Payload } from './notify.ts';
import { signatureHeaders } from './sign-payload.ts';
import type { Headers } from './webhook-rules.ts';
import { openWebhook } from './webhook-secrets.ts';
import { findWebhookById } from './webhooks.repository.ts';
import type { WebhookRow } from './webhooks.table.ts';

/** The result of an attempt. The status of the answer is stored, and the beginning of the body if it was refused. */
export type AttemptResult = {
  kind: 'attempted';
  at: number;
  status: number | null;
  /** One word. With `local`, nothing was sent, so the error is not one of the endpoint. */
  error: string | null;
  local: boolean;
  retryAfter: string | undefined;
  milliseconds: number;
  /** The text of the answer, if the endpoint refused the delivery. */
  answer: string | null;
  intervals: readonly number[];
};
/** `dropped`: the delivery no longer exists. `waiting`: the webhook is disabled. `stopped`: the server stops. */
export type Outcome = AttemptResult | { kind: 'dropped' | 'waiting' | 'stopped' };

export type SendDeps = {
  vault: Pick<Vault, 'openFor'>;
  clock: Clock;
  outbound: Pick<Outbound, 'send'>;
  /** A cloud secret of the tenant, by its name. */
  findSecret: FindSecret;
  /** The parameters of an instance; undefined if it was deleted. */
  parametersOf(db: TenantReads, instanceId: string): Promise<Readonly<Record<string, string>> | undefined>;
  timeoutMs?: number;
};

export type SendDelivery = (
  db: TenantDb,
  delivery: { id: string; webhookId: string },
  signal: AbortSignal,
) => Promise<Outcome>;

/** The part of an answer that is read, and shown to the tenant if it is a refusal. */
export const MAX_ANSWER_BYTES = 16 * 1024;
const MAX_OPENED = 1000;

/** A fault in the tenant's configuration. The log of deliveries shows it, and the next attempt may succeed. */
class LocalFault extends Error {}

export function deliverySender(deps: SendDeps): SendDelivery {
  const { clock, outbound, timeoutMs } = deps;
  const openWebhooks = boundedMap<string, Awaited<ReturnType<typeof openWebhook>>>(MAX_OPENED);
  const openCached = async (db: TenantDb, webhook: WebhookRow) => {
    const key = `${webhook.id}/${webhook.version}`;
    const webhookInUse = openWebhooks.get(key) ?? (await openWebhook(deps.vault, db, webhook));
    openWebhooks.set(key, webhookInUse);
    return webhookInUse;
  };

  return async (db, { id, webhookId }, signal) => {
    const [delivery, webhook] = await Promise.all([findDelivery(db, { id }), findWebhookById(db, { id: webhookId })]);
    if (!webhook || delivery?.status !== 'PENDING') return { kind: 'dropped' };
    if (webhook.status !== 'ACTIVE') return { kind: 'waiting' };
    const at = clock.now();
    const intervals = JSON.parse(webhook.retry_intervals) as number[];
    const nothing = { status: null, error: null, answer: null, local: false };
    const attempted = { kind: 'attempted', at, ...nothing, intervals } as const;
    try {
      const { secrets, sensitive } = await openCached(db, webhook);
      const body = webhook.method === 'GET' ? undefined : await bodyOf(deps, db, webhook, delivery);
      const own = { ...(JSON.parse(webhook.headers) as Headers), ...sensitive };
      const use = { environment: webhook.environment, actor: `Webhook: ${webhook.name}`, url: webhook.uri };
      const filled = await fillHeaders(db, own, (reads, name) => deps.findSecret(reads, name, use));
      if (filled.fault) throw new LocalFault(filled.fault);
      const signed = { id, timestampSeconds: Math.floor(at / 1000), body: body ?? '' };
      const answer = await outbound.send({
        method: webhook.method,
        url: webhook.method === 'GET' ? withQuery(webhook.uri, delivery) : webhook.uri,
        headers: {
          'user-agent': 'Grove-Webhooks/1',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...filled.headers,
          ...signatureHeaders(signed, secrets(at)),
        },
        ...(body !== undefined && { body }),
        ...(timeoutMs !== undefined && { timeoutMs }),
        signal,
        maxAnswerBytes: MAX_ANSWER_BYTES,
        keepStart: true,
      });
      if (answer.fault === 'stopped') return { kind: 'stopped' };
      const { status = null, fault = null, retryAfter, milliseconds } = answer;
      const error = fault ?? errorOf(status ?? 0);
      const refusal = error === 'status' && mayBeStored(webhook, delivery) ? textOf(answer.body) : null;
      return { ...attempted, status, error, answer: refusal, retryAfter, milliseconds };
    } catch (error) {
      if (!(error instanceof LocalFault)) throw error;
      return { ...attempted, error: error.message, local: true, retryAfter: undefined, milliseconds: 0 };
    }
  };
}

/**
 * Ensures that no answer about a person stays in the log for ever. An endpoint may echo its request, so nothing is stored where that
 * holds parameters of a person. Nor is it about a user of an identity store: only the erasure of an instance looks into
 * the log.
 */
function mayBeStored({ body_template }: WebhookRow, { payload }: DeliveryRow): boolean {
  return !namesParameters(body_template ?? '') && (JSON.parse(payload) as Payload).data.userId === undefined;
}

/** The text of a body without the characters that a database or a page cannot hold. */
function textOf(body: Buffer | undefined): string | null {
  const text = body?.toString('utf8').replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd');
  return text || null;
}

function errorOf(status: number): string | null {
  return status >= 200 && status < 300 ? null : 'status';
}

async function bodyOf(deps: SendDeps, db: TenantDb, webhook: WebhookRow, delivery: DeliveryRow): Promise<string> {
  const payload = JSON.parse(delivery.payload) as Payload;
  const template = webhook.body_template;
  if (template === null) return JSON.stringify({ id: delivery.id, ...payload });
  const { data } = payload;
  const needsParameters = namesParameters(template) && delivery.instance_id !== null;
  const body = fillWebhookTemplate(template, {
    type: payload.type,
    dateTime: payload.timestamp,
    processInstanceId: delivery.instance_id ?? '',
    sequence: delivery.sequence ?? 0,
    status: String(data.status ?? ''),
    environment: webhook.environment,
    processDefnName: String(data.processDefnName ?? ''),
    processDefnVersion: Number(data.processDefnVersion ?? 0),
    storeName: String(data.storeName ?? ''),
    userId: String(data.userId ?? ''),
    // Read at each attempt and never stored, so that erased data is not sent.
    parameters: (needsParameters && (await deps.parametersOf(db, delivery.instance_id as string))) || {},
  });
  if (body === undefined || Buffer.byteLength(body) > MAX_BODY_BYTES) throw new LocalFault('too_large');
  return body;
}

/** Names the event in the query, because a GET has no body. The query is not signed; a receiver can ask the API. */
function withQuery(uri: string, { event, instance_id, sequence }: DeliveryRow): string {
  const url = new URL(uri);
  url.searchParams.set('type', event);
  if (instance_id !== null) url.searchParams.set('processInstanceId', instance_id);
  if (sequence !== null) url.searchParams.set('sequence', String(sequence));
  return url.href;
}
