import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { MAX_SERIES, openMeters } from '../src/kernel/meters.ts';
import { startJourney } from './end-user.ts';
import { openTestApp, type TestApp, testPlaces } from './harness.ts';
import { openTraceCollector } from './trace-collector.ts';
import { openReceiver, type Receiver } from './webhooks.ts';

const DEPLOY = fileURLToPath(new URL('../../../deploy/', import.meta.url));
const ALERTS = `${DEPLOY}prometheus/alerts.yml`;
const PROMTOOL = spawnSync('promtool', ['--version']).error ? 'promtool is not here (Debian: prometheus)' : false;

describe('monitoring', () => {
  const places = testPlaces('sqlite');
  let app: TestApp;
  let receiver: Receiver;
  let collector: Awaited<ReturnType<typeof openTraceCollector>>;
  let testKey: string;

  before(async () => {
    collector = await openTraceCollector();
    receiver = await openReceiver();
    app = await openTestApp(await places.create(), {
      environment: {
        GROVE_OTLP_URL: collector.url,
        GROVE_OUTBOUND_ALLOW: `127.0.0.1:${new URL(receiver.uri).port}`,
      },
    });
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
  });
  after(async () => {
    await receiver.close();
    collector.close();
  });

  const metrics = async () => (await fetch(`${app.baseUrl}/metrics`)).text();
  const sampleOf = (text: string, series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${series} `))
        ?.slice(series.length + 1) ?? Number.NaN,
    );

  it('monitoring counts verifications, steps, webhooks and waiting reviews, and traces them from the caller to the webhook', async () => {
    const token = await app.token(testKey);
    const hook = JSON.stringify({ name: 'hook', uri: receiver.uri, events: ['instance.completed'] });
    const creation = await app.call('/api/notification-service/webhooks', { method: 'POST', body: hook, token });
    assert.equal(creation.status, 201, creation.text);
    const done = await startJourney(app, testKey, { parameters: {} });
    await done.user.finish();
    const review = await startJourney(app, testKey, { parameters: { _scenario: 'document-blurred' } });
    await review.user.finish();
    await receiver.arrived(1);
    const text = await metrics();
    const of = 'definition="document-and-selfie",environment="test"';
    assert.equal(sampleOf(text, `grove_verifications_started_total{${of}}`), 2);
    assert.equal(sampleOf(text, `grove_verifications_ended_total{${of},outcome="COMPLETED_ENDED_SUCCESS"}`), 1);
    assert.equal(sampleOf(text, `grove_reviews_total{${of},what="waiting"}`), 1);
    assert.equal(sampleOf(text, 'grove_reviews_waiting{environment="test"}'), 1);
    assert.ok(sampleOf(text, `grove_steps_total{${of},step="document",what="completed"}`) >= 1, text);
    assert.match(text, /grove_webhook_attempts_total\{outcome="delivered"\} 1/);
    const [free, size] = ['free_bytes', 'bytes'].map((name) => sampleOf(text, `grove_disk_${name}{}`)) as [
      number,
      number,
    ];
    assert.ok(free > 0 && free < size, `${free} of ${size}`);
    assert.match(text, /grove_blob_seconds_count\{operation="put",outcome="ok"\} \d+/);
    for (const secret of ['acme', app.apiKey, review.processInstanceId]) assert.ok(!text.includes(secret));
  });

  it('every metric of the alerts and the dashboard is written by the server', async () => {
    const text = await metrics();
    // On SQLite there are no connections to count.
    const writtenMetrics = new Set(['grove_database_connections', 'up', 'ALERTS']);
    for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) {
      for (const ending of ['', '_bucket', '_count', '_sum']) writtenMetrics.add(`${name}${ending}`);
    }
    const sources = `${readFileSync(ALERTS, 'utf8')}${readFileSync(`${DEPLOY}grafana/grove.json`, 'utf8')}`;
    const names = new Set(sources.match(/\b(grove|process|nodejs)_[a-z0-9_]+/g));
    assert.ok(names.size > 20);
    assert.deepEqual(
      [...names].filter((name) => !writtenMetrics.has(name)),
      [],
    );
  });

  it('every alert has a test in which it fires', () => {
    const tests = readFileSync(`${DEPLOY}prometheus/alerts.test.yml`, 'utf8');
    const alerts = [...readFileSync(ALERTS, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);
    assert.deepEqual(
      alerts.filter((name) => !new RegExp(`\\b${name}\\b`).test(tests)),
      [],
    );
  });

  it('the alert rules pass their own tests', { skip: PROMTOOL }, () => {
    execFileSync('promtool', ['test', 'rules', `${DEPLOY}prometheus/alerts.test.yml`], { stdio: 'pipe' });
  });

  it('monitoring keeps the X-Request-Id of a caller, and replaces one that could forge a header or a log line', async () => {
    const idOf = async (id: string) =>
      (await app.call('/api/arthr/apiKeys', { headers: { 'x-request-id': id }, token: await app.token() })).headers.get(
        'x-request-id',
      );
    assert.equal(await idOf('order-4711.attempt_2'), 'order-4711.attempt_2');
    for (const bad of ['short', 'a'.repeat(101), 'with space here', 'quote"inside', '{"level":50}']) {
      assert.notEqual(await idOf(bad), bad);
    }
  });

  it('a trace leads from the request over the job to the webhook, without personal data', async () => {
    const traceId = 'ab'.repeat(16);
    const headers = { traceparent: `00-${traceId}-${'cd'.repeat(8)}-01` };
    const token = await app.token(testKey);
    await app.call('/api/arthr/apiKeys?name=Ada%20Byrne', { headers, token });
    await app.stop();
    const { spans } = collector;
    const request = spans.find((span) => span.traceId === traceId);
    assert.equal(request?.name, 'apiKeys.list');
    assert.equal(request?.parentSpanId, 'cd'.repeat(8));
    const names = new Set(spans.map(({ name }) => name));
    for (const name of ['webhook.deliver', 'outbound', 'blob.put']) {
      assert.ok(names.has(name), [...names].join(', '));
    }
    const [received] = receiver.received;
    const outbound = spans.find(({ name }) => name === 'outbound');
    assert.equal(received?.headers.traceparent?.split('-')[1], outbound?.traceId);
    const deliver = spans.find(({ name }) => name === 'webhook.deliver');
    assert.equal(outbound?.parentSpanId, deliver?.spanId);
    const above = spans.find(({ spanId }) => spanId === deliver?.parentSpanId);
    assert.ok(above, 'the delivery belongs to what caused it');
    assert.ok(!JSON.stringify(spans).includes('Byrne'));
  });
});

describe('the meters of the metrics', () => {
  it('the meters of the metrics limit their series, and escape labels that callers chose', async () => {
    const meters = openMeters();
    const counter = meters.counter('x_total', 'x');
    counter({ definition: 'a"b\\c\nd' });
    for (let at = 0; at < MAX_SERIES + 50; at++) counter({ definition: `d${at}` });
    const text = await meters.text();
    assert.ok(text.includes('x_total{definition="a\\"b\\\\c\\nd"} 1\n'));
    assert.equal(text.match(/^x_total\{/gm)?.length, MAX_SERIES + 1);
    assert.ok(text.includes('x_total{definition="other"} 51'));
  });

  it('a gauge of the metrics that cannot be read does not hide the others', async () => {
    const errors: unknown[] = [];
    const meters = openMeters((error) => errors.push(error));
    meters.gauge('bad', 'bad', () => Promise.reject(new Error('away')));
    meters.gauge('good', 'good', () => [{ labels: {}, value: 3 }]);
    assert.match(await meters.text(), /^good\{\} 3$/m);
    assert.equal(errors.length, 1);
  });
});
