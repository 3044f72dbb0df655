import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';

const MANAGER = '/api/process-manager';
const CONSENT = { id: 'consent', type: 'consent' };
const DECIDE = { id: 'decide', type: 'decision' };

/** The steps of a pipeline that uses a test key before a live key deploys for live callers. */
onBothEngines('configuration of a test key', (_engine, places) => {
  let grove: TestApp;
  const tokens: Record<'live' | 'test', string> = { live: '', test: '' };
  before(async () => {
    grove = await openTestApp(await places.create());
    const { apiKey } = await grove.app.tenants.createApiKey('acme', { name: 'CI', environment: 'test' });
    tokens.live = await grove.token();
    tokens.test = await grove.token(apiKey);
  });
  after(() => grove.stop());

  type Environment = 'live' | 'test';
  const send = (environment: Environment, method: string, path: string, body?: unknown) =>
    grove.call(`${MANAGER}${path}`, {
      method,
      token: tokens[environment],
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const must = async (environment: Environment, path: string, body: unknown = {}) => {
    const answer = await send(environment, 'POST', path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const deploy = async (environment: Environment, name: string, steps: unknown[]): Promise<string> => {
    const { id } = await must(environment, '/processDefinitions', { name, steps });
    await must(environment, `/processDefinitions/${id}/deploy`);
    return id;
  };
  let count = 0;
  /** The definition of an instance that is created from a new token. */
  const runs = async (environment: Environment, binding: object): Promise<string> => {
    count += 1;
    const token = await must(environment, '/processTokens', { name: `token ${count}`, ...binding });
    const { processInstanceId } = await must(environment, `/processInstances/create?pt=${token.id}`);
    return (await send(environment, 'GET', `/processInstances/${processInstanceId}`)).body.processDefnId;
  };

  it('configuration of a test key is used by test instances, and live ones use what live keys deployed', async () => {
    const live = await deploy('live', 'onboarding', [CONSENT, DECIDE]);
    assert.equal(await runs('test', { processDefnName: 'onboarding' }), live, 'what is live can be tried');
    const test = await deploy('test', 'onboarding', [DECIDE]);
    assert.equal(await runs('test', { processDefnName: 'onboarding' }), test);
    assert.equal(await runs('live', { processDefnName: 'onboarding' }), live);
    assert.equal((await send('live', 'GET', `/processDefinitions/${test}`)).body.code, 100023);
    await must('test', `/processDefinitions/${test}/archive`);
    assert.equal(await runs('test', { processDefnName: 'onboarding' }), live, 'an archived test version is not used');
  });

  it('configuration of a test key names lists, webhooks and stores of the sandbox; a live definition that names them is not deployed', async () => {
    const STEPS = [
      { id: 'list', type: 'watchlist', by: 'email', name: 'ours' },
      { id: 'crm', type: 'webhook', name: 'ours' },
      { id: 'user', type: 'addUser', store: 'ours' },
      DECIDE,
    ];
    const create = async (environment: Environment) => {
      const headers = { token: tokens[environment], method: 'POST' };
      const objects = [
        ['/api/watchlist-manager/facewatchlists', { name: 'ours', type: 'EMAIL' }],
        [
          '/api/notification-service/webhooks',
          { name: 'ours', uri: 'https://hooks.example/', events: ['instance.deleted'] },
        ],
        ['/api/identity-store/stores', { name: 'ours' }],
      ] as const;
      for (const [path, body] of objects) {
        const answer = await grove.call(path, { ...headers, body: JSON.stringify(body) });
        assert.ok(answer.status < 300, answer.text);
      }
    };
    await create('test');
    const { id } = await must('live', '/processDefinitions', { name: 'naming', steps: STEPS });
    const refusal = await send('live', 'POST', `/processDefinitions/${id}/deploy`, {});
    const messages = refusal.body.errors.map(({ message }: { message: string }) => message);
    assert.deepEqual(messages, [
      'there is no watchlist named "ours"',
      'there is no webhook named "ours"',
      'there is no identity store named "ours"',
    ]);
    await deploy('test', 'naming', STEPS);
    await create('live');
    await must('live', `/processDefinitions/${id}/deploy`);
  });

  it('configuration of a test key has its own numbers of versions, and a test key lists both kinds', async () => {
    await deploy('live', 'counted', [DECIDE]);
    const first = await must('test', '/processDefinitions', { name: 'counted', steps: [DECIDE] });
    assert.deepEqual([first.version, first.environment], [1, 'test']);
    const listed = async (environment: Environment, query = '') =>
      (await send(environment, 'GET', `/processDefinitions?name=counted${query}`)).body.content.map(
        (each: { environment: string }) => each.environment,
      );
    assert.deepEqual((await listed('test')).sort(), ['live', 'test']);
    assert.deepEqual(await listed('test', '&environment=test'), ['test']);
    assert.deepEqual(await listed('live'), ['live']);
  });

  it('configuration of a test key has its own tags, which take precedence over live tags of the same name', async () => {
    const live = await deploy('live', 'tagged', [CONSENT, DECIDE]);
    await must('live', `/processDefinitions/${live}/tags`, { name: 'stable' });
    assert.equal(await runs('test', { processDefnTag: 'stable' }), live);
    const test = await deploy('test', 'tagged', [DECIDE]);
    await must('test', `/processDefinitions/${test}/tags`, { name: 'stable' });
    assert.equal(await runs('test', { processDefnTag: 'stable' }), test);
    assert.equal(await runs('live', { processDefnTag: 'stable' }), live);
    const { body } = await send('test', 'GET', '/processDefinitions/tags?name=stable');
    assert.deepEqual([body.totalElements, body.content[0].processDefinitionId], [1, test]);
    const refusal = await send('test', 'DELETE', `/processDefinitions/${live}/tags/stable`);
    assert.equal(refusal.body.code, 100063, 'a live tag is not a test key’s to take off');
  });

  it('configuration of a test key does not protect a live version by its tag: a live key can archive the version', async () => {
    const live = await deploy('live', 'archived', [DECIDE]);
    await must('test', `/processDefinitions/${live}/tags`, { name: 'in the way' });
    assert.equal((await must('live', `/processDefinitions/${live}/archive`)).status, 'ARCHIVED');
  });

  it('configuration of a test key is used for the subprocess of a test instance, and never for that of a live one', async () => {
    const live = await deploy('live', 'child', [CONSENT, DECIDE]);
    await deploy('live', 'parent', [{ id: 'sub', type: 'subprocess', definition: 'child' }, DECIDE]);
    const test = await deploy('test', 'child', [DECIDE]);
    const { findDeployed } = await import('./definitions.repository.ts');
    const db = grove.app.db.of(grove.tenantId as never);
    assert.equal((await findDeployed(db, { environment: 'live', name: 'child' }))?.id, live);
    assert.equal((await findDeployed(db, { environment: 'test', name: 'child' }))?.id, test);
  });

  it('configuration of a test key has its own settings; until there are any, the live ones apply', async () => {
    const origins = async (environment: Environment) =>
      (await send(environment, 'GET', '/settings')).body.redirectOrigins;
    await must('live', '/settings', { redirectOrigins: ['https://shop.example'] });
    assert.deepEqual(await origins('test'), ['https://shop.example']);
    await must('test', '/settings', { redirectOrigins: ['http://localhost:3000'] });
    assert.deepEqual(
      [await origins('test'), await origins('live')],
      [['http://localhost:3000'], ['https://shop.example']],
    );
    const parameters = { _redirectUrl: 'http://localhost:3000/back' };
    const refusal = await send('live', 'POST', '/processTokens', {
      name: 'redirects',
      processDefnName: 'document-only',
      parameters,
    });
    assert.equal(refusal.status, 400, refusal.text);
  });

  it('configuration of a test key has its own secrets: a test definition cannot name a live secret', async () => {
    await must('live', '/cloudSecrets', { name: 'RISK', value: 'live', hosts: ['risk.example'] });
    const http = { id: 'risk', type: 'http', url: 'https://risk.example/', headers: { 'X-Key': '{secret.RISK}' } };
    const { id } = await must('test', '/processDefinitions', { name: 'asks', steps: [http, DECIDE] });
    const refusal = await send('test', 'POST', `/processDefinitions/${id}/deploy`, {});
    assert.deepEqual([refusal.body.code, refusal.body.errors[0].pointer], [100048, '/steps/0/headers/X-Key']);
    await must('test', '/cloudSecrets', { name: 'RISK', value: 'test', hosts: ['risk.example'] });
    await must('test', `/processDefinitions/${id}/deploy`);
    assert.equal((await send('live', 'GET', '/cloudSecrets')).body.totalElements, 1);
  });

  it('configuration of a test key with a secret that may not be sent to the host of a step is refused, with what to do', async () => {
    await must('live', '/cloudSecrets', { name: 'BOUND', value: 'x', hosts: ['Risk.Example:443', 'risk.example'] });
    const http = { id: 'risk', type: 'http', url: 'https://evil.example/', headers: { 'X-Key': '{secret.BOUND}' } };
    const { id } = await must('live', '/processDefinitions', { name: 'bound', steps: [http, DECIDE] });
    const { body } = await send('live', 'POST', `/processDefinitions/${id}/deploy`, {});
    assert.match(body.errors[0].message, /"BOUND" may not be sent to evil\.example: add that host to its hosts first/);
  });

  it('configuration of a test key is in the audit log with its author and its changes, and without secret values', async () => {
    const { body: before } = await send('test', 'GET', '/auditEvents?size=1');
    // Events of one millisecond have no order.
    grove.clock.advance(1);
    await must('test', '/cloudSecrets', { name: 'NOTED', value: 'unmistakable', hosts: ['a.example'] });
    const { body, text } = await send('test', 'GET', '/auditEvents?action=cloudSecret.created&size=1');
    const { action, actor, environment, item, details } = body.content[0];
    assert.deepEqual(
      { action, actor, environment, item, fields: details.fields, values: details.values },
      {
        action: 'cloudSecret.created',
        actor: 'API Key: CI',
        environment: 'test',
        item: 'NOTED',
        fields: ['name', 'value', 'hosts'],
        values: { hosts: ['a.example'] },
      },
    );
    assert.ok(before.totalElements > 0);
    assert.doesNotMatch(text, /unmistakable/);
    const { body: live } = await send('live', 'GET', '/auditEvents?action=processSettings.updated');
    assert.deepEqual(live.content[0].details.values.redirectOrigins, ['https://shop.example']);
    const refusal = await send('live', 'POST', '/cloudSecrets', { name: 'a b', value: 'x' });
    assert.equal(refusal.status, 400);
    const { body: after } = await send('live', 'GET', '/auditEvents?action=cloudSecret.created');
    assert.ok(
      after.content.every((each: { item: string }) => each.item !== 'a b'),
      'what was refused is no change',
    );
  });
});
