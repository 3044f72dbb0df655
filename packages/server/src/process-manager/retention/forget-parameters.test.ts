import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';

const ROUNDS = 12;
const INSTANCES = '/api/process-manager/processInstances';
const TOKENS = '/api/process-manager/processTokens';

onBothEngines('parameters of process tokens', (_engine, places) => {
  let app: TestApp;
  let token: string;
  before(async () => {
    app = await openTestApp(await places.create());
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
    token = await app.token(apiKey);
  });
  after(() => app.stop());

  const post = async (path: string, body: object = {}) => {
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body), token });
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body;
  };
  const removals = {
    deleted: (id: string) => app.call(`${INSTANCES}/${id}`, { method: 'DELETE', token }),
    redacted: (id: string) => app.call(`${INSTANCES}/${id}/redact`, { method: 'POST', body: '{}', token }),
  };

  for (const [done, remove] of Object.entries(removals)) {
    it(`a process token loses its personal data when its last two instances are ${done} at once`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const tokenBody = { name: `${done} ${round}`, processDefnName: 'document-and-selfie' };
        const { id } = await post(TOKENS, { ...tokenBody, parameters: { firstName: 'Zuleikha', caseNumber: '7' } });
        const instances = [await post(`${INSTANCES}/create?pt=${id}`), await post(`${INSTANCES}/create?pt=${id}`)];
        const ids = instances.map(({ processInstanceId }) => processInstanceId as string);
        for (const each of ids) await post(`${INSTANCES}/${each}/cancel`);
        const answers = await Promise.all(ids.map(remove));
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200],
        );
        assert.deepEqual((await app.call(`${TOKENS}/${id}`, { token })).body.parameters, { caseNumber: '7' });
      }
    });
  }
});
