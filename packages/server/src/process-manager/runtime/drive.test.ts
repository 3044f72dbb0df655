import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { codeOf, endUser, startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';

const consent = { id: 'consent', type: 'consent' };
const decide = { id: 'decide', type: 'decision' };

onBothEngines('the engine in the application', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
  });
  after(() => app.stop());

  const post = (path: string, body: object = {}) =>
    app.call(`/api/process-manager${path}`, { method: 'POST', body: JSON.stringify(body), token });
  const deploy = async (document: { name: string; steps: object[]; [more: string]: unknown }) => {
    const creation = await post('/processDefinitions', document);
    assert.equal(creation.status, 201, creation.text);
    const deployed = await post(`/processDefinitions/${creation.body.id}/deploy`);
    assert.equal(deployed.status, 200, deployed.text);
    return creation.body.id as string;
  };
  const instance = async (id: string) =>
    (await app.call(`/api/process-manager/processInstances/${id}`, { token })).body;
  const events = async (id: string) =>
    (await app.call(`/api/process-manager/processInstances/${id}/events?size=100`, { token })).body.content;
  const runDue = async () => {
    await app.app.jobs.tend();
    await app.app.jobs.runDue();
  };

  it('the engine in the application ends an instance that runs out of time, also if nobody reads it', async () => {
    await deploy({ name: 'short', steps: [{ ...consent, timeout: 'PT1H' }, decide] });
    const started = await startJourney(app, testKey, { processDefnName: 'short' });
    app.clock.advance(HOUR + MINUTE);
    token = await app.token(testKey);
    await runDue();
    const { status, elapsedMilliseconds } = await instance(started.processInstanceId);
    assert.equal(status, 'COMPLETED_TERMINATED');
    assert.ok(elapsedMilliseconds >= HOUR);
    const last = (await events(started.processInstanceId)).at(-1);
    assert.equal(last.type, 'instance.terminated');
    assert.equal(last.data.reason, 'timeout');
    assert.equal((await started.user.look()).result.outcome, 'expired');
  });

  it('the engine in the application ends an instance that was never opened when its total time is over, together with its code', async () => {
    const body = { name: 'never opened', processDefnName: 'document-only', maxProcessDuration: 'PT2H' };
    const { body: processToken } = await post('/processTokens', body);
    const { body: created } = await post(`/processInstances/create?pt=${processToken.id}`);
    app.clock.advance(2 * HOUR + MINUTE);
    token = await app.token(testKey);
    await runDue();
    assert.equal((await instance(created.processInstanceId)).status, 'COMPLETED_TERMINATED');
    await assert.rejects(endUser(app, codeOf(created.redirectUrl)), /100055/);
  });

  it('the engine in the application pauses until the relying party resumes it with 200, and refuses with 100062 an instance that is not paused', async () => {
    const steps = [{ id: 'wait', type: 'pause' }, { ...consent, when: 'data.pauses.pause1.ask == "yes"' }, decide];
    await deploy({ name: 'pausing', steps });
    const { processInstanceId, user } = await startJourney(app, testKey, { processDefnName: 'pausing' });
    assert.equal((await instance(processInstanceId)).status, 'PAUSED');
    assert.equal((await user.look()).waitingFor, 'resume');
    const resumed = await post(`/processInstances/${processInstanceId}/resume`, { variables: { ask: 'yes' } });
    assert.equal(resumed.body.status, 'ACTIVE');
    assert.equal((await user.look()).step.id, 'consent');
    assert.equal((await post(`/processInstances/${processInstanceId}/resume`)).body.code, 100062);
  });

  it('the engine in the application ends an instance that is cancelled, together with its running child; 100057 the second time', async () => {
    await deploy({ name: 'cancelled-child', steps: [consent, decide] });
    const steps = [{ id: 'sub', type: 'subprocess', definition: 'cancelled-child', parameters: {} }, decide];
    await deploy({ name: 'cancelled-parent', steps });
    const { processInstanceId: id, user } = await startJourney(app, testKey, { processDefnName: 'cancelled-parent' });
    const childStarted = (await events(id)).find(({ type }: { type: string }) => type === 'instance.childStarted');
    const live = await app.token();
    const path = `/api/process-manager/processInstances/${id}/cancel`;
    assert.equal((await app.call(path, { method: 'POST', body: '{}', token: live })).body.code, 100022);
    const cancelled = await post(`/processInstances/${id}/cancel`);
    assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'COMPLETED_TERMINATED']);
    assert.equal((await instance(childStarted.data.childProcessInstanceId)).status, 'COMPLETED_TERMINATED');
    const last = (await events(id)).at(-1);
    assert.deepEqual([last.type, last.data.reason], ['instance.terminated', 'cancelled']);
    assert.equal((await user.submit('consent', { accepted: true })).body.code, 100057);
    assert.equal((await post(`/processInstances/${id}/cancel`)).body.code, 100057);
    const { body } = await app.call('/api/process-manager/auditEvents?action=processInstance.cancelled', { token });
    assert.ok(body.content.some(({ item }: { item: string }) => item === id));
  });

  it('the engine in the application runs a subprocess as a child instance, whose steps the end user sees in the same journey', async () => {
    await deploy({ name: 'child', steps: [consent, decide] });
    const steps = [
      { id: 'sub', type: 'subprocess', definition: 'child', parameters: { more: 'x' } },
      { id: 'ask', type: 'form', schema: { type: 'object', properties: { name: { type: 'string', maxLength: 9 } } } },
      decide,
    ];
    await deploy({ name: 'parent', steps });
    const { processInstanceId, user } = await startJourney(app, testKey, { processDefnName: 'parent' });
    const first = await user.look();
    assert.equal(first.step.id, 'consent');
    await user.submit('consent', { accepted: true });
    const second = await user.look();
    assert.equal(second.step.id, 'ask');
    assert.ok(second.revision > first.revision);
    await user.submit('ask', { name: 'Ada' });
    assert.equal((await instance(processInstanceId)).status, 'COMPLETED_ENDED_SUCCESS');

    const started = (await events(processInstanceId)).find(
      ({ type }: { type: string }) => type === 'instance.childStarted',
    );
    assert.equal(started.data.childProcessDefnName, 'child');
    const childId = started.data.childProcessInstanceId;
    const child = await app.call(`/api/process-manager/processInstances/${childId}/withParameters`, { token });
    assert.equal(child.body.parentProcessInstanceId, processInstanceId);
    assert.equal(child.body.status, 'COMPLETED_ENDED_SUCCESS');
    assert.equal(child.body.processTokenParameters.more, 'x');
    const [created] = await events(childId);
    assert.equal(created.data.parentProcessInstanceId, processInstanceId);
    assert.equal(created.data.parentProcessDefnName, 'parent');
    assert.equal(created.data.childProcessDefnVersion, 1);

    await app.call(`/api/process-manager/processInstances/${processInstanceId}`, { method: 'DELETE', token });
    assert.equal((await instance(childId)).code, 100022, 'a child goes with its parent');
  });

  it('the engine in the application ends the parent with its child when the end user declines, and its event names the reason', async () => {
    const { processInstanceId, user } = await startJourney(app, testKey, { processDefnName: 'parent' });
    await user.submit('consent', { accepted: false });
    const now = await user.look();
    assert.equal(now.step.id, 'ask', 'a declined child is a failed step, which the decision judges');
    await user.submit('ask', {});
    assert.equal((await instance(processInstanceId)).status, 'COMPLETED_ENDED_ERROR');
  });

  it('the engine in the application continues the parent when its child is deleted', async () => {
    const { processInstanceId, user } = await startJourney(app, testKey, { processDefnName: 'parent' });
    const [{ data }] = (await events(processInstanceId)).filter(
      ({ type }: { type: string }) => type === 'instance.childStarted',
    );
    const path = `/api/process-manager/processInstances/${data.childProcessInstanceId}`;
    assert.equal((await app.call(path, { method: 'DELETE', token })).status, 200);
    assert.equal((await user.look()).status, 'COMPLETED_TERMINATED');
  });

  it('the engine in the application creates at most 50 instances below one journey, however its definitions nest', async () => {
    const below = (definition: string, count: number) =>
      Array.from({ length: count }, (_, at) => ({ id: `sub${at}`, type: 'subprocess', definition }));
    await deploy({ name: 'leaf', steps: [decide] });
    await deploy({ name: 'branch', steps: [...below('leaf', 9), decide] });
    await deploy({ name: 'tree', steps: [...below('branch', 9), decide] });
    await deploy({ name: 'bush', steps: [...below('branch', 4), decide] });
    const count = async (id: string): Promise<number> => {
      const started = (await events(id)).filter(({ type }: { type: string }) => type === 'instance.childStarted');
      let total = started.length;
      for (const { data } of started) total += await count(data.childProcessInstanceId);
      return total;
    };
    const statusOf = async (id: string): Promise<string> => {
      for (;;) {
        const { status } = await instance(id);
        if (status !== 'ACTIVE') return status;
        await app.app.jobs.runDue();
      }
    };
    const bush = await startJourney(app, testKey, { processDefnName: 'bush' });
    assert.equal(await statusOf(bush.processInstanceId), 'COMPLETED_ENDED_SUCCESS');
    assert.equal(await count(bush.processInstanceId), 40);
    const tree = await startJourney(app, testKey, { processDefnName: 'tree' });
    assert.equal(await statusOf(tree.processInstanceId), 'COMPLETED_PROCESS_ERROR');
    assert.equal(await count(tree.processInstanceId), 50);
  });

  it('the engine in the application ends with an error if the definition of a subprocess is no longer deployed', async () => {
    const child = await deploy({ name: 'going', steps: [consent, decide] });
    await deploy({ name: 'left', steps: [{ id: 'sub', type: 'subprocess', definition: 'going' }, decide] });
    await post(`/processDefinitions/${child}/archive`);
    const { processInstanceId } = await startJourney(app, testKey, { processDefnName: 'left' });
    assert.equal((await instance(processInstanceId)).status, 'COMPLETED_PROCESS_ERROR');
  });

  it('the engine in the application keeps the version with which an instance began, whatever is deployed later', async () => {
    await deploy({ name: 'changing', steps: [consent, decide] });
    const { user } = await startJourney(app, testKey, { processDefnName: 'changing' });
    await deploy({ name: 'changing', steps: [{ ...consent, id: 'other' }, decide] });
    assert.equal((await user.look()).step.id, 'consent');
    const { user: later } = await startJourney(app, testKey, { processDefnName: 'changing' });
    assert.equal((await later.look()).step.id, 'other');
  });

  it('the engine in the application seals the input of the end user: the state contains no plain text of it', async () => {
    const schema = { type: 'object', properties: { word: { type: 'string', maxLength: 50 } } };
    await deploy({ name: 'sealed', steps: [{ id: 'ask', type: 'form', schema }, consent, decide] });
    const { processInstanceId, user } = await startJourney(app, testKey, { processDefnName: 'sealed' });
    await user.submit('ask', { word: 'xylophone-of-mine' });
    const db = app.app.db.of('acme' as never);
    const row = await db.get<{ state: string; sealed: Uint8Array }>(
      { text: 'SELECT state, sealed FROM journeys WHERE tenant_id = $1 AND instance_id = $2' },
      ['acme', processInstanceId],
    );
    assert.ok(row && !row.state.includes('xylophone') && !Buffer.from(row.sealed).includes('xylophone'));
  });
});
