import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from '../src/db/db.ts';
import { NO_FAILURES } from '../src/identity-store/attempts/lock-rules.ts';
import { putLock } from '../src/identity-store/attempts/locks.repository.ts';
import { authenticator } from './authenticator/authenticator.ts';
import { testPlaces } from './harness.ts';
import { addressesOf } from './identity.ts';
import { addTestDefinition } from './processes.ts';
import { HELLO, openPushWorld, type PushWorld } from './push-world.ts';
import { RP } from './uaf/relying-party.ts';

const NOBODY = '01JZ4MCW8A0C2E4G6J8M0P2R4T';
const PASSKEY_RP = 'example.org';
const MAX_APPKEYS = 100;
const COPY_KEY = sql(`INSERT INTO appkeys (tenant_id, id, store_id, user_id, rp_id, key_id, device_id, aaid, key_type,
  status, sign_algorithm, public_key, sign_count, attestation, created_at)
  SELECT tenant_id, id || $3, store_id, user_id, rp_id, key_id || $3, device_id, aaid, key_type, status,
    sign_algorithm, public_key, sign_count, attestation, created_at FROM appkeys
  WHERE tenant_id = $1 AND user_id = $2 AND key_id = $4`);

type User = { id: string; extId: string };
type Method = 'GET' | 'POST' | 'DELETE';

/** A user is named by id or by external id: both addresses refuse the same requests, with the same code. */
describe('both addresses of a user', () => {
  const places = testPlaces();
  let world: PushWorld;
  let store: string;
  before(async () => {
    world = await openPushWorld(await places.create());
    ({ store } = world.party);
    const registrationPolicies = { few: { maxPasskeysPerUser: 1 } };
    await must('POST', `${store}/passkeyConfig`, { rpId: PASSKEY_RP, registrationPolicies });
    await must('POST', `${store}/totpPolicy`, { name: 'app' });
    await addTestDefinition(world.acme, { name: 'draft', status: 'EDITABLE' });
  });
  after(() => world.stop());
  beforeEach(() => world.quiet());

  const send = (method: Method, path: string, body?: object) => world.grove.send(method, path, body);
  const must = async (method: Method, path: string, body?: object) => {
    const answer = await send(method, path, body);
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  type RequestOptions = { method?: Method; body?: object };
  /** At the given addresses, or at both addresses of a user. */
  const assertRefused = async (
    at: readonly string[],
    code: number,
    { method = 'POST', body = {} }: RequestOptions = {},
  ) => {
    for (const path of at) {
      const answer = await send(method, path, method === 'POST' ? body : undefined);
      assert.equal(answer.body?.code, code, `${path}: ${answer.text}`);
    }
  };
  const at = (user: User, tail: string) => addressesOf(store, user, tail);
  const passkeyTail = (kind: 'registrations' | 'authentications', policy = 'default', rp = PASSKEY_RP) =>
    `/passkeys/relyingParties/${rp}/${kind}/${policy}`;
  const appkeyTail = (kind: 'registrations' | 'authentications') => `/appkeys/relyingParties/${RP}/${kind}/standard`;
  const pushTail = (rp = RP) => `/pushNotifications/relyingParties/${rp}`;
  /** A user with an appkey and a passkey. */
  const userWithKeys = async (): Promise<{ user: User; keyId: string }> => {
    const { user, authenticator: device } = await world.party.holder();
    const { sessionId, publicKey } = await must('POST', at(user, passkeyTail('registrations'))[0], {});
    const credential = authenticator({ origin: `https://login.${PASSKEY_RP}` }).create(publicKey);
    await must('POST', `${store}/passkeys/registrations/sessions/${sessionId}`, { credential });
    return { user, keyId: device.keyId };
  };
  const STARTS = [
    passkeyTail('registrations'),
    passkeyTail('authentications'),
    appkeyTail('registrations'),
    appkeyTail('authentications'),
  ];

  it('502, 2100: no ceremony is started for a user that is not active, or is locked', async () => {
    const { user } = await userWithKeys();
    for (const [status, code] of [
      ['DISABLED', 502],
      ['LOCKED', 2100],
    ] as const) {
      await must('POST', at(user, '')[0], { status });
      for (const tail of STARTS) await assertRefused(at(user, tail), code);
      await assertRefused(at(user, '/biometrics/face'), code, { body: { data: 'AAAA' } });
    }
    await must('POST', at(user, '')[0], { status: 'DISABLED' });
    await assertRefused(at(user, '/lock'), 502);
  });

  it('2101: no authentication is started while its modality is locked', async () => {
    const { user } = await userWithKeys();
    const until = world.grove.clock.now() + 60_000;
    await world.acme.write(async (tx) => {
      for (const modality of ['PASSKEY', 'APPKEY'] as const) {
        putLock(tx, {
          user_id: user.id,
          modality,
          ...NO_FAILURES,
          failed_count: 5,
          lock_count: 1,
          locked_until: until,
        });
      }
    });
    for (const tail of [passkeyTail('authentications'), appkeyTail('authentications')]) {
      await assertRefused(at(user, tail), 2101);
    }
  });

  it('100043: a challenge of the caller is accepted only if the policy allows it, also if no user is named', async () => {
    const { user } = await userWithKeys();
    const body = { challenge: Buffer.alloc(16, 1).toString('base64url') };
    for (const kind of ['registrations', 'authentications'] as const) {
      await assertRefused([...at(user, passkeyTail(kind)), `${store}${passkeyTail(kind)}`], 100043, { body });
    }
  });

  it('100027, 100028, 100029, 100030: passkeys are refused for an unknown store, user, relying party and policy', async () => {
    const { user } = await userWithKeys();
    const nobody = { id: NOBODY, extId: 'nobody' };
    for (const kind of ['registrations', 'authentications'] as const) {
      const tail = passkeyTail(kind);
      await assertRefused([...addressesOf('/stores/Nowhere', user, tail), `/stores/Nowhere${tail}`], 100027);
      await assertRefused(at(nobody, tail), 100028);
      const elsewhere = passkeyTail(kind, 'default', 'elsewhere.example');
      await assertRefused([...at(user, elsewhere), `${store}${elsewhere}`], 100029);
      const unnamed = passkeyTail(kind, 'none');
      await assertRefused([...at(user, unnamed), `${store}${unnamed}`], 100030);
    }
    for (const tail of STARTS.slice(2)) await assertRefused(at(nobody, tail), 100028);
  });

  it('100031, 100032: a user without a passkey or appkey cannot start an authentication, and has none to change or read', async () => {
    const user = await world.party.user();
    await assertRefused(at(user, passkeyTail('authentications')), 100031);
    await assertRefused(at(user, appkeyTail('authentications')), 100032);
    await assertRefused(at(user, `/passkeys/${NOBODY}`), 100031, { body: { status: 'ACTIVE' } });
    await assertRefused(at(user, `/passkeys/${NOBODY}`), 100031, { method: 'DELETE' });
    await assertRefused(at(user, `/passkeys/${NOBODY}/registrationAudit`), 100031, { method: 'GET' });
    const key = `/appkeys/relyingParties/${RP}/keys/${NOBODY}`;
    await assertRefused(at(user, key), 100032, { body: { status: 'ACTIVE' } });
    await assertRefused(at(user, `/appkeys/relyingParties/${RP}/devices/none`), 100033, { body: { pushToken: 'x' } });
  });

  it('100038, 100116: a registration of one passkey or one appkey too many is not started', async () => {
    const { user, keyId } = await userWithKeys();
    await assertRefused(at(user, passkeyTail('registrations', 'few')), 100038);
    await world.acme.write(async (tx) => {
      for (let key = 1; key < MAX_APPKEYS; key++) await tx.run(COPY_KEY, ['acme', user.id, `-${key}`, keyId]);
    });
    await assertRefused(at(user, appkeyTail('registrations')), 100116);
  });

  it('the signals of passkeys list the accepted ones at both addresses', async () => {
    const { user } = await userWithKeys();
    const [one, other] = at(user, `/passkeys/relyingParties/${PASSKEY_RP}/signals`);
    assert.deepEqual(await must('GET', other), await must('GET', one));
  });

  it('100037: an external id that another user has is refused', async () => {
    const [user, other] = [await world.party.user(), await world.party.user()];
    await assertRefused(at(user, ''), 100037, { body: { extId: other.extId } });
  });

  it('100051, 100053: a registration of TOTP is not completed with a wrong code, or before it is started', async () => {
    const user = await world.party.user();
    const tail = '/totps/registrations/app/complete';
    await assertRefused(at(user, tail), 100053, { body: { code: '123456' } });
    await must('POST', `${store}/users/${user.id}/totps/registrations/app`, {});
    await assertRefused(at(user, tail), 100051, { body: { code: 'abcdef' } });
  });

  it('8, 2005, 2006, 20114, 20115, 20120, 100027, 100028, 100082, 100141: a face that could not be compared is not enrolled', async () => {
    const { grove } = world;
    const inTest = (path: string, body: object) => grove.send('POST', path, body, grove.inTest);
    const faceStore = '/stores/Faces';
    assert.equal((await inTest('/stores', { name: 'Faces' })).status, 201);
    const user = (await inTest(`${faceStore}/users`, { extId: 'ada' })).body as User;
    const standIn = (face: object) => Buffer.from(JSON.stringify(face)).toString('base64');
    const data = standIn({ person: 'ada' });
    const ask = async (code: number, body: object, tail = '/biometrics/face', whom = user, where = faceStore) => {
      for (const path of addressesOf(where, whom, tail)) {
        const answer = await inTest(path, body);
        assert.equal(answer.body.code, code, `${path}: ${answer.text}`);
      }
    };
    await ask(8, { data, algorithm: 'EIGENFACE' });
    await ask(2005, { data }, '/biometrics/fingerprint');
    await ask(2006, { data, subtype: 'PROFILE' });
    await ask(20114, {});
    await ask(20115, { data }, '/biometrics/shoe-size');
    await ask(20120, { data: standIn({ fault: 'no_face' }) });
    await ask(100141, { data: standIn({ person: 'ada', quality: 0.4 }) });
    const failure = '/biometrics/authentications/failure';
    await ask(2005, { type: 'voice' }, failure);
    await ask(20115, { type: 'shoe-size' }, failure);
    for (const [tail, body] of [
      ['/biometrics/face', { data }],
      [failure, { type: 'FACE' }],
    ] as const) {
      await ask(100027, body, tail, user, '/stores/Nowhere');
      await ask(100028, body, tail, { id: NOBODY, extId: 'nobody' });
    }
    await inTest(faceStore, { status: 'INACTIVE' });
    await ask(100082, { data });
  });

  it('100022, 100023, 100040, 100047: a push is refused for an unknown instance or definition, and for a user without a device', async () => {
    const { user } = await world.everybody();
    const process = { type: 'PROCESS', title: 'Please confirm', processDefnName: 'document-only' };
    await assertRefused(at(user, pushTail()), 100022, { body: { ...process, parentProcessInstanceId: NOBODY } });
    await assertRefused(at(user, pushTail()), 100023, { body: { ...process, processDefnName: 'nothing' } });
    await assertRefused(at(user, pushTail()), 100047, { body: { ...process, processDefnName: 'draft' } });
    await assertRefused(at(await world.party.user(), pushTail()), 100040, { body: HELLO });
  });

  it('100027, 100028, 100029, 100030, 100082: a push is refused for an unknown or inactive store, and an unknown user, relying party or policy', async () => {
    const { user } = await world.everybody();
    const push = { body: HELLO };
    await assertRefused(addressesOf('/stores/Nowhere', user, pushTail()), 100027, push);
    await assertRefused(at({ id: NOBODY, extId: 'nobody' }, pushTail()), 100028, push);
    await assertRefused(at(user, pushTail('elsewhere.example')), 100029, push);
    await must('POST', `${store}/pushNotificationPolicy/${RP}`, { status: 'INACTIVE' });
    await assertRefused(at(user, pushTail()), 100030, push);
    await must('POST', `${store}/pushNotificationPolicy/${RP}`, { status: 'ACTIVE' });
    await must('POST', store, { status: 'INACTIVE' });
    await assertRefused(at(user, pushTail()), 100082, push);
    await must('POST', store, { status: 'ACTIVE' });
  });

  it('100034, 100120, 100190: a push is answered once, by its user and with the right number', async () => {
    const { user } = await world.everybody();
    await assertRefused(at(user, `/pushNotifications/${NOBODY}`), 100034, { method: 'GET' });
    await assertRefused(at(user, `/pushNotifications/${NOBODY}`), 100034, { body: { status: 'ACCEPTED' } });
    await must('POST', `${store}/pushNotificationPolicy/${RP}`, { numberMatching: true });
    for (const which of [0, 1] as const) {
      const { number, pushNotifications } = await must('POST', at(user, pushTail())[0], HELLO);
      const answer = { status: 'ACCEPTED', number: number === 99 ? 98 : number + 1 };
      const [path] = at(user, `/pushNotifications/${pushNotifications[0].id}`).slice(which);
      await assertRefused([path as string], 100190, { body: answer });
      await assertRefused([path as string], 100120, { body: answer });
    }
    await must('POST', `${store}/pushNotificationPolicy/${RP}`, { numberMatching: false });
  });

  it('100039: the sixth push within ten minutes is refused', async () => {
    const { user } = await world.everybody();
    for (let push = 0; push < 5; push++) await must('POST', at(user, pushTail())[push % 2] as string, HELLO);
    await assertRefused(at(user, pushTail()), 100039, { body: HELLO });
  });
});
