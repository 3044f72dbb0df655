import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { onBothEngines } from '../../../test/harness.ts';
import { openPushWorld, type PushWorld } from '../../../test/push-world.ts';
import { openRelyingParty, RP } from '../../../test/uaf/relying-party.ts';
import { sql } from '../../db/db.ts';

const POLICY = sql("SELECT config, sealed FROM relying_parties WHERE tenant_id = $1 AND kind = 'PUSH'");

onBothEngines('push notification policies', (_engine, places) => {
  let world: PushWorld;
  before(async () => {
    world = await openPushWorld(await places.create());
  });
  after(() => world.stop());

  it('push notification policies are created, read, changed and deleted, and neither show a credential nor store it in plain text: 100014, 100027, 100029, 100030', async () => {
    const own = await openRelyingParty(world.grove, 'Policies');
    const at = (tail = '') => `${own.store}/pushNotificationPolicy${tail}`;
    const { fcm, apns } = world.providers.settings;
    const creation = await world.grove.send('POST', at(), { rpId: RP, fcm });
    assert.equal(creation.status, 201, creation.text);
    const { createdDtm, lastUpdatedDtm, ...policy } = creation.body;
    assert.deepEqual(policy, { rpId: RP, status: 'ACTIVE', providers: ['FCM'] });
    assert.equal((await world.grove.send('POST', at(), { rpId: RP, fcm })).body.code, 100014);
    assert.equal((await world.grove.send('POST', at(), { rpId: 'no.example', fcm })).body.code, 100029);
    assert.equal(
      (await world.grove.send('POST', '/stores/Nowhere/pushNotificationPolicy', { rpId: RP })).body.code,
      100027,
    );
    world.grove.clock.advance(1000);
    const ifRead = at(`/${RP}?ifLastUpdatedDtm=${encodeURIComponent(lastUpdatedDtm)}`);
    const changed = await world.grove.send('POST', ifRead, { apns, status: 'INACTIVE' });
    assert.deepEqual([changed.body.status, changed.body.providers], ['INACTIVE', ['APNS', 'FCM']]);
    assert.equal((await world.grove.send('POST', ifRead, { status: 'ACTIVE' })).body.code, 100351);
    assert.deepEqual((await world.grove.send('GET', at(`/${RP}`))).body, changed.body);
    const { configuration } = (await world.grove.send('GET', own.store)).body;
    assert.deepEqual(configuration.pushNotificationPolicies[RP], changed.body);
    for (const row of await world.acme.all<{ config: string; sealed: Uint8Array }>(POLICY, ['acme'])) {
      const stored = row.config + Buffer.from(row.sealed).toString('latin1');
      assert.ok(!/PRIVATE KEY|push@bank/.test(stored));
    }
    assert.equal((await world.grove.send('DELETE', at(`/${RP}`))).status, 204);
    for (const method of ['GET', 'DELETE'] as const) {
      assert.equal((await world.grove.send(method, at(`/${RP}`))).body.code, 100030);
    }
    assert.equal((await world.grove.send('POST', at(`/${RP}`), {})).body.code, 100030);
  });

  it('push notification policies that cannot work are refused, with the pointer of each fault', async () => {
    const { apns, fcm, webPush } = world.providers.settings;
    const body = {
      rpId: 'other.example',
      apns: { ...apns, privateKey: 'x', address: 'http://10.0.0.1' },
      fcm: { ...fcm, privateKey: apns.privateKey, tokenUri: 'http://169.254.169.254/token' },
      webPush: { ...webPush, subject: 'me', publicKey: 'AAAA', privateKey: '!' },
    };
    const refusal = await world.policyAt('POST', '', body);
    assert.deepEqual(
      refusal.body.errors.map(({ pointer }: { pointer: string }) => pointer),
      [
        '/apns/address',
        '/apns/privateKey',
        '/fcm/tokenUri',
        '/fcm/privateKey',
        '/webPush/subject',
        '/webPush/publicKey',
        '/webPush/privateKey',
      ],
    );
    assert.equal((await world.policyAt('POST', '', { rpId: RP, apns: { ...apns, misspelt: 1 } })).body.code, 100001);
  });

  it('the list of relying parties for push notifications can be limited to one, to see whether it is configured', async () => {
    const own = await openRelyingParty(world.grove, 'Listed');
    await world.grove.send('POST', `${own.store}/appkeyConfig`, { rpId: 'a.example' });
    await world.grove.send('POST', `${own.store}/pushNotificationPolicy`, {
      rpId: RP,
      fcm: world.providers.settings.fcm,
    });
    const list = async (query = '') =>
      (await world.grove.send('GET', `${own.store}/pushNotifications/relyingParties${query}`)).body.content;
    const a = { rpId: 'a.example', configurationStatus: 'NOT_CONFIGURED' };
    const bank = { rpId: RP, configurationStatus: 'CONFIGURED' };
    assert.deepEqual(await list(), [a, bank]);
    assert.deepEqual(await list('?sort=rpId,desc'), [bank, a]);
    assert.deepEqual(await list('?configurationStatus=CONFIGURED'), [bank]);
    assert.deepEqual(await list('?configurationStatus=NOT_CONFIGURED&size=1'), [a]);
    const nowhere = await world.grove.send('GET', '/stores/Nowhere/pushNotifications/relyingParties');
    assert.equal(nowhere.body.code, 100027);
  });

  it('a tenant cannot have more than a hundred push notification policies: 100065', async () => {
    const own = await openRelyingParty(world.grove, 'Many');
    const { fcm } = world.providers.settings;
    const copy = sql(`INSERT INTO relying_parties
      (tenant_id, store_id, kind, name, config, sealed, created_at, last_updated_at)
      SELECT tenant_id, store_id, kind, name || $2, config, sealed, 0, 0 FROM relying_parties
      WHERE kind = 'PUSH' AND store_id = $1 AND name = $3`);
    const { body: store } = await world.grove.send('GET', own.store);
    await world.grove.send('POST', `${own.store}/pushNotificationPolicy`, { rpId: RP, fcm });
    await world.acme.write(async (tx) => {
      for (let at = 1; at < 100; at++) await tx.run(copy, [store.id, `-${at}`, RP]);
    });
    await world.grove.send('POST', `${own.store}/appkeyConfig`, { rpId: 'b.example' });
    const one = await world.grove.send('POST', `${own.store}/pushNotificationPolicy`, { rpId: 'b.example', fcm });
    assert.equal(one.body.code, 100065);
  });
});
