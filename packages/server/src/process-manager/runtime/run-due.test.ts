import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { HOUR, SECOND } from '../../kernel/clock.ts';

const wait = { id: 'wait', type: 'pause', resumeAfter: 'PT1S' };
const consent = { id: 'consent', type: 'consent' };
const decide = { id: 'decide', type: 'decision' };
const NUMBERS = `[${Array.from({ length: 20 }, (_, at) => at)}]`;
const SLOW = ['a', 'b', 'c', 'd', 'e', 'f'].reduce((inner, name) => `${NUMBERS}.all(${name}, ${inner})`, 'true');

onBothEngines('journeys that are due', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  let token: string;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    await deploy('simple', consent);
    await deploy('slow', { ...consent, when: SLOW });
    await deploy('regex', { ...consent, when: `"${'a'.repeat(60)}!".matches("^(a+)+$")` });
  });
  after(() => app.stop());

  const call = (path: string, method = 'GET', body?: object) =>
    app.call(`/api/process-manager${path}`, { method, token, ...(body && { body: JSON.stringify(body) }) });
  const deploy = async (name: string, step: object) => {
    const creation = await call('/processDefinitions', 'POST', { name, steps: [wait, step, decide] });
    assert.equal(creation.status, 201, creation.text);
    assert.equal((await call(`/processDefinitions/${creation.body.id}/deploy`, 'POST', {})).status, 200);
  };
  const start = async (processDefnName: string) =>
    (await startJourney(app, testKey, { processDefnName })).processInstanceId;
  const statusOf = async (id: string) => (await call(`/processInstances/${id}`)).body.status;
  const lastEvent = async (id: string) => (await call(`/processInstances/${id}/events?size=100`)).body.content.at(-1);
  const runDue = async (ms: number) => {
    app.clock.advance(ms);
    token = await app.token(testKey);
    await app.app.jobs.tend();
    await app.app.jobs.runDue();
  };
  const acme = () => app.app.db.of('acme' as never);
  const dueAt = async (id: string) =>
    (
      await acme().get<{ due_at: number | null }>(
        { text: 'SELECT due_at FROM journeys WHERE tenant_id = $1 AND instance_id = $2' },
        ['acme', id],
      )
    )?.due_at;

  it('journeys that are due end if a condition exceeds its budget, and the event names the rule', async () => {
    const [slow, simple] = [await start('slow'), await start('simple')];
    await runDue(60 * SECOND);
    assert.equal(await statusOf(slow), 'COMPLETED_PROCESS_ERROR');
    assert.equal(await statusOf(simple), 'ACTIVE');
    const { step, data, sequence } = await lastEvent(slow);
    assert.equal(step, 'consent');
    assert.deepEqual([data.reason, data.rule], ['condition_budget', '/steps/1/when']);
    assert.ok(SLOW.startsWith(NUMBERS) && SLOW.includes(data.name), data.name);
    const logged = app
      .logged()
      .split('\n')
      .filter((line) => line.includes('condition_budget'));
    assert.equal(logged.length, 1);
    const { instanceId, tenantId, definition, rule } = JSON.parse(logged[0] as string);
    assert.deepEqual([instanceId, tenantId, definition, rule], [slow, 'acme', 'slow', '/steps/1/when']);
    await runDue(60 * SECOND);
    assert.equal((await lastEvent(slow)).sequence, sequence, 'it is not tried again');
  });

  it('journeys that are due evaluate patterns that a backtracking engine would never finish', async () => {
    const id = await start('regex');
    await runDue(60 * SECOND);
    assert.equal(
      await statusOf(id),
      'COMPLETED_ENDED_SUCCESS',
      'the pattern does not match, so the step is passed over',
    );
  });

  it('journeys that are due are postponed if they cannot continue, and hold up no others', async () => {
    const broken = await start('simple');
    await acme().write((tx) =>
      tx.run({ text: "UPDATE journeys SET state = 'x' WHERE tenant_id = $1 AND instance_id = $2" }, ['acme', broken]),
    );
    const next = await start('simple');
    await runDue(60 * SECOND);
    assert.equal(await statusOf(next), 'ACTIVE');
    assert.equal(await dueAt(broken), app.clock.now() + HOUR);
    assert.match(app.logged(), /could not continue a journey that is due/);
  });
});
