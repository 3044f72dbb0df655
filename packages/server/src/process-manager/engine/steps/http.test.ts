import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { startJourney } from '../../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../../test/harness.ts';
import type { Step } from '../definition.ts';
import { NO_DATA } from '../state.ts';
import { bodyFault, fillBody } from './fill-body.ts';
import { http, valueAt } from './http.ts';

const SECRET = 'hunter2-and-more';
type Answers = { status?: number; body?: string; hang?: boolean };

onBothEngines('an http step', (_engine, places) => {
  let requests: { method: string | undefined; headers: Record<string, string>; body: string }[] = [];
  let answers: Answers[] = [];
  const service = createServer(async (request: IncomingMessage, response) => {
    const body = (await Array.fromAsync(request)).join('');
    requests.push({ method: request.method, headers: request.headers as Record<string, string>, body });
    const { status = 200, body: answer = '{}' } = answers.shift() ?? {};
    response.writeHead(status).end(answer);
  });
  let app: TestApp;
  let testKey: string;
  let url: string;
  let count = 0;

  before(async () => {
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
    const { port } = service.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/score`;
    app = await openTestApp(await places.create(), { environment: { GROVE_OUTBOUND_ALLOW: `127.0.0.1:${port}` } });
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    await call('/api/process-manager/cloudSecrets', {
      name: 'scoring',
      type: 'STRING',
      value: SECRET,
      hosts: [`127.0.0.1:${port}`],
    });
  });
  beforeEach(() => {
    requests = [];
    answers = [];
  });
  after(async () => {
    await app.stop();
    service.close();
  });

  const call = async (path: string, body: object = {}) => {
    const token = await app.token(testKey);
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body), token });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  /** Runs a journey with consent, the step, and a decision that depends on the answer of the service. */
  const run = async (settings: object, rules: object[] = []) => {
    count += 1;
    const name = `http-${count}`;
    const steps = [
      { id: 'consent', type: 'consent' },
      { id: 'score', type: 'http', url, ...settings },
      { id: 'decide', type: 'decision', rules, onUncertain: 'REVIEW' },
    ];
    const { id } = await call('/api/process-manager/processDefinitions', { name, steps });
    await call(`/api/process-manager/processDefinitions/${id}/deploy`);
    const parameters = { email: 'ada@example.com', firstName: 'Ada "the first"' };
    const { user, processInstanceId, token } = await startJourney(app, testKey, { processDefnName: name, parameters });
    const snapshot = await user.finish();
    const path = `/api/userdata-server/processDefinitions/${id}/processInstances/${processInstanceId}`;
    const checks = (await app.call(`${path}/userdata/checks`, { token })).body;
    const { forms } = (await app.call(`${path}/userdata`, { token })).body;
    return { snapshot, processInstanceId, forms, check: checks.find(({ step }: { step: string }) => step === 'score') };
  };

  it('an http step sends the body of its template, with the secret in the header, and stores the configured values of the answer', async () => {
    answers = [{ body: '{"risk":{"score":0.2,"label":"low"},"ok":true,"more":[1]}' }];
    const { snapshot, check, processInstanceId } = await run(
      {
        headers: { Authorization: 'Bearer {secret.scoring}' },
        body: '{"id":"{processInstanceId}","who":"{params.firstName}","none":"{data.forms.form1.city}"}',
        keep: { score: '/risk/score', label: '/risk/label', list: '/more', missing: '/no/where' },
        passes: '/ok',
      },
      [{ when: 'data.forms.http1.label == "low" && data.forms.http1.score < 0.5', outcome: 'PASS' }],
    );
    assert.deepEqual([snapshot.status, check.status], ['COMPLETED_ENDED_SUCCESS', 'PASSED']);
    assert.equal(requests.length, 1);
    assert.equal(requests[0]?.headers.authorization, `Bearer ${SECRET}`);
    assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), { id: processInstanceId, who: 'Ada "the first"', none: '' });
    const path = '/api/process-manager/auditEvents?action=cloudSecret.used';
    const { body } = await app.call(path, { token: await app.token(testKey) });
    assert.match(body.content[0].actor, /^Step: http-\d+\/score$/);
    assert.equal(body.content[0].item, 'scoring');
  });

  it('an http step stores no text with NUL or half of a surrogate pair, and cuts none within a character', async () => {
    const long = `${'x'.repeat(3999)}😀`;
    answers = [{ body: `{"nul":"a\\u0000","half":"\\ud800x","huge":1e400,"long":"${long}"}` }];
    const keep = { nul: '/nul', half: '/half', huge: '/huge', long: '/long' };
    const { forms } = await run({ keep });
    assert.deepEqual(forms.http1, { long: `${'x'.repeat(3999)}\ufffd` });
  });

  it('an http step sends only ids unless a template says more', async () => {
    const { processInstanceId } = await run({});
    assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), { processInstanceId, environment: 'test', step: 'score' });
  });

  it('an http step fails only if the service refuses', async () => {
    answers = [{ body: '{"ok":false}' }, { body: '{"ok":"yes"}' }];
    const no = await run({ passes: '/ok' });
    assert.deepEqual(
      [no.check.status, no.check.reason, no.snapshot.result.outcome],
      ['FAILED', 'refused', 'notPossible'],
    );
    const unclear = await run({ passes: '/ok' });
    assert.deepEqual([unclear.check.status, unclear.check.reason], ['NOT_PERFORMED', 'no_verdict']);
    assert.equal(unclear.snapshot.status, 'REVIEW');
  });

  it('an http step is NOT_PERFORMED, never passed, if the answer is invalid', async () => {
    const cases: [Answers[], object, string, number][] = [
      [[{ status: 404 }], {}, 'status', 1],
      [[{ status: 302 }], {}, 'status', 1],
      [[{ body: '<html>' }], {}, 'not_json', 1],
      [[{ body: 'x'.repeat(70_000) }], {}, 'bad_answer', 1],
    ];
    for (const [replies, settings, reason, requestCount] of cases) {
      requests = [];
      answers = [...replies];
      const { check, snapshot } = await run(settings);
      assert.deepEqual([check.status, check.reason, snapshot.status], ['NOT_PERFORMED', reason, 'REVIEW']);
      assert.equal(requests.length, requestCount, reason);
    }
  });

  it('an http step tries again if the service is busy, and uses the next answer', async () => {
    answers = [{ status: 503 }, { body: '{"ok":true}' }];
    const { check } = await run({ passes: '/ok' });
    assert.deepEqual([check.status, requests.length], ['PASSED', 2]);
  });

  it('an http step sends a secret only to its hosts, also if the hosts changed after the deployment', async () => {
    const { id } = await call('/api/process-manager/cloudSecrets', {
      name: 'moved',
      value: 'hunter2',
      hosts: [new URL(url).host],
    });
    const headers = { 'X-Key': '{secret.moved}' };
    await run({ headers });
    assert.equal(requests[0]?.headers['x-key'], 'hunter2');
    requests = [];
    const steps = [{ id: 'score', type: 'http', url, headers }];
    const definition = await call('/api/process-manager/processDefinitions', {
      name: 'moved',
      steps: [{ id: 'consent', type: 'consent' }, ...steps, { id: 'decide', type: 'decision' }],
    });
    await call(`/api/process-manager/processDefinitions/${definition.id}/deploy`);
    await call(`/api/process-manager/cloudSecrets/${id}`, { hosts: ['risk.example'] });
    const { user } = await startJourney(app, testKey, { processDefnName: 'moved' });
    await user.finish();
    assert.deepEqual(requests, []);
  });

  it('an http step is not deployed with an address that is not allowed', async () => {
    const token = await app.token(testKey);
    for (const inside of ['https://169.254.169.254/', 'http://shop.example/', 'https://shop.example:5432/']) {
      const steps = [
        { id: 'score', type: 'http', url: inside },
        { id: 'decide', type: 'decision' },
      ];
      const document = JSON.stringify({ name: 'inside', steps });
      const path = '/api/process-manager/processDefinitions/validate';
      const { body } = await app.call(path, { method: 'POST', body: document, token });
      assert.deepEqual([body.valid, body.faults[0]?.pointer], [false, '/steps/0/url'], inside);
    }
  });

  it('an http step is not deployed with a secret that does not exist', async () => {
    const steps = [
      { id: 'score', type: 'http', url, headers: { 'X-Key': '{secret.unknown}' } },
      { id: 'decide', type: 'decision' },
    ];
    const { id } = await call('/api/process-manager/processDefinitions', { name: 'no-secret', steps });
    const token = await app.token(testKey);
    const path = `/api/process-manager/processDefinitions/${id}/deploy`;
    const refusal = await app.call(path, { method: 'POST', body: '{}', token });
    assert.deepEqual([refusal.status, refusal.body.code], [400, 100048]);
    assert.equal(refusal.body.errors[0].pointer, '/steps/0/headers/X-Key');
  });
});

describe('the settings of an http step', () => {
  const faults = (settings: object) =>
    (http.faults?.({ id: 'x', type: 'http', ...settings } as Step) ?? []).map(({ pointer }) => pointer);

  it('the settings of an http step refuse headers that Grove sets itself, and values that no header can contain', () => {
    assert.deepEqual(faults({ headers: { Host: 'x' } }), ['/headers/Host']);
    assert.deepEqual(faults({ headers: { 'X-Ok': 'a\nb' } }), ['/headers/X-Ok']);
    assert.deepEqual(faults({ headers: { 'X-Ok': '{secret.a}' } }), []);
  });

  it('the settings of an http step refuse a template that is not JSON for every value, has unknown placeholders, or contains a secret', () => {
    assert.deepEqual(faults({ method: 'POST', body: '{"a": {params.x}}' }), ['/body']);
    assert.match(bodyFault('{"a":"{unknown}"}') ?? '', /must not hold \{unknown\}/);
    assert.match(bodyFault('{"a":"{secret.key}"}') ?? '', /secret/);
    assert.deepEqual(faults({ method: 'GET', body: '{}' }), ['/body']);
    assert.equal(bodyFault('{"a":"{data.documents.doc1.biographicData.Document Number}"}'), undefined);
  });
});

describe('a service that is called by an http step', () => {
  it('a service that is called by an http step is tried three times, at growing intervals, before the step is not performed', async () => {
    const paused: number[] = [];
    let calls = 0;
    const request = {
      step: { id: 'x', type: 'http', method: 'POST', url: 'https://a.example', key: 'http1' },
      instanceId: '1',
      environment: 'live',
      state: { params: {}, data: NO_DATA },
      callHttp: async () => {
        calls += 1;
        return calls % 2 === 1 ? { status: 503, text: '' } : { status: 0, text: '', fault: 'unreachable' };
      },
      pause: async (ms: number) => void paused.push(ms),
    };
    const { checks } = (await http.work?.(request as never)) ?? { checks: [] };
    assert.deepEqual([checks[0]?.status, checks[0]?.reason], ['NOT_PERFORMED', 'unreachable']);
    assert.deepEqual([calls, paused], [3, [1000, 4000]]);
  });
});

describe('a template of an http step', () => {
  const ids = { processInstanceId: '1', environment: 'live', step: 's' };
  it('a template of an http step takes fields of documents by name, and prefers the machine-readable value to the print', () => {
    const values = { mrzValue: 'L898902C3', visualZoneValue: 'L898902G3' };
    const doc1 = { biographicData: [{ fieldName: 'Document Number', values }] };
    const data = { ...NO_DATA, documents: { doc1 } };
    const filled = fillBody('{"n":"{data.documents.doc1.biographicData.Document Number}"}', ids, { data, params: {} });
    assert.equal(filled, '{"n":"L898902C3"}');
  });

  it('a template of an http step is not filled beyond the longest body, however often it contains a long text', () => {
    const data = { ...NO_DATA, forms: { f: { long: 'x'.repeat(100_000) } } };
    const fill = (times: number) =>
      fillBody(`{"a":"${'{data.forms.f.long}'.repeat(times)}"}`, ids, { data, params: {} });
    assert.equal(fill(2)?.length, 200_008);
    assert.equal(fill(3), undefined);
    assert.equal(fill(500), undefined);
    assert.match(bodyFault(`{"a":"${'{params.a}'.repeat(201)}"}`) ?? '', /more than 200 placeholders/);
  });

  it('a template of an http step reads no inherited member of an object', () => {
    const filled = fillBody('{"a":"{params.constructor}","b":"{data.forms.toString}"}', ids, {
      data: NO_DATA,
      params: {},
    });
    assert.equal(filled, '{"a":"","b":""}');
    assert.equal(valueAt({}, '/__proto__'), undefined);
    assert.equal(valueAt({ 'a/b': [{ '~': 1 }] }, '/a~1b/0/~0'), 1);
  });
});
