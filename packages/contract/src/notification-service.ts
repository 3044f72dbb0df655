import { IDENTITY_EVENTS } from './identity-store/events.ts';
import { IfUnchanged } from './if-unchanged.ts';
import { del, get, group, post } from './operation.ts';
import { cursorPage, cursorQuery, likeFilter, page, pageQuery } from './page.ts';
import { Environment } from './process-manager/parameters.ts';
import {
  anyObject,
  DateTime,
  Empty,
  Id,
  listOf,
  nameText,
  nullable,
  oneOf,
  personal,
  stringMap,
  text,
  withTitle,
} from './schema.ts';
import { Type } from './type.ts';

/** Webhooks, which are signed as Standard Webhooks 1.0 says, their deliveries, and the stream of events. All of it is ours. */

export const WEBHOOK_EVENTS = [
  'instance.created',
  'instance.started',
  'instance.stepSeen',
  'instance.stepLeft',
  'instance.stepCompleted',
  'instance.stepRetried',
  'instance.stepReopened',
  'instance.paused',
  'instance.review',
  'instance.approved',
  'instance.rejected',
  'instance.askedAgain',
  'instance.valueCorrected',
  'instance.reopened',
  'instance.childStarted',
  'instance.completed',
  'instance.terminated',
  'instance.redacted',
  'instance.deleted',
  'apiKey.readBudgetExceeded',
  ...IDENTITY_EVENTS,
] as const;

const MAX_RETRIES = 15;
const MAX_WAIT_MS = 24 * 60 * 60 * 1000;

const METHOD = 'Default: POST. A GET has no body; type, processInstanceId and sequence are in its query';

const Headers = { ...stringMap(20, 2000), description: 'Sent with every request' };

const webhookText = {
  name: nameText(1, 100, 'A unique name among the webhooks of its environment'),
  description: Type.Optional(text(0, 255)),
  uri: text(1, 500, 'An https address of the public internet, or one that the operator of Grove allows'),
  method: Type.Optional({ ...oneOf('POST', 'GET'), description: METHOD }),
  headers: Type.Optional(Headers),
  bodyTemplate: Type.Optional(
    text(
      1,
      10_000,
      'JSON with placeholders such as `{processInstanceId}` or `{parameters.firstName}`; without it, ids and status alone. ' +
        'Parameters need the permission `ProcessManager:getProcessInstance`',
    ),
  ),
  events: listOf(
    Type.Unsafe<string>({ ...oneOf(...WEBHOOK_EVENTS, '*') }),
    WEBHOOK_EVENTS.length + 1,
    'The events to send; none for a webhook that only steps use',
  ),
  retryIntervalsMs: Type.Optional(
    listOf(
      Type.Integer({ minimum: 0, maximum: MAX_WAIT_MS }),
      MAX_RETRIES,
      'The waits before the second and each later attempt; the first attempt is made at once. Default: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h',
    ),
  ),
};

const WebhookInput = withTitle(
  'WebhookInput',
  Type.Object({
    ...webhookText,
    events: Type.Optional(webhookText.events),
    status: Type.Optional(oneOf('ACTIVE', 'DISABLED')),
    sensitiveHeaders: Type.Optional({
      ...stringMap(20, 2000),
      description:
        'Like `headers`, but the values are never shown again. `{secret.NAME}` stands for a cloud secret; its `hosts`' +
        ' must contain the host of the webhook, and the caller needs the permission `ProcessManager:useCloudSecret`',
    }),
  }),
);

const WebhookChange = withTitle(
  'WebhookChange',
  Type.Partial(
    Type.Object({
      ...WebhookInput.properties,
      bodyTemplate: {
        ...nullable(10_000),
        description: 'As for a new webhook; null sends the body without a template',
      },
    }),
  ),
);

const webhookFields = {
  id: Id,
  tenantId: Type.String(),
  environment: Environment,
  version: Type.Integer({ description: 'Grows with every change' }),
  status: Type.Unsafe<'ACTIVE' | 'DISABLED'>({ ...oneOf('ACTIVE', 'DISABLED') }),
  disabledReason: Type.Optional(Type.String({ description: 'Why the webhook was disabled, if not by a caller' })),
  ...webhookText,
  method: oneOf('POST', 'GET'),
  headers: Headers,
  sensitiveHeaders: listOf(Type.String(), 20, 'The names of the headers whose values are not shown'),
  retryIntervalsMs: listOf(Type.Integer(), MAX_RETRIES),
  createdDtm: DateTime,
  createdBy: Type.String(),
  lastUpdatedDtm: DateTime,
  lastUpdatedBy: Type.String(),
};

const Webhook = withTitle('Webhook', Type.Object(webhookFields));
const WebhookWithSecret = withTitle(
  'WebhookWithSecret',
  Type.Object({ ...webhookFields, secret: Type.String({ description: '`whsec_…`; shown in this response only' }) }),
);

const Delivery = withTitle(
  'WebhookDelivery',
  Type.Object({
    id: Type.String({ description: 'The `webhook-id`: the same for every attempt and every replay' }),
    webhookId: Id,
    event: Type.String(),
    processInstanceId: Type.Optional(Id),
    sequence: Type.Optional(Type.Integer({ description: 'The sequence of the event in its instance' })),
    status: oneOf('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED'),
    attempts: Type.Integer(),
    createdDtm: DateTime,
    nextAttemptDtm: Type.Optional(DateTime),
    lastAttempt: Type.Optional(
      Type.Object({
        dateTime: DateTime,
        statusCode: Type.Optional(Type.Integer()),
        error: Type.Optional(
          Type.String({
            description:
              'A word: status, timeout, connection, tls, dns, refused_address, bad_answer, missing_secret, secret_host, bad_header, too_large, expired',
          }),
        ),
        milliseconds: Type.Integer(),
      }),
    ),
  }),
);

const DeliveryDetails = withTitle(
  'WebhookDeliveryDetails',
  Type.Object({
    ...Delivery.properties,
    payload: personal(anyObject('What is sent where the webhook has no template of its own')),
    answer: Type.Optional(
      Type.String({
        description:
          'The last response of the endpoint that was a refusal, cut at 16 kB. It is removed with the data of the ' +
          'instance, and is never stored for users of identity stores or if the template names parameters of persons',
      }),
    ),
  }),
);

const missingCode = [100070] as const;

export const webhooks = group('/api/notification-service/webhooks', {
  list: get('', {
    summary: 'List webhooks',
    permission: 'NotificationService:listWebhooks',
    query: pageQuery({ name: likeFilter('webhooks whose name') }),
    ok: page(Webhook),
  }),
  create: post('', {
    summary: 'Create a webhook',
    description: 'The response has the secret that signs the requests. It is never shown again.',
    permission: 'NotificationService:addWebhook',
    audit: 'webhook.created',
    body: WebhookInput,
    ok: WebhookWithSecret,
    status: 201,
    codes: [100014, 100065, 100071, 100366],
  }),
  get: get('/{webhookId}', {
    summary: 'Get a webhook',
    permission: 'NotificationService:getWebhook',
    ok: Webhook,
    codes: missingCode,
  }),
  update: post('/{webhookId}', {
    summary: 'Change a webhook',
    description:
      'Changes only the fields that you send. `sensitiveHeaders` are replaced as a whole, and must be sent again ' +
      'with a `uri` of another host. If you set the webhook ACTIVE again, waiting deliveries are sent.',
    permission: 'NotificationService:updateWebhook',
    audit: 'webhook.updated',
    query: IfUnchanged,
    body: WebhookChange,
    ok: Webhook,
    codes: [...missingCode, 100014, 100071, 100351, 100366],
  }),
  delete: del('/{webhookId}', {
    summary: 'Delete a webhook and its delivery log',
    permission: 'NotificationService:deleteWebhook',
    destructive: true,
    audit: 'webhook.deleted',
    status: 204,
    codes: missingCode,
  }),
  rotateSecret: post('/{webhookId}/rotateSecret', {
    summary: 'Create a new secret for a webhook',
    description: 'For 24 hours, requests carry a signature of both secrets; then the old secret ends.',
    permission: 'NotificationService:rotateWebhookSecret',
    destructive: true,
    audit: 'webhook.secretRotated',
    body: Empty,
    ok: WebhookWithSecret,
    codes: missingCode,
  }),
  test: post('/{webhookId}/test', {
    summary: 'Send a test event',
    description:
      'The test event is delivered like any other, with the type `webhook.test`; its delivery shows the result.',
    permission: 'NotificationService:testWebhook',
    auditOperators: 'webhook.tested',
    body: Empty,
    ok: Delivery,
    codes: missingCode,
  }),
  listDeliveries: get('/{webhookId}/deliveries', {
    summary: 'List the deliveries of a webhook, the newest first',
    permission: 'NotificationService:listWebhookDeliveries',
    query: cursorQuery({
      status: Type.Optional(oneOf('PENDING', 'DELIVERED', 'FAILED', 'CANCELLED')),
      processInstanceId: Type.Optional(text(0, 50)),
    }),
    ok: cursorPage(Delivery),
    codes: missingCode,
  }),
  getDelivery: get('/{webhookId}/deliveries/{deliveryId}', {
    summary: 'Get a delivery with its request and the response of the endpoint',
    permission: 'NotificationService:getWebhookDelivery',
    ok: DeliveryDetails,
    codes: [...missingCode, 100072],
  }),
  replay: post('/{webhookId}/deliveries/{deliveryId}/replay', {
    summary: 'Send a delivery again, with the same id',
    permission: 'NotificationService:replayWebhookDelivery',
    auditOperators: 'webhook.replayed',
    body: Empty,
    ok: Delivery,
    codes: [...missingCode, 100072],
  }),
  recover: post('/{webhookId}/recover', {
    summary: 'Send all deliveries again that failed since a time',
    permission: 'NotificationService:recoverWebhook',
    auditOperators: 'webhook.replayed',
    body: withTitle('WebhookRecovery', Type.Object({ sinceDtm: DateTime })),
    ok: withTitle(
      'WebhookRecovered',
      Type.Object({ deliveries: Type.Integer({ description: 'How many deliveries are sent again' }) }),
    ),
    codes: missingCode,
  }),
});

export const eventStream = group('/api/notification-service/events', {
  watch: get('/stream', {
    summary: 'Follow events as they happen, as server-sent events',
    description:
      'Each event is what a webhook would receive, with an id of its own, in `data`. The stream begins with the ' +
      'connection and shows what this server commits; nothing is stored for it. It ends after ten minutes: connect ' +
      'again, and Grove checks the key again. The stream is for development; `grove listen` uses it. For events ' +
      'that must arrive, use a webhook. A tenant has five streams at a time in each environment; a sixth gets ' +
      '100007.',
    permission: 'NotificationService:watchEvents',
    query: Type.Object({
      types: Type.Optional(text(1, 2000, 'Only these events, separated by commas; default: all')),
    }),
    produces: 'text/event-stream',
    codes: [100007],
  }),
});
