import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startJourney } from './end-user.ts';
import { openTestApp, type TestApp, type TestPlace, testPlaces } from './harness.ts';
import { JPEG } from './images.ts';
import { storedJobs } from './jobs.ts';

const DEFINITION = {
  name: 'looked-at',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'document', type: 'document', key: 'doc1', maxAttempts: 1 },
    { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW', onUncertain: 'REVIEW' },
  ],
};

describe('roles of processes on one database', () => {
  const places = testPlaces('postgres');
  let place: TestPlace;
  let api: TestApp;
  before(async () => {
    place = await places.create();
    api = await openTestApp(place, { environment: { GROVE_ROLES: 'api,worker' } });
    const definition = await api.client.processDefinitions.create({ body: DEFINITION as never });
    await api.call(`/api/process-manager/processDefinitions/${definition.id}/deploy`, { method: 'POST' });
  });
  after(() => api.stop());

  it('a live step with images waits for a process that has image analysis', async () => {
    const { user } = await startJourney(api, api.apiKey, { processDefnName: 'looked-at' });
    const headers = { 'content-type': 'image/jpeg' };
    const uploaded = await user.call('/steps/document/images/front', { method: 'POST', body: JPEG, headers });
    assert.equal(uploaded.status, 200, uploaded.text);
    assert.equal((await user.submit('document')).status, 200);
    assert.match(api.logged(), /live pictures wait for a process with the role vision/);
    await api.app.jobs.runDue();
    assert.equal((await user.look()).waitingFor, 'check');
    const waiting = (await storedJobs(api.app.db)).filter(({ kind }) => kind === 'process-manager.look');
    assert.deepEqual(
      waiting.map(({ attempts }) => attempts),
      [0],
    );

    const eyes = await openTestApp(place, { environment: { GROVE_ROLES: 'vision' } });
    try {
      assert.equal((await user.settled()).waitingFor, 'review');
    } finally {
      await eyes.stop();
    }
  });

  it('a sandbox step runs without a process that has image analysis', async () => {
    const { apiKey } = await api.app.tenants.createApiKey('acme', { name: 'test key', environment: 'test' });
    const { user } = await startJourney(api, apiKey);
    assert.equal((await user.finish()).status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('a process without the role api serves health and metrics, and nothing else', async () => {
    const eyes = await openTestApp(place, { environment: { GROVE_ROLES: 'vision' } });
    const statusOf = async (path: string) => (await eyes.call(path, { token: null })).status;
    try {
      assert.deepEqual(await Promise.all(['/health/live', '/health/ready', '/metrics'].map(statusOf)), [200, 200, 200]);
      assert.deepEqual(
        await Promise.all(['/', '/console/', '/openapi.json', '/.well-known/jwks.json', '/v/x'].map(statusOf)),
        [404, 404, 404, 404, 404],
      );
      const issued = await eyes.call('/api/arthr/apiKeys/issue', { method: 'POST', token: null });
      assert.equal(issued.status, 404);
    } finally {
      await eyes.stop();
    }
  });
});
