import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { NO_LIST, testWatchlists, WATCHLISTS } from '../../test/watchlists.ts';
import { unprepared } from '../db/db.ts';
import type { JobContext } from '../jobs/define-job.ts';
import { MINUTE } from '../kernel/clock.ts';
import { asTenantId } from '../kernel/ids.ts';
import { purgeMembersJob } from './purge-members.ts';

onBothEngines('members of watchlists', (_engine, places) => {
  let grove: TestApp;
  before(async () => {
    grove = await openTestApp(await places.create());
  });
  after(() => grove.stop());

  const { send, remove, newList, add, added, addRaw, matched } = testWatchlists(() => grove);
  const purge = () =>
    purgeMembersJob({
      db: grove.app.db,
      noteErased: async () => undefined,
      everyTenantId: async function* () {
        yield asTenantId('acme');
      },
    }).run({}, { now: grove.clock.now(), signal: new AbortController().signal } as JobContext);

  it('members of watchlists are added by document number, found in every spelling, and not found after their removal', async () => {
    const id = await newList();
    const member = await added(id, 'l898 902-c3', { firstName: 'Ada', lastName: 'Byrne', note: 'seen twice' });
    assert.deepEqual(
      [member.value, member.firstName, member.note, member.watchlistId, member.quality, member.environment],
      ['l898 902-c3', 'Ada', 'seen twice', id, undefined, 'live'],
    );
    assert.deepEqual(await matched(id, 'L898902C<3<<'), [member.id]);
    assert.deepEqual(await matched(id, 'L898902C4'), []);
    const { body } = await send(`/${id}/match`, { value: 'L898902C3' });
    assert.deepEqual(body, {
      watchlistId: id,
      candidates: [{ memberId: member.id, score: 1, firstName: 'Ada', lastName: 'Byrne' }],
      numCompared: 1,
      numNotComparable: 0,
    });
    const { body: changed } = await send(`/${id}/watchlist-members/${member.id}`, { firstName: 'Grace', note: '' });
    assert.deepEqual(
      [changed.firstName, changed.lastName, changed.note, changed.value],
      ['Grace', 'Byrne', undefined, 'l898 902-c3'],
    );
    assert.deepEqual((await grove.call(`${WATCHLISTS}/${id}/watchlist-members/${member.id}`)).body, changed);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}`)).body.numMembers, 1);
    assert.equal((await remove(`/${id}/watchlist-members/${member.id}`)).status, 204);
    assert.deepEqual(await matched(id, 'L898902C3'), []);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}`)).body.numMembers, 0);
  });

  it('members of watchlists are found by e-mail address, ignoring case', async () => {
    const id = await newList({ type: 'EMAIL' });
    const { id: memberId } = await added(id, 'Ada@Example.com');
    assert.deepEqual(await matched(id, 'ADA@example.COM'), [memberId]);
    assert.equal((await add(id, 'nobody')).body.errors[0].pointer, '/value');
  });

  it('members of watchlists are listed in pages, by first or last name, sorted', async () => {
    const id = await newList();
    for (const [at, name] of ['Zoë', 'adam', 'Émile'].entries()) {
      grove.clock.advance(1);
      await added(id, `N${at}`, { lastName: name, firstName: at === 0 ? 'Adamina' : 'X' });
    }
    const names = async (query: string) =>
      (await grove.call(`${WATCHLISTS}/${id}/watchlist-members?${query}`)).body.content.map(
        ({ lastName }: { lastName: string }) => lastName,
      );
    assert.deepEqual(await names('name=ADAM%25&sort=lastName,asc'), ['adam', 'Zoë']);
    assert.deepEqual(await names('sort=createdDtm,desc&sort=id,desc&size=1&page=1'), ['adam']);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}/watchlist-members?sort=note`)).body.code, 100001);
  });

  it('members of watchlists are refused with 100104 if the list contains them, and with 100001 without the value they are found by', async () => {
    const id = await newList();
    await added(id, 'A-1');
    assert.equal((await add(id, 'a1')).body.code, 100104);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}`)).body.numMembers, 1);
    for (const body of [{}, { value: '' }, { value: '--' }, { image: 'AAAA' }]) {
      assert.equal((await send(`/${id}/watchlist-members`, body)).body.code, 100001, JSON.stringify(body));
    }
    const faces = await newList({ type: 'FACE' });
    for (const body of [{}, { value: 'A1' }, { image: 'not base64!' }]) {
      assert.equal((await send(`/${faces}/watchlist-members`, body)).body.code, 100001, JSON.stringify(body));
    }
    assert.equal((await send(`/${id}/match`, {})).body.code, 100001);
    assert.equal((await addRaw(id, new Uint8Array(4))).body.code, 100001);
    assert.equal((await addRaw(NO_LIST, new Uint8Array(4))).body.code, 100041);
  });

  it('100059: members of watchlists cannot be added with a file that is not an image', async () => {
    const faces = await newList({ type: 'FACE' });
    const image = Buffer.from('<svg/>').toString('base64');
    for (const path of ['watchlist-members', 'match']) {
      const { status, body } = await send(`/${faces}/${path}`, { image });
      assert.deepEqual([status, body.code], [400, 100059]);
    }
    assert.equal((await addRaw(faces, new Uint8Array(0))).body.code, 100059);
    assert.equal((await send(`/${faces}/watchlist-members/${NO_LIST}`, { image })).body.code, 100059);
  });

  it('watchlists that are full refuse another member with 100101, and of two for the last place one is added', async () => {
    const id = await newList({ maxSize: 3 });
    await added(id, 'A1');
    await added(id, 'A2');
    const raced = await Promise.all(['B1', 'B2', 'B3', 'B4'].map((value) => add(id, value)));
    assert.deepEqual(raced.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    assert.equal((await add(id, 'C1')).body.code, 100101);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}`)).body.numMembers, 3);
  });

  it('watchlists that are not active are not searched: 100103', async () => {
    const id = await newList({ status: 'INACTIVE' });
    await added(id, 'A1');
    assert.equal((await send(`/${id}/match`, { value: 'A1' })).body.code, 100103);
  });

  it('members of watchlists that do not exist answer 100100', async () => {
    const id = await newList();
    assert.equal((await grove.call(`${WATCHLISTS}/${id}/watchlist-members/${NO_LIST}`)).body.code, 100100);
    assert.equal((await send(`/${id}/watchlist-members/${NO_LIST}`, { note: 'x' })).body.code, 100100);
    assert.equal((await remove(`/${id}/watchlist-members/${NO_LIST}`)).body.code, 100100);
  });

  it('members of watchlists expire: at once for searches, and are deleted by the next purge', async () => {
    const id = await newList({ expireMembersAfter: 'PT30M', maxSize: 2 });
    const short = await added(id, 'SHORT', { expireAfter: 'PT10M' });
    const long = await added(id, 'LONG');
    assert.equal(Date.parse(long.expiringDtm), grove.clock.now() + 30 * MINUTE);
    grove.clock.advance(10 * MINUTE);
    assert.deepEqual([await matched(id, 'SHORT'), await matched(id, 'LONG')], [[], [long.id]]);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}/watchlist-members/${short.id}`)).body.code, 100100);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}/watchlist-members`)).body.totalElements, 1);
    await added(id, 'SHORT', { expireAfter: 'P1D' });
    assert.equal((await grove.call(`${WATCHLISTS}/${id}`)).body.numMembers, 2, 'the expired one made room');
    const stays = await send(`/${id}/watchlist-members/${long.id}`, { expireAfter: 'PT40M' });
    assert.equal(Date.parse(stays.body.expiringDtm), grove.clock.now() + 40 * MINUTE);
    grove.clock.advance(41 * MINUTE);
    await purge();
    const left = await grove.app.db
      .of(asTenantId('acme'))
      .all(unprepared('SELECT id FROM watchlist_members WHERE tenant_id = $1 AND watchlist_id = $2'), ['acme', id]);
    assert.equal(left.length, 1);
    assert.equal((await grove.call(`${WATCHLISTS}/${id}`)).body.numMembers, 1);
    grove.clock.advance(-51 * MINUTE);
  });

  it('members of watchlists have sealed data, of which nothing is left once the list is deleted', async () => {
    const id = await newList();
    await added(id, 'SEALED99', { email: 'unmistakable@example.com', note: 'Unmistakable' });
    const db = grove.app.db.of(asTenantId('acme'));
    const rows = () =>
      db.all<Record<string, unknown>>(
        unprepared('SELECT * FROM watchlist_members WHERE tenant_id = $1 AND watchlist_id = $2'),
        ['acme', id],
      );
    const keys = () =>
      db.all(unprepared('SELECT subject FROM data_keys WHERE tenant_id = $1 AND subject = $2'), [
        'acme',
        `watchlist:${id}`,
      ]);
    const text = (await rows())
      .flatMap((row) => Object.values(row))
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      .join();
    assert.doesNotMatch(text, /unmistakable|SEALED99/i);
    assert.equal((await keys()).length, 1);
    await remove(`/${id}`);
    assert.deepEqual([(await rows()).length, (await keys()).length], [0, 0]);
  });

  it('members of watchlists are added once for two requests with an Idempotency-Key', async () => {
    const id = await newList();
    const once = () =>
      send(`/${id}/watchlist-members`, { value: 'ONCE' }, undefined, {
        'Idempotency-Key': `once ${id}`.replace(' ', '-'),
      });
    const [one, other] = [await once(), await once()];
    assert.deepEqual([one.status, other.status, other.body.id], [201, 201, one.body.id]);
  });
});
