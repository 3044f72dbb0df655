import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';

type Received = { headers: Record<string, string>; body: string };

onBothEngines('webhooks of a journey', (_engine, places) => {
  const received: Received[] = [];
  const receiver = createServer(async (request: IncomingMessage, response) => {
    const body = (await Array.fromAsync(request)).join('');
    received.push({ headers: request.headers as Record<string, string>, body });
    response.end();
  });
  let app: TestApp;
  let testKey: string;
  let token: string;
  let uri: string;

  before(async () => {
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    const { port } = receiver.address() as AddressInfo;
    uri = `http://127.0.0.1:${port}/hook`;
    const environment = { GROVE_OUTBOUND_ALLOW: `127.0.0.1:${port}` };
    app = await openTestApp(await places.create(), { environment });
    // The library compares signatures with the real time.
    app.clock.set(Date.now());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
  });
  after(async () => {
    await app.stop();
    receiver.close();
  });

  const post = (path: string, body: object = {}) =>
    app.call(path, { method: 'POST', body: JSON.stringify(body), token });
  const create = async (name: string, events: string[]) => {
    const creation = await post('/api/notification-service/webhooks', { name, uri, events });
    assert.equal(creation.status, 201, creation.text);
    return creation.body as { id: string; secret: string };
  };
  const until = async (count: number, of: (each: Received) => boolean) => {
    for (let tries = 0; tries < 500; tries++) {
      const matches = received.filter(of);
      if (matches.length >= count) return matches;
      await wait(20);
    }
    throw new Error(`only ${received.filter(of).length} of ${count} arrived`);
  };

  it('webhooks of a journey receive every event of the instance, in order, signed as Standard Webhooks says', async () => {
    const { secret } = await create('everything', ['*']);
    const { processInstanceId, user } = await startJourney(app, testKey);
    await user.finish();
    const own = (each: Received) => JSON.parse(each.body).data?.processInstanceId === processInstanceId;
    const events = (await until(10, own)).map(({ headers, body }) => {
      return new Webhook(secret).verify(body, headers) as { type: string; data: { sequence: number; status: string } };
    });
    const inOrder = events.toSorted((one, other) => one.data.sequence - other.data.sequence);
    assert.deepEqual(
      inOrder.map(({ type, data }) => `${data.sequence} ${type}`),
      [
        '1 instance.created',
        '2 instance.started',
        '3 instance.stepSeen',
        '4 instance.stepCompleted',
        '5 instance.stepSeen',
        '6 instance.stepCompleted',
        '7 instance.stepSeen',
        '8 instance.stepCompleted',
        '9 instance.stepCompleted',
        '10 instance.completed',
      ],
    );
    assert.equal(inOrder.at(-1)?.data.status, 'COMPLETED_ENDED_SUCCESS');
    assert.ok(!events.some((each) => JSON.stringify(each).includes('ERIKSSON')), 'nothing of a person is told');
  });

  it('webhooks of a journey are called by a step that names one, and a definition that names a missing one is not deployed', async () => {
    const steps = [
      { id: 'consent', type: 'consent' },
      { id: 'notify', type: 'webhook', name: 'crm' },
      { id: 'decide', type: 'decision' },
    ];
    const creation = await post('/api/process-manager/processDefinitions', { name: 'notifying', steps });
    const deploy = `/api/process-manager/processDefinitions/${creation.body.id}/deploy`;
    const refusal = await post(deploy);
    assert.equal(refusal.body.code, 100048);
    assert.match(refusal.body.message, /\/steps\/1\/name/);
    await create('crm', []);
    assert.equal((await post(deploy)).status, 200);
    const { processInstanceId, user } = await startJourney(app, testKey, { processDefnName: 'notifying' });
    assert.equal((await user.finish()).status, 'COMPLETED_ENDED_SUCCESS');
    const [delivery] = await until(1, ({ body }) => {
      const { type, data } = JSON.parse(body);
      return type === 'instance.step' && data.processInstanceId === processInstanceId;
    });
    assert.equal(JSON.parse(delivery?.body ?? '{}').data.step, 'notify');
  });

  it('webhooks of a journey receive nothing of the other environment', async () => {
    const live = await app.token();
    const body = JSON.stringify({ name: 'live one', uri, events: ['*'] });
    const creation = await app.call('/api/notification-service/webhooks', { method: 'POST', body, token: live });
    assert.equal(creation.status, 201);
    const { user } = await startJourney(app, testKey, { processDefnName: 'document-only' });
    await user.finish();
    const deliveries = `/api/notification-service/webhooks/${creation.body.id}/deliveries`;
    assert.equal((await app.call(deliveries, { token: live })).body.totalElements, 0);
  });
});
