import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../../test/database.ts';
import { onBothEngines } from '../../../test/harness.ts';
import type { Db, TenantDb } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';
import { type PageQuery, paging } from '../../kernel/pages.ts';
import { addToken, pageTokens, SORTABLE, type TokenRow } from './process-tokens.repository.ts';

const NOW = Date.parse('2030-01-31T12:00:00Z');
const TOKENS = 2_500;

onBothEngines('very many process tokens', (engine, places) => {
  let db: Db;
  let acme: TenantDb;
  const ids = Array.from({ length: TOKENS }, (_, at) => newId(NOW + at));
  const nameOf = (at: number) => `Token ${(at * 7) % TOKENS}`;
  before(async () => {
    db = await openTestDb(await places.create());
    const [tenantId] = await addTestTenants(db, 'acme');
    acme = db.of(tenantId);
    const none = { description: null, process_defn_version: null, process_defn_tag: null, definition_id: null };
    const never = { ui_url: null, not_before_at: null, not_after_at: null, max_count: null, for_test: null };
    const by = { created_by: 'a', last_updated_by: 'a', created_at: NOW };
    await acme.write(async (tx) => {
      for (const [at, id] of ids.entries()) {
        const name = nameOf(at);
        const row: TokenRow = {
          ...none,
          ...never,
          ...by,
          id,
          name,
          name_folded: name.toLowerCase(),
          last_updated_at: NOW - at,
          process_defn_name: 'onboarding',
          max_process_duration: 'P1D',
          parameters: '{}',
          counter: 0,
          environment: 'test',
          status: at % 2 ? 'ACTIVE' : 'INACTIVE',
          type: 'UNLIMITED',
        };
        await addToken(tx, row);
      }
    });
  });
  after(() => db.close());

  const page = async (query: PageQuery, pattern?: string, on: TenantDb = acme) => {
    const { rows, total } = await pageTokens(on, { environment: 'test', pattern }, paging(query, SORTABLE));
    return { places: rows.map(({ id }) => ids.indexOf(id)), total };
  };

  it('very many process tokens are sorted and searched as a whole, in pages', async () => {
    const last = TOKENS - 1;
    const newest = { places: [last, last - 1], total: TOKENS };
    assert.deepEqual(await page({ size: 2, sort: ['lastUpdatedDtm'] }), newest);
    assert.deepEqual(await page({ size: 2, sort: ['createdDtm,desc'] }), newest);
    assert.deepEqual(await page({ size: 2, page: 1, sort: ['status,desc', 'id'] }), { places: [4, 6], total: TOKENS });
    assert.deepEqual((await page({ size: 2, sort: ['status,desc'] })).places, [last - 1, last - 3]);
    assert.deepEqual(await page({ size: 1, sort: ['name'] }), { places: [0], total: TOKENS });
    const matchingIds = ids.flatMap((_, at) => (/ 9..$/.test(nameOf(at)) ? [at] : []));
    assert.deepEqual(await page({ size: 1000 }, 'token 9__'), { places: matchingIds, total: 100 });
    assert.deepEqual(await page({ size: 2, sort: ['id,desc'] }, '%9__'), {
      places: ids
        .flatMap((_, at) => (/9..$/.test(nameOf(at)) ? [at] : []))
        .slice(-2)
        .toReversed(),
      total: ids.filter((_, at) => /9..$/.test(nameOf(at))).length,
    });
    const after = ids[matchingIds[10] as number] as string;
    assert.deepEqual(await page({ size: 3, after }, 'token 9__'), { places: matchingIds.slice(11, 14), total: 100 });
  });

  it('very many process tokens are read in batches, so that one statement does not hold up others', async () => {
    const sizes: number[] = [];
    const all: TenantDb['all'] = async (...call) => {
      const rows = await acme.all(...call);
      sizes.push(rows.length);
      return rows as never;
    };
    const counting = Object.assign(Object.create(acme), { all }) as TenantDb;
    for (const sort of ['id', 'status', 'type,desc', 'lastUpdatedDtm', 'name']) {
      sizes.length = 0;
      assert.equal((await page({ size: 1, sort: [sort] }, 'token%', counting)).total, TOKENS);
      assert.deepEqual(sizes.slice(0, 3), [1000, 1000, 500], sort);
    }
  });

  if (engine === 'sqlite') {
    it('the list of process tokens of an environment does not read those of the other one', async () => {
      const plans: string[] = [];
      const all: TenantDb['all'] = async (statement, values) => {
        const plan = await acme.all<{ detail: string }>({ text: `EXPLAIN QUERY PLAN ${statement.text}` }, values);
        plans.push(...plan.map(({ detail }) => detail));
        return acme.all(statement, values);
      };
      const explaining = Object.assign(Object.create(acme), { all }) as TenantDb;
      for (const sort of ['id', 'id,desc', 'status']) await page({ size: 1, sort: [sort] }, undefined, explaining);
      const lists = plans.filter((plan) => /process_tokens/.test(plan));
      assert.ok(lists.length >= 3);
      for (const plan of plans) assert.doesNotMatch(plan, /TEMP B-TREE/);
      for (const plan of lists) assert.match(plan, /process_tokens_of_callers|sqlite_autoindex.*id=/);
    });
  }
});
