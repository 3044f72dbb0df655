import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { codeOf, endUser } from '../../../test/end-user.ts';
import { onBothEngines } from '../../../test/harness.ts';
import { openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { addTestDefinition } from '../../../test/processes.ts';
import { openPushProviders, type PushProviders } from '../../../test/push-providers.ts';
import { uafAuthenticator } from '../../../test/uaf/authenticator.ts';
import { openRelyingParty, type RelyingParty, RP } from '../../../test/uaf/relying-party.ts';
import { sql } from '../../db/db.ts';
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';

const POLICY = sql("SELECT config, sealed FROM relying_parties WHERE tenant_id = $1 AND kind = 'PUSH'");
const PUSHES = sql('SELECT sealed FROM push_notifications WHERE tenant_id = $1');
const COUNT = sql('SELECT count(*) AS total FROM push_notifications WHERE tenant_id = $1');
const BUSY = sql(`SELECT count(*) AS total FROM jobs
  WHERE kind = 'identity-store.send-push' AND (run_at <= $1 OR lease_until > 0)`);
const HELLO = { type: 'GENERIC', title: 'Your bank', message: 'Was that you?' } as const;

onBothEngines('push notifications', (_engine, places) => {
  let providers: PushProviders;
  let grove: TestIdentity;
  let party: RelyingParty;
  before(async () => {
    providers = await openPushProviders();
    const place = await places.create();
    const environment = { ...place.environment, GROVE_OUTBOUND_ALLOW: providers.allow };
    grove = await openTestIdentity({ ...place, environment });
    party = await openRelyingParty(grove, 'Bank');
    const made = await policyAt('POST', '', { rpId: RP, ...providers.settings });
    assert.equal(made.status, 201, made.text);
    const acme = grove.app.db.of(asTenantId('acme'));
    await addTestDefinition(acme, { name: 'approve' });
    await addTestDefinition(acme, { name: 'draft', status: 'EDITABLE' });
  });
  after(async () => {
    await grove.stop();
    await providers.close();
  });
  beforeEach(() => {
    providers.arrived.length = 0;
    for (const provider of ['APNS', 'FCM', 'WEB_PUSH'] as const) delete providers.answers[provider];
  });

  const policyAt = (method: 'GET' | 'POST' | 'DELETE', tail = '', body?: object) =>
    grove.send(method, `${party.store}/pushNotificationPolicy${tail}`, body);
  const pushes = (user: { id: string }, tail = '') => `${party.store}/users/${user.id}/pushNotifications${tail}`;
  const pushesExt = (user: { extId: string }, tail = '') =>
    `${party.store}/users/${user.extId}/pushNotifications${tail}/ext`;
  const send = (user: { id: string }, body: object = HELLO) =>
    grove.send('POST', pushes(user, `/relyingParties/${RP}`), body);
  const statusOf = async (user: { id: string }, id: string) =>
    (await grove.send('GET', pushes(user, `/${id}`))).body.status;
  /** Lets the jobs of now run to their end, also those that the server's own queue has taken. */
  const settle = async () => {
    for (let busy = 1; busy > 0; ) {
      await grove.app.jobs.runDue();
      busy = Number((await grove.app.db.system.get<{ total: number }>(BUSY, [grove.clock.now()]))?.total);
    }
  };
  const devicesOf = async (user: { id: string }) =>
    (await grove.send('GET', `${party.store}/users/${user.id}`)).body.summaryInfo.devices;

  let browsers = 0;
  /** A user with a phone of each make and a browser. */
  const everybody = async () => {
    const user = await party.user();
    browsers += 1;
    const web = `browser-${browsers}`;
    const apple = randomBytes(32).toString('hex');
    const google = `google-${browsers}`;
    const kinds = [
      ['iphone', 'APNS', apple],
      ['android', 'FCM', google],
      ['browser', 'WEB_PUSH', providers.subscribe(web)],
    ] as const;
    for (const [deviceId, pushProvider, pushToken] of kinds) {
      const done = await party.register(user, uafAuthenticator(), { deviceId, pushProvider, pushToken });
      assert.equal(done.status, 200, done.text);
    }
    return { user, apple, google, web };
  };

  describe('policies', () => {
    it('are made, read, changed and deleted, and never show nor store a credential: 100014, 100027, 100029, 100030', async () => {
      const own = await openRelyingParty(grove, 'Policies');
      const at = (tail = '') => `${own.store}/pushNotificationPolicy${tail}`;
      const { fcm, apns } = providers.settings;
      const made = await grove.send('POST', at(), { rpId: RP, fcm });
      assert.equal(made.status, 201, made.text);
      const { createdDtm, lastUpdatedDtm, ...policy } = made.body;
      assert.deepEqual(policy, { rpId: RP, status: 'ACTIVE', providers: ['FCM'] });
      assert.equal((await grove.send('POST', at(), { rpId: RP, fcm })).body.code, 100014);
      assert.equal((await grove.send('POST', at(), { rpId: 'no.example', fcm })).body.code, 100029);
      assert.equal(
        (await grove.send('POST', '/stores/Nowhere/pushNotificationPolicy', { rpId: RP })).body.code,
        100027,
      );
      const changed = await grove.send('POST', at(`/${RP}`), { apns, status: 'INACTIVE' });
      assert.deepEqual([changed.body.status, changed.body.providers], ['INACTIVE', ['APNS', 'FCM']]);
      assert.deepEqual((await grove.send('GET', at(`/${RP}`))).body, changed.body);
      const { configuration } = (await grove.send('GET', own.store)).body;
      assert.deepEqual(configuration.pushNotificationPolicies[RP], changed.body);
      const acme = grove.app.db.of(asTenantId('acme'));
      for (const row of await acme.all<{ config: string; sealed: Uint8Array }>(POLICY, ['acme'])) {
        const stored = row.config + Buffer.from(row.sealed).toString('latin1');
        assert.ok(!/PRIVATE KEY|push@bank/.test(stored));
      }
      assert.equal((await grove.send('DELETE', at(`/${RP}`))).status, 204);
      for (const method of ['GET', 'DELETE'] as const) {
        assert.equal((await grove.send(method, at(`/${RP}`))).body.code, 100030);
      }
      assert.equal((await grove.send('POST', at(`/${RP}`), {})).body.code, 100030);
    });

    it('that could not be used are refused, with the place of each fault', async () => {
      const { apns, fcm, webPush } = providers.settings;
      const body = {
        rpId: 'other.example',
        apns: { ...apns, privateKey: 'x', address: 'http://10.0.0.1' },
        fcm: { ...fcm, privateKey: apns.privateKey, tokenUri: 'http://169.254.169.254/token' },
        webPush: { ...webPush, subject: 'me', publicKey: 'AAAA', privateKey: '!' },
      };
      const refused = await policyAt('POST', '', body);
      assert.deepEqual(
        refused.body.errors.map(({ pointer }: { pointer: string }) => pointer),
        [
          ...['/apns/address', '/apns/privateKey', '/fcm/tokenUri', '/fcm/privateKey'],
          ...['/webPush/subject', '/webPush/publicKey', '/webPush/privateKey'],
        ],
      );
      assert.equal((await policyAt('POST', '', { rpId: RP, apns: { ...apns, misspelt: 1 } })).body.code, 100001);
    });

    it('a relying party is listed, and whether it is configured can be asked for', async () => {
      const own = await openRelyingParty(grove, 'Listed');
      await grove.send('POST', `${own.store}/appkeyConfig`, { rpId: 'a.example' });
      await grove.send('POST', `${own.store}/pushNotificationPolicy`, { rpId: RP, fcm: providers.settings.fcm });
      const list = async (query = '') =>
        (await grove.send('GET', `${own.store}/pushNotifications/relyingParties${query}`)).body.content;
      const a = { rpId: 'a.example', configurationStatus: 'NOT_CONFIGURED' };
      const bank = { rpId: RP, configurationStatus: 'CONFIGURED' };
      assert.deepEqual(await list(), [a, bank]);
      assert.deepEqual(await list('?sort=rpId,desc'), [bank, a]);
      assert.deepEqual(await list('?configurationStatus=CONFIGURED'), [bank]);
      assert.deepEqual(await list('?configurationStatus=NOT_CONFIGURED&size=1'), [a]);
      const nowhere = await grove.send('GET', '/stores/Nowhere/pushNotifications/relyingParties');
      assert.equal(nowhere.body.code, 100027);
    });

    it('a tenant cannot have more than a hundred of them: 100065', async () => {
      const own = await openRelyingParty(grove, 'Many');
      const { fcm } = providers.settings;
      const acme = grove.app.db.of(asTenantId('acme'));
      const copy = sql(`INSERT INTO relying_parties
        (tenant_id, store_id, kind, name, config, sealed, created_at, last_updated_at)
        SELECT tenant_id, store_id, kind, name || $2, config, sealed, 0, 0 FROM relying_parties
        WHERE kind = 'PUSH' AND store_id = $1 AND name = $3`);
      const { body: store } = await grove.send('GET', own.store);
      await grove.send('POST', `${own.store}/pushNotificationPolicy`, { rpId: RP, fcm });
      await acme.write(async (tx) => {
        for (let at = 1; at < 100; at++) await tx.run(copy, [store.id, `-${at}`, RP]);
      });
      await grove.send('POST', `${own.store}/appkeyConfig`, { rpId: 'b.example' });
      const one = await grove.send('POST', `${own.store}/pushNotificationPolicy`, { rpId: 'b.example', fcm });
      assert.equal(one.body.code, 100065);
    });
  });

  it('reach every device through its provider, with nothing but what was asked for', async () => {
    const { user, apple, google, web } = await everybody();
    const sent = await send(user);
    assert.equal(sent.status, 201, sent.text);
    assert.equal(sent.body.pushNotifications.length, 3);
    await settle();
    const [toApple] = providers.of('APNS');
    const [toGoogle] = providers.of('FCM');
    const [toBrowser] = providers.of('WEB_PUSH');
    assert.deepEqual([toApple?.token, toGoogle?.token, toBrowser?.token], [apple, google, web]);
    for (const one of [toApple, toGoogle, toBrowser]) {
      assert.deepEqual([one?.title, one?.message], [HELLO.title, HELLO.message]);
      const record = sent.body.pushNotifications.find(({ id }: { id: string }) => id === one?.data.pushNotificationId);
      assert.deepEqual(one?.data, { pushNotificationId: record.id, type: 'GENERIC', rpId: RP });
      assert.equal(await statusOf(user, record.id), 'SENT');
    }
    assert.deepEqual(
      [toApple?.headers['apns-topic'], toApple?.headers['apns-push-type']],
      ['com.example.bank', 'alert'],
    );
    assert.deepEqual(toBrowser?.headers, { ttl: String((24 * HOUR) / SECOND), encoding: 'aes128gcm' });
    const acme = grove.app.db.of(asTenantId('acme'));
    for (const { sealed } of await acme.all<{ sealed: Uint8Array }>(PUSHES, ['acme'])) {
      assert.ok(!Buffer.from(sealed).includes('Was that you'));
    }
  });

  it('ask for one access token, however many messages go', async () => {
    const { accessTokens } = providers.state;
    for (const { user } of [await everybody(), await everybody()]) await send(user);
    await settle();
    assert.ok(providers.state.accessTokens - accessTokens <= 1);
    assert.equal(providers.of('FCM').length, 2);
  });

  it('are listed by relying party and device and read one by one, through each address: 100034 for another', async () => {
    const { user } = await everybody();
    const { body } = await grove.send('POST', pushesExt(user, `/relyingParties/${RP}`), HELLO);
    const [first] = body.pushNotifications;
    for (const address of [pushes(user), pushesExt(user)]) {
      const listed = await grove.send('GET', address);
      assert.deepEqual(Object.keys(listed.body[RP]).toSorted(), ['android', 'browser', 'iphone']);
      assert.equal(listed.body[RP].iphone[0].title, HELLO.title);
    }
    for (const address of [pushes(user, `/${first.id}`), pushesExt(user, `/${first.id}`)]) {
      assert.equal((await grove.send('GET', address)).body.id, first.id);
    }
    const { user: other } = await everybody();
    assert.equal((await grove.send('GET', pushes(other, `/${first.id}`))).body.code, 100034);
    assert.equal(
      (await grove.send('POST', pushesExt(other, `/${first.id}`), { status: 'ACCEPTED' })).body.code,
      100034,
    );
    for (const token of [grove.ofOther, grove.inTest]) {
      assert.equal((await grove.send('GET', pushes(user), undefined, token)).body.code, 100027);
      const refused = await grove.send('POST', pushes(user, `/relyingParties/${RP}`), HELLO, token);
      assert.equal(refused.body.code, 100027);
    }
  });

  it('are answered by the device, and an end is an end: 100120', async () => {
    const { user } = await everybody();
    const { body } = await send(user);
    const [one, two] = body.pushNotifications;
    const answer = (id: string, status: string, at = pushes) => grove.send('POST', at(user, `/${id}`), { status });
    for (const status of ['DELIVERED', 'DELIVERED', 'ACCEPTED', 'COMPLETED', 'COMPLETED']) {
      assert.equal((await answer(one.id, status)).body.status, status);
    }
    assert.deepEqual((await answer(one.id, 'REJECTED')).body.code, 100120);
    assert.equal((await grove.send('POST', pushesExt(user, `/${two.id}`), { status: 'REJECTED' })).status, 200);
    assert.equal((await answer(two.id, 'ACCEPTED')).body.code, 100120);
    const { body: active } = await grove.send('GET', pushes(user));
    assert.equal(Object.keys(active[RP]).length, 1);
  });

  it('go to the preferred device alone if that is asked; a user without one that can be reached is 100040', async () => {
    const { user } = await everybody();
    const body = { ...HELLO, devices: 'PREFERRED' };
    assert.equal((await send(user, body)).body.code, 100040);
    await grove.send('POST', party.ofUser(user, '/preferredDevice/android'));
    const sent = await send(user, body);
    assert.deepEqual(
      sent.body.pushNotifications.map(({ deviceId }: { deviceId: string }) => deviceId),
      ['android'],
    );
    const { user: without } = await party.holder();
    assert.equal((await send(without)).body.code, 100040);
  });

  it('are limited to five calls in ten minutes for each user: 100039, and when to come back', async () => {
    const { user } = await everybody();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(user)));
    assert.deepEqual(answers.map(({ body }) => body.code ?? 'ok').toSorted(), [
      ...Array(3).fill(100039),
      ...Array(5).fill('ok'),
    ]);
    const refused = await send(user);
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, String((10 * MINUTE) / SECOND)]);
    grove.clock.advance(10 * MINUTE);
    assert.equal((await send(user)).status, 201);
  });

  it('refuse what is missing: 100028, 100029, 100030 for a policy that is not active, 100082 for a store that is not', async () => {
    const { user } = await everybody();
    assert.equal((await send({ id: '01JZ4MCW8A0C2E4G6J8M0P2R4T' })).body.code, 100028);
    const elsewhere = await grove.send('POST', pushes(user, '/relyingParties/no.example'), HELLO);
    assert.equal(elsewhere.body.code, 100029);
    await policyAt('POST', `/${RP}`, { status: 'INACTIVE' });
    assert.equal((await send(user)).body.code, 100030);
    await policyAt('POST', `/${RP}`, { status: 'ACTIVE' });
    const empty = await send(user, { type: 'GENERIC' });
    assert.equal(empty.body.errors[0].pointer, '/message');
    await grove.send('POST', party.store, { status: 'INACTIVE' });
    assert.equal((await send(user)).body.code, 100082);
    await grove.send('POST', party.store, { status: 'ACTIVE' });
  });

  it('a token that the provider calls dead is marked, and the device is not tried again until it has another', async () => {
    const { user, apple } = await everybody();
    providers.answers.APNS = () => ({ status: 410, body: { reason: 'Unregistered' } });
    const details = [{ errorCode: 'UNREGISTERED' }];
    providers.answers.FCM = () => ({ status: 404, body: { error: { details } } });
    providers.answers.WEB_PUSH = () => ({ status: 410 });
    const { body } = await send(user);
    await settle();
    for (const { id } of body.pushNotifications) assert.equal(await statusOf(user, id), 'FAILED');
    for (const device of await devicesOf(user)) assert.equal(device.invalidToken, true, device.deviceId);
    assert.equal((await send(user)).body.code, 100040);
    await grove.send('POST', party.ofUser(user, '/devices/iphone'), { pushToken: apple });
    delete providers.answers.APNS;
    assert.equal((await send(user)).body.pushNotifications.length, 1);
    await settle();
    assert.equal(providers.of('APNS').length, 1);
  });

  it('a token that could be no address of a device is dead before anything is dialled', async () => {
    const user = await party.user();
    for (const [deviceId, pushProvider, pushToken] of [
      ['one', 'APNS', '../../etc'],
      ['two', 'WEB_PUSH', 'no subscription'],
      ['three', 'WEB_PUSH', JSON.stringify({ endpoint: 'http://10.0.0.1/', keys: { p256dh: 'x', auth: 'y' } })],
      ['four', 'WEB_PUSH', providers.subscribe('inside').replace(/http:[^"]+/, 'http://169.254.169.254/latest')],
    ] as const) {
      await party.register(user, uafAuthenticator(), { deviceId, pushProvider, pushToken });
    }
    const { body } = await send(user);
    await settle();
    for (const { id } of body.pushNotifications) assert.equal(await statusOf(user, id), 'FAILED');
    assert.equal(providers.arrived.length, 0);
  });

  it('a provider that is down or asks to wait gets its message later, and the others theirs at once', async () => {
    const { user } = await everybody();
    let tries = 0;
    providers.answers.FCM = () => {
      tries += 1;
      return { status: tries === 1 ? 429 : 503 };
    };
    await send(user);
    await settle();
    assert.deepEqual([providers.of('APNS').length, providers.of('WEB_PUSH').length, tries], [1, 1, 1]);
    grove.clock.advance(10 * SECOND);
    await settle();
    assert.equal(tries, 2);
    delete providers.answers.FCM;
    grove.clock.advance(MINUTE);
    await settle();
    assert.deepEqual([providers.of('APNS').length, providers.of('FCM').length], [1, 1]);
  });

  it('a message whose time is over is not sent any more, and forgotten after a month', async () => {
    const { user } = await everybody();
    for (const provider of ['APNS', 'FCM', 'WEB_PUSH'] as const) providers.answers[provider] = () => ({ status: 503 });
    const { body } = await send(user);
    await settle();
    grove.clock.advance(24 * HOUR);
    await grove.renew();
    for (const provider of ['APNS', 'FCM', 'WEB_PUSH'] as const) delete providers.answers[provider];
    await settle();
    assert.equal(providers.arrived.length, 0);
    for (const { id } of body.pushNotifications) assert.equal(await statusOf(user, id), 'EXPIRED');
    const late = await grove.send('POST', pushes(user, `/${body.pushNotifications[0].id}`), { status: 'ACCEPTED' });
    assert.equal(late.body.code, 100120);
    grove.clock.advance(31 * 24 * HOUR);
    await grove.renew();
    await settle();
    const acme = grove.app.db.of(asTenantId('acme'));
    assert.equal(Number((await acme.get<{ total: number }>(COUNT, ['acme']))?.total), 0);
  });

  describe('that ask for a process', () => {
    const PROCESS = { type: 'PROCESS', title: 'Please confirm', processDefnName: 'approve' } as const;

    it('start one instance for all devices, which is told of only to them, and its end completes them', async () => {
      const { user } = await everybody();
      const { body } = await send(user, PROCESS);
      const instances = new Set(
        body.pushNotifications.map((one: { processInstanceId: string }) => one.processInstanceId),
      );
      assert.equal(instances.size, 1);
      await settle();
      const { redirectUrl = '', processInstanceId } = providers.of('FCM')[0]?.data ?? {};
      assert.ok(instances.has(processInstanceId));
      assert.ok(!JSON.stringify(body).includes(codeOf(redirectUrl)));
      await endUser(grove, codeOf(redirectUrl));
      for (const { id } of body.pushNotifications) assert.equal(await statusOf(user, id), 'COMPLETED');
      const events = await grove.events('Bank');
      const told = events.find(({ userId, type }) => userId === user.id && type === 'identity.pushNotificationSent');
      assert.deepEqual([told.childProcessDefnName, told.childProcessDefnVersion], ['approve', 1]);
    });

    it('expire with their instance', async () => {
      const { user } = await everybody();
      const { body } = await send(user, PROCESS);
      const [{ id, processInstanceId }] = body.pushNotifications;
      await grove.call(`/api/process-manager/processInstances/${processInstanceId}`, { method: 'DELETE' });
      assert.equal(await statusOf(user, id), 'EXPIRED');
    });

    it('wake the instance that waits for them, with how it ended; 100022 for one that is not there', async () => {
      const manage = async (path: string, body: object) => {
        const answer = await grove.call(`/api/process-manager/${path}`, { method: 'POST', body: JSON.stringify(body) });
        assert.ok(answer.status < 300, answer.text);
        return answer.body;
      };
      const steps = [
        { id: 'wait', type: 'pause' },
        {
          ...{ id: 'decide', type: 'decision' },
          rules: [{ when: 'data.pauses.pause1.pushNotificationStatus == "COMPLETED"', outcome: 'PASS' }],
        },
      ];
      const { id: definitionId } = await manage('processDefinitions', { name: 'waits', steps });
      await manage(`processDefinitions/${definitionId}/deploy`, {});
      const { id: tokenId } = await manage('processTokens', { name: 'waits', processDefnName: 'waits' });
      const { processInstanceId: parent, redirectUrl } = await manage(`processInstances/create?pt=${tokenId}`, {});
      await endUser(grove, codeOf(redirectUrl));
      const { user } = await everybody();
      const asked = await send(user, { ...PROCESS, parentProcessInstanceId: parent });
      assert.equal(asked.body.pushNotifications[0].parentProcessInstanceId, parent, asked.text);
      const statusOfParent = async () =>
        (await grove.call(`/api/process-manager/processInstances/${parent}`)).body.status;
      assert.equal(await statusOfParent(), 'PAUSED');
      await settle();
      await endUser(grove, codeOf(providers.of('FCM')[0]?.data?.redirectUrl ?? ''));
      await settle();
      assert.equal(await statusOfParent(), 'COMPLETED_ENDED_SUCCESS');
      const told = (await grove.events('Bank')).find(
        ({ parentProcessInstanceId }) => parentProcessInstanceId === parent,
      );
      assert.deepEqual([told.parentProcessDefnName, told.childProcessDefnName], ['waits', 'approve']);
      const nobody = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
      assert.equal((await send(user, { ...PROCESS, parentProcessInstanceId: nobody })).body.code, 100022);
      assert.equal((await send(user, { ...HELLO, parentProcessInstanceId: parent })).body.code, 100001);
    });

    it('need a definition that is there and deployed: 100023, 100047, and 100001 without a name', async () => {
      const { user } = await everybody();
      assert.equal((await send(user, { ...PROCESS, processDefnName: 'nothing' })).body.code, 100023);
      assert.equal((await send(user, { ...PROCESS, processDefnName: 'draft' })).body.code, 100047);
      const nameless = await send(user, { ...PROCESS, processDefnName: undefined });
      assert.deepEqual([nameless.body.code, nameless.body.errors[0].pointer], [100001, '/processDefnName']);
    });
  });
});
