import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressesOf, canBeLenient, operations } from '@grove/contract';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { addTestDefinition } from '../../../test/processes.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { type Members, memberReader } from './read-members.ts';

const TOKENS = '/api/process-manager/processTokens';
const KEYS = '/api/arthr/apiKeys';
const STORES = '/api/identity-store/stores';
const LENIENT = { Prefer: 'handling=lenient' };

describe('members of requests', () => {
  const places = testPlaces();
  let grove: TestApp;
  let count = 0;
  before(async () => {
    grove = await openTestApp(await places.create());
    await addTestDefinition(grove.app.db.of(asTenantId('acme')), { name: 'onboarding' });
  });
  after(() => grove.stop());

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    grove.call(path, { method: 'POST', body: JSON.stringify(body), headers });
  const token = (more: object, headers?: Record<string, string>) => {
    count += 1;
    return post(TOKENS, { name: `token ${count}`, processDefnName: 'onboarding', ...more }, headers);
  };
  const faultsOf = ({ body }: { body: { code: number; errors?: { pointer: string; message: string }[] } }) => {
    assert.equal(body.code, 100001, JSON.stringify(body));
    return (body.errors ?? []).map(({ pointer, message }) => `${pointer} ${message}`);
  };
  const ignoredBy = ({ headers }: { headers: Headers }) => headers.get('grove-ignored');

  it('100001: a misspelt member of a body is refused, and the right name is suggested', async () => {
    const refusal = await token({ paramters: { firstName: 'Bob' }, zzz: 1 });
    assert.deepEqual(faultsOf(refusal), ['/paramters is not known; did you mean parameters?', '/zzz is not known']);
  });

  it('100001: a misspelt query parameter is refused, also where there is none at all', async () => {
    assert.deepEqual(faultsOf(await grove.call('/api/process-manager/processInstances?stauts=REVIEW')), [
      '/query/stauts is not known; known are page, size, sort, after, processDefinitionName, processDefinitionId, processInstanceStatus',
    ]);
    assert.deepEqual(faultsOf(await grove.call('/api/process-manager/processInstances?status=REVIEW')), [
      '/query/status is not known; did you mean processInstanceStatus?',
    ]);
    assert.deepEqual(faultsOf(await grove.call('/api/process-manager/processInstances/search?serchString=a')), [
      '/query/serchString is not known; did you mean searchString?',
    ]);
    assert.deepEqual(faultsOf(await grove.call('/api/process-manager/settings?x=1')), ['/query/x is not known']);
  });

  it('100001: a former name of the specification is refused, and the present one is suggested', async () => {
    const selection = { authenticatorSelectionCriteria: { userVerification: 'required' } };
    await post(STORES, { name: 'former' });
    const config = { rpId: 'example.org', registrationPolicies: { default: selection } };
    assert.deepEqual(faultsOf(await post(`${STORES}/former/passkeyConfig`, config, LENIENT)), [
      '/registrationPolicies/default/authenticatorSelectionCriteria is not known; did you mean authenticatorSelection?',
    ]);
  });

  it('100001: the fault of a value is in plain words, with an example of a correct value', async () => {
    const wrong: [object, string][] = [
      [{ processDefnTag: '' }, '/processDefnTag must not be empty'],
      [{ name: 'x'.repeat(51) }, '/name must have at most 50 characters'],
      [
        { notAfterDtm: '2030-01-01T00:00:00' },
        '/notAfterDtm must be a date and time with a time zone, such as 2026-11-17T12:00:00Z',
      ],
      [{ status: 'ENDED' }, '/status must be one of ACTIVE, INACTIVE'],
    ];
    for (const [more, fault] of wrong) assert.deepEqual(faultsOf(await token(more)), [fault]);
    const redirect = await token({ parameters: { _redirectUrl: 'https://shop.example/back' } });
    assert.match(redirect.body.errors[0].message, /redirectOrigins of the settings/);
  });

  it('100001: every unknown member is named, nested ones too, and 49,000 of them are cheap', async () => {
    const configuration = { defaultLocal: 'de', lockConfiguration: { modalities: { FACE: { maxFailedAttempt: 1 } } } };
    assert.deepEqual(faultsOf(await post(STORES, { name: 'deep', configuration })), [
      '/configuration/defaultLocal is not known; did you mean defaultLocale?',
      '/configuration/lockConfiguration/modalities/FACE/maxFailedAttempt is not known; did you mean maxFailedAttempts?',
    ]);
    const many = Object.fromEntries(Array.from({ length: 49_000 }, (_, at) => [`a${at}`, 1]));
    const before = process.cpuUsage();
    assert.equal(faultsOf(await token(many)).length, 20);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 2_000_000, `${user} µs`);
  });

  it('100001: a body with a member is refused for DELETE, and nothing is deleted; an empty object is accepted', async () => {
    const { id } = (await token({})).body;
    const remove = (body: string) => grove.call(`${TOKENS}/${id}`, { method: 'DELETE', body });
    assert.deepEqual(faultsOf(await remove('{"onlyIf":"INACTIVE"}')), ['/onlyIf is not known']);
    assert.equal((await grove.call(`${TOKENS}/${id}`)).status, 200);
    assert.equal((await remove('{}')).status, 204);
  });

  it('a body that was read may be sent back unchanged, and only its writable members take effect', async () => {
    const key = (await post(KEYS, { name: 'read and written', permissions: [] })).body;
    const again = await post(`${KEYS}/${key.id}`, { ...key, description: 'changed' });
    assert.deepEqual([again.status, again.body.description], [200, 'changed'], again.text);
    const store = (await post(STORES, { name: 'read-and-written' })).body;
    const stored = await post(`${STORES}/read-and-written`, store);
    assert.equal(stored.status, 200, stored.text);
    const read = (await token({})).body;
    const copy = await post(TOKENS, { ...read, name: 'copy' });
    assert.deepEqual([copy.status, copy.body.counter, copy.body.name], [201, 0, 'copy'], copy.text);
    assert.notEqual(copy.body.id, read.id);
  });

  it('a member that the answer has only within another schema may not be sent', () => {
    const text = { type: 'string' };
    const body = { type: 'object', properties: { a: text, b: text, c: text } };
    const unknownIn = (answer: object) => {
      const members: Members = { unknown: [], withoutEffect: [], tenantId: undefined };
      memberReader(body, { type: 'object', properties: answer })?.({ a: '', other: '' }, '', members);
      return members.unknown.map(({ pointer }) => pointer);
    };
    assert.deepEqual(unknownIn({ a: text, b: text, other: text }), []);
    assert.deepEqual(unknownIn({ a: text, other: text }), ['/other']);
  });

  it('a body may name the tenant of the caller, but no other', async () => {
    assert.equal((await post(KEYS, { name: 'own tenant', permissions: [], tenantId: 'acme' })).status, 201);
    const other = await post(KEYS, { name: 'other tenant', permissions: [], tenantId: 'other' });
    assert.deepEqual(faultsOf(other), ['/tenantId is not known']);
    const deep = await post(STORES, { name: 'deep-tenant', configuration: { tenantId: 'acme' } });
    assert.deepEqual(faultsOf(deep), ['/configuration/tenantId is not known']);
  });

  it('null for an optional member, or for a value of a map, means that it is missing', async () => {
    const key = await post(KEYS, { name: 'nulls', description: null, type: null, status: null, permissions: null });
    assert.deepEqual([key.status, key.body.status, key.body.description], [201, 'ACTIVE', undefined], key.text);
    const all = { type: null, status: null, uiUrl: null, notBeforeDtm: null, notAfterDtm: null, maxCount: null };
    const filled = await token({ ...all, parameters: { firstName: 'Ada', middleName: null }, description: null });
    assert.deepEqual([filled.status, filled.body.parameters], [201, { firstName: 'Ada' }], filled.text);
    assert.equal((await token({ parameters: null })).status, 201);
    await post(STORES, { name: 'nulls' });
    const user = await post(`${STORES}/nulls/users`, { extId: 'n1', status: null, locale: null, attributes: null });
    assert.equal(user.status, 201, user.text);
    assert.deepEqual(faultsOf(await post(KEYS, { name: null })), ['/name must be string']);
  });

  it('null keeps a member that an update does not change, and removes an expiry if null means that', async () => {
    const expiringDtm = '2099-01-01T00:00:00.000Z';
    const { id } = (await post(KEYS, { name: 'with expiry', description: 'stays', permissions: [], expiringDtm })).body;
    const changed = (await post(`${KEYS}/${id}`, { description: null, expiringDtm: null })).body;
    assert.deepEqual([changed.description, changed.expiringDtm], ['stays', undefined]);
  });

  it('Prefer: handling=lenient ignores unknown members in operations of the specification, and names them', async () => {
    const answer = await token({ vendorField: 1, 'odd, ü': 2 }, LENIENT);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(ignoredBy(answer), '/vendorField, /odd%2C%20%C3%BC');
    assert.equal(answer.headers.get('preference-applied'), 'handling=lenient');
    const quoted = await token({ vendor: 1 }, { Prefer: 'wait=5, handling="lenient"' });
    assert.deepEqual([quoted.status, ignoredBy(quoted)], [201, '/vendor']);
    const long = await token({ ['x'.repeat(300)]: 1 }, LENIENT);
    assert.equal(ignoredBy(long), `/${'x'.repeat(199)}`);
    const plain = await token({}, LENIENT);
    assert.deepEqual([ignoredBy(plain), plain.headers.get('preference-applied')], [null, null]);
  });

  it('100001: unknown members of policies, of operations of Grove, and those similar to a limit are never ignored', async () => {
    const policy = { name: 'p', issuer: 'Acme', digts: 8 };
    await post(STORES, { name: 'policies' });
    assert.deepEqual(faultsOf(await post(`${STORES}/policies/totpPolicy`, policy, LENIENT)), [
      '/digts is not known; did you mean digits?',
    ]);
    // Without its parameters, a verification compares no expected person with the document.
    assert.deepEqual(faultsOf(await token({ paramters: { firstName: 'Bob' } }, LENIENT)), [
      '/paramters is not known; did you mean parameters?',
    ]);
    assert.deepEqual(faultsOf(await token({ count: 1 }, LENIENT)), ['/count is not known; did you mean maxCount?']);
    const limit = { notAfterDtn: '2099-01-01T00:00:00Z', vendorField: 1 };
    assert.equal(faultsOf(await token(limit, LENIENT))[0], '/notAfterDtn is not known; did you mean notAfterDtm?');
    const permissions = { name: 'all of them', permisions: [] };
    assert.equal((await post(KEYS, permissions, LENIENT)).body.code, 100001);
    assert.equal((await post('/api/process-manager/settings', { x: 1 }, LENIENT)).body.code, 100001);
    const strict = new Set(operations().flatMap(({ id, operation }) => (canBeLenient(id, operation) ? [] : [id])));
    for (const id of ['processDefinitions.create', 'webhooks.create']) assert.ok(strict.has(id), id);
    // The operations that write a store, a configuration or a policy.
    const place = /\/stores(\/\{\w+\}(\/\w+(Config|Policy)(\/\{\w+\})?)?)?$/;
    const writers = operations().filter(
      ({ operation }) => operation.method === 'POST' && addressesOf(operation).some(({ path }) => place.test(path)),
    );
    assert.equal(writers.length, 10);
    for (const { id } of writers) assert.ok(strict.has(id), id);
    const removers = operations().filter(({ id, operation }) => operation.method === 'DELETE' || /deregister/.test(id));
    for (const { id } of [...removers, { id: 'userData.archive' }]) assert.ok(strict.has(id), id);
  });

  it('100001: a filter is never ignored, nor is a member inside the session data of a caller', async () => {
    const list = (query: string) => grove.call(`/api/process-manager/processInstances?${query}`, { headers: LENIENT });
    assert.deepEqual(faultsOf(await list('status=REVIEW')), [
      '/query/status is not known; did you mean processInstanceStatus?',
    ]);
    // If it were ignored, a client would read the first page for ever.
    assert.deepEqual(faultsOf(await list('pageNumber=2')), ['/query/pageNumber is not known; did you mean page?']);
    // This is not similar to any name, but the client meant a filter: without it, everything would be selected.
    assert.equal(faultsOf(await list('reviewedBy=ann')).length, 1);
    const events = '/api/identity-store/events/queries/start';
    assert.equal(faultsOf(await post(events, { modality: 'FACE' }, LENIENT)).length, 1);
    assert.equal(faultsOf(await post(events, { childProcessDefnTg: 'x' }, LENIENT)).length, 1);
    await post(STORES, { name: 'sessions' });
    const authenticate = (more: object) =>
      post(`${STORES}/sessions/appkeys/authentications`, { sessionData: { challenge: 'c', ...more } }, LENIENT);
    for (const [more, pointer] of [
      [{ usernme: 'ann' }, '/sessionData/usernme'],
      [{ transacton: { contentType: 'text/plain', content: 'pay' } }, '/sessionData/transacton'],
      [{ policy: { accepted: [[{ aaidd: ['1234#5678'] }]] } }, '/sessionData/policy/accepted/0/0/aaidd'],
      [{ vendorField: 1 }, '/sessionData/vendorField'],
    ] as const) {
      const { body } = await authenticate(more);
      assert.deepEqual([body.code, body.errors?.[0].pointer], [100001, pointer]);
    }
  });

  it('a misspelt limit is recognised for each of its names', () => {
    const limits = ['maxCount', 'notBeforeDtm', 'notAfterDtm', 'maxProcessDuration', 'expiringDtm', 'status', 'type'];
    const rules = ['permissions', 'sessionData', 'challenge', 'matchingProcess', 'threshold', 'internalThreshold'];
    const filters = ['parentProcessDefnId', 'parentProcessDefnName', 'parentProcessDefnVersion', 'childProcessDefnTag'];
    const others = [
      'policy',
      'authPolicyName',
      'devices',
      'parameters',
      'parentProcessInstanceId',
      'childProcessDefnName',
    ];
    for (const name of [...limits, ...rules, ...filters, ...others, 'childProcessDefnVersion']) {
      const members: Members = { unknown: [], withoutEffect: [], tenantId: undefined };
      memberReader({ type: 'object', properties: { [name]: {} } })?.({ [`${name}s`]: 1, vendor: 1 }, '', members);
      assert.deepEqual(
        members.unknown.map(({ pointer, isNearLimit }) => [pointer, isNearLimit]),
        [
          [`/${name}s`, true],
          ['/vendor', false],
        ],
      );
    }
  });

  it('the elements of a list are checked: unknown members are named, and null means missing', () => {
    const members: Members = { unknown: [], withoutEffect: [], tenantId: undefined };
    const element = { type: 'object', properties: { name: { type: 'string' } } };
    const body = { list: [{ name: null }, { name: 'a', nmae: 'b' }] };
    memberReader({ type: 'object', properties: { list: { type: 'array', items: element } } })?.(body, '', members);
    assert.deepEqual(
      members.unknown.map(({ pointer, message }) => `${pointer} ${message}`),
      ['/list/1/nmae is not known; did you mean name?'],
    );
    assert.deepEqual(body, { list: [{}, { name: 'a' }] });
  });

  it('100001: if there are more unknown members than an answer can name, none is ignored; one may be a misspelt limit', async () => {
    const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`vendor${at}`, at]));
    const ignored = await token({ ...twenty, forTest: true }, LENIENT);
    assert.equal(ignored.status, 201, ignored.text);
    assert.deepEqual(ignoredBy(ignored)?.split(', '), [...Object.keys(twenty).map((name) => `/${name}`), '/forTest']);
    for (const last of [{ vendor20: 20 }, { notAfterDtn: '2099-01-01T00:00:00Z' }]) {
      const refusal = await token({ ...twenty, ...last }, LENIENT);
      assert.equal(refusal.status, 400, refusal.text);
      assert.ok(faultsOf(refusal).length > 0);
    }
    const [first, ...others] = faultsOf(await token({ ...twenty, vendor20: 20 }, LENIENT));
    assert.equal(first, ' has more than 20 unknown members; so many are not ignored');
    assert.equal(others.length, 20);
  });

  it('a tenant may set handling=lenient for all its callers; handling=strict reverses it', async () => {
    const set = (lenientRequests: boolean) => post('/api/process-manager/settings', { lenientRequests });
    assert.equal((await set(true)).body.lenientRequests, true);
    try {
      const answer = await token({ vendorField: 1 });
      assert.deepEqual([answer.status, ignoredBy(answer)], [201, '/vendorField']);
      assert.equal(answer.headers.get('preference-applied'), null);
      assert.equal((await token({ vendorField: 1 }, { Prefer: 'handling=strict' })).body.code, 100001);
      const { apiKey } = await grove.app.tenants.create({ id: 'other-tenant' });
      const theirs = { method: 'POST', body: '{"name":"x","vendorField":1}', token: await grove.token(apiKey) };
      assert.equal((await grove.call(KEYS, theirs)).body.code, 100001);
    } finally {
      await set(false);
    }
    assert.equal((await token({ vendorField: 1 })).body.code, 100001);
  });

  it('the setting of a test key for unknown members applies only to the sandbox', async () => {
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'CI', environment: 'test' });
    const testToken = await grove.token(apiKey);
    const set = { method: 'POST', body: '{"lenientRequests":true}', token: testToken };
    assert.equal((await grove.call('/api/process-manager/settings', set)).status, 200);
    const request = { method: 'POST', body: '{"name":"x","vendorField":1,"processDefnName":"onboarding"}' };
    assert.equal(ignoredBy(await grove.call(TOKENS, { ...request, token: testToken })), '/vendorField');
    assert.equal((await grove.call(TOKENS, request)).body.code, 100001);
  });

  it('a public address may have unknown query parameters, but no unknown members in a body', async () => {
    const open = { token: null };
    assert.equal((await grove.call('/api/theme-server/themes/default?tn=acme&utm_source=mail', open)).status, 200);
    const body = JSON.stringify({ code: 'x', source: 'mail' });
    const refusal = await grove.call('/api/journey/sessions', { ...open, method: 'POST', body });
    assert.deepEqual(faultsOf(refusal), ['/source is not known']);
  });

  it('forTest has no effect, and the answer names it as ignored', async () => {
    const answer = await token({ forTest: true });
    assert.deepEqual([answer.status, answer.body.forTest, ignoredBy(answer)], [201, true, '/forTest']);
    assert.equal(ignoredBy(await token({ forTest: false })), null);
  });

  it('an empty object is accepted with any content type', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json']) {
      const headers = { 'X-Api-Key': grove.apiKey, 'Content-Type': type };
      const { status, body } = await grove.call('/api/arthr/apiKeys/issue', { method: 'POST', body: '{}', headers });
      assert.deepEqual([status, typeof body.token], [200, 'string'], type);
    }
    const headers = { 'X-Api-Key': grove.apiKey, 'Content-Type': 'text/plain' };
    const other = await grove.call('/api/arthr/apiKeys/issue', { method: 'POST', body: '{"a":1}', headers });
    assert.equal(other.status, 415);
  });
});
