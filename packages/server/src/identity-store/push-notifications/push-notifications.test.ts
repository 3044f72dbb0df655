import assert from 'node:assert/strict';
import { after, before, beforeEach, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, onBothEngines } from '../../../test/harness.ts';
import { HELLO, openPushWorld, PROVIDERS, type PushWorld } from '../../../test/push-world.ts';
import { uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import { RP } from '../../../test/uaf/relying-party.ts';
import { sql } from '../../db/db.ts';
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts';

const PUSHES = sql('SELECT sealed FROM push_notifications WHERE tenant_id = $1');
/** The time in which a request that must wait could wrongly answer. */
const PATIENCE_MS = 300;
const COUNT = sql('SELECT count(*) AS total FROM push_notifications WHERE tenant_id = $1');

onBothEngines('push notifications', (_engine, places) => {
  let world: PushWorld;
  before(async () => {
    world = await openPushWorld(await places.create());
  });
  after(() => world.stop());
  beforeEach(() => world.quiet());

  it('push notifications reach every device through its provider, and contain only what the request says', async () => {
    const { user, apple, google, web } = await world.everybody();
    const answer = await world.send(user);
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.body.pushNotifications.length, 3);
    await world.settle();
    const [toApple] = world.providers.of('APNS');
    const [toGoogle] = world.providers.of('FCM');
    const [toBrowser] = world.providers.of('WEB_PUSH');
    assert.deepEqual([toApple?.token, toGoogle?.token, toBrowser?.token], [apple, google, web]);
    for (const one of [toApple, toGoogle, toBrowser]) {
      assert.deepEqual([one?.title, one?.message], [HELLO.title, HELLO.message]);
      const record = answer.body.pushNotifications.find(
        ({ id }: { id: string }) => id === one?.data.pushNotificationId,
      );
      assert.deepEqual(one?.data, { pushNotificationId: record.id, type: 'GENERIC', rpId: RP });
      assert.equal(await world.statusOf(user, record.id), 'SENT');
    }
    assert.deepEqual(
      [toApple?.headers['apns-topic'], toApple?.headers['apns-push-type']],
      ['com.example.bank', 'alert'],
    );
    assert.deepEqual(toBrowser?.headers, { ttl: String((24 * HOUR) / SECOND), encoding: 'aes128gcm' });
    for (const { sealed } of await world.acme.all<{ sealed: Uint8Array }>(PUSHES, ['acme'])) {
      assert.ok(!Buffer.from(sealed).includes('Was that you'));
    }
  });

  it('push notifications request one access token, however many messages are sent', async () => {
    const { accessTokens } = world.providers.state;
    for (const { user } of [await world.everybody(), await world.everybody()]) await world.send(user);
    await world.settle();
    assert.ok(world.providers.state.accessTokens - accessTokens <= 1);
    assert.equal(world.providers.of('FCM').length, 2);
  });

  it('push notifications are listed by relying party and device and read one by one, through each address: 100034 for those of another user', async () => {
    const { user } = await world.everybody();
    const { body } = await world.grove.send('POST', world.pushesExt(user, `/relyingParties/${RP}`), HELLO);
    const [first] = body.pushNotifications;
    for (const address of [world.pushes(user), world.pushesExt(user)]) {
      const listed = await world.grove.send('GET', address);
      assert.deepEqual(Object.keys(listed.body[RP]).toSorted(), ['android', 'browser', 'iphone']);
      assert.equal(listed.body[RP].iphone[0].title, HELLO.title);
    }
    for (const address of [world.pushes(user, `/${first.id}`), world.pushesExt(user, `/${first.id}`)]) {
      assert.equal((await world.grove.send('GET', address)).body.id, first.id);
    }
    const { user: other } = await world.everybody();
    assert.equal((await world.grove.send('GET', world.pushes(other, `/${first.id}`))).body.code, 100034);
    assert.equal(
      (await world.grove.send('POST', world.pushesExt(other, `/${first.id}`), { status: 'ACCEPTED' })).body.code,
      100034,
    );
    for (const token of [world.grove.ofOther, world.grove.inTest]) {
      assert.equal((await world.grove.send('GET', world.pushes(user), undefined, token)).body.code, 100027);
      const refusal = await world.grove.send('POST', world.pushes(user, `/relyingParties/${RP}`), HELLO, token);
      assert.equal(refusal.body.code, 100027);
    }
  });

  it('push notifications are answered by the device, once: 100120 for a second answer', async () => {
    const { user } = await world.everybody();
    const { body } = await world.send(user);
    const [one, two] = body.pushNotifications;
    const answer = (id: string, status: string, at = world.pushes) =>
      world.grove.send('POST', at(user, `/${id}`), { status });
    for (const status of ['DELIVERED', 'DELIVERED', 'ACCEPTED', 'COMPLETED', 'COMPLETED']) {
      assert.equal((await answer(one.id, status)).body.status, status);
    }
    assert.deepEqual((await answer(one.id, 'REJECTED')).body.code, 100120);
    assert.equal(
      (await world.grove.send('POST', world.pushesExt(user, `/${two.id}`), { status: 'REJECTED' })).status,
      200,
    );
    assert.equal((await answer(two.id, 'ACCEPTED')).body.code, 100120);
    const { body: active } = await world.grove.send('GET', world.pushes(user));
    assert.equal(Object.keys(active[RP]).length, 1);
  });

  it('2100, 502: push notifications cannot be accepted by a user who is locked or not active, but can be rejected', async () => {
    const { user } = await world.everybody();
    const { body } = await world.send(user);
    const [one, two] = body.pushNotifications;
    const at = `${world.party.store}/users/${user.id}`;
    const accept = async () => [
      (await world.answer(user, one.id, { status: 'ACCEPTED' })).body.code,
      (await world.grove.send('POST', world.pushesExt(user, `/${one.id}`), { status: 'ACCEPTED' })).body.code,
    ];
    assert.equal((await world.grove.send('POST', `${at}/lock`, { duration: 'PT1H' })).status, 200);
    assert.deepEqual(await accept(), [2100, 2100]);
    const complete = () => world.answer(user, one.id, { status: 'COMPLETED' });
    assert.equal((await complete()).body.code, 2100, 'what was never accepted');
    assert.equal((await world.answer(user, two.id, { status: 'REJECTED' })).status, 200);
    assert.equal((await world.grove.send('POST', at, { status: 'DISABLED' })).status, 200);
    assert.deepEqual(await accept(), [502, 502]);
    assert.equal((await world.grove.send('POST', at, { status: 'ACTIVE' })).status, 200);
    assert.equal((await world.answer(user, one.id, { status: 'ACCEPTED' })).status, 200);
  });

  it('an answer to a push notification that arrives while the user is deleted is refused, and neither request must be repeated', async () => {
    const { user } = await world.everybody();
    const { body } = await world.send(user);
    const newest = body.pushNotifications
      .map(({ id }: { id: string }) => id)
      .toSorted()
      .at(-1);
    const of = ['acme', user.id];
    const { late } = await world.acme.write(async (tx) => {
      // A deletion that has begun, and removes the newest notification first.
      await tx.run({ text: 'UPDATE identity_users SET status = status WHERE tenant_id = $1 AND id = $2' }, of);
      await tx.run({ text: 'DELETE FROM push_notifications WHERE tenant_id = $1 AND id = $2' }, ['acme', newest]);
      const answers = body.pushNotifications.map(({ id }: { id: string }) =>
        world.answer(user, id, { status: 'ACCEPTED' }),
      );
      await Promise.race([Promise.all(answers), wait(PATIENCE_MS)]);
      await tx.run({ text: 'DELETE FROM identity_users WHERE tenant_id = $1 AND id = $2' }, of);
      return { late: answers };
    });
    for (const { body: answer } of await Promise.all<Answer>(late)) assert.equal(answer.code, 100028);
  });

  it('push notifications go only to the preferred device if the request says so; a user without a reachable one gets 100040', async () => {
    const { user } = await world.everybody();
    const body = { ...HELLO, devices: 'PREFERRED' };
    assert.equal((await world.send(user, body)).body.code, 100040);
    await world.grove.send('POST', world.party.ofUser(user, '/preferredDevice/android'));
    const answer = await world.send(user, body);
    assert.deepEqual(
      answer.body.pushNotifications.map(({ deviceId }: { deviceId: string }) => deviceId),
      ['android'],
    );
    const { user: without } = await world.party.holder();
    assert.equal((await world.send(without)).body.code, 100040);
  });

  it('push notifications are limited to five calls in ten minutes for each user: 100039, with the time to wait', async () => {
    const { user } = await world.everybody();
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.send(user)));
    assert.deepEqual(answers.map(({ body }) => body.code ?? 'ok').toSorted(), [
      ...Array(3).fill(100039),
      ...Array(5).fill('ok'),
    ]);
    const refusal = await world.send(user);
    assert.deepEqual([refusal.status, refusal.headers.get('retry-after')], [429, String((10 * MINUTE) / SECOND)]);
    world.grove.clock.advance(10 * MINUTE);
    assert.equal((await world.send(user)).status, 201);
  });

  it('100039: push notifications sent while the clock was ahead do not use up the limit once it is corrected', async () => {
    const { user } = await world.everybody();
    const right = world.grove.clock.now();
    world.grove.clock.advance(25 * MINUTE);
    for (let at = 0; at < 5; at += 1) assert.equal((await world.send(user)).status, 201);
    assert.equal((await world.send(user)).body.code, 100039);
    world.grove.clock.set(right);
    assert.equal((await world.send(user)).status, 201);
  });

  it('push notifications are refused for an unknown user 100028, relying party 100029, inactive policy 100030 and inactive store 100082', async () => {
    const { user } = await world.everybody();
    assert.equal((await world.send({ id: '01JZ4MCW8A0C2E4G6J8M0P2R4T' })).body.code, 100028);
    const elsewhere = await world.grove.send('POST', world.pushes(user, '/relyingParties/no.example'), HELLO);
    assert.equal(elsewhere.body.code, 100029);
    await world.policyAt('POST', `/${RP}`, { status: 'INACTIVE' });
    assert.equal((await world.send(user)).body.code, 100030);
    await world.policyAt('POST', `/${RP}`, { status: 'ACTIVE' });
    const empty = await world.send(user, { type: 'GENERIC' });
    assert.equal(empty.body.errors[0].pointer, '/message');
    await world.grove.send('POST', world.party.store, { status: 'INACTIVE' });
    assert.equal((await world.send(user)).body.code, 100082);
    await world.grove.send('POST', world.party.store, { status: 'ACTIVE' });
  });

  it('a push token that the provider reports as dead is marked, and the device is skipped until it has another', async () => {
    const { user, apple } = await world.everybody();
    world.providers.answers.APNS = () => ({ status: 410, body: { reason: 'Unregistered' } });
    const details = [{ errorCode: 'UNREGISTERED' }];
    world.providers.answers.FCM = () => ({ status: 404, body: { error: { details } } });
    world.providers.answers.WEB_PUSH = () => ({ status: 410 });
    const { body } = await world.send(user);
    await world.settle();
    for (const { id } of body.pushNotifications) assert.equal(await world.statusOf(user, id), 'FAILED');
    for (const device of await world.devicesOf(user)) assert.equal(device.invalidToken, true, device.deviceId);
    assert.equal((await world.send(user)).body.code, 100040);
    await world.grove.send('POST', world.party.ofUser(user, '/devices/iphone'), { pushToken: apple });
    delete world.providers.answers.APNS;
    assert.equal((await world.send(user)).body.pushNotifications.length, 1);
    await world.settle();
    assert.equal(world.providers.of('APNS').length, 1);
  });

  it('a push token that cannot be the address of a device is marked as dead before any connection', async () => {
    const user = await world.party.user();
    for (const [deviceId, pushProvider, pushToken] of [
      ['one', 'APNS', '../../etc'],
      ['two', 'WEB_PUSH', 'no subscription'],
      ['three', 'WEB_PUSH', JSON.stringify({ endpoint: 'http://10.0.0.1/', keys: { p256dh: 'x', auth: 'y' } })],
      ['four', 'WEB_PUSH', world.providers.subscribe('inside').replace(/http:[^"]+/, 'http://169.254.169.254/latest')],
    ] as const) {
      await world.party.register(user, uafAuthenticator(), { deviceId, pushProvider, pushToken });
    }
    const { body } = await world.send(user);
    await world.settle();
    for (const { id } of body.pushNotifications) assert.equal(await world.statusOf(user, id), 'FAILED');
    assert.equal(world.providers.arrived.length, 0);
  });

  it('a push provider that is down or asks to wait gets its message later, and messages of others are sent at once', async () => {
    const { user } = await world.everybody();
    let tries = 0;
    world.providers.answers.FCM = () => {
      tries += 1;
      return { status: tries === 1 ? 429 : 503 };
    };
    await world.send(user);
    await world.settle();
    assert.deepEqual([world.providers.of('APNS').length, world.providers.of('WEB_PUSH').length, tries], [1, 1, 1]);
    world.grove.clock.advance(10 * SECOND);
    await world.settle();
    assert.equal(tries, 2);
    delete world.providers.answers.FCM;
    world.grove.clock.advance(MINUTE);
    await world.settle();
    assert.deepEqual([world.providers.of('APNS').length, world.providers.of('FCM').length], [1, 1]);
  });

  it('a push message that has expired is not sent any more, and is removed after a month', async () => {
    const { user } = await world.everybody();
    for (const provider of PROVIDERS) world.providers.answers[provider] = () => ({ status: 503 });
    const { body } = await world.send(user);
    await world.settle();
    world.grove.clock.advance(24 * HOUR);
    await world.grove.renew();
    for (const provider of PROVIDERS) delete world.providers.answers[provider];
    await world.settle();
    assert.equal(world.providers.arrived.length, 0);
    for (const { id } of body.pushNotifications) assert.equal(await world.statusOf(user, id), 'EXPIRED');
    const late = await world.grove.send('POST', world.pushes(user, `/${body.pushNotifications[0].id}`), {
      status: 'ACCEPTED',
    });
    assert.equal(late.body.code, 100120);
    world.grove.clock.advance(31 * 24 * HOUR);
    await world.grove.renew();
    await world.settle();
    assert.equal(Number((await world.acme.get<{ total: number }>(COUNT, ['acme']))?.total), 0);
  });
});
