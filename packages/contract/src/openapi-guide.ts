import type { GroupName } from './api.ts';
import { catalogue } from './errors.ts';
import { MAX_PAGED_ITEMS } from './page.ts';
import { MAX_BODY_BYTES, MAX_LIST_SIZE } from './schema.ts';

/** The prose of the OpenAPI document: what a newcomer reads before the operations. */

export const tagDescriptions: Readonly<Record<GroupName, string>> = {
  apiKeys: 'API keys, and the bearer tokens they are exchanged for.',
  processTokens: 'A process token binds a process definition; it creates instances.',
  processInstances: 'One journey of one end user.',
  processDefinitions:
    'The steps of a journey, in versions. A tag names a version; if you move the tag, all its users run the other version.',
  funnels: 'How many people see, finish, fail and leave each step of a definition.',
  whatIf: 'What another version of a definition would have decided.',
  shadowVersions: 'Versions that are judged beside the running versions, and decide nothing.',
  usage: 'Counts of instances, outcomes and durations.',
  reviews: 'Instances that wait for a human, and the decisions.',
  closedReviews: 'The decisions of reviewers.',
  instanceExports: 'Long lists of instances as a file, which a job prepares.',
  instanceLinks: 'What an instance has in common with others.',
  reviewQueues: 'The named queues of reviewers.',
  instanceSessions: 'From which browsers and networks an instance was used, and the messages to its end user.',
  instanceNotes: 'Notes of reviewers about an instance.',
  noteMentions: 'The notes that mention an operator.',
  processSettings: 'The settings of all journeys of a tenant.',
  sandbox: 'The outcomes that a test key can choose.',
  auditEvents: 'Who read personal data, who decided and who deleted.',
  retention: 'The deletion of instances when their retention has ended.',
  erasures: 'Signed receipts of deletions.',
  journey: "The calls of the end user's browser, with a cookie for one instance.",
  processServer: 'Links that end users open.',
  cloudSecrets: 'Secrets that the steps of a process use. They can be written but never read.',
  webhooks: 'Webhooks about process instances and identity stores, and their deliveries.',
  eventStream: 'Events as they happen, for development.',
  userData: 'The data of the end user, and the results of the checks.',
  personRequests: 'Find, export or erase everything about one person, with one receipt.',
  watchlists:
    'Lists of faces, document numbers and e-mail addresses to look out for. A match gives candidates for a human, never a verdict.',
  customPages: 'Custom pages of the tenant, shown inside a journey.',
  themes: 'The look and the texts of journeys: colours, corners, font, logo, language and texts.',
  journeyTexts: 'The texts of the journeys, which a theme may replace.',
  stores: 'Identity stores and their configuration.',
  users: 'The users of an identity store, their sessions and their authentications.',
  passkeys: 'WebAuthn: relying parties, registration, authentication and audit.',
  appkeys: 'Keys of mobile and web applications (FIDO UAF 1.1).',
  totps: 'Time-based one-time passwords (RFC 6238).',
  biometrics: 'Enrolment and authentication by face.',
  pushNotifications: "Push notifications to the devices that hold a user's appkeys.",
  events: 'Queries over the events of identity stores.',
  operators: 'The people who run the tenant. They sign in to the console with a passkey.',
  colleagues: 'The names of the operators, for mentions.',
  health: 'The version of the server, and the state of its queues.',
  operatorRoles: 'Named sets of permissions that operators have.',
  singleSignOn: 'How operators sign in with the accounts of their company, by OpenID Connect.',
  installation: 'Operations for all tenants, for operators of the installation.',
  consoleAccount: 'The calls of the console: to sign in, and for your own account.',
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
  challengeId: 'The id of the active liveness challenge',
  imageName: 'Which image of the step it is, such as `front`',
  cloudSecretId: 'The id of the cloud secret',
  webhookId: 'The id of the webhook',
  deliveryId: 'The id of the delivery, which is its `webhook-id`',
  personRequestId: 'The id of the request, from the response that created it',
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
  sessionId: 'The id of the session, from the response that started the ceremony',
  keyId: 'The key id of the appkey',
  deviceId: 'The id of the device',
  type: 'The type of the biometric, such as `face`',
  operatorId: 'The id of the operator',
  operatorSessionId: 'The id of the session of an operator',
  operatorPasskeyId: 'The id of the passkey of an operator',
  exportId: 'The id of the export, from the response that created it',
  savedViewId: 'The id of a saved view of the console',
  roleName: 'The name of the role',
  executionId: 'The id of the query, from the response that started it',
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
   The response has \`redirectUrl\`.
4. **Redirect the end user** to \`redirectUrl\`. The journey runs in the web user interface of the service, and sends the
   end user back to the parameter \`_redirectUrl\` of the process token.
5. **Learn the outcome**: read \`GET /api/process-manager/processInstances/{processInstanceId}\` until \`status\` begins
   with \`COMPLETED\`, or receive webhook notifications.
6. **Read the data of the end user**: \`GET …/userdata\`, and single items such as a document or face image with
   \`GET …/getdata?path=…\`.`;

const authentication = `## Authentication

Send \`Authorization: Bearer <token>\` with every call except the one that issues the token. A token is valid for \`ttl\`
seconds; reuse it until then. It opens the data of the tenant, so keep it in a back end and never in a page.

Each operation needs a permission of the form \`TNT#{tenantId}#<Component>:<operation>\`, shown as \`x-permission\`. A
trailing \`*\` is a wildcard. An API key holds permissions, and its tokens hold the same.

Operators of the tenant, who are people, call the same operations with the cookie of their session at the address of the
tenant. Their role holds the permissions, and the header \`X-Grove-Environment\` says whether they mean \`live\` or \`test\`.

An object of another tenant gives the same 404 as one that does not exist.`;

const lists = `## Lists

Lists return a page: \`content\` with the items, and \`totalElements\`, \`totalPages\`, \`number\`, \`size\`, \`first\`,
\`last\`. Send \`page\` (from 0), \`size\` (1 to ${MAX_LIST_SIZE}, default 10) and \`sort\` (\`property,asc\` or \`property,desc\`,
repeatable). Filters by name are case-insensitive; \`%\` stands for any characters and \`_\` for one. An empty
filter has no effect.

A page must begin within the first ${MAX_PAGED_ITEMS.toLocaleString('en')} items. Lists that grow without end (process instances, process tokens, audit events, deliveries,
users, authentications, members of watchlists) can still be read to their end: a response in the order of creation has
\`next\`, and the same request with \`after\` and that value, without \`page\`, returns what follows. Nothing is skipped or
shown twice if items are added or deleted in the meantime. A response without \`next\` is the last one.`;

const idempotency = `## Idempotency

Operations of a back end that create something (status 201, 202 or 307) accept the header \`Idempotency-Key\`. Within 24 hours, the same key with the same request returns
the first response again, marked \`Idempotent-Replayed: true\`. The same key with another request is refused with 422;
while the first request is still being served, the response is 409.`;

const unknownMembers = `## Unknown members are refused

Members and query parameters that an operation does not declare are refused with 100001, and the response names the nearest
known name. You may send back what you read; read-only fields have no effect. \`null\` for an optional member means absent. Clients
that migrate can send \`Prefer: handling=lenient\`, or set \`lenientRequests\`: then unknown members in bodies of the
specification's own operations are ignored, and the header \`Grove-Ignored\` of the response names them. Policies,
queries, deletions and limits are never lenient.`;

const limits = `## Limits and compatibility

A body is at most ${MAX_BODY_BYTES / 2 ** 20} MiB unless the operation takes an image. Too many requests
give 429 with \`Retry-After\`. Dates are ISO 8601 in UTC. Ignore fields that you do not know: responses may get new ones
without notice.`;

const errors = `## Errors

Errors are \`application/problem+json\` (RFC 9457). Besides \`type\`, \`title\` and \`status\` they have \`code\`, a number
with one meaning each, \`message\`, and \`requestId\`, which is also in the header \`X-Request-Id\`. Invalid input lists its
faults in \`errors\`, each with a JSON Pointer. When an authentication is refused, the problem has the updated
\`user\`, which may show a new lock state.`;

function codeTable(): string {
  const rows = Object.entries(catalogue).map(([code, { status, message }]) => `| ${code} | ${status} | ${message} |`);
  return ['| Code | Status | Meaning |', '|---|---|---|', ...rows].join('\n');
}
