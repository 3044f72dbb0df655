import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { DAY } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';

onBothEngines('the usage figures', (_engine, places) => {
  let app: TestApp;
  let token: string;
  before(async () => {
    app = await openTestApp(await places.create());
    const testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
    token = await app.token(testKey);
    const run = async (_scenario: string) => {
      const { user, processInstanceId } = await startJourney(app, testKey, { parameters: { _scenario } });
      await user.finish();
      return processInstanceId;
    };
    await run('passed');
    await startJourney(app, testKey);
    app.clock.advance(DAY);
    token = await app.token(testKey);
    for (const verdict of ['approve', 'reject']) {
      const id = await run('face-mismatch');
      const body = JSON.stringify({ comment: 'looked', reviewer: 'Grace' });
      const path = `/api/process-manager/reviews/${id}/${verdict}`;
      assert.equal((await app.call(path, { method: 'POST', token, body })).status, 200);
    }
    await run('face-mismatch');
  });
  after(() => app.stop());

  const usage = async (query = '', bearer = token) =>
    (await app.call(`/api/process-manager/usage${query}`, { token: bearer })).body;
  const count = async (where: string) => {
    const text = `SELECT count(*) AS n FROM ${where}`;
    const [row] = await app.app.db.of(asTenantId('acme')).all<{ n: number }>({ text }, []);
    return Number(row?.n);
  };
  const TEST = `tenant_id = 'acme' AND environment = 'test'`;

  it('the usage figures equal the counts of SQL', async () => {
    const { total, days, definitions, devices, reviewers, secondsToEnd } = await usage();
    const of = (status: string) => count(`process_instances WHERE ${TEST} AND status = '${status}'`);
    assert.deepEqual(total, {
      created: await count(`process_instances WHERE ${TEST}`),
      accepted: await of('COMPLETED_ENDED_SUCCESS'),
      declined: await of('COMPLETED_ENDED_ERROR'),
      inReview: await of('REVIEW'),
      abandoned: await of('COMPLETED_TERMINATED'),
      failed: 0,
      open: await of('ACTIVE'),
    });
    assert.equal(total.created, 5);
    assert.deepEqual(
      days.map(({ created }: { created: number }) => created),
      [2, 3],
    );
    assert.equal(definitions.length, 1);
    assert.equal(definitions[0].accepted, total.accepted);
    assert.equal(
      devices.reduce((sum: number, { instances }: { instances: number }) => sum + instances, 0),
      await count(`journey_sessions WHERE tenant_id = 'acme'`),
    );
    assert.deepEqual(
      reviewers.map(({ reviewer, approved, rejected }: Record<string, unknown>) => [reviewer, approved, rejected]),
      [['Grace', 1, 1]],
    );
    assert.equal(secondsToEnd.instances, 3);
  });

  it('the usage figures are limited to the days, the definition and the environment of the request', async () => {
    const today = new Date(app.clock.now()).toISOString().slice(0, 10);
    assert.equal((await usage(`?from=${today}&to=${today}`)).total.created, 3);
    assert.equal((await usage('?processDefnName=other')).total.created, 0);
    assert.equal((await usage('', await app.token())).total.created, 0);
    const faulty = await app.call('/api/process-manager/usage?from=2026-02-01&to=2026-01-01', { token });
    assert.equal(faulty.status, 400);
  });
});
