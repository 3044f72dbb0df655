import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../../test/harness.ts';

/** The number of jobs that a server runs at once. */
const HANGING = 16;

onBothEngines('slow services of test journeys', (_engine, places) => {
  const hanging: ServerResponse[] = [];
  const service = createServer((request, response) => {
    if (request.url === '/hang' && !isOver) hanging.push(response);
    else response.end('{}');
  });
  let isOver = false;
  let app: TestApp;
  let address: string;

  before(async () => {
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done));
    address = `127.0.0.1:${(service.address() as AddressInfo).port}`;
    app = await openTestApp(await places.create(), { environment: { GROVE_OUTBOUND_ALLOW: address } });
    await app.app.tenants.create({ id: 'other' });
  });
  after(async () => {
    isOver = true;
    for (const response of hanging) response.end('{}');
    await app.stop();
    service.close();
  });

  const definitionOf = async (key: string, name: string) => {
    const token = await app.token(key);
    const steps = [
      { id: 'consent', type: 'consent' },
      { id: 'ask', type: 'http', url: `http://${address}/${name}` },
      { id: 'decide', type: 'decision' },
    ];
    const call = (path: string, body: object) =>
      app.call(`/api/process-manager/processDefinitions${path}`, { method: 'POST', body: JSON.stringify(body), token });
    const { body } = await call('', { name, steps });
    assert.equal((await call(`/${body.id}/deploy`, {})).status, 200);
  };
  const newKey = async (tenantId: string, environment: 'live' | 'test') =>
    (await app.app.tenants.createApiKey(tenantId, { name: `key of ${environment}`, environment })).apiKey;
  const consent = async (key: string, processDefnName: string) => {
    const { user } = await startJourney(app, key, { processDefnName });
    await user.submit('consent', { accepted: true });
    return user;
  };

  it('slow services of test journeys delay neither the live journeys of their tenant nor those of others', async () => {
    const testKey = await newKey('acme', 'test');
    await definitionOf(testKey, 'hang');
    const slow = await Promise.all(Array.from({ length: HANGING }, () => consent(testKey, 'hang')));
    while (hanging.length < HANGING) await new Promise((turn) => setTimeout(turn, 5));
    for (const tenantId of ['acme', 'other']) {
      const key = await newKey(tenantId, 'live');
      await definitionOf(key, 'quick');
      const user = await consent(key, 'quick');
      assert.notEqual((await user.settled()).waitingFor, 'check', tenantId);
      for (const each of slow) assert.equal((await each.look()).waitingFor, 'check');
    }
  });
});
