import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, type ListedOperation, operations } from '@grove/contract';
import { Value } from 'typebox/value';
import { unprepared } from '../src/db/db.ts';
import { asTenantId } from '../src/kernel/ids.ts';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';
import { pageZip } from './zips.ts';

/**
 * A test key calls every operation of the contract with the ids and names of live objects. The rows that serve live
 * callers must be the same afterwards, and no answer may contain anything about a live person. A new operation is
 * covered as soon as it is in the contract, and a new table is compared as soon as a migration creates it.
 */
const TENANT = asTenantId('acme');
/** This word is in all data about live persons. */
const PERSON = 'Zinnober';
const EMAIL = `${PERSON}@example.com`;
/** Parts of the request that an answer may repeat. */
const BEGINNING = PERSON.slice(0, 5);
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const COLOURS = {
  primary: '#1f6b4f',
  onPrimary: '#ffffff',
  background: '#ffffff',
  surface: '#f4f6f5',
  text: '#16211c',
  mutedText: '#4d5a54',
  border: '#7c8a84',
  error: '#b3261e',
  success: '#1b6e3c',
};
const STEPS = [
  { id: 'consent', type: 'consent' },
  { id: 'decide', type: 'decision' },
];

type RequestBody = { type: string; body: Buffer | string };
const json = (value: unknown): RequestBody => ({ type: 'application/json', body: JSON.stringify(value) });

/** The requests of a test key that change each kind of configuration. */
const BODIES: Readonly<Record<string, RequestBody>> = {
  'apiKeys.create': json({ name: 'of a test key', permissions: ['TNT#acme#*'] }),
  'apiKeys.update': json({ status: 'BLOCKED' }),
  'processDefinitions.addTag': json({ name: 'live' }),
  'processDefinitions.create': json({ name: 'onboarding', steps: STEPS }),
  'processDefinitions.update': json({ name: 'draft', steps: STEPS }),
  'processDefinitions.deploy': json({}),
  'processDefinitions.archive': json({}),
  'processSettings.update': json({
    redirectOrigins: ['https://evil.example'],
    embedOrigins: ['https://evil.example'],
  }),
  'cloudSecrets.create': json({ name: 'RISK_KEY', value: 'other', hosts: ['evil.example'] }),
  'cloudSecrets.update': json({ value: 'other', hosts: ['evil.example'] }),
  'webhooks.create': json({ name: 'crm', uri: 'https://evil.example/', events: ['*'] }),
  'webhooks.update': json({ uri: 'https://evil.example/', status: 'ACTIVE' }),
  'webhooks.rotateSecret': json({}),
  'customPages.createVersion': { type: 'application/zip', body: pageZip() },
  'customPages.deploy': json({}),
  'customPages.archive': json({}),
  'customPages.preview': json({}),
  // A test theme with the name of a live one would take precedence in the operations that follow.
  'themes.create': json({ name: 'of a test key', palette: COLOURS }),
  'themes.update': json({ radius: 3, texts: { en: { 'start.title': 'Give us your card' } } }),
  'themes.uploadAsset': { type: 'image/png', body: PNG },
  'stores.create': json({ name: 'customers' }),
  'stores.update': json({ status: 'INACTIVE' }),
  'passkeys.createConfig': json({ rpId: 'example.com' }),
  'passkeys.updateConfig': json({ rpName: 'Evil' }),
  'appkeys.createConfig': json({ rpId: 'app', appId: 'https://example.com/app' }),
  'appkeys.updateConfig': json({ appId: 'https://evil.example/app' }),
  'totps.createPolicy': json({ name: 'usual' }),
  'totps.updatePolicy': json({ digits: 8 }),
  'pushNotifications.createPolicy': json({ rpId: 'app' }),
  'pushNotifications.updatePolicy': json({ status: 'INACTIVE' }),
  'processTokens.create': json({ name: 'link', processDefnName: 'onboarding' }),
  'instanceNotes.add': json({ text: 'of a test key' }),
  'personRequests.find': json({ email: EMAIL }),
  'personRequests.erase': json({ email: EMAIL }),
  'instanceExports.create': json({ searchString: BEGINNING }),
  'watchlists.match': json({ value: `${PERSON}1` }),
  'watchlists.addMember': json({ value: 'of a test key' }),
  'processInstances.resume': json({ variables: {} }),
  'reviews.claim': json({}),
  'reviews.approve': json({ comment: 'of a test key' }),
  'reviews.reject': json({ comment: 'of a test key' }),
  'users.lock': json({ duration: 'P1D' }),
  'users.unlock': json({}),
  'users.create': json({ extId: 'of a test key' }),
  'whatIf.run': json({ definition: { name: 'onboarding', steps: STEPS }, startDateTime: '2000-01-01T00:00:00Z' }),
  'watchlists.update': json({ name: 'other' }),
  'users.update': json({ status: 'INACTIVE' }),
  'processInstances.createResumeLink': json({}),
  'processInstances.cancel': json({}),
  'operators.invite': json({ name: 'Eve', email: 'eve@evil.example', role: 'Owner' }),
  'operators.update': json({ name: 'Eve', role: 'Auditor' }),
  'operators.reset': json({}),
  'operatorRoles.create': json({ name: 'Of a test key', permissions: ['TNT#acme#*'], environments: ['live'] }),
  'operatorRoles.update': json({ permissions: [] }),
  'installation.createTenant': json({ id: 'of-a-test-key' }),
  'installation.suspendTenant': json({}),
  'installation.resumeTenant': json({}),
  'installation.retryJob': json({}),
  'singleSignOn.set': json({
    issuer: 'https://login.example.com',
    clientId: 'grove',
    roles: [{ group: 'everybody', role: 'Owner' }],
  }),
};

/** The queries with which live callers find live persons. */
const OF_TOKEN = (ids: Ids) => `?pt=${ids.tokens?.[0]}`;
const QUERIES: Readonly<Record<string, (ids: Ids) => string>> = {
  'processInstances.create': OF_TOKEN,
  'processInstances.start': OF_TOKEN,
  'processInstances.search': () => `?searchString=${PERSON}`,
  'processTokens.list': () => `?processTokenSearch=${PERSON}`,
  'users.list': () => `?extId=${PERSON}`,
  'watchlists.listMembers': () => `?name=${PERSON}`,
  'userData.getItem': () => '?path=parameters',
};

type Ids = Readonly<Record<string, readonly string[]>>;
type Row = Record<string, unknown>;
type Snapshot = Map<string, Set<string>>;

/** Values that reads of live callers change, and totals that count both environments. */
const IGNORED_COLUMNS = new Set(['last_issued_at']);
const IGNORED_TABLES = new Set(['counters', 'schema_migrations']);

async function snapshotOf(grove: TestApp): Promise<{ all: Snapshot; live: Snapshot }> {
  const db = grove.app.db.of(TENANT);
  const tables = await grove.app.db.system.all<{ name: string }>(
    unprepared("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%tenant_id%'"),
    [],
  );
  const [all, live]: [Snapshot, Snapshot] = [new Map(), new Map()];
  for (const { name } of tables.filter((each) => !IGNORED_TABLES.has(each.name))) {
    const rows = await db.all<Row>(unprepared(`SELECT * FROM ${name}`), []);
    const textOf = (row: Row) =>
      JSON.stringify(
        Object.entries(row)
          .filter(([column]) => !IGNORED_COLUMNS.has(column))
          .map(([column, value]) => [column, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value]),
      );
    all.set(name, new Set(rows.map(textOf)));
    live.set(name, new Set(rows.filter((row) => row.environment === 'live').map(textOf)));
  }
  return { all, live };
}

describe('a test key and live callers', () => {
  const places = testPlaces();
  let grove: TestApp;
  let testToken: string;
  const ids: Record<string, string[]> = {};
  /** The value of each parameter of a path: the ids and names of live objects. */
  const PARAMS: Record<string, () => readonly string[]> = {
    processDefinitionId: () => ids.definitions ?? [],
    processDefnId: () => ids.definitions ?? [],
    tagName: () => ['live'],
    name: () => ['questions'],
    id: () => ids.pages ?? [],
    themeName: () => ['spring', 'default'],
    assetName: () => ['logo'],
    storeName: () => ['customers'],
    rpId: () => ['example.com', 'app'],
    policyName: () => ['usual'],
    apiKeyId: () => ids.keys ?? [],
    cloudSecretId: () => ids.secrets ?? [],
    webhookId: () => ids.webhooks ?? [],
    watchlistId: () => ids.watchlists ?? [],
    processInstanceId: () => ids.instances ?? [],
    userId: () => ids.users ?? [],
    userExtId: () => [PERSON],
    processTokenId: () => ids.tokens ?? [],
    memberId: () => ids.members ?? [],
    exportId: () => ids.exports ?? [],
    personRequestId: () => ids.requests ?? [],
    deliveryId: () => ids.deliveries ?? [],
    executionId: () => ids.queries ?? [],
    operatorId: () => ids.operators ?? [],
    roleName: () => ['Shift leader'],
  };

  const createObject = async (path: string, content: RequestBody): Promise<string> => {
    const init = { method: 'POST', body: content.body as string, headers: { 'Content-Type': content.type } };
    const answer = await grove.call(path, init);
    assert.ok(answer.status < 300, `${path} ${answer.text}`);
    return answer.body.id ?? answer.body.processInstanceId;
  };

  before(async () => {
    grove = await openTestApp(await places.create());
    const definitions = '/api/process-manager/processDefinitions';
    const onboarding = await createObject(definitions, json({ name: 'onboarding', steps: STEPS }));
    await createObject(`${definitions}/${onboarding}/deploy`, json({}));
    await createObject(`${definitions}/${onboarding}/tags`, json({ name: 'live' }));
    const draft = await createObject(definitions, json({ name: 'draft', steps: STEPS }));
    ids.definitions = [onboarding, draft];
    await grove.call('/api/process-manager/settings', {
      method: 'POST',
      body: JSON.stringify({ redirectOrigins: ['https://shop.example'], embedOrigins: ['https://shop.example'] }),
    });
    const secret = json({ name: 'RISK_KEY', value: 'hunter2', hosts: ['risk.example'] });
    ids.secrets = [await createObject('/api/process-manager/cloudSecrets', secret)];
    await createObject('/api/theme-server/themes', json({ name: 'spring', palette: COLOURS }));
    await createObject('/api/theme-server/themes/spring/assets/logo', { type: 'image/png', body: PNG });
    const zip = { type: 'application/zip', body: pageZip() };
    const pages = '/api/theme-server/customPages';
    const page = await createObject(`${pages}/questions/versions`, zip);
    await createObject(`${pages}/${page}/deploy`, json({}));
    ids.pages = [page, await createObject(`${pages}/questions/versions`, zip)];
    const hook = json({ name: 'crm', uri: 'https://crm.example/', events: ['*'] });
    ids.webhooks = [await createObject('/api/notification-service/webhooks', hook)];
    const watchlist = json({ name: 'banned', type: 'DOCUMENT_NUMBER' });
    ids.watchlists = [await createObject('/api/watchlist-manager/facewatchlists', watchlist)];
    const stores = '/api/identity-store/stores';
    await createObject(stores, json({ name: 'customers' }));
    await createObject(`${stores}/customers/totpPolicy`, json({ name: 'usual' }));
    await createObject(`${stores}/customers/passkeyConfig`, json({ rpId: 'example.com' }));
    await createObject(`${stores}/customers/appkeyConfig`, json({ rpId: 'app', appId: 'https://example.com/app' }));
    await createObject(`${stores}/customers/pushNotificationPolicy`, json({ rpId: 'app' }));
    const person = { extId: PERSON, attributes: { name: PERSON } };
    ids.users = [await createObject(`${stores}/customers/users`, json(person))];
    const member = { value: `${PERSON}1`, firstName: PERSON, note: PERSON };
    const members = `/api/watchlist-manager/facewatchlists/${ids.watchlists[0]}/watchlist-members`;
    ids.members = [await createObject(members, json(member))];
    const parameters = { firstName: PERSON, email: EMAIL };
    const tokenBody = json({ name: `link of ${PERSON}`, processDefnTag: 'live', parameters });
    ids.tokens = [await createObject('/api/process-manager/processTokens', tokenBody)];
    ids.instances = [await createObject(`/api/process-manager/processInstances/create?pt=${ids.tokens[0]}`, json({}))];
    await createObject(`/api/process-manager/processInstances/${ids.instances[0]}/notes`, json({ text: PERSON }));
    ids.exports = [await createObject('/api/process-manager/exports', json({ searchString: PERSON }))];
    ids.requests = [
      await createObject('/api/userdata-server/personRequests', json({ email: EMAIL, reference: PERSON })),
    ];
    const { body: queried } = await grove.call('/api/identity-store/events/queries/start', {
      method: 'POST',
      body: '{}',
    });
    ids.queries = [queried.executionId];
    const deliveries = await grove.call(`/api/notification-service/webhooks/${ids.webhooks[0]}/deliveries`);
    ids.deliveries = deliveries.body.content.map(({ id }: { id: string }) => id);
    for (const [name, each] of Object.entries(ids)) assert.ok(each.length > 0 && each.every(Boolean), `no ${name}`);
    await createObject(
      '/api/operator-manager/roles',
      json({ name: 'Shift leader', permissions: [], environments: ['live'] }),
    );
    const { body: invited } = await grove.call('/api/operator-manager/operators', {
      method: 'POST',
      body: JSON.stringify({ name: 'Ada', email: 'ada@acme.example', role: 'Owner' }),
    });
    ids.operators = [invited.operator.id];
    ids.roles = ['Shift leader'];
    ids.keys = [await createObject('/api/arthr/apiKeys', json({ name: 'live caller', permissions: ['TNT#acme#*'] }))];
    const key = await grove.app.tenants.createApiKey('acme', { name: 'CI', environment: 'test' });
    testToken = await grove.token(key.apiKey);
  });
  after(() => grove.stop());

  const addresses = ({ operation }: ListedOperation): string[] =>
    addressesOf(operation).flatMap(({ path }) => {
      let urls = [path];
      for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
        const values = PARAMS[name]?.() ?? [ids.instances?.[0] ?? 'x'];
        urls = urls.flatMap((url) => values.map((value) => url.replace(`{${name}}`, encodeURIComponent(value))));
      }
      return urls;
    });

  const hasOwnBody = (id: string) => BODIES[id] !== undefined || id === 'shadowVersions.start';
  const bodyOf = ({ id, operation }: ListedOperation): RequestBody | undefined => {
    if (BODIES[id]) return BODIES[id];
    // A shadow version runs beside live versions, so it needs a version that live callers use.
    if (id === 'shadowVersions.start') return json({ processDefinitionId: ids.definitions?.[0] });
    if (operation.consumes) return { type: operation.consumes[0] as string, body: PNG };
    return operation.body ? json(Value.Create(operation.body as never)) : undefined;
  };

  it('this test has a body for every operation that changes the configuration', () => {
    const without = operations().filter(
      (listed) =>
        listed.operation.audit && (listed.operation.body || listed.operation.consumes) && !hasOwnBody(listed.id),
    );
    assert.deepEqual(
      without.map(({ id }) => id),
      [],
    );
  });

  const call = async (listed: ListedOperation) => {
    for (const url of addresses(listed)) {
      const content = bodyOf(listed);
      const query = QUERIES[listed.id]?.(ids) ?? '';
      const answer = await grove.call(`${url}${query}`, {
        method: listed.operation.method,
        token: testToken,
        ...(content && { body: content.body as string, headers: { 'Content-Type': content.type } }),
      });
      assert.ok(answer.status < 500, `${url} ${answer.text}`);
      assert.ok(!answer.text.includes(PERSON), `${listed.id} tells of a live person: ${answer.text}`);
      // An invalid body would be refused before anybody checks whom it is about.
      if (listed.operation.audit) assert.notEqual(answer.body?.code, 100001, `${listed.id} ${answer.text}`);
    }
  };

  /**
   * A row without an environment serves live callers if it names a live object. The name of a setting may contain it.
   */
  const isOfLive = (row: string) =>
    !row.includes('["environment",') &&
    !row.includes('["name","shadow:test:') &&
    Object.values(ids).some((values) => values.some((id) => row.includes(`"${id}"`)));

  it('a test key cannot create an operator who could work in live', async () => {
    for (const role of ['Owner', 'Shift leader']) {
      const answer = await grove.call('/api/operator-manager/operators', {
        method: 'POST',
        token: testToken,
        body: JSON.stringify({ name: 'Eve', email: 'eve@evil.example', role }),
      });
      assert.deepEqual([answer.status, answer.body.code], [403, 100015], role);
    }
  });

  let last: { all: Snapshot; live: Snapshot } | undefined;
  const isUnchanged = async () => {
    const now = await snapshotOf(grove);
    for (const [table, rows] of last?.all ?? []) {
      const missingRows = [...rows].filter((row) => !now.all.get(table)?.has(row));
      const changed = missingRows.filter((row) => last?.live.get(table)?.has(row) || isOfLive(row));
      assert.deepEqual(changed, [], `rows of ${table} that live callers use were changed`);
      const added = [...(now.live.get(table) ?? [])].filter((row) => !rows.has(row));
      assert.deepEqual(added, [], `rows of ${table} that live callers use were added`);
    }
    last = now;
  };

  // A stream never ends; it belongs to the environment of its key (notification-service/event-stream.test.ts).
  const walked = operations().filter(
    ({ operation }) => operation.permission && operation.produces !== 'text/event-stream',
  );

  it('a test key changes nothing that live callers use by any read', async () => {
    await isUnchanged();
    for (const listed of walked.filter(({ operation }) => operation.method === 'GET')) await call(listed);
    await isUnchanged();
  });

  for (const listed of walked.filter(({ operation }) => operation.method !== 'GET')) {
    it(`a test key changes nothing that live callers use by ${listed.id}`, async () => {
      await call(listed);
      await isUnchanged();
    });
  }

  it('a test key does not change which version live instances of a live tag use', async () => {
    const create = `/api/process-manager/processInstances/create?pt=${ids.tokens?.[0]}`;
    const { body } = await grove.call(create, { method: 'POST', body: '{}' });
    const { body: instance } = await grove.call(`/api/process-manager/processInstances/${body.processInstanceId}`);
    assert.deepEqual([instance.processDefnId, instance.environment], [ids.definitions?.[0], 'live']);
  });

  it('this test calls operations that show the person to live callers', async () => {
    const telling = [];
    for (const listed of walked.filter(({ operation }) => operation.method === 'GET')) {
      const answers = addresses(listed).map((url) => grove.call(`${url}${QUERIES[listed.id]?.(ids) ?? ''}`));
      if ((await Promise.all(answers)).some(({ text }) => text.includes(PERSON))) telling.push(listed.id);
    }
    for (const id of ['processInstances.search', 'processTokens.get', 'users.list', 'watchlists.getMember']) {
      assert.ok(telling.includes(id), `${id} is not among ${telling.join(', ')}`);
    }
  });
});
