import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { copyInstances } from '../../../test/copy-instances.ts';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import type { TenantDb } from '../../db/db.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';
import { paging } from '../../kernel/pages.ts';
import { usageHandlers } from '../usage/usage.ts';
import { RELEASE, releaseClaims } from './release-claims.ts';
import { pageReviews, type ReviewFilter, reviewsWaiting, SORTABLE, waitingByDefinition } from './reviews.repository.ts';
import { addVerdict } from './verdicts.repository.ts';

const COUNT = 2500;

onBothEngines('very many reviews', (engine, places) => {
  let app: TestApp;
  let acme: TenantDb;
  let ids: string[];
  before(async () => {
    app = await openTestApp(await places.create());
    acme = app.app.db.of(asTenantId('acme'));
    const { apiKey } = await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' });
    const parameters = { _scenario: 'face-mismatch' };
    const { user, processInstanceId } = await startJourney(app, apiKey, { parameters });
    await user.finish();
    // A sealed value opens only in its own row.
    const bare = `UPDATE process_instances SET sealed = NULL WHERE tenant_id = $1`;
    await acme.write(async (tx) => tx.send({ text: bare }, ['acme']));
    ids = [processInstanceId, ...(await copyInstances(acme, processInstanceId, COUNT - 1))].sort();
    const copy = `INSERT INTO journeys (tenant_id, instance_id, revision, state) SELECT i.tenant_id, i.id, 1, j.state
      FROM process_instances i JOIN journeys j ON j.tenant_id = i.tenant_id
      WHERE i.tenant_id = $1 AND i.id <> j.instance_id`;
    await acme.write(async (tx) => tx.send({ text: copy }, ['acme']));
  });
  after(() => app.stop());

  /** The database, and its statements with the number of rows that each returned. */
  const counting = () => {
    const statements: { text: string; rows: number }[] = [];
    const all: TenantDb['all'] = async (statement, values) => {
      const rows = await acme.all(statement, values);
      statements.push({ text: statement.text, rows: rows.length });
      return rows as never;
    };
    return { db: Object.assign(Object.create(acme), { all }) as TenantDb, statements };
  };
  const list = async (db: TenantDb, filter: Partial<ReviewFilter>, sort: string[] = []) => {
    const none = {
      reviewer: undefined,
      definitionName: undefined,
      definitionNames: undefined,
      waitingSince: undefined,
    };
    const every = { ...none, environment: 'test', assigned: 'ALL', now: app.clock.now() } as const;
    const { rows, total } = await pageReviews(db, { ...every, ...filter }, paging({ size: 2, sort }, SORTABLE));
    return { ids: rows.map(({ id }) => id), total };
  };

  for (const [title, filter, sort, total] of [
    ['a filter that all match', { assigned: 'UNCLAIMED' }, [], COUNT],
    ['a filter that none matches', { reviewer: 'Grace' }, [], 0],
    ['an order that no index has', {}, ['waitingSinceDtm', 'id'], COUNT],
  ] as const) {
    it(`very many reviews are read 1,000 at a time for ${title}`, async () => {
      const { db, statements } = counting();
      const expected = { ids: total === 0 ? [] : ids.slice(0, 2), total };
      assert.deepEqual(await list(db, filter, [...sort]), expected);
      assert.deepEqual(statements.map(({ rows }) => rows).slice(0, 3), [1000, 1000, 500]);
    });
  }

  it('a page of very many reviews in an order that has an index reads and counts only that page', async () => {
    for (const sort of [[], ['id,desc'], ['priority,desc', 'waitingSinceDtm']]) {
      const { db, statements } = counting();
      assert.equal((await list(db, {}, sort)).total, COUNT);
      assert.doesNotMatch(statements.map(({ text }) => text).join('\n'), /count\(/);
      assert.ok(statements.every(({ rows }) => rows <= 10));
    }
  });

  it('very many reviews are counted 1,000 at a time for the queues, and counted without being read for the metrics', async () => {
    const { db, statements } = counting();
    const waiting = [...(await waitingByDefinition(db, 'test')).values()];
    assert.deepEqual(
      waiting.map(({ count }) => count),
      [COUNT],
    );
    assert.equal(statements.length, 3);
    const [own] = waiting;
    assert.deepEqual(await reviewsWaiting(acme), [{ environment: 'test', count: COUNT, oldest: own?.oldest }]);
  });

  it('very many reviews are not looked at to release the claims of one reviewer, and only those are released', async () => {
    const claim = `UPDATE process_instances SET reviewer = $2, claimed_until = $3 WHERE tenant_id = $1 AND id = $4`;
    const until = app.clock.now() + 1000;
    await acme.write(async (tx) => {
      for (const [at, id] of ids.slice(0, 5).entries()) {
        tx.send({ text: claim }, ['acme', at < 3 ? 'Grace' : 'Alan', until, id]);
      }
    });
    const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const plan = await acme.write((tx) =>
      tx.all<{ detail?: string; 'QUERY PLAN'?: string }>({ text: `${explain} ${RELEASE.text}` }, ['acme', 'Grace']),
    );
    const text = plan.map((line) => line.detail ?? line['QUERY PLAN']).join('\n');
    assert.match(text, /process_instances_claims/, text);
    assert.doesNotMatch(text, /SCAN|Seq Scan/, text);
    await releaseClaims(acme, 'Grace');
    const claimed = 'SELECT reviewer FROM process_instances WHERE tenant_id = $1 AND claimed_until IS NOT NULL';
    assert.deepEqual(await acme.all({ text: claimed }, ['acme']), [{ reviewer: 'Alan' }, { reviewer: 'Alan' }]);
    await releaseClaims(acme, 'Alan');
    assert.deepEqual(await acme.all({ text: claimed }, ['acme']), []);
  });

  it('the verdicts of very many reviews are counted in batches for the usage figures', async () => {
    const now = app.clock.now();
    const same = { environment: 'test', definition_id: 'one', caller_id: 'one', decides: 1, sealed: null } as const;
    await acme.write(async (tx) => {
      for (const instance_id of ids) {
        const row = { ...same, instance_id, at: now, entered_at: now - 1000 };
        await addVerdict(tx, { ...row, id: newId(now), reviewer: 'Alan', verdict: 'APPROVED' });
        await addVerdict(tx, { ...row, id: newId(now), reviewer: 'Grace', verdict: 'APPROVED' });
      }
    });
    const { db, statements } = counting();
    const context = { db, tenantId: acme.tenantId, now, principal: { environment: 'test' } };
    const usage = (await usageHandlers().get(context as never, { query: {} } as never)) as {
      reviewers: object[];
      agreement: object;
    };
    const approved = { approved: COUNT, rejected: 0, askedAgain: 0, waitedSeconds: 1 };
    assert.deepEqual(usage.reviewers, [
      { reviewer: 'Alan', ...approved },
      { reviewer: 'Grace', ...approved },
    ]);
    assert.deepEqual(usage.agreement, { cases: COUNT, agreed: COUNT });
    assert.equal(statements.filter(({ text }) => text.includes('GROUP BY reviewer')).length, 3);
  });
});
