import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { encodeTemplate, newTemplate } from '../../../vision/src/faces/template.ts';
import { addTestTenants, openTestDb } from '../../test/database.ts';
import { onBothEngines, type TestClock, testClock } from '../../test/harness.ts';
import { JPEG } from '../../test/images.ts';
import type { Audit } from '../audit/audit.ts';
import { type Db, unprepared } from '../db/db.ts';
import { MINUTE } from '../kernel/clock.ts';
import type { Context } from '../kernel/context.ts';
import type { TenantId } from '../kernel/ids.ts';
import { permissionSet } from '../kernel/permissions.ts';
import { openMasterKey } from '../secrets/master-key.ts';
import { openVault, type Vault } from '../secrets/vault.ts';
import { openGalleries } from './galleries.ts';
import { openWatchlistManager } from './watchlist-manager.ts';
import { findListNamed } from './watchlists.repository.ts';

/** Each face has a number here: its template points in one direction, and templates of near numbers are similar. */
function faceOf(number: number, near = 0): Buffer {
  const vector = new Float32Array(512);
  vector[number] = Math.sqrt(1 - near * near);
  vector[511] = near;
  return encodeTemplate(newTemplate(vector));
}

onBothEngines('the faces of watchlists', (_engine, places) => {
  let db: Db;
  let vault: Vault;
  let clock: TestClock;
  let acme: TenantId;
  let other: TenantId;
  let manager: ReturnType<typeof openServer>;
  /** The direction of the next face that image analysis sees. */
  let rowCount = 0;

  const openServer = () =>
    openWatchlistManager({
      db,
      vault,
      clock,
      audit: silent,
      erasureLog: { note: async () => undefined },
      images: {
        reencode: async (bytes) => ({ bytes: Buffer.from(bytes), contentType: 'image/jpeg', width: 1, height: 1 }),
      },
      vision: { faceTemplate: async () => ({ template: faceOf(rowCount), quality: 0.876, reasons: [] }) },
      everyTenantId: async function* () {
        yield acme;
      },
    });
  const silent = { record: async () => undefined, noteRead: () => undefined } as unknown as Audit;

  before(async () => {
    const place = await places.create();
    db = await openTestDb(place);
    clock = testClock();
    vault = openVault({ master: openMasterKey({ env: `1:${Buffer.alloc(32, 7).toString('base64')}` }), clock });
    [acme, other] = await addTestTenants(db, 'acme', 'other');
    for (const tenant of [acme, other]) await db.of(tenant).write((tx) => vault.createTenantKey(tx));
    manager = openServer();
  });
  after(() => db.close());

  const contextOf = (tenantId: TenantId, environment: 'live' | 'test' = 'live'): Context => ({
    tenantId,
    db: db.of(tenantId),
    now: clock.now(),
    requestId: 'r',
    address: '127.0.0.1',
    accept: undefined,
    principal: {
      tenantId,
      callerId: 'key',
      callerName: 'Key',
      environment,
      permissions: permissionSet(tenantId, [`TNT#${tenantId}#*`]),
    },
  });
  const image = Buffer.from(JPEG).toString('base64');
  let lists = 0;
  const newList = async (tenant = acme, environment: 'live' | 'test' = 'live') => {
    lists += 1;
    const body = { name: `faces ${lists}` };
    const list = await manager.handlers.watchlists.create(contextOf(tenant, environment), {
      params: {},
      query: {},
      body,
    });
    return list as { id: string; name: string };
  };
  const add = async (listId: string, number: number, more: object = {}, context = contextOf(acme)) => {
    rowCount = number;
    const input = { params: { watchlistId: listId }, query: {}, body: { image, ...more } };
    return (await manager.handlers.watchlists.addMember(context, input)) as { id: string; quality: number };
  };
  const match = async (listId: string, number: number, server = manager, context = contextOf(acme)) => {
    rowCount = number;
    const input = { params: { watchlistId: listId }, query: {}, body: { image } };
    const result = (await server.handlers.watchlists.match(context, input)) as {
      candidates: { memberId: string; score: number }[];
      numCompared: number;
      numNotComparable: number;
    };
    return { ...result, ids: result.candidates.map(({ memberId }) => memberId) };
  };

  it('the faces of watchlists are found, changed and removed, on this server and on another that had cached them', async () => {
    const second = openServer();
    const { id, name } = await newList();
    const one = await add(id, 1);
    const two = await add(id, 2);
    assert.equal(one.quality, 0.88);
    for (const server of [manager, second]) assert.deepEqual((await match(id, 1, server)).ids, [one.id]);
    const three = await add(id, 3);
    rowCount = 4;
    const place = { watchlistId: id, memberId: two.id };
    await manager.handlers.watchlists.updateMember(contextOf(acme), { params: place, query: {}, body: { image } });
    await manager.handlers.watchlists.removeMember(contextOf(acme), {
      params: { ...place, memberId: one.id },
      query: {},
      body: undefined,
    });
    for (const server of [second, manager]) {
      assert.deepEqual((await match(id, 1, server)).ids, []);
      assert.deepEqual((await match(id, 2, server)).ids, []);
      assert.deepEqual((await match(id, 3, server)).ids, [three.id]);
      assert.deepEqual((await match(id, 4, server)).ids, [two.id]);
      assert.equal((await match(id, 4, server)).numCompared, 2);
      const result = await server.searchWatchlist(acme, 'live', name, faceOf(3));
      assert.deepEqual(result, { candidates: [{ memberId: three.id, score: 1 }], compared: 2, notComparable: 0 });
    }
  });

  it('the faces of watchlists of one list are not found in another list, another tenant or the other environment', async () => {
    const { id, name } = await newList();
    await add(id, 1);
    const theirs = await newList(other);
    const sandbox = await newList(acme, 'test');
    const another = await newList();
    assert.deepEqual((await match(another.id, 1)).ids, []);
    assert.deepEqual((await match(theirs.id, 1, manager, contextOf(other))).ids, []);
    assert.deepEqual((await match(sandbox.id, 1, manager, contextOf(acme, 'test'))).ids, []);
    assert.equal(await manager.searchWatchlist(other, 'live', name, faceOf(1)), undefined);
    assert.equal(await manager.searchWatchlist(acme, 'test', name, faceOf(1)), undefined);
  });

  it('the faces of watchlists that are similar are candidates with their score, and none below the threshold', async () => {
    const { id, name } = await newList();
    const member = await add(id, 5);
    const [{ score } = { score: 0 }] =
      (await manager.searchWatchlist(acme, 'live', name, faceOf(5, 0.75)))?.candidates ?? [];
    assert.ok(score > 0.5 && score < 1, `${score}`);
    assert.deepEqual((await manager.searchWatchlist(acme, 'live', name, faceOf(5, 0.99)))?.candidates, []);
    assert.deepEqual((await match(id, 5)).candidates, [{ memberId: member.id, score: 1 }]);
  });

  it('the faces of watchlists that have expired are no longer found, although no row was changed', async () => {
    const { id } = await newList();
    await add(id, 1, { expireAfter: 'PT10M' });
    assert.equal((await match(id, 1)).ids.length, 1);
    clock.advance(10 * MINUTE);
    assert.deepEqual((await match(id, 1)).ids, []);
    clock.advance(-10 * MINUTE);
  });

  it('the faces of watchlists with another algorithm are reported and not compared', async () => {
    const { id } = await newList();
    await add(id, 1);
    const old = await add(id, 2);
    await db.of(acme).write(async (tx) => {
      const place = [acme, id, old.id];
      const where = 'WHERE tenant_id = $1 AND watchlist_id = $2 AND id = $3';
      await tx.run(unprepared(`UPDATE watchlist_members SET algorithm = 'OLD' ${where}`), place);
    });
    const { ids, numCompared, numNotComparable } = await match(id, 2);
    assert.deepEqual([ids, numCompared, numNotComparable], [[], 1, 1]);
  });

  it('the faces of watchlists are cached up to a number of lists and of faces, and are found beyond it, too', async () => {
    const few = openGalleries({ vault }, { maxFaces: 3, maxGalleries: 2 });
    const lists = [await newList(), await newList(), await newList()];
    for (const { id } of lists) {
      await add(id, 1);
      await add(id, 2);
    }
    for (let round = 0; round < 2; round++) {
      for (const { name } of lists) {
        const list = await findListNamed(db.of(acme), { environment: 'live', name });
        assert.ok(list);
        const query = { template: faceOf(2), atLeast: 0.7, limit: 5, now: clock.now() };
        const searches = [few.search(db.of(acme), list, query), few.search(db.of(acme), list, query)];
        for (const { hits, numCompared } of await Promise.all(searches)) {
          assert.deepEqual([hits.length, numCompared], [1, 2]);
        }
      }
    }
  });

  it('the faces of watchlists are not found by a step once the list is deleted or inactive', async () => {
    const { id, name } = await newList();
    await add(id, 1);
    assert.equal((await manager.searchWatchlist(acme, 'live', name, faceOf(1)))?.candidates.length, 1);
    const params = { watchlistId: id };
    await manager.handlers.watchlists.update(contextOf(acme), { params, query: {}, body: { status: 'INACTIVE' } });
    assert.equal(await manager.searchWatchlist(acme, 'live', name, faceOf(1)), undefined);
    await manager.handlers.watchlists.delete(contextOf(acme), { params, query: {}, body: undefined });
    assert.equal(await manager.searchWatchlist(acme, 'live', name, faceOf(1)), undefined);
  });

  it('the faces and the values of watchlists are searched only in lists of their own kind', async () => {
    const { name } = await newList();
    assert.equal(await manager.searchValues(acme, 'live', name, ['A1']), undefined);
    const numbers = { name: 'numbers', type: 'DOCUMENT_NUMBER' } as const;
    const list = await manager.handlers.watchlists.create(contextOf(acme), { params: {}, query: {}, body: numbers });
    const { id } = list as { id: string };
    const input = { params: { watchlistId: id }, query: {}, body: { value: 'L898902C3' } };
    const member = (await manager.handlers.watchlists.addMember(contextOf(acme), input)) as { id: string };
    assert.equal(await manager.searchWatchlist(acme, 'live', 'numbers', faceOf(1)), undefined);
    const result = await manager.searchValues(acme, 'live', 'numbers', ['nobody', 'l898902 c3', '']);
    assert.deepEqual(result, { candidates: [{ memberId: member.id, score: 1 }] });
  });
});
