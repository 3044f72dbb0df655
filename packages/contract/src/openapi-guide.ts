import type { GroupName } from './api.ts';
import { catalogue } from './errors.ts';
import { MAX_PAGED_ITEMS } from './page.ts';
import { MAX_BODY_BYTES, MAX_LIST_SIZE } from './schema.ts';

/** The prose of the OpenAPI document: what a newcomer reads before the operations. */

export const tagDescriptions: Readonly<Record<GroupName, string>> = {
  apiKeys: 'API keys, and the bearer tokens they are exchanged for.',
  processTokens: 'A process token binds a process definition; instances are made from it.',
  processInstances: 'One journey of one end user.',
  processDefinitions:
    'What a journey consists of, in versions. Tags name a version; moving a tag moves all who use it.',
  funnels: 'Which steps of a definition people see, finish, fail and leave.',
  whatIf: 'What another version of a definition would have decided.',
  shadowVersions: 'Versions that are judged beside those that run, and decide nothing.',
  usage: 'How much is verified, how well, and how fast.',
  reviews: 'Instances that wait for a human, and what the human decides.',
  closedReviews: 'What reviewers decided.',
  instanceLinks: 'What an instance has in common with others.',
  instanceNotes: 'What reviewers write to each other about an instance.',
  noteMentions: 'The notes that ask an operator to look.',
  processSettings: 'What a tenant sets for all its journeys.',
  sandbox: 'Outcomes to choose from with a test key.',
  auditEvents: 'Who read personal data, who decided and who deleted.',
  retention: 'Instances go when their retention is over.',
  erasures: 'Signed receipts of what was deleted.',
  journey: "What the end user's browser calls, with a cookie that opens one instance.",
  processServer: 'Links that end users open.',
  cloudSecrets: 'Secrets that the steps of a process use. They can be written but never read.',
  webhooks: 'Who is told what about process instances, and what became of it.',
  eventStream: 'Events while they happen, for a developer who watches.',
  userData: 'What the end user gave, and what was found out about it.',
  personRequests: 'Everything about one person: found, handed out, erased with one receipt.',
  watchlists:
    'Lists of faces, document numbers and e-mail addresses to look out for. A match gives candidates for a human, never a verdict.',
  customPages: "Pages of the tenant's own, shown inside a journey.",
  themes: 'How the journeys of a tenant look and speak: colours, corners, font, logo, language and texts.',
  journeyTexts: 'The texts of the journeys, which a theme may replace.',
  stores: 'Identity stores and their configuration.',
  users: 'The users of an identity store, their sessions and their authentications.',
  passkeys: 'WebAuthn: relying parties, registration, authentication and audit.',
  appkeys: 'Keys of mobile and web applications (FIDO UAF 1.1).',
  totps: 'Time-based one-time passwords (RFC 6238).',
  biometrics: 'Enrolment and authentication by face.',
  pushNotifications: "Push notifications to the devices that hold a user's appkeys.",
  events: 'Queries over what happened in identity stores.',
  operators: 'The people who run the tenant. They sign in to the console with a passkey.',
  colleagues: 'The names of the operators, for mentions.',
  health: 'The version of the server, and what waits in its queues.',
  operatorRoles: 'Named sets of permissions that operators have.',
  singleSignOn: 'How operators sign in with the accounts of their company, by OpenID Connect.',
  installation: 'What operators of the installation do for all tenants.',
  consoleAccount: 'What the pages of the console call: to sign in, and for the own account.',
};

/** What each path parameter is; the same name means the same everywhere. */
export const pathParameters: Readonly<Record<string, string>> = {
  apiKeyId: 'The id of the API key',
  tenantId: 'The id of the tenant',
  jobId: 'The id of the job',
  processDefinitionId: 'The id of the process definition',
  processDefnId: 'The id of the process definition, assigned when it was created',
  processTokenId: 'The id of the process token, assigned when it was created',
  processInstanceId: 'The id of the process instance, assigned when it was created',
  tagName: 'The name of the tag',
  stepId: 'The id of the step in the process definition',
  challengeId: 'The id of the challenge of active liveness',
  imageName: 'Which image of the step it is, such as `front`',
  cloudSecretId: 'The id of the cloud secret',
  webhookId: 'The id of the webhook',
  deliveryId: 'The id of the delivery, which is its `webhook-id`',
  personRequestId: 'The id of the request, from the answer that made it',
  watchlistId: 'The id of the watchlist',
  memberId: 'The id of the member of the watchlist',
  name: 'The name of the custom page',
  themeName: 'The name of the theme',
  assetName: '`logo` or `font`',
  id: 'The id of the object',
  storeName: 'The name of the identity store',
  userId: 'The id of the user, which the service assigned',
  userExtId: 'The external id of the user, which the relying party chose',
  rpId: 'The id of the relying party',
  regPolicyName: 'The name of a registration policy of the relying party',
  authPolicyName: 'The name of an authentication policy of the relying party',
  policyName: 'The name of the TOTP policy',
  sessionId: 'The id of the session, from the answer that started the ceremony',
  keyId: 'The key id of the appkey',
  deviceId: 'The id of the device',
  type: 'The type of the biometric, such as `face`',
  operatorId: 'The id of the operator',
  operatorSessionId: 'The id of the session of an operator',
  operatorPasskeyId: 'The id of the passkey of an operator',
  roleName: 'The name of the role',
  executionId: 'The id of the query, from the answer that started it',
};

export function guide(): string {
  return [flow, authentication, lists, idempotency, unknownMembers, limits, `${errors}\n\n${codeTable()}`].join('\n\n');
}

const flow = `Grove performs identity verification journeys for a relying party. Every call is scoped to one tenant.

## From an API key to a verified identity

Run these steps from your back end:

1. **Exchange an API key for a bearer token**: \`POST /api/arthr/apiKeys/issue\` with the header \`X-Api-Key\`.
2. **Create a process token** bound to a process definition: \`POST /api/process-manager/processTokens\` with
   \`name\`, \`processDefnName\` and \`processDefnVersion\`. One token serves many end users.
3. **Create a process instance** for one end user: \`POST /api/process-manager/processInstances/create?pt=<token id>\`.
   The answer carries \`redirectUrl\`.
4. **Redirect the end user** to \`redirectUrl\`. The journey runs in the web user interface of the service, and sends the
   end user back to the parameter \`_redirectUrl\` of the process token.
5. **Learn the outcome**: read \`GET /api/process-manager/processInstances/{processInstanceId}\` until \`status\` begins
   with \`COMPLETED\`, or receive webhook notifications.
6. **Read what the end user gave**: \`GET …/userdata\`, and single items such as a document or face image with
   \`GET …/getdata?path=…\`.`;

const authentication = `## Authentication

Send \`Authorization: Bearer <token>\` with every call but the one that issues the token. A token is good for \`ttl\`
seconds; reuse it until then. It opens the data of the tenant, so keep it in a back end and never in a page.

Each operation needs a permission of the form \`TNT#{tenantId}#<Component>:<operation>\`, shown as \`x-permission\`. A
trailing \`*\` is a wildcard. An API key holds permissions, and its tokens hold the same.

Operators of the tenant, who are people, call the same operations with the cookie of their session at the address of the
tenant. Their role holds the permissions, and the header \`X-Grove-Environment\` says whether they mean \`live\` or \`test\`.

An object of another tenant answers the same 404 as one that does not exist.`;

const lists = `## Lists

Lists answer a page: \`content\` with the items, and \`totalElements\`, \`totalPages\`, \`number\`, \`size\`, \`first\`,
\`last\`. Ask with \`page\` (from 0), \`size\` (1 to ${MAX_LIST_SIZE}, 10 unless given) and \`sort\` (\`property,asc\` or \`property,desc\`,
repeatable). Filters by name match without regard to case; \`%\` stands for any characters and \`_\` for one. An empty
filter is no filter.

A page must begin within the first ${MAX_PAGED_ITEMS.toLocaleString('en')} items. Lists that grow without end (process instances, process tokens, audit events, deliveries,
users, authentications, members of watchlists) can be read to their end all the same: an answer in the order of creation has
\`next\`, and the same request with \`after\` and that value, without \`page\`, answers what follows. Nothing is passed over or
shown twice when items are added or deleted meanwhile. An answer without \`next\` was the last.`;

const idempotency = `## Idempotency

Operations of a back end that create something (they answer 201, 202 or 307) take the header \`Idempotency-Key\`. Within 24 hours, the same key with the same request gives
the first answer again, marked \`Idempotent-Replayed: true\`. The same key with another request is refused with 422;
while the first request is still being served, the answer is 409.`;

const unknownMembers = `## What is not known is refused

Members and query parameters that an operation does not declare are refused with 100001, and the answer names the nearest
known name. What was read may be sent back; read-only fields have no effect. \`null\` for an optional member means absent. Clients
that migrate can send \`Prefer: handling=lenient\`, or set \`lenientRequests\`: then unknown members of the
specification's own operations are ignored, and the header \`Grove-Ignored\` of the answer names them. Policies and
limits are never read leniently.`;

const limits = `## Limits and compatibility

A body is at most ${MAX_BODY_BYTES / 2 ** 20} MiB unless the operation takes an image. Too many requests
answer 429 with \`Retry-After\`. Dates are ISO 8601 in UTC. Ignore fields you do not know: new ones are added to answers
without notice.`;

const errors = `## Errors

Errors are \`application/problem+json\` (RFC 9457). Besides \`type\`, \`title\` and \`status\` they carry \`code\`, a number
with one meaning each, \`message\`, and \`requestId\`, which is also in the header \`X-Request-Id\`. Invalid input lists its
faults in \`errors\`, each with a JSON Pointer. When an authentication is refused, the problem carries the updated
\`user\`, which may show a new lock state.`;

function codeTable(): string {
  const rows = Object.entries(catalogue).map(([code, { status, message }]) => `| ${code} | ${status} | ${message} |`);
  return ['| Code | Status | Meaning |', '|---|---|---|', ...rows].join('\n');
}
