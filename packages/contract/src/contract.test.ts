import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Value } from 'typebox/value';
import packageJson from '../package.json' with { type: 'json' };
import { operations } from './api.ts';
import { appkeyCodes, catalogue, codesOf, faceCodes, generalCodes, passkeyCodes } from './errors.ts';
import recorded from './examples.json' with { type: 'json' };
import { buildOpenApi, renderOpenApi } from './openapi.ts';
import { exampleOf } from './openapi-examples.ts';
import { pathParameters } from './openapi-guide.ts';
import { schemaHoister } from './openapi-schemas.ts';
import { addressesOf, needsBody, paramNames } from './operation.ts';
import { isPage } from './page.ts';
import { Problem, Refusal } from './problem.ts';
import { MAX_LIST_SIZE, withTitle } from './schema.ts';
import { SPECIFICATION_ROUTES } from './specification-routes.ts';
import { Type } from './type.ts';

const fixture = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

const all = operations();
const routes = all.flatMap(({ operation }) => addressesOf(operation).map(({ path }) => `${operation.method} ${path}`));
const document = buildOpenApi({ version: packageJson.version });
const documented = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

type Schema = { [keyword: string]: unknown };
type Visit = (schema: Schema, where: string) => void;

/** Visits a schema and all inside it. A property with the name of a keyword does no harm: its value is an object. */
function walk(value: unknown, where: string, visit: Visit): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Schema, where);
  for (const [key, inner] of Object.entries(value)) walk(inner, `${where}/${key}`, visit);
}

function propertiesOf(schema: unknown): Record<string, Schema> {
  return ((schema as Schema | undefined)?.properties ?? {}) as Record<string, Schema>;
}

function unboundedArrays(schema: unknown, where: string): string[] {
  const places: string[] = [];
  walk(schema, where, (inner, place) => {
    if (inner.type === 'array' && typeof inner.maxItems !== 'number') places.push(place);
  });
  return places;
}

/** The routes that Grove serves beyond the specification are in `additions`. */
const definitions = '/api/process-manager/processDefinitions';
const instances = '/api/process-manager/processInstances';
const reviewing = '/api/process-manager/reviews';
const hooks = '/api/notification-service/webhooks';
const journeys = '/api/journey';
const pages = '/api/theme-server/customPages';
const looks = '/api/theme-server/themes';
const watching = '/api/watchlist-manager/facewatchlists';
const appkeysOf = (user: string) =>
  `/api/identity-store/stores/{storeName}/users/{${user}}/appkeys/relyingParties/{rpId}`;
const passkeysOf = '/api/identity-store/stores/{storeName}/users';
const storeUsers = '/api/identity-store/stores/{storeName}/users';

const people = '/api/operator-manager/operators';
const roles = '/api/operator-manager/roles';

const additions: string[] = [
  ...['GET', 'POST'].flatMap((method) => [`${method} ${people}`, `${method} ${people}/{operatorId}`]),
  `DELETE ${people}/{operatorId}`,
  `POST ${people}/{operatorId}/reset`,
  ...['GET', 'DELETE'].map((method) => `${method} ${people}/{operatorId}/sessions`),
  `GET ${roles}`,
  `POST ${roles}`,
  `POST ${roles}/{roleName}`,
  `DELETE ${roles}/{roleName}`,
  ...['GET', 'POST', 'DELETE'].map((method) => `${method} /api/operator-manager/singleSignOn`),
  'GET /api/operator-manager/health',
  ...['GET queues', 'GET tenants', 'POST tenants', 'POST tenants/{tenantId}/suspend', 'POST tenants/{tenantId}/resume']
    .concat('POST jobs/{jobId}/retry')
    .map((route) => route.replace(' ', ' /api/installation-manager/')),
  'GET /api/notification-service/webhooks/{webhookId}/deliveries/{deliveryId}',
  `POST /api/process-manager/processDefinitions/conditions`,
  'GET /api/console/signIn',
  ...['singleSignOn/start', 'singleSignOn/complete'].map((path) => `POST /api/console/${path}`),
  ...['signIn/start', 'signIn/complete', 'invitation/open', 'invitation/accept', 'signOut'].map(
    (path) => `POST /api/console/${path}`,
  ),
  ...['confirmation/start', 'confirmation/complete', 'passkeys/start', 'passkeys/complete'].map(
    (path) => `POST /api/console/${path}`,
  ),
  ...['session', 'sessions', 'passkeys'].map((path) => `GET /api/console/${path}`),
  ...['signIn/email/start', 'signIn/email/open', 'signIn/email/complete'].map((path) => `POST /api/console/${path}`),
  ...['confirmation/code', 'totp/start', 'totp/complete'].map((path) => `POST /api/console/${path}`),
  'DELETE /api/console/totp',
  'DELETE /api/console/sessions/{operatorSessionId}',
  'DELETE /api/console/passkeys/{operatorPasskeyId}',
  'GET /api/console/views',
  'POST /api/console/views',
  'DELETE /api/console/views/{savedViewId}',
  'GET /api/process-manager/processTokens/{processTokenId}',
  'POST /api/process-manager/processTokens/{processTokenId}',
  'DELETE /api/process-manager/processTokens/{processTokenId}',
  `POST ${passkeysOf}/{userId}/passkeys/{id}`,
  `POST ${passkeysOf}/{userExtId}/passkeys/{id}/ext`,
  `DELETE ${passkeysOf}/{userId}/passkeys/{id}`,
  `DELETE ${passkeysOf}/{userExtId}/passkeys/{id}/ext`,
  ...[
    ['userId', ''],
    ['userExtId', '/ext'],
  ].flatMap(([user = '', ext]) => [
    `POST ${appkeysOf(user)}/registrations/{regPolicyName}${ext}`,
    `POST ${appkeysOf(user)}/authentications/{authPolicyName}${ext}`,
    `GET ${appkeysOf(user)}/keys${ext}`,
    `POST ${appkeysOf(user)}/keys/{keyId}${ext}`,
    `POST ${appkeysOf(user)}/devices/{deviceId}${ext}`,
    `POST ${appkeysOf(user)}/preferredDevice/{deviceId}${ext}`,
    `POST /api/identity-store/stores/{storeName}/users/{${user}}/pushNotifications/{id}${ext}`,
  ]),
  `POST ${watching}`,
  `GET ${watching}/{watchlistId}`,
  `POST ${watching}/{watchlistId}`,
  `DELETE ${watching}/{watchlistId}`,
  `POST ${watching}/{watchlistId}/watchlist-members`,
  `POST ${watching}/{watchlistId}/watchlist-member-images`,
  `GET ${watching}/{watchlistId}/watchlist-members/{memberId}`,
  `POST ${watching}/{watchlistId}/watchlist-members/{memberId}`,
  `DELETE ${watching}/{watchlistId}/watchlist-members/{memberId}`,
  `POST ${watching}/{watchlistId}/match`,
  `POST ${pages}/{name}/versions`,
  `GET ${pages}/{id}`,
  `POST ${pages}/{id}/preview`,
  `POST ${pages}/{id}/deploy`,
  `POST ${pages}/{id}/archive`,
  `DELETE ${pages}/{id}`,
  `GET ${looks}`,
  `POST ${looks}`,
  `GET ${looks}/{themeName}`,
  `POST ${looks}/{themeName}`,
  `DELETE ${looks}/{themeName}`,
  `POST ${looks}/{themeName}/assets/{assetName}`,
  `GET ${looks}/{themeName}/assets/{assetName}`,
  'GET /api/theme-server/texts',
  `GET ${definitions}/{processDefinitionId}/funnel`,
  `POST ${journeys}/{processInstanceId}/steps/{stepId}/left`,
  `GET ${definitions}`,
  `POST ${definitions}`,
  `POST ${definitions}/validate`,
  `GET ${definitions}/{processDefinitionId}`,
  `POST ${definitions}/{processDefinitionId}`,
  `DELETE ${definitions}/{processDefinitionId}`,
  `POST ${definitions}/{processDefinitionId}/deploy`,
  `POST ${definitions}/{processDefinitionId}/archive`,
  `DELETE ${definitions}/{processDefinitionId}/tags/{tagName}`,
  `GET ${instances}/{processInstanceId}/events`,
  `POST ${instances}/{processInstanceId}/resume`,
  `POST ${instances}/{processInstanceId}/resumeLink`,
  `POST ${instances}/{processInstanceId}/redact`,
  `POST ${instances}/{processInstanceId}/resumeLink/send`,
  `POST ${instances}/{processInstanceId}/cancel`,
  `GET ${reviewing}`,
  `GET ${reviewing}/{processInstanceId}`,
  'POST /api/process-manager/whatIf',
  ...['GET', 'POST'].map((method) => `${method} /api/process-manager/shadowVersions`),
  'GET /api/process-manager/shadowVersions/{processDefinitionId}/result',
  'DELETE /api/process-manager/shadowVersions/{processDefinitionId}',
  'GET /api/process-manager/usage',
  'GET /api/process-manager/closedReviews',
  'GET /api/process-manager/reviewQueues',
  'GET /api/process-manager/noteMentions',
  'GET /api/operator-manager/colleagues',
  `GET ${instances}/{processInstanceId}/links`,
  `GET ${instances}/{processInstanceId}/sessions`,
  `GET ${instances}/{processInstanceId}/notes`,
  `POST ${instances}/{processInstanceId}/notes`,
  `POST ${reviewing}/{processInstanceId}/claim`,
  `POST ${reviewing}/{processInstanceId}/release`,
  `POST ${reviewing}/{processInstanceId}/assign`,
  `POST ${reviewing}/{processInstanceId}/approve`,
  `POST ${reviewing}/{processInstanceId}/reject`,
  `POST ${reviewing}/{processInstanceId}/askAgain`,
  `POST ${reviewing}/{processInstanceId}/correct`,
  `POST ${reviewing}/{processInstanceId}/reopen`,
  `POST ${reviewing}/{processInstanceId}/priority`,
  'GET /api/process-manager/settings',
  'POST /api/process-manager/settings',
  'GET /api/process-manager/sandbox/scenarios',
  'GET /api/identity-store/stores/{storeName}/users/{userId}/passkeys/relyingParties/{rpId}/signals',
  'GET /api/identity-store/stores/{storeName}/users/{userExtId}/passkeys/relyingParties/{rpId}/signals/ext',
  'GET /api/process-manager/auditEvents',
  'GET /api/process-manager/retention/preview',
  'POST /api/process-manager/retention/run',
  'GET /api/process-manager/erasures/{processInstanceId}',
  'POST /api/process-manager/exports',
  'GET /api/process-manager/exports',
  'GET /api/process-manager/exports/{exportId}',
  'POST /api/process-manager/exports/{exportId}/file',
  'DELETE /api/process-manager/exports/{exportId}',
  'POST /api/userdata-server/personRequests',
  'POST /api/userdata-server/personRequests/erase',
  'GET /api/userdata-server/personRequests/{personRequestId}',
  'POST /api/userdata-server/personRequests/{personRequestId}/archive',
  'POST /api/userdata-server/processDefinitions/{processDefnId}/processInstances/{processInstanceId}/signedResult',
  'POST /api/process-manager/cloudSecrets',
  'POST /api/process-manager/cloudSecrets/{cloudSecretId}',
  'DELETE /api/process-manager/cloudSecrets/{cloudSecretId}',
  'GET /api/notification-service/events/stream',
  `GET ${hooks}`,
  `POST ${hooks}`,
  `GET ${hooks}/{webhookId}`,
  `POST ${hooks}/{webhookId}`,
  `DELETE ${hooks}/{webhookId}`,
  `POST ${hooks}/{webhookId}/rotateSecret`,
  `POST ${hooks}/{webhookId}/test`,
  `POST ${hooks}/{webhookId}/recover`,
  `GET ${hooks}/{webhookId}/deliveries`,
  `POST ${hooks}/{webhookId}/deliveries/{deliveryId}/replay`,
  `DELETE ${storeUsers}/{userId}`,
  `DELETE ${storeUsers}/{userExtId}/ext`,
  `POST ${storeUsers}/{userId}/lock`,
  `POST ${storeUsers}/{userExtId}/lock/ext`,
  `POST ${storeUsers}/{userId}/unlock`,
  `POST ${storeUsers}/{userExtId}/unlock/ext`,
  `POST ${journeys}/sessions`,
  `GET ${journeys}/{processInstanceId}`,
  `GET ${journeys}/{processInstanceId}/events`,
  `POST ${journeys}/{processInstanceId}/steps/{stepId}`,
  `POST ${journeys}/{processInstanceId}/steps/{stepId}/images/{imageName}`,
  `GET ${journeys}/{processInstanceId}/steps/{stepId}/images/{imageName}`,
  `POST ${journeys}/{processInstanceId}/steps/{stepId}/challenges`,
  `POST ${journeys}/{processInstanceId}/steps/{stepId}/challenges/{challengeId}/frames`,
  `POST ${journeys}/{processInstanceId}/steps/{stepId}/again`,
  `GET ${journeys}/{processInstanceId}/simulation`,
  `POST ${journeys}/{processInstanceId}/simulation`,
  `POST ${journeys}/{processInstanceId}/steps/{stepId}/begin`,
  `POST ${journeys}/{processInstanceId}/abandon`,
  `POST ${journeys}/{processInstanceId}/handoffs`,
  `POST ${journeys}/{processInstanceId}/handoffs/confirm`,
  `POST ${journeys}/{processInstanceId}/handoffs/deny`,
  `POST ${journeys}/{processInstanceId}/handoffs/send`,
  `POST ${journeys}/{processInstanceId}/handoffs/takeBack`,
  `POST ${journeys}/{processInstanceId}/notices`,
  'GET /api/process-server/startProcess',
  'POST /api/process-server/startProcess',
  'GET /processInstances',
];

test('the declared routes are the 92 of the specification and the listed additions, by method, path and parameter name', () => {
  assert.equal(SPECIFICATION_ROUTES.length, 92);
  assert.deepEqual(routes.toSorted(), [...SPECIFICATION_ROUTES, ...additions].toSorted());
});

test('no method and path is declared twice, whatever its parameters are called', () => {
  const shapes = routes.map((route) => route.replaceAll(/\{\w+\}/g, '{}'));
  assert.deepEqual(
    shapes.filter((shape, index) => shapes.indexOf(shape) !== index),
    [],
  );
});

test('a static word shadows a parameter in six pairs of routes and no other', () => {
  const pairs = routes.flatMap((words) =>
    routes
      .filter((pattern) => pattern !== words)
      .filter((pattern) => new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '(\\{\\w+\\}|[^/{}]+)')}$`).test(words))
      .map((pattern) => [words, pattern]),
  );
  const users = '/api/identity-store/stores/{storeName}/users';
  assert.deepEqual(pairs, [
    ['POST /api/arthr/apiKeys/issue', 'POST /api/arthr/apiKeys/{apiKeyId}'],
    [
      'GET /api/process-manager/processInstances/search',
      'GET /api/process-manager/processInstances/{processInstanceId}',
    ],
    [`GET ${definitions}/tags`, `GET ${definitions}/{processDefinitionId}`],
    [`POST ${definitions}/validate`, `POST ${definitions}/{processDefinitionId}`],
    [`POST ${definitions}/conditions`, `POST ${definitions}/{processDefinitionId}`],
    [`GET ${users}/{userExtId}/pushNotifications/ext`, `GET ${users}/{userId}/pushNotifications/{id}`],
  ]);
});

test('every operation has either a permission or an `auth` that says who may call it', () => {
  for (const { id, operation } of all) {
    const ways = [operation.permission, operation.auth].filter((way) => way !== undefined);
    assert.equal(ways.length, 1, id);
  }
  const open = all.filter(({ operation }) => operation.auth && !['journey', 'operator'].includes(operation.auth));
  assert.deepEqual(
    open.map(({ id }) => id),
    [
      'apiKeys.issue',
      'journey.createSession',
      'processServer.startProcess',
      'processServer.followProcess',
      'processServer.openToken',
      'themes.get',
      'themes.getAsset',
      'consoleAccount.startSignIn',
      'consoleAccount.completeSignIn',
      'consoleAccount.signInOptions',
      'consoleAccount.startSingleSignOn',
      'consoleAccount.completeSingleSignOn',
      'consoleAccount.startEmailSignIn',
      'consoleAccount.openEmailLink',
      'consoleAccount.completeEmailSignIn',
      'consoleAccount.openInvitation',
      'consoleAccount.acceptInvitation',
    ],
  );
  const ofOperators = all.filter(({ operation }) => operation.auth === 'operator');
  for (const { id, operation } of ofOperators) assert.match(operation.path, /^\/api\/console\//, id);
  const ofEndUsers = all.filter(({ operation }) => operation.auth === 'journey');
  for (const { id, operation } of ofEndUsers) {
    assert.match(operation.path, /^\/api\/journey\/\{processInstanceId\}/, `${id} names the instance it opens`);
  }
});

test('every permission is a component and an operation', () => {
  for (const { id, operation } of all) {
    if (operation.permission) assert.match(operation.permission, /^[A-Z][A-Za-z]+:[a-zA-Z]+$/, id);
  }
});

test('operations share a permission only where the specification gives them one', () => {
  const guarded = all.filter(({ operation }) => operation.permission);
  const byPermission = Map.groupBy(guarded, ({ operation }) => operation.permission);
  const shared = [...byPermission].filter(([, group]) => group.length > 1).map(([permission]) => permission);
  assert.deepEqual(shared, ['ProcessManager:getProcessInstance', 'UserDataServer:getProcessInstanceUserData']);
});

test('the permissions that the specification names open the operations it names', () => {
  const permissions = Object.fromEntries(all.map(({ id, operation }) => [id, operation.permission]));
  const specified = {
    'apiKeys.list': 'ArthrServer:listTenantApiKeys',
    'apiKeys.create': 'ArthrServer:createTenantApiKey',
    'apiKeys.get': 'ArthrServer:getFromTenant',
    'apiKeys.update': 'ArthrServer:updateTenantApiKey',
    'apiKeys.delete': 'ArthrServer:deleteFromTenant',
    'processTokens.create': 'ProcessManager:addProcessToken',
    'processInstances.get': 'ProcessManager:getProcessInstance',
    'processInstances.getWithParameters': 'ProcessManager:getProcessInstance',
    'processInstances.list': 'ProcessManager:getProcessInstance',
    'processInstances.search': 'ProcessManager:getProcessInstance',
    'userData.get': 'UserDataServer:getProcessInstanceUserData',
    'userData.getItem': 'UserDataServer:getProcessInstanceUserData',
    'userData.listChecks': 'UserDataServer:getProcessInstanceUserData',
    'userData.archive': 'UserDataServer:getProcessInstanceUserData',
  };
  assert.deepEqual({ ...permissions, ...specified }, permissions);
});

/** The tables under Errors in the specification, and the general codes that clients know. */
const specifiedCodes = {
  general: [1, 7, 130, 220, 221, 222, 223, 224, 225, 226, 264, 271, 274, 275, 276, 277, 278, 279, 280, 281, 282],
  appkey: [
    502, 1014, 1009, 1011, 1012, 1055, 1056, 1017, 1026, 1029, 1035, 1058, 1059, 1060, 1061, 1090, 1091, 1092, 1093,
    1102, 1104, 1105, 1115, 2100, 2101,
  ],
  passkey: [348, 352, 353, 354, 356, 362, 363, 364, 365, 372, 382, 383, 388, 395, 397, 398, 403, 502, 2100, 2101],
  face: [8, 2005, 2006, 2100, 2101, 2102, 2103, 20114, 20115, 20120, 20121, 20122, 20123, 20124, 20125, 20126],
};

test('every code of the specification is in its catalogue', () => {
  const absent = (codes: readonly number[], from: readonly number[]) => codes.filter((code) => !from.includes(code));
  assert.deepEqual(absent(specifiedCodes.general, codesOf(generalCodes)), []);
  assert.deepEqual(absent(specifiedCodes.appkey, codesOf(appkeyCodes)), []);
  assert.deepEqual(absent(specifiedCodes.passkey, codesOf(passkeyCodes)), []);
  assert.deepEqual(absent(specifiedCodes.face, codesOf(faceCodes)), []);
});

test('every authentication of the specification lists all codes of its table, with status 400', () => {
  const tables = {
    // The specification says to which of the two operations these codes belong.
    'appkeys.authenticate': specifiedCodes.appkey.filter((code) => code !== 1014),
    'appkeys.authenticateWithSession': specifiedCodes.appkey.filter(
      (code) => ![1009, 1011, 1012, 1055, 1056, 1090].includes(code),
    ),
    'passkeys.authenticate': specifiedCodes.passkey,
    'biometrics.authenticateFace': specifiedCodes.face,
  };
  for (const [id, table] of Object.entries(tables)) {
    const codes: readonly number[] = all.find((listed) => listed.id === id)?.operation.codes ?? [];
    assert.deepEqual(
      table.filter((code) => !codes.includes(code)),
      [],
      id,
    );
    for (const code of table) assert.equal(catalogue[code as keyof typeof catalogue].status, 400, `${code}`);
  }
});

test('every list takes a page from 0 and a size from 1 to the maximum, which is 10 by default', () => {
  const lists = all.filter(({ operation }) => isPage(operation.ok));
  assert.ok(lists.length > 0);
  for (const { id, operation } of lists) {
    const { page, size, sort } = propertiesOf(operation.query);
    assert.deepEqual([page?.minimum, page?.default], [0, 0], id);
    assert.deepEqual([size?.minimum, size?.maximum, size?.default], [1, MAX_LIST_SIZE, 10], id);
    assert.equal(typeof sort?.maxItems, 'number', id);
  }
});

test('every operation whose name begins with list or search returns a page, except eleven that are named here', () => {
  const others = all.filter(({ name, operation }) => /^(list|search)/.test(name) && !isPage(operation.ok));
  assert.deepEqual(
    others.map(({ id }) => id),
    [
      'reviewQueues.list',
      'instanceLinks.list',
      'instanceSessions.list',
      'userData.listChecks',
      'pushNotifications.list',
      'operators.listSessions',
      'colleagues.list',
      'operatorRoles.list',
      'consoleAccount.listViews',
      'consoleAccount.listSessions',
      'consoleAccount.listPasskeys',
    ],
  );
});

test('every array in a query, a body or an answer has a maximum', () => {
  const unbounded = all.flatMap(({ id, operation: { query, body, ok } }) => unboundedArrays({ query, body, ok }, id));
  assert.deepEqual([...unbounded, ...unboundedArrays(Refusal, 'Refusal'), ...unboundedArrays(Problem, 'Problem')], []);
  assert.deepEqual(unboundedArrays(Type.Object({ names: Type.Array(Type.String()) }), 'example'), [
    'example/properties/names',
  ]);
});

test('every text that a caller sends has a maximum length', () => {
  const unbounded: string[] = [];
  for (const { id, operation } of all) {
    walk({ query: operation.query, body: operation.body }, id, (schema, where) => {
      const limited = schema.maxLength !== undefined || schema.enum !== undefined;
      if (schema.type === 'string' && !limited) unbounded.push(where);
    });
  }
  assert.deepEqual(unbounded, []);
});

test('no answer offers alternatives, so each has one fast serialiser', () => {
  const alternatives: string[] = [];
  for (const { id, operation } of all) {
    walk(operation.ok, id, (schema, where) => {
      if (['anyOf', 'oneOf', 'allOf'].some((keyword) => Array.isArray(schema[keyword]))) alternatives.push(where);
    });
  }
  assert.deepEqual(alternatives, []);
});

test('an answer has a body exactly when its status may have one', () => {
  for (const { id, operation } of all) {
    const hasBody = operation.ok !== undefined || operation.produces !== undefined;
    if ([204, 303, 307].includes(operation.status ?? 200)) assert.equal(hasBody, false, id);
    else if (id !== 'processInstances.delete') assert.equal(hasBody, true, id);
  }
});

test('a body can be left out where nothing in it is required', () => {
  const required = Object.fromEntries(all.map(({ id, operation }) => [id, needsBody(operation)]));
  assert.equal(required['apiKeys.issue'], false);
  assert.equal(required['processInstances.start'], false);
  assert.equal(required['apiKeys.create'], true);
});

test('the same title means the same schema', () => {
  const hoister = schemaHoister();
  for (const { operation } of all) for (const schema of [operation.body, operation.ok]) hoister.place(schema);
  assert.throws(() => hoister.place(withTitle('ApiKey', Type.Object({}))), /ApiKey/);
});

test('the OpenAPI document is valid OpenAPI 3.1', async () => {
  const verdict = await new Validator().validate(structuredClone(document) as Record<string, unknown>);
  assert.deepEqual(verdict.errors ?? [], []);
  assert.equal(verdict.valid, true);
  assert.equal((await new Validator().validate({ ...document, info: {} })).valid, false);
});

test('the OpenAPI document says what the specification says of integers, filters and images', () => {
  const page = propertiesOf(document.components.schemas?.ApiKeyPage);
  assert.deepEqual([page.totalElements?.format, page.totalPages?.format], ['int64', 'int32']);
  const operationAt = (path: string) => document.paths[path]?.get as Schema;
  const parameters = operationAt('/api/arthr/apiKeys').parameters as { name: string; schema: Schema }[];
  const schemaOf = (parameter: string) => parameters.find(({ name }) => name === parameter)?.schema;
  assert.deepEqual([schemaOf('name')?.default, schemaOf('page')?.format], ['%', 'int32']);
  assert.doesNotMatch(JSON.stringify(document), /x-like/);
  const [item] = documented.filter(({ path }) => path.endsWith('/getdata'));
  const { 200: ok } = (item?.operation.responses ?? {}) as { 200?: { content: object } };
  assert.deepEqual(Object.keys(ok?.content ?? {}), ['application/json', 'image/*']);
});

test('the checked-in OpenAPI document is fresh', () => {
  assert.ok(
    fixture('../openapi.json') === renderOpenApi(document),
    'openapi.json is stale: run node packages/contract/src/write-openapi.ts',
  );
});

test('every route has an OpenAPI operation with an operationId of its own', () => {
  assert.deepEqual(
    documented.map(({ method, path }) => `${method.toUpperCase()} ${path}`).toSorted(),
    routes.toSorted(),
  );
  const ids = documented.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, routes.length);
  for (const id of ['apiKeys.create', 'users.get', 'users.get.ext', 'passkeys.startRegistration.anonymous']) {
    assert.ok(ids.includes(id), id);
  }
});

test('the documented refusal has the user if the operation can refuse a user, and only then', () => {
  const refusing = documented.filter(({ operation }) =>
    JSON.stringify(operation.responses).includes('#/components/responses/Refused'),
  );
  const ids = refusing.map(({ operation }) => operation.operationId);
  assert.ok(ids.includes('passkeys.authenticate') && ids.includes('totps.authenticate.ext'));
  assert.ok(!ids.includes('users.get') && !ids.includes('apiKeys.create'));
});

test('every example of a problem fits its schema', () => {
  const responses = Object.entries(document.components.responses ?? {});
  assert.ok(responses.length > 0);
  for (const [name, response] of responses) {
    const { content } = response as { content: Record<string, { example: unknown }> };
    const schema = name === 'Refused' ? Refusal : Problem;
    assert.deepEqual(Value.Errors(schema, content['application/problem+json']?.example), [], name);
  }
});

test('every path parameter is explained', () => {
  const names = new Set(routes.flatMap(paramNames));
  assert.deepEqual([...names].toSorted(), Object.keys(pathParameters).toSorted());
});

test('every JSON body and every JSON answer has an example that fits its schema', () => {
  const missing: string[] = [];
  for (const { id, group, name, operation } of all) {
    const example = exampleOf(group, name);
    for (const part of ['body', 'ok'] as const) {
      const [schema, value] = [operation[part], example[part]];
      if (schema && value === undefined) missing.push(`${id} ${part}`);
      if (schema && value !== undefined) assert.deepEqual(Value.Errors(schema, value), [], `${id} ${part}`);
    }
  }
  assert.deepEqual(missing, [], 'npm run examples -- WORD takes them from the tests whose files hold WORD');
});

/** Operations whose `name` is that of a person or of an object about a person, or is checked by a stricter rule of the server. */
const OTHER_NAMES: readonly string[] = [
  'processTokens.create',
  'processTokens.update',
  'processInstances.create',
  'processInstances.start',
  'processDefinitions.create',
  'processDefinitions.update',
];

test('a name by which people tell things apart has the format that refuses invisible characters', () => {
  const names = all.flatMap(({ id, operation }) => {
    const { name, reviewer, rpName, issuer } = propertiesOf(operation.body);
    return [name, reviewer, rpName]
      .map((schema) => ({ id, schema }))
      .concat(id.startsWith('totps') ? { id, schema: issuer } : []);
  });
  const visibleNames = names.flatMap(({ id, schema }) => (schema && !OTHER_NAMES.includes(id) ? [{ id, schema }] : []));
  assert.ok(visibleNames.length > 20, `${visibleNames.length} names`);
  for (const { id, schema } of visibleNames) assert.equal(schema.format, 'visible-name', id);
});

test('no example holds a secret, an id or a time of the machine that made it', () => {
  const text = JSON.stringify(recorded);
  const ids = text.match(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g) ?? [];
  assert.ok(ids.length > 50);
  for (const id of ids) assert.match(id, /^01JZ4M/);
  const times = text.match(/\b20\d\d-\d\d-\d\dT[\d:]+\.\d{3}Z/g) ?? [];
  assert.ok(times.length > 50);
  for (const time of times) assert.match(time, /\.000Z$/);
  assert.doesNotMatch(text, /127\.0\.0\.1:|\/tmp\//);
  for (const [, secret = ''] of text.matchAll(/"grv_(?:live|test)_\w{26}_([\w-]+)/g)) {
    assert.match(secret, /^[example0_-]+$/i);
  }
});
