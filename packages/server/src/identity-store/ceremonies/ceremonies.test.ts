import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness.ts';
import { addressesOf, openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { getStore } from '../stores/find-store.ts';
import { openCeremoniesOf } from './ceremonies.repository.ts';
import { MAX_OPEN_PER_USER, openCeremony, takeCeremony } from './ceremonies.ts';

const KINDS = ['PASSKEY_REGISTRATION', 'PASSKEY_AUTHENTICATION', 'APPKEY_REGISTRATION', 'APPKEY_AUTHENTICATION'] as (
  | 'PASSKEY_REGISTRATION'
  | 'PASSKEY_AUTHENTICATION'
  | 'APPKEY_REGISTRATION'
  | 'APPKEY_AUTHENTICATION'
)[];

onBothEngines('sessions of registration and authentication', (_engine, places) => {
  let grove: TestIdentity;
  let storeId: string;
  let otherStoreId: string;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    await grove.store('Sessions');
    await grove.store('Others');
    const asks = { principal: { environment: 'live' } } as const;
    storeId = (await getStore(db(), asks, 'Sessions')).id;
    otherStoreId = (await getStore(db(), asks, 'Others')).id;
  });
  after(() => grove.stop());

  const db = (tenant = 'acme') => grove.app.db.of(asTenantId(tenant));
  const now = () => grove.clock.now();
  const newUser = (extId: string) => grove.user('/stores/Sessions', { extId });
  const open = (kind: (typeof KINDS)[number], userId?: string, more: object = {}) =>
    db().write((tx) =>
      openCeremony(tx, { kind, storeId, userId, data: { challenge: 'x' }, now: now(), lifeMs: 5 * MINUTE, ...more }),
    );
  const take = (kind: (typeof KINDS)[number], sessionId: string, store = storeId, tenant = 'acme') =>
    db(tenant).write((tx) => takeCeremony(tx, kind, store, sessionId, now()));

  it('a session of registration or authentication is used by one request and by no other, however many come at once', async () => {
    for (const kind of KINDS) {
      const { sessionId } = await open(kind);
      const sessions = await Promise.all(Array.from({ length: 20 }, () => take(kind, sessionId)));
      assert.deepEqual(sessions.filter(Boolean).length, 1);
      assert.deepEqual(sessions.find(Boolean)?.data, { challenge: 'x' });
    }
  });

  it('a session of registration or authentication is unknown to other kinds, stores and tenants, and stays unchanged', async () => {
    for (const kind of KINDS) {
      const { sessionId } = await open(kind);
      for (const other of KINDS) if (other !== kind) assert.equal(await take(other, sessionId), undefined);
      assert.equal(await take(kind, sessionId, otherStoreId), undefined);
      assert.equal(await take(kind, sessionId, storeId, 'other'), undefined);
      assert.ok(await take(kind, sessionId));
    }
  });

  it('a session of registration or authentication expires, and is then removed', async () => {
    const user = await newUser('late');
    const { sessionId, expiresAt } = await open('PASSKEY_AUTHENTICATION', user.id);
    assert.equal(expiresAt, now() + 5 * MINUTE);
    grove.clock.advance(5 * MINUTE);
    assert.equal(await take('PASSKEY_AUTHENTICATION', sessionId), undefined);
    assert.equal((await openCeremoniesOf(db(), user.id, 0)).length, 1);
    await grove.app.jobs.tend();
    grove.clock.advance(HOUR / 2);
    await grove.until(async () => (await openCeremoniesOf(db(), user.id, 0)).length === 0);
  });

  it('the sessions of a user are at most twenty: a new one replaces the oldest', async () => {
    const user = await newUser('eager');
    const first = await open('PASSKEY_REGISTRATION', user.id);
    grove.clock.advance(1);
    for (let more = 0; more < MAX_OPEN_PER_USER; more++) await open('PASSKEY_AUTHENTICATION', user.id);
    assert.equal((await openCeremoniesOf(db(), user.id, now())).length, MAX_OPEN_PER_USER);
    assert.equal(await take('PASSKEY_REGISTRATION', first.sessionId), undefined);
  });

  it('the sessions of a user are listed at each of its addresses, the newest first, and are removed together with the user', async () => {
    const user = await newUser('listed');
    await open('APPKEY_REGISTRATION', user.id, { rpId: 'example.com', username: 'Lis' });
    grove.clock.advance(1000);
    const second = await open('PASSKEY_AUTHENTICATION', user.id);
    for (const address of addressesOf('/stores/Sessions', user, '/sessions')) {
      const { body } = await grove.send('GET', address);
      const [newest, oldest] = body.content;
      assert.deepEqual([body.totalElements, newest.id, newest.type], [2, second.sessionId, 'AUTHENTICATION']);
      const { id: _id, createdDtm: _created, expiringDtm, ...rest } = oldest;
      assert.deepEqual(rest, { type: 'REGISTRATION', modality: 'APPKEY', rpId: 'example.com', username: 'Lis' });
      assert.equal(Date.parse(newest.expiringDtm) - Date.parse(expiringDtm), 1000);
      const page = await grove.send('GET', `${address}?size=1&page=1&sort=createdDtm,asc`);
      assert.deepEqual([page.body.content[0].id, page.body.last], [second.sessionId, true]);
    }
    await grove.send('DELETE', `/stores/Sessions/users/${user.id}`);
    assert.equal(await take('PASSKEY_AUTHENTICATION', second.sessionId), undefined);
  });
});
