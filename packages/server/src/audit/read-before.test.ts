import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';

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
  { id: 'document', type: 'document' },
  { id: 'decide', type: 'decision' },
];
const STORE = '/api/identity-store/stores/customers';

onBothEngines('the audit event of a change', (_engine, places) => {
  let app: TestApp;
  let token: string;
  before(async () => {
    app = await openTestApp(await places.create());
    token = await app.token();
  });
  after(() => app.stop());

  const post = async (path: string, body: object) => {
    const answer = await app.call(path, { method: 'POST', token, body: JSON.stringify(body) });
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body;
  };
  /** The changes that the newest event of an action lists. */
  const changesOf = async (action: string) => {
    const { body } = await app.call(`/api/process-manager/auditEvents?action=${action}&size=1`, { token });
    return body.content[0]?.details?.changes;
  };
  const isRecorded = async (action: string, path: string, body: object, changes: object[] | undefined) => {
    app.clock.advance(1000);
    await post(path, body);
    assert.deepEqual(await changesOf(action), changes, action);
  };

  it('the audit event of a change has each value before and after, for every resource that can be updated', async () => {
    const key = await post('/api/arthr/apiKeys', {
      name: 'desk',
      permissions: ['TNT#acme#ProcessManager:listReviews'],
    });
    await isRecorded('apiKey.updated', `/api/arthr/apiKeys/${key.id}`, { status: 'BLOCKED' }, [
      { path: 'status', before: '"ACTIVE"', after: '"BLOCKED"' },
    ]);
    const definitions = '/api/process-manager/processDefinitions';
    const { id } = await post(definitions, { name: 'audited', steps: STEPS });
    const steps = STEPS.map((step) => (step.id === 'document' ? { ...step, when: "params.country == 'DE'" } : step));
    await isRecorded('processDefinition.updated', `${definitions}/${id}`, { name: 'audited', steps }, [
      { path: 'document/steps/document/when', after: `"params.country == 'DE'"` },
    ]);
    await isRecorded('processSettings.updated', '/api/process-manager/settings', { reviewDueHours: 8 }, [
      { path: 'reviewDueHours', before: '0', after: '8' },
    ]);
    const hooks = '/api/notification-service/webhooks';
    const hook = await post(hooks, { name: 'crm', uri: 'https://hooks.example.com/a', events: ['instance.completed'] });
    await isRecorded('webhook.updated', `${hooks}/${hook.id}`, { events: ['*'] }, [
      { path: 'events', before: '"instance.completed"' },
      { path: 'events', after: '"*"' },
    ]);
    const themes = '/api/theme-server/themes';
    await post(themes, { name: 'brand', palette: COLOURS });
    await isRecorded('theme.updated', `${themes}/brand`, { palette: { ...COLOURS, text: '#000000' } }, [
      { path: 'palette/text', before: '"#16211c"', after: '"#000000"' },
    ]);
    const roles = '/api/operator-manager/roles';
    await post(roles, { name: 'Desk', permissions: ['TNT#acme#ProcessManager:listReviews'] });
    await isRecorded('operatorRole.updated', `${roles}/Desk`, { masked: true }, [
      { path: 'masked', before: 'false', after: 'true' },
    ]);
    const operators = '/api/operator-manager/operators';
    const invited = await post(operators, { name: 'Anna', email: 'anna@acme.com', role: 'Auditor' });
    await isRecorded('operator.updated', `${operators}/${invited.operator.id}`, { role: 'Reviewer' }, [
      { path: 'role', before: '"Auditor"', after: '"Reviewer"' },
    ]);
  });

  it('the audit event of a change has the values of identity stores, their relying parties and their policies', async () => {
    await post('/api/identity-store/stores', { name: 'customers' });
    await isRecorded('identityStore.updated', STORE, { configuration: { maxUsers: 10 } }, [
      { path: 'configuration/maxUsers', after: '10' },
    ]);
    await post(`${STORE}/passkeyConfig`, { rpId: 'example.com', rpName: 'Shop' });
    await isRecorded('passkeyConfig.updated', `${STORE}/passkeyConfig/example.com`, { rpName: 'Shop of Ada' }, [
      { path: 'rpName', before: '"Shop"', after: '"Shop of Ada"' },
    ]);
    await post(`${STORE}/totpPolicy`, { name: 'codes', issuer: 'Acme' });
    await isRecorded('totpPolicy.updated', `${STORE}/totpPolicy/codes`, { issuer: 'Globex' }, [
      { path: 'issuer', before: '"Acme"', after: '"Globex"' },
    ]);
  });

  it('the audit event of a change contains no secret: no new value of one, and no address or header of a webhook', async () => {
    const secrets = '/api/process-manager/cloudSecrets';
    const { id } = await post(secrets, { name: 'CRM', value: 'first-value', hosts: ['a.example.com'] });
    const change = { value: 'second-value', hosts: ['b.example.com'] };
    await isRecorded('cloudSecret.updated', `${secrets}/${id}`, change, [
      { path: 'hosts', before: '"a.example.com"' },
      { path: 'hosts', after: '"b.example.com"' },
    ]);
    const hooks = '/api/notification-service/webhooks';
    const hook = await post(hooks, { name: 'sso', uri: 'https://hooks.example.com/?key=one', events: ['*'] });
    const other = { uri: 'https://hooks.example.com/?key=two', sensitiveHeaders: { Authorization: 'Bearer hidden' } };
    await isRecorded('webhook.updated', `${hooks}/${hook.id}`, other, [
      { path: 'sensitiveHeaders', after: '"Authorization"' },
    ]);
    const { text } = await app.call('/api/process-manager/auditEvents?size=100', { token });
    assert.doesNotMatch(text, /first-value|second-value|key=one|key=two|Bearer hidden/);
  });

  it('the audit event of a change lists no change if nothing changed, and a refused change has no event', async () => {
    await isRecorded('processSettings.updated', '/api/process-manager/settings', { reviewDueHours: 8 }, undefined);
    const missing = await app.call('/api/theme-server/themes/nobody', { method: 'POST', token, body: '{"radius":3}' });
    assert.equal(missing.status, 404);
    const { body } = await app.call('/api/process-manager/auditEvents?action=theme.updated', { token });
    assert.equal(body.totalElements, 1);
  });

  it('the audit event of a change lists only what this change did, also if others change the same object at once', async () => {
    await post('/api/theme-server/themes', { name: 'shared', palette: COLOURS, radius: 1 });
    await post('/api/identity-store/stores', { name: 'shared' });
    await post('/api/identity-store/stores/shared/passkeyConfig', { rpId: 'example.com', rpName: 'Shop' });
    app.clock.advance(1000);
    const startDateTime = new Date(app.clock.now()).toISOString();
    const changes = Array.from({ length: 6 }, (_, at) => [
      post('/api/theme-server/themes/shared', { radius: at + 2 }),
      post('/api/theme-server/themes/shared', { fontFamily: at % 2 ? 'serif' : 'rounded' }),
      post('/api/identity-store/stores/shared', { description: `${at}` }),
      post('/api/identity-store/stores/shared/passkeyConfig/example.com', { rpName: `Shop ${at}` }),
    ]);
    await Promise.all(changes.flat());
    const query = `size=100&startDateTime=${startDateTime}`;
    const { body } = await app.call(`/api/process-manager/auditEvents?${query}`, { token });
    assert.equal(body.content.length, 24);
    for (const { details } of body.content) {
      const paths = (details.changes ?? []).map(({ path }: { path: string }) => path);
      assert.deepEqual(
        paths.filter((path: string) => !details.fields.includes(path)),
        [],
        JSON.stringify(details),
      );
    }
  });
});
