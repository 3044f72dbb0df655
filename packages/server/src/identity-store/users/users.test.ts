import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Answer, onBothEngines } from '../../../test/harness.ts';
import { addressesOf, openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { sql } from '../../db/db.ts';
import { DAY, MINUTE } from '../../kernel/clock.ts';
import { asTenantId, newId } from '../../kernel/ids.ts';
import { AUTHENTICATIONS_AT_ONCE, removeHistory } from './delete-user.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const SUBJECTS = sql('SELECT subject FROM data_keys WHERE tenant_id = $1 AND subject = $2');
const SEALED = sql('SELECT sealed FROM identity_users WHERE tenant_id = $1 AND id = $2');

onBothEngines('users of an identity store', (_engine, places) => {
  let grove: TestIdentity;
  let store: string;
  before(async () => {
    grove = await openTestIdentity(await places.create());
    store = await grove.store('People', { defaultLocale: 'en-IE', defaultTimeZone: 'Europe/Dublin' });
  });
  after(() => grove.stop());

  const tenantDb = () => grove.app.db.of(asTenantId('acme'));

  it('users of an identity store are created, read and changed through each of their addresses', async () => {
    const user = await grove.user(store, { extId: 'ann@example.com/1', attributes: { department: 'Sales' } });
    const { id, createdDtm, lastUpdatedDtm, ...rest } = user;
    assert.equal(createdDtm, lastUpdatedDtm);
    assert.deepEqual(rest, {
      environment: 'live',
      extId: 'ann@example.com/1',
      status: 'ACTIVE',
      attributes: { department: 'Sales' },
      locale: 'en-IE',
      timeZone: 'Europe/Dublin',
      lockInfo: { failedCount: 0, lockCount: 0, modalities: {} },
      summaryInfo: { devices: [], appkeys: [], passkeys: [], totps: [], biometrics: [] },
    });
    for (const [index, address] of addressesOf(store, user).entries()) {
      assert.deepEqual((await grove.send('GET', address)).body.id, id);
      grove.clock.advance(1000);
      const changed = await grove.send('POST', address, { ...user, locale: 'fr', attributes: { n: `${index}` } });
      assert.equal(changed.status, 200, changed.text);
      assert.deepEqual([changed.body.locale, changed.body.attributes], ['fr', { n: `${index}` }]);
      assert.ok(changed.body.lastUpdatedDtm > createdDtm);
      assert.deepEqual((await grove.send('GET', address)).body, changed.body);
    }
    const answer = await grove.send('POST', `${store}/users/${id}`, {});
    assert.deepEqual(answer.body.attributes, { n: '1' });
    const none = await grove.send('POST', `${store}/users/${id}`, { attributes: {} });
    assert.deepEqual(none.body.attributes, {});
  });

  it('users with a long history lose it a few rows at a time before they are deleted, so that others can write in between', async () => {
    const { id } = await grove.user(store, { extId: 'busy' });
    const [db, now] = [tenantDb(), grove.clock.now()];
    const count = 3 * AUTHENTICATIONS_AT_ONCE + 1;
    const add = sql(`INSERT INTO authentications (tenant_id, user_id, id, modality, succeeded, created_at)
      VALUES ($1, $2, $3, 'TOTP', 1, $4)`);
    await db.write(async (tx) => {
      for (let at = 0; at < count; at++) await tx.run(add, ['acme', id, newId(now - MINUTE), now]);
    });
    const rows = sql('SELECT count(*) AS rows FROM authentications WHERE tenant_id = $1 AND user_id = $2');
    const counts: number[] = [];
    const watched: typeof db = {
      ...db,
      async write(work, options) {
        const result = await db.write(work, options);
        counts.push(Number((await db.get<{ rows: number }>(rows, ['acme', id]))?.rows));
        return result;
      },
    };
    await removeHistory(watched, id, now);
    assert.deepEqual(counts, [1001, 501, 1, 0]);
    assert.equal((await grove.send('GET', `${store}/users/${id}`)).status, 200, 'the user is still there');
    await removeHistory(watched, id, now);
    assert.equal(counts.length, 4, 'a short history goes with the user');
    assert.equal((await grove.send('DELETE', `${store}/users/${id}`)).status, 204);
  });

  it('users of an identity store show their environment', async () => {
    const { inTest } = grove;
    assert.equal((await grove.send('POST', '/stores', { name: 'Pretence' }, inTest)).status, 201);
    const users = '/stores/Pretence/users';
    const created = (await grove.send('POST', users, { extId: 'ada' }, inTest)).body;
    const list = (await grove.send('GET', users, undefined, inTest)).body;
    const one = (await grove.send('GET', `${users}/ada/ext`, undefined, inTest)).body;
    assert.deepEqual([created.environment, list.content[0].environment, one.environment], ['test', 'test', 'test']);
    assert.equal((await grove.user(store)).environment, 'live');
  });

  it('users of an identity store cannot be named . or .., which no address can contain', async () => {
    const { id } = await grove.user(store);
    for (const extId of ['.', '..']) {
      for (const path of [`${store}/users`, `${store}/users/${id}`]) {
        const { status, body } = await grove.send('POST', path, { extId });
        assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, '/extId'], extId);
      }
    }
    const odd = await grove.user(store, { extId: '...' });
    assert.equal((await grove.send('GET', `${store}/users/.../ext`)).body.id, odd.id);
  });

  it('users of an identity store have sealed attributes, which cannot be opened once the user is deleted', async () => {
    for (const at of [0, 1]) {
      const user = await grove.user(store, { extId: `secret-${at}`, attributes: { nickname: 'Hubertine' } });
      const row = await tenantDb().get<{ sealed: Uint8Array }>(SEALED, ['acme', user.id]);
      assert.ok(row && !Buffer.from(row.sealed).toString('latin1').includes('Hubertine'));
      assert.ok(await tenantDb().get(SUBJECTS, ['acme', `user:${user.id}`]));
      const address = addressesOf(store, user)[at] as string;
      assert.equal((await grove.send('DELETE', address)).status, 204);
      assert.equal(await tenantDb().get(SUBJECTS, ['acme', `user:${user.id}`]), undefined);
      assert.equal((await grove.send('GET', address)).body.code, 100028);
      assert.equal((await grove.send('DELETE', address)).body.code, 100028);
    }
    assert.doesNotMatch(grove.logged(), /Hubertine/);
  });

  it('users of an identity store have unique external ids: 100037 for a second one, also when many are created at once', async () => {
    const other = await grove.store('Others');
    const tries = await Promise.all(
      Array.from({ length: 20 }, () => grove.send('POST', `${store}/users`, { extId: 'only' })),
    );
    assert.deepEqual(tries.map(({ status }) => status).sort(), [201, ...Array(19).fill(409)]);
    const [refusal] = tries.filter(({ status }) => status === 409);
    assert.deepEqual([refusal?.body.code, refusal?.body.errors[0].pointer], [100037, '/extId']);
    assert.equal((await grove.send('POST', `${other}/users`, { extId: 'only' })).status, 201);
    const second = await grove.user(store, { extId: 'second' });
    const renamed = await grove.send('POST', `${store}/users/${second.id}`, { extId: 'only' });
    assert.deepEqual([renamed.status, renamed.body.code], [409, 100037]);
    assert.equal((await grove.send('POST', `${store}/users/${second.id}`, { extId: 'third' })).body.extId, 'third');
    assert.equal((await grove.send('GET', `${store}/users/second/ext`)).body.code, 100028);
  });

  it('users of an identity store are listed in pages, by external id and by status, in the requested order', async () => {
    const listed = await grove.store('Listed');
    for (const name of ['Zoe', 'adam', 'Eve', 'evan_1']) await grove.user(listed, { extId: name });
    await grove.user(listed, { status: 'DISABLED' });
    const names = async (query: string) => {
      const { body, text } = await grove.send('GET', `${listed}/users?${query}`);
      assert.ok(body.content, text);
      return [body.totalElements, ...body.content.map((user: { extId?: string }) => user.extId)];
    };
    assert.deepEqual(await names('sort=extId,asc&size=3'), [5, undefined, 'adam', 'evan_1']);
    assert.deepEqual(await names('sort=extId,asc&size=3&page=1'), [5, 'Eve', 'Zoe']);
    assert.deepEqual(await names('extId=ev%25&sort=extId,asc'), [2, 'evan_1', 'Eve']);
    assert.deepEqual(await names('extId=EVE'), [1, 'Eve']);
    assert.deepEqual(await names('extId=%25e&sort=extId'), [2, 'Eve', 'Zoe']);
    assert.deepEqual(await names('extId=evan%5C_1'), [1, 'evan_1']);
    assert.deepEqual(await names('status=DISABLED'), [1, undefined]);
    assert.deepEqual(await names('status=LOCKED'), [0]);
    assert.deepEqual(await names('status=ACTIVE&extId=a%25'), [1, 'adam']);
    assert.equal((await grove.send('GET', `${listed}/users?sort=attributes`)).body.code, 100001);
    assert.equal((await grove.send('GET', `${listed}/users?extId=a%5C`)).body.code, 100001);
  });

  it('users of an identity store are refused with 100001 if a field has no possible meaning', async () => {
    for (const [body, pointer] of [
      [{ extId: '  ' }, '/extId'],
      [{ locale: 'x_y_z!' }, '/locale'],
      [{ timeZone: 'Nowhere' }, '/timeZone'],
      [{ status: 'TEMP_LOCKED' }, '/status'],
      [{ status: 'GONE' }, '/status'],
    ] as const) {
      const answer = await grove.send('POST', `${store}/users`, body);
      assert.deepEqual([answer.body.code, answer.body.errors?.[0]?.pointer], [100001, pointer], answer.text);
    }
    const { id } = await grove.user(store);
    assert.equal((await grove.send('POST', `${store}/users/${id}`, { status: 'TEMP_LOCKED' })).body.code, 100001);
    assert.equal((await grove.send('POST', `${store}/users/${id}/lock`, { duration: 'PT0S' })).body.code, 100001);
  });

  it('users of an identity store are locked for a time or until they are unlocked, through each of their addresses', async () => {
    for (const at of [0, 1]) {
      const user = await grove.user(store, { extId: `locked-${at}` });
      const to = (tail: string) => addressesOf(store, user, tail)[at] as string;
      const locked = await grove.send('POST', to('/lock'));
      assert.deepEqual([locked.status, locked.body.status], [200, 'LOCKED'], locked.text);
      const unlocked = await grove.send('POST', to('/unlock'));
      assert.equal(unlocked.body.status, 'ACTIVE');
      const forATime = await grove.send('POST', to('/lock'), { duration: 'PT10M' });
      assert.equal(forATime.body.status, 'TEMP_LOCKED');
      assert.ok(forATime.body.lockInfo.tempLockExpiresDtm);
      const listed = await grove.send('GET', `${store}/users?status=TEMP_LOCKED`);
      assert.deepEqual(
        listed.body.content.map(({ id }: { id: string }) => id),
        [user.id],
      );
      const sentBack = await grove.send('POST', to(''), forATime.body);
      assert.equal(sentBack.body.status, 'TEMP_LOCKED');
      grove.clock.advance(10 * MINUTE);
      const { body: free } = await grove.send('GET', to(''));
      assert.deepEqual([free.status, free.lockInfo.tempLockExpiresDtm], ['ACTIVE', undefined]);
      await grove.send('POST', to('/lock'));
      assert.equal((await grove.send('POST', to(''), { status: 'ACTIVE' })).body.status, 'ACTIVE');
    }
    const types = (await grove.events('People')).map(({ type }) => type);
    assert.ok(types.includes('identity.userLocked') && types.includes('identity.userUnlocked'));
  });

  it('users of an identity store that were locked for a time while the clock was ahead are free once it is corrected', async () => {
    const user = await grove.user(store, { extId: 'locked ahead' });
    const idsOf = async (status: string) => {
      const { body } = await grove.send('GET', `${store}/users?status=${status}&size=100`);
      return body.content.map(({ id }: { id: string }) => id);
    };
    const rightTime = grove.clock.now();
    grove.clock.advance(365 * DAY);
    try {
      await grove.renew();
      const locked = await grove.send('POST', `${store}/users/${user.id}/lock`, { duration: 'PT10M' });
      assert.equal(locked.body.status, 'TEMP_LOCKED', locked.text);
    } finally {
      grove.clock.set(rightTime);
      await grove.renew();
    }
    const { body: free } = await grove.send('GET', `${store}/users/${user.id}`);
    assert.deepEqual([free.status, free.lockInfo.tempLockExpiresDtm], ['ACTIVE', undefined]);
    assert.deepEqual(
      [(await idsOf('TEMP_LOCKED')).includes(user.id), (await idsOf('ACTIVE')).includes(user.id)],
      [false, true],
    );
  });

  it('users of an identity store that are not active cannot be locked, because unlocking would make them active: 502', async () => {
    const user = await grove.user(store, { status: 'DISABLED' });
    const answer = await grove.send('POST', `${store}/users/${user.id}/lock`);
    assert.deepEqual([answer.status, answer.body.code], [400, 502]);
    assert.equal((await grove.send('POST', `${store}/users/${user.id}/unlock`)).body.status, 'DISABLED');
    await grove.send('POST', `${store}/users/${user.id}`, { status: 'ACTIVE' });
    const types = (await grove.events('People')).filter(({ userId }) => userId === user.id).map(({ type }) => type);
    assert.ok(types.includes('identity.userUpdated'), 'to make it active is not to unlock it');
  });

  it('users of an identity store are limited in number by its configuration: 100083 for one more', async () => {
    const small = await grove.store('Small', { maxUsers: 2 });
    const first = await grove.user(small);
    await grove.user(small);
    const third = await grove.send('POST', `${small}/users`, {});
    assert.deepEqual([third.status, third.body.code], [409, 100083]);
    await grove.send('DELETE', `${small}/users/${first.id}`);
    await grove.user(small);
  });

  it('users of another store, tenant or environment get 100027 or 100028 at every address, and do not change', async () => {
    const mine = await grove.user(store, { extId: 'mine', attributes: { a: 'b' } });
    const elsewhere = await grove.store('Elsewhere');
    await grove.send('POST', '/stores', { name: 'People' }, grove.inTest);
    await grove.send('POST', '/stores', { name: 'People' }, grove.ofOther);
    const operations = [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['POST', '/lock'],
      ['POST', '/unlock'],
      ['GET', '/sessions'],
      ['GET', '/authentications'],
    ] as const;
    const strangers: [string, string | undefined][] = [
      [elsewhere, undefined],
      [store, grove.inTest],
      [store, grove.ofOther],
    ];
    for (const [at, token] of strangers) {
      for (const [method, tail] of operations) {
        for (const address of addressesOf(at, { id: mine.id, extId: 'mine' }, tail)) {
          const body = method === 'POST' ? {} : undefined;
          const answer: Answer = await grove.send(method, address, body, token);
          assert.deepEqual([answer.status, answer.body.code], [404, 100028], `${method} ${address}`);
        }
      }
    }
    assert.equal((await grove.send('GET', `${store}/users/${NOBODY}`)).body.code, 100028);
    assert.equal((await grove.send('GET', `/stores/None/users/${mine.id}`)).body.code, 100027);
    assert.deepEqual((await grove.send('GET', `${store}/users/mine/ext`)).body, mine);
  });

  it('users of an identity store have empty lists of sessions and authentications at first, at each of their addresses', async () => {
    const user = await grove.user(store, { extId: 'quiet' });
    for (const tail of ['/sessions', '/authentications']) {
      for (const address of addressesOf(store, user, tail)) {
        const { status, body } = await grove.send('GET', address);
        assert.deepEqual([status, body.totalElements, body.content], [200, 0, []]);
      }
    }
  });
});
