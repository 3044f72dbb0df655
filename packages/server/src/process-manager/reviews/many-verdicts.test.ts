import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import type { TenantDb } from '../../db/db.ts';
import { STRETCH } from '../../kernel/find-in-stretches.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';
import { addVerdict, type ClosedFilter, pageClosed } from './verdicts.repository.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');
const VERDICTS = 2 * STRETCH + 100;

onBothEngines('very many decisions of reviewers', (_engine, places) => {
  let app: TestApp;
  let acme: TenantDb;
  const ids = Array.from({ length: VERDICTS }, (_, at) => newId(NOW + at));
  before(async () => {
    app = await openTestApp(await places.create());
    acme = app.app.db.of(asTenantId('acme'));
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
    const { processInstanceId: instance_id } = await startJourney(app, apiKey, {});
    const same = { instance_id, environment: 'test', definition_id: 'one', caller_id: 'one' } as const;
    await acme.write(async (tx) => {
      for (const [at, id] of ids.entries()) {
        const reviewer = at % 100 === 0 ? 'Grace' : 'Alan';
        const row = { ...same, id, at: NOW + at, entered_at: NOW, reviewer, decides: 1, sealed: null };
        await addVerdict(tx, { ...row, verdict: 'APPROVED' });
      }
    });
  });
  after(() => app.stop());

  const list = async (change: Partial<ClosedFilter>, { size = 20, offset = 0 } = {}, on = acme) => {
    const every = { environment: 'test', from: '', below: '~' } as const;
    const none = { verdict: undefined, reviewer: undefined, definitionName: undefined };
    const paging = { number: 0, size, offset, sorts: 0, orderBy: 'id ASC' };
    const { rows, total } = await pageClosed(on, { ...every, ...none, ...change }, paging);
    return { ids: rows.map(({ id }) => id), total };
  };

  it('very many decisions of reviewers are filtered, counted and read in pages, the newest first', async () => {
    const own = ids.filter((_, at) => at % 100 === 0).toReversed();
    assert.deepEqual(await list({ reviewer: 'Grace' }), { ids: own.slice(0, 20), total: own.length });
    assert.deepEqual((await list({ reviewer: 'Grace' }, { size: 100, offset: 30 })).ids, own.slice(30));
    assert.deepEqual(await list({}), { ids: ids.toReversed().slice(0, 20), total: VERDICTS });
    assert.deepEqual(await list({ below: ids[5] as string }), { ids: ids.slice(0, 5).toReversed(), total: 5 });
    assert.deepEqual(await list({ verdict: 'REJECTED' }), { ids: [], total: 0 });
  });

  it('very many decisions of reviewers are searched in batches, so that one statement does not hold up others', async () => {
    let statements = 0;
    const all: TenantDb['all'] = (...call) => {
      statements += 1;
      return acme.all(...call);
    };
    const counting = Object.assign(Object.create(acme), { all }) as TenantDb;
    assert.deepEqual((await list({ reviewer: 'nobody' }, {}, counting)).ids, []);
    assert.ok(statements >= VERDICTS / STRETCH, `${statements} statements`);
  });
});
