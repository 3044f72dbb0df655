import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { JobPostponed } from '../../jobs/define-job.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { type RunDeps, runRequestJob } from './run-request.ts';

const ADD = {
  text: `INSERT INTO person_requests (tenant_id, id, environment, action, state, source, after_id, searched, total,
    created_at, created_by, selectors) VALUES ($1, $2, $3, 'FIND', 'SEARCHING', 0, '', 0, 0, 0, 'test', $4)`,
};

describe('the job of a request about a person', () => {
  const places = testPlaces();
  let app: TestApp;
  before(async () => {
    app = await openTestApp(await places.create());
  });
  after(() => app.stop());

  it('the job of a request about a person is postponed while two of its environment are running: test requests must not take the places of live jobs', async () => {
    const db = app.app.db.of(asTenantId('acme'));
    const { promise: gate, resolve: open } = Promise.withResolvers<never[]>();
    const vault = { openFor: async () => Buffer.from('{}'), destroySubject: async () => undefined };
    const sources = [{ kind: 'instance', page: () => gate }];
    const job = runRequestJob({ vault, sources, clock: app.clock } as unknown as RunDeps);
    const run = async (requestId: string, environment: string) => {
      await db.write((tx) => tx.run(ADD, ['acme', requestId, environment, Buffer.from('x')]));
      const context = { tenant: () => db, signal: new AbortController().signal };
      return { result: job.run({ requestId }, context as never) };
    };
    const atWork = [await run('one', 'test'), await run('two', 'test')];
    await assert.rejects((await run('three', 'test')).result, JobPostponed);
    const live = await run('four', 'live');
    open([]);
    await Promise.all([...atWork, live].map(({ result }) => result));
    await (await run('five', 'test')).result;
  });
});
