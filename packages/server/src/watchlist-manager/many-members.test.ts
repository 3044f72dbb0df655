import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines } from '../../test/harness.ts';
import type { Db, TenantDb } from '../db/db.ts';
import { jsonTexts } from '../db/sql/dialect.ts';
import { statement } from '../db/sql/statement.ts';
import { newId } from '../kernel/ids.ts';
import { paging } from '../kernel/pages.ts';
import {
  addMember,
  faceKeys,
  MEMBER_SORTABLE,
  type MemberRow,
  pageMembers,
  removeExpired,
} from './members.repository.ts';
import { addList, findList, type ListRow, nextRevision } from './watchlists.repository.ts';

const COUNT = 6000;
const EXPIRED = 2500;
const NOW = Date.UTC(2026, 10, 1);
const TRACKED = { created_at: NOW, created_by: 'Test', last_updated_at: NOW, last_updated_by: 'Test' };
const COPIED =
  'revision, first_folded, last_folded, details, template, algorithm, quality, value_hash, created_at, created_by, last_updated_by';
const COPY = statement(`INSERT INTO watchlist_members
    (tenant_id, watchlist_id, id, expires_at, last_updated_at, ${COPIED})
  SELECT tenant_id, watchlist_id, words.value, NULL, 1, ${COPIED}
  FROM watchlist_members, (${jsonTexts(':ids[]')}) AS words WHERE tenant_id = :tenant_id AND id = :id`);

onBothEngines('very many members of a watchlist', (engine, places) => {
  let db: Db;
  let acme: TenantDb;
  let list: ListRow;
  let ids: string[];
  before(async () => {
    db = await openTestDb(await places.create());
    const [tenant] = await addTestTenants(db, 'acme');
    acme = db.of(tenant);
    const listId = newId(NOW);
    const [first, ada] = [
      { ...member(listId), id: newId(NOW - 1) },
      { ...member(listId), id: newId(NOW + 1), first_folded: 'ada', last_folded: 'byron' },
    ];
    const copies = Array.from({ length: COUNT - 2 }, () => newId(NOW));
    await acme.write(async (tx) => {
      await addList(tx, newList(listId));
      await addMember(tx, first);
      COPY.send(tx, { id: first.id, ids: copies });
      await addMember(tx, ada);
      await nextRevision(tx, listId, COUNT);
    });
    ids = [first.id, ...copies, ada.id].sort();
    list = await theList(listId);
  });
  after(() => db.close());

  const theList = async (id: string) => (await findList(acme, { environment: 'live', id })) ?? assert.fail();
  const newList = (id: string): ListRow => ({
    id,
    environment: 'live',
    name: 'Many',
    name_folded: 'many',
    description: null,
    type: 'FACE',
    status: 'ACTIVE',
    max_size: 100_000,
    num_members: 0,
    expire_after: null,
    revision: 0,
    ...TRACKED,
  });
  const member = (watchlist_id: string): MemberRow => ({
    watchlist_id,
    id: newId(NOW),
    revision: 1,
    first_folded: 'grace',
    last_folded: 'hopper',
    details: new Uint8Array(8),
    template: new Uint8Array(8),
    algorithm: 'one',
    quality: 1,
    value_hash: null,
    expires_at: null,
    ...TRACKED,
  });

  /** The database, and the statements with the number of rows that each returned. */
  const counting = () => {
    const statements: { text: string; rows: number }[] = [];
    const all: TenantDb['all'] = async (text, values) => {
      const rows = await acme.all(text, values);
      statements.push({ text: text.text, rows: rows.length });
      return rows as never;
    };
    return { db: Object.assign(Object.create(acme), { all }) as TenantDb, statements };
  };
  const page = async (query: { sort?: string[]; page?: number; pattern?: string; after?: string }) => {
    const { db: countingDb, statements } = counting();
    const { pattern, ...rest } = query;
    const filter = {
      environment: 'live',
      listId: list.id,
      numMembers: list.num_members,
      pattern,
      now: NOW,
      namesOf: () => assert.fail('no name is opened'),
    } as const;
    const { rows, total } = await pageMembers(countingDb, filter, paging({ size: 2, ...rest }, MEMBER_SORTABLE));
    const [read = 0] = statements.map((each) => each.rows).sort((one, other) => other - one);
    const counts = statements.filter(({ text }) => /count\(/.test(text) && !/expires_at <= /.test(text));
    assert.deepEqual([read <= 1000, counts], [true, []]);
    return { ids: rows.map(({ id }) => id), total, statements: statements.length };
  };
  const ALL = { total: COUNT, statements: 2 };
  const SCANNED = COUNT / 1000 + 2;

  it('very many members of a watchlist are neither read nor counted for a page in the order of creation', async () => {
    assert.deepEqual(await page({}), { ids: ids.slice(0, 2), ...ALL });
    assert.deepEqual(await page({ sort: ['createdDtm,desc'] }), { ids: ids.slice(-2).reverse(), ...ALL });
    assert.deepEqual(await page({ after: ids[3000] as string }), { ids: ids.slice(3001, 3003), ...ALL });
  });

  it('very many members of a watchlist are read 1,000 at a time in other orders, far down, and to find a name', async () => {
    const { ids: newest, total, statements } = await page({ sort: ['lastUpdatedDtm,desc', 'id'] });
    assert.deepEqual([newest, total], [[ids.at(0), ids.at(-1)], COUNT]);
    assert.ok(statements >= SCANNED, `${statements}`);
    assert.deepEqual((await page({ page: 2999 })).ids, ids.slice(-2));
    for (const pattern of ['ada', 'byr%']) {
      const matches = await page({ pattern });
      assert.deepEqual([matches.ids, matches.total], [[ids.at(-1)], 1], pattern);
    }
    assert.equal((await page({ pattern: 'hop%' })).total, COUNT - 1);
    assert.equal((await page({ pattern: 'hop' })).total, 0);
  });

  it('very many members of a watchlist show their faces to a search 1,000 at a time', async () => {
    const { db: countingDb, statements } = counting();
    const keys = await faceKeys(countingDb, { listId: list.id, now: NOW });
    assert.deepEqual(
      keys.map(({ id }) => id),
      ids,
    );
    assert.ok(statements.every(({ rows }) => rows <= 1000));
  });

  it('very many members of a watchlist that have expired are neither shown nor counted, and found by an index', async () => {
    const expire = 'UPDATE watchlist_members SET expires_at = $2 WHERE tenant_id = $1 AND id <= $3';
    await acme.write((tx) => tx.run({ text: expire }, ['acme', NOW, ids[EXPIRED - 1] as string]));
    for (const sort of [['id'], ['lastUpdatedDtm', 'id']]) {
      const { ids: shown, total } = await page({ sort });
      assert.deepEqual([shown, total], [ids.slice(EXPIRED, EXPIRED + 2), COUNT - EXPIRED]);
    }
    assert.equal((await faceKeys(acme, { listId: list.id, now: NOW })).length, COUNT - EXPIRED);
    const where = 'FROM watchlist_members WHERE tenant_id = $1 AND watchlist_id = $2 AND expires_at <= $3';
    const explain = engine === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    for (const text of [`SELECT count(*) ${where}`, `SELECT id ${where} ORDER BY expires_at LIMIT 500`]) {
      const plan = await acme.all({ text: `${explain} ${text}` }, ['acme', list.id, NOW]);
      assert.match(JSON.stringify(plan), /watchlist_members_expired/, text);
    }
    const removed = await acme.write(async (tx) => {
      const some = await removeExpired(tx, { listId: list.id, now: NOW, limit: 500 });
      await nextRevision(tx, list.id, -some.length);
      return some;
    });
    assert.equal(removed.length, 500);
    list = await theList(list.id);
    assert.equal((await page({})).total, COUNT - EXPIRED);
  });
});
