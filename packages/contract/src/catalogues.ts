import { operations } from './api.ts';
import { renderStatuses } from './catalogue-statuses.ts';
import { renderUserData } from './catalogue-user-data.ts';
import { adviceOf } from './error-advice.ts';
import { catalogue, type ErrorCode } from './errors.ts';
import { IDENTITY_EVENTS } from './identity-store/events.ts';
import { GENERATED, tableOf } from './markdown-table.ts';
import { WEBHOOK_EVENTS } from './notification-service.ts';
import { FURTHER_PERMISSIONS } from './process-manager/cloud-secrets.ts';

/** The catalogues of the contract as pages of the documentation, and `llms.txt` for programs. Pure. */
const MEANINGS: Readonly<Record<(typeof WEBHOOK_EVENTS)[number], string>> = {
  'instance.created': 'a process instance was created; nobody has opened it yet',
  'instance.started': 'the end user has begun',
  'instance.stepSeen': 'a step was shown for the first time',
  'instance.stepLeft': 'the end user closed the page of a step and did not come back for a minute',
  'instance.stepCompleted': 'a step is done',
  'instance.stepRetried': 'a step has to be done again',
  'instance.stepReopened': 'the end user went back to a step to correct it',
  'instance.paused': 'the journey waits for your back end: call `resume`',
  'instance.review': 'a human has to decide: see `GET /api/process-manager/reviews`',
  'instance.approved': 'a human has approved',
  'instance.rejected': 'a human has rejected',
  'instance.askedAgain': 'a human asks the end user to repeat steps: send the link from the response of `askAgain`',
  'instance.valueCorrected': 'a human has corrected a value that was read from a document; `details` has the field',
  'instance.reopened': 'a human has reopened the decided instance: its result no longer stands',
  'instance.childStarted': 'a subprocess has begun',
  'instance.completed': 'the journey has ended; `status` says how: read the result now',
  'instance.terminated': 'the journey was stopped early: it expired, or the end user or a caller ended it',
  'instance.redacted':
    'all personal data of the instance was removed and its verdict stays: remove the personal data from your copy',
  'instance.deleted': 'the instance and all data of its end user were deleted: delete your copy',
  'apiKey.readBudgetExceeded': 'an API key or an operator has read more persons in an hour than the tenant allows',
  'identity.storeCreated': 'an identity store was created',
  'identity.storeUpdated': 'an identity store was changed',
  'identity.configCreated': 'a policy or relying party was created',
  'identity.configUpdated': 'a policy or relying party was changed',
  'identity.configDeleted': 'a policy or relying party was deleted',
  'identity.userCreated': 'a user was added',
  'identity.userUpdated': 'a user was changed',
  'identity.userDeleted': 'a user was deleted: delete your copy',
  'identity.userLocked': 'a user was locked',
  'identity.userUnlocked': 'a user was unlocked',
  'identity.modalityLocked': 'a modality of a user was locked after failures',
  'identity.modalityDisabled': 'a modality of a user was disabled',
  'identity.authenticatorRegistered': 'a passkey, app key, TOTP or face was registered',
  'identity.authenticatorRemoved': 'a passkey, app key, TOTP or face was removed',
  'identity.registrationFailed': 'a registration was refused; `code` says why',
  'identity.authenticationSucceeded': 'a user authenticated',
  'identity.authenticationFailed': 'an authentication was refused; `code` says why',
  'identity.biometricUpdated': 'the face of a user was replaced',
  'identity.pushNotificationSent': 'a push notification was sent to its provider',
  'identity.pushNotificationRejected': 'the provider refused a push notification',
};

const ID = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const TIMESTAMP = '2030-01-31T12:00:00.000Z';
const IN_STEP = new Set(['instance.stepSeen', 'instance.stepLeft', 'instance.stepCompleted', 'instance.stepRetried']);
const STATUS: Readonly<Record<string, string>> = {
  'instance.created': 'PENDING',
  'instance.review': 'REVIEW',
  'instance.valueCorrected': 'REVIEW',
  'instance.reopened': 'REVIEW',
  'instance.paused': 'PAUSED',
  'instance.completed': 'COMPLETED_ENDED_SUCCESS',
  'instance.terminated': 'COMPLETED_TERMINATED',
};

/** An example of the payload that a receiver gets. */
export function exampleOf(type: (typeof WEBHOOK_EVENTS)[number]): object {
  const common = { tenantId: 'acme', environment: 'live' };
  const payloadWith = (data: object) => ({ id: ID, type, timestamp: TIMESTAMP, data: { ...common, ...data } });
  if (type === 'apiKey.readBudgetExceeded') {
    return payloadWith({ apiKeyId: ID, apiKeyName: 'back office', persons: 501, personsPerHour: 500 });
  }
  if ((IDENTITY_EVENTS as readonly string[]).includes(type)) {
    return payloadWith({ eventId: ID, storeName: 'customers', ...(!/store|config/i.test(type) && { userId: ID }) });
  }
  return payloadWith({
    processInstanceId: ID,
    sequence: 3,
    status: STATUS[type] ?? 'ACTIVE',
    ...(IN_STEP.has(type) && { step: 'document' }),
    processDefnId: ID,
    processDefnName: 'document-and-selfie',
    processDefnVersion: 1,
  });
}

/** Every generated page, by its file in `docs`. */
export function renderCatalogues(): Readonly<Record<string, string>> {
  return {
    'catalogues.md': renderIndex(),
    'statuses.md': renderStatuses(),
    'events.md': renderEvents(),
    'user-data.md': renderUserData(),
    'error-codes.md': renderCodes(),
    'permissions.md': renderPermissions(),
  };
}

function renderIndex(): string {
  return `# Catalogues

${GENERATED}

Lists of everything that has a name in the API.

## Statuses

[Statuses](statuses.md) of instances, checks, deliveries, keys and users: what each means, and what to do.

## Events

[Events](events.md) that a [webhook](webhooks.md) can receive, each with an example of its payload.

## User data

[User data](user-data.md): its shape, the shape of a check, and the paths of images.

## Error codes

[Error codes](error-codes.md): the HTTP status, the cause, what to do, and which operations return it.

## Permissions

[Permissions](permissions.md): what an API key or a role may do, and which operations each permission allows.

## Settings

[Configuration](configuration.md) lists every environment variable of a server with its default.
`;
}

function renderEvents(): string {
  const events = WEBHOOK_EVENTS.map((type) => [`[\`${type}\`](#${anchorOf(type)})`, MEANINGS[type]]);
  const examples = WEBHOOK_EVENTS.map((type) => {
    const meaning = MEANINGS[type];
    const sentence = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`;
    return `### ${type}\n\n${sentence}\n\n\`\`\`json\n${JSON.stringify(exampleOf(type), null, 2)}\n\`\`\``;
  });
  return `# Events

${GENERATED}

The events that a [webhook](webhooks.md) can receive and that \`grove listen\` shows. Payloads hold ids, statuses and codes, never personal data.

## All events

${tableOf(['event', 'meaning'], events)}

## Examples

The body of each event, as Grove sends it without a template. Every release may add members.

${examples.join('\n\n')}
`;
}

const anchorOf = (type: string) => type.toLowerCase().replaceAll('.', '');

function renderPermissions(): string {
  const listed = operations().filter(({ operation }) => operation.permission);
  const byPermission = Map.groupBy(listed, ({ operation }) => operation.permission as string);
  const ofOperations = [...byPermission].map(
    ([permission, own]) => [permission, own.map(({ operation }) => operation.summary).join('; ')] as const,
  );
  const permissions = [...ofOperations, ...Object.entries(FURTHER_PERMISSIONS)]
    .sort()
    .map(([permission, allows]) => [`\`${permission}\``, allows]);
  return `# Permissions

${GENERATED}

A key holds \`TNT#<tenant>#<permission>\`. A \`*\` at the end stands for any characters: \`TNT#acme#ProcessManager:*\`
holds every permission that begins with \`ProcessManager:\`. Give a key only what it needs.

${tableOf(['permission', 'allows'], permissions)}
`;
}

function renderCodes(): string {
  const all = operations();
  const codes = Object.entries(catalogue).map(([code, { status, message }]) => {
    const raised = all.filter(({ operation }) => operation.codes?.some((each) => String(each) === code));
    const by = raised.length === 0 ? 'any' : raised.map(({ id }) => `\`${id}\``).join(', ');
    return [code, String(status), message, adviceOf(Number(code) as ErrorCode), by];
  });
  return `# Error codes

${GENERATED}

Each response that is not a success is a problem (RFC 9457) with one of these codes and a \`requestId\`, which is in the server's log
too. "any" means that every operation may return the code. A code never changes its meaning.

${tableOf(['code', 'HTTP', 'message', 'cause, and what to do', 'operations'], codes)}
`;
}

/** llms.txt (llmstxt.org): tells a program where to find what. `pages` are the pages of the documentation. */
export function renderLlms(pages: readonly { name: string; title: string; about: string }[] = []): string {
  const documents = pages.map(({ name, title, about }) => `- [${title}](/docs/${name}.md): ${about}`);
  const groups = Map.groupBy(operations(), ({ group }) => group);
  const lines = [...groups].map(([group, listed]) => {
    const summaries = listed.map(({ operation }) => `${operation.method} ${operation.path}: ${operation.summary}`);
    return `### ${group}\n\n${summaries.map((each) => `- ${each}`).join('\n')}`;
  });
  return `# Grove

> An open, self-hosted identity verification service. A back end exchanges an API key for a bearer token, creates a process
> instance, sends its user to the journey and receives the outcome by webhook.

- [OpenAPI 3.1](/openapi.json): every operation with schemas, examples and problems
- [Reference with try-it](/docs/reference/)
- [Documentation](/docs/)
- [JSON Schema of process definitions](/schemas/process-definition.json)

Credentials: \`POST /api/arthr/apiKeys/issue\` with the header \`X-API-Key\` gives a bearer token; every other call takes
\`Authorization: Bearer\`. Keys that begin with \`grv_test_\` work in the sandbox, where \`_scenario\` chooses the outcome.

## Documentation

${documents.join('\n')}

## Operations

${lines.join('\n\n')}
`;
}
