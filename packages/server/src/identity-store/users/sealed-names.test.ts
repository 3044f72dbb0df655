import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { everythingStored } from '../../../test/everything-stored.ts';
import { onBothEngines, openTestApp, type TestApp, type TestPlace } from '../../../test/harness.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { openCeremony } from '../ceremonies/ceremonies.ts';

/** Words that occur nowhere else. */
const EXT_ID = 'Quetzalcoatlus@Borborygmus.example';
const MEMBER = { firstName: 'Sesquipedalia', lastName: 'Floccinaucini' };
const CANARIES = ['quetzalcoatlus', 'borborygmus', 'sesquipedalia', 'floccinaucini'];
const TENANT = asTenantId('acme');
const STORE = '/api/identity-store/stores/customers';
const LISTS = '/api/watchlist-manager/facewatchlists';

onBothEngines('external ids of users and names of members', (engine, places) => {
  let place: TestPlace;
  let app: TestApp;
  let userId: string;
  let listId: string;

  const post = async (path: string, body: object) => {
    const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body) });
    assert.ok(answer.status < 400, `${path}: ${answer.text}`);
    return answer.body;
  };
  const canaries = async () => {
    const text = await everythingStored(app, place, engine);
    return CANARIES.filter((each) => text.includes(each));
  };
  const users = async (query: string) =>
    (await app.call(`${STORE}/users?${query}`)).body.content.map(({ extId }: { extId?: string }) => extId);
  const members = async (query: string) =>
    (await app.call(`${LISTS}/${listId}/watchlist-members?${query}`)).body.content.map(
      ({ lastName }: { lastName?: string }) => lastName,
    );

  before(async () => {
    place = await places.create();
    app = await openTestApp(place);
    const { id: storeId } = await post('/api/identity-store/stores', { name: 'customers' });
    ({ id: userId } = await post(`${STORE}/users`, { extId: EXT_ID }));
    app.clock.advance(1);
    await post(`${STORE}/users`, { extId: 'quetzal' });
    app.clock.advance(1);
    await post(`${STORE}/users`, {});
    const session = { kind: 'APPKEY_REGISTRATION', userId, username: EXT_ID, data: {}, now: app.clock.now() } as const;
    await app.app.db.of(TENANT).write((tx) => openCeremony(tx, { ...session, storeId, lifeMs: 60_000 }));
    ({ id: listId } = await post(LISTS, { name: 'known', type: 'DOCUMENT_NUMBER' }));
    const path = `${LISTS}/${listId}/watchlist-members`;
    await post(path, { value: 'X1', ...MEMBER });
    app.clock.advance(1);
    await post(path, { value: 'X2', firstName: 'Ada', lastName: 'Byron' });
  });
  after(() => app.stop());

  const findsAll = async () => {
    const { body } = await app.call(`${STORE}/users/${encodeURIComponent(EXT_ID)}/ext`);
    assert.deepEqual([body.id, body.extId], [userId, EXT_ID]);
    assert.equal((await app.call(`${STORE}/users/${encodeURIComponent(EXT_ID.toLowerCase())}/ext`)).status, 404);
    assert.deepEqual(await users(`extId=${encodeURIComponent(EXT_ID.toUpperCase())}`), [EXT_ID]);
    assert.deepEqual(await users('extId=QUETZALC%25'), [EXT_ID]);
    assert.deepEqual(await users('extId=que%25'), [EXT_ID, 'quetzal']);
    assert.deepEqual(await users('extId=%25borbo%25'), [EXT_ID]);
    assert.deepEqual(await users('extId=quetza_'), ['quetzal']);
    assert.deepEqual(await users('sort=extId,desc'), [EXT_ID, 'quetzal', undefined]);
    assert.deepEqual(await members('name=floccinaucini'), [MEMBER.lastName]);
    assert.deepEqual(await members('name=SESQ%25'), [MEMBER.lastName]);
    assert.deepEqual(await members('name=%25y%25'), ['Byron']);
    assert.deepEqual(await members('sort=lastName,asc'), ['Byron', MEMBER.lastName]);
    assert.deepEqual(await members('name=floccinaucinix'), []);
  };

  it('external ids of users and names of members are sealed in the database, its log and a backup, and callers see and find them as before', async () => {
    await findsAll();
    const { body } = await app.call(`${STORE}/users/${userId}/sessions`);
    assert.equal(body.content[0].username, EXT_ID);
    assert.deepEqual(await canaries(), []);
  });

  it('external ids of users are unique in a store although they are sealed: 100037 for the second', async () => {
    const body = JSON.stringify({ extId: EXT_ID });
    assert.equal((await app.call(`${STORE}/users`, { method: 'POST', body })).body.code, 100037);
  });

  it('external ids of users and names of members are sealed after a change, too', async () => {
    await post(`${STORE}/users/${userId}`, { extId: 'other', attributes: { note: 'x' } });
    await post(`${STORE}/users/${userId}`, { extId: EXT_ID });
    await findsAll();
    assert.deepEqual(await canaries(), []);
  });

  it('external ids of users and names of members that an earlier release stored in plain text are sealed at the start, and no plain text remains', async () => {
    await app.app.db.of(TENANT).write(async (tx) => {
      const clear = `UPDATE identity_users SET ext_id = $3, ext_id_folded = $4, ext_sealed = NULL
        WHERE tenant_id = $1 AND id = $2`;
      await tx.run({ text: clear }, [TENANT, userId, EXT_ID, EXT_ID.toLowerCase()]);
      const names = `UPDATE watchlist_members SET first_folded = 'sesquipedalia', last_folded = 'floccinaucini'
        WHERE tenant_id = $1 AND id = (SELECT min(id) FROM watchlist_members WHERE tenant_id = $1)`;
      await tx.run({ text: names }, [TENANT]);
      await tx.run({ text: "DELETE FROM tenant_settings WHERE tenant_id = $1 AND name LIKE 'personal.%'" }, [TENANT]);
    });
    assert.deepEqual(await canaries(), CANARIES);
    await app.stop();
    app = await openTestApp(place, { clock: app.clock });
    assert.deepEqual(await canaries(), []);
    await findsAll();
  });
});
