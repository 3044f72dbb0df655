import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { asTenantId } from '../../kernel/ids.ts';

const SHADOWS = '/api/process-manager/shadowVersions';
const DEFINITIONS = '/api/process-manager/processDefinitions';

onBothEngines('a shadow version', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;
  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
  });
  after(() => app.stop());

  const send = (path: string, body: object, method = 'POST') =>
    app.call(path, { method, token, body: JSON.stringify(body) });
  const get = (path: string) => app.call(path, { token });
  /** A draft of the shipped definition that declines applicants whom the deployed one sends to a human. */
  const draft = async () => {
    const { id } = (await get(`${DEFINITIONS}?name=document-and-selfie`)).body.content[0];
    const { document } = (await get(`${DEFINITIONS}/${id}`)).body;
    const steps = document.steps.map((step: { type: string }) =>
      step.type === 'decision' ? { ...step, onAnyFailure: 'FAIL', onUncertain: 'FAIL' } : step,
    );
    const creation = await send(DEFINITIONS, { ...document, steps });
    assert.equal(creation.status, 201, creation.text);
    return creation.body.id as string;
  };
  const finish = async (_scenario: string) => {
    const { user, processInstanceId } = await startJourney(app, testKey, { parameters: { _scenario } });
    await user.finish();
    return processInstanceId;
  };

  it('a shadow version shows the outcomes it would have had for the instances since it was started, and decides nothing', async () => {
    const before = await finish('face-mismatch');
    app.clock.advance(1000);
    const id = await draft();
    const started = await send(SHADOWS, { processDefinitionId: id });
    assert.equal(started.status, 201, started.text);
    assert.equal(started.body.processDefnName, 'document-and-selfie');
    app.clock.advance(1000);
    const declined = await finish('face-mismatch');
    await finish('passed');
    const { body } = await get(`${SHADOWS}/${id}/result`);
    assert.equal(body.examined, 2, 'an instance from before is not looked at');
    const changed = body.changed.map((each: { processInstanceId: string; recorded: string; outcome: string }) => [
      each.processInstanceId,
      each.recorded,
      each.outcome,
    ]);
    assert.deepEqual(changed, [[declined, 'REVIEW', 'FAIL']]);
    for (const instance of [before, declined]) {
      assert.equal((await get(`/api/process-manager/processInstances/${instance}`)).body.status, 'REVIEW');
    }
    const audited = await get('/api/process-manager/auditEvents?action=shadowVersion.started');
    assert.equal(audited.body.totalElements, 1);
  });

  it('a shadow version is listed until it is ended, continues if it is started again, and is visible only in its environment', async () => {
    const id = await draft();
    const first = await send(SHADOWS, { processDefinitionId: id });
    app.clock.advance(60_000);
    const again = await send(SHADOWS, { processDefinitionId: id });
    assert.equal(again.body.startedDtm, first.body.startedDtm);
    const ids = async (of: string) =>
      (await app.call(`${SHADOWS}?size=100`, { token: of })).body.content.map(
        (each: { processDefinitionId: string }) => each.processDefinitionId,
      );
    assert.ok((await ids(token)).includes(id));
    assert.deepEqual(await ids(await app.token()), []);
    assert.equal((await app.call(`${SHADOWS}/${id}`, { method: 'DELETE', token })).status, 204);
    assert.ok(!(await ids(token)).includes(id));
  });

  it('100023: a shadow version is refused for a version that does not exist, or is of another environment', async () => {
    const id = await draft();
    const live = await app.token();
    const body = JSON.stringify({ processDefinitionId: id });
    assert.equal((await app.call(SHADOWS, { method: 'POST', token: live, body })).body.code, 100023);
    assert.equal((await send(SHADOWS, { processDefinitionId: '01JZ4MCW8A0C2E4G6J8M0P2R4T' })).body.code, 100023);
    for (const [path, method] of [
      [`${SHADOWS}/${id}`, 'DELETE'],
      [`${SHADOWS}/${id}/result`, 'GET'],
    ] as const) {
      assert.equal((await app.call(path, { method, token })).body.code, 100023);
    }
  });

  it('100048: a shadow version that an earlier release accepted, and this one does not, is refused with its faults', async () => {
    const id = await draft();
    assert.equal((await send(SHADOWS, { processDefinitionId: id })).status, 201);
    const text = 'UPDATE process_definitions SET document = $1 WHERE tenant_id = $2 AND id = $3';
    const faulty = JSON.stringify({ name: 'document-and-selfie', steps: [{ id: 'old', type: 'palmistry' }] });
    await app.app.db.of(asTenantId('acme')).write((tx) => tx.run({ text }, [faulty, 'acme', id]));
    const { status, body } = await get(`${SHADOWS}/${id}/result`);
    assert.deepEqual([status, body.code], [400, 100048]);
    assert.ok(body.errors.some(({ pointer }: { pointer: string }) => pointer === '/definition/steps/0/type'));
    assert.equal((await app.call(`${SHADOWS}/${id}`, { method: 'DELETE', token })).status, 204);
  });

  it('100065: a tenant has at most twenty shadow versions at a time', async () => {
    const id = await draft();
    const { totalElements } = (await get(SHADOWS)).body;
    for (let more = totalElements; more < 20; more += 1) {
      assert.equal((await send(SHADOWS, { processDefinitionId: await draft() })).status, 201);
    }
    assert.equal((await send(SHADOWS, { processDefinitionId: id })).body.code, 100065);
  });
});
