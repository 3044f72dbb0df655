import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { api, Ok } from '@grove/contract';
import { copyInstances } from '../../../test/copy-instances.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import type { TenantDb } from '../../db/db.ts';
import { STRETCH } from '../../kernel/find-in-stretches.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { usageHandlers } from '../usage/usage.ts';
import { runWhatIf } from '../what-if/what-if.ts';
import { listInOrder } from './list-instances.ts';

const STEPS = [
  { id: 'consent', type: 'consent' },
  { id: 'decide', type: 'decision' },
];

onBothEngines('work on all instances of a tenant', (_engine, places) => {
  const COUNT = 2 * STRETCH + 10;
  let app: TestApp;
  before(async () => {
    app = await openTestApp(await places.create());
    const post = async (path: string, body: object = {}) =>
      (await app.call(`/api/process-manager/${path}`, { method: 'POST', body: JSON.stringify(body) })).body;
    const { id } = await post('processDefinitions', { name: 'onboarding', steps: STEPS });
    await post(`processDefinitions/${id}/deploy`);
    const { id: token } = await post('processTokens', { name: 'link', processDefnName: 'onboarding' });
    const { processInstanceId } = await post(`processInstances/create?pt=${token}`);
    await copyInstances(app.app.db.of(asTenantId('acme')), processInstanceId, COUNT - 1);
  });
  after(() => app.stop());

  /** The context of a live caller, and the statements that it sends. */
  const counting = () => {
    const statements: string[] = [];
    const db = app.app.db.of(asTenantId('acme'));
    const countingDb: TenantDb = {
      ...db,
      all(statement, values) {
        statements.push(statement.text);
        return db.all(statement, values);
      },
    };
    const principal = { tenantId: db.tenantId, environment: 'live' };
    const context = { db: countingDb, tenantId: db.tenantId, now: app.clock.now(), principal };
    return {
      db: countingDb,
      context: context as never,
      countOf: (word: string) => statements.filter((each) => each.includes(word)).length,
    };
  };

  it('a what-if run reads all instances of a tenant in batches, also if no instance has the definition', async () => {
    const { context, countOf } = counting();
    const definition = { name: 'nobody', steps: STEPS };
    const { examined, next } = await runWhatIf(context, { definition, startDateTime: '2020-01-01T00:00:00Z' } as never);
    assert.deepEqual([examined, next], [0, undefined]);
    assert.equal(countOf('JOIN journeys'), 3);
  });

  it('the usage figures read all instances of a tenant in batches, and count each once', async () => {
    const { context, countOf } = counting();
    const usage = await usageHandlers().get(context, { query: {} } as never);
    const { total } = usage as Ok<typeof api.usage.get>;
    assert.deepEqual([total.created, total.open], [COUNT, COUNT]);
    assert.ok(countOf('GROUP BY process_defn_name') >= 3);
  });

  for (const [title, orderBy, status] of [
    ['an order that no index has', 'expiring_at ASC, id DESC', undefined],
    ['a filter that the index of the order does not have', 'expiring_at ASC, id ASC', 'PENDING'],
  ] as const) {
    it(`a list of instances with ${title} reads in batches`, async () => {
      const { db, countOf } = counting();
      const page = { orderBy, size: 2, offset: COUNT - 1 };
      const filter = { environment: 'live', definitionIds: undefined, status } as const;
      const { ids, total } = await listInOrder(db, filter, page);
      assert.deepEqual([ids.length, total], [1, COUNT]);
      assert.equal(countOf('FROM process_instances'), Math.ceil((COUNT + 1) / 1000));
    });
  }
});
