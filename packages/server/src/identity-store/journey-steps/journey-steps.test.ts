import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { authenticator } from '../../../test/authenticator/authenticator.ts';
import { onBothEngines } from '../../../test/harness.ts';
import {
  ADD,
  type IdentityJourneys,
  MAKE_PASSKEY,
  ORIGIN,
  openIdentityJourneys,
  otherThan,
  RP_ID,
  USE_FACE,
  USE_PASSKEY,
  USE_TOTP,
} from '../../../test/identity-journeys.ts';
import { joinTransaction } from '../../db/db.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { asTenantId } from '../../kernel/ids.ts';
import type { StoreUser } from '../../process-manager/engine/steps/identity-acts.ts';
import { passkeyActs } from './passkey-acts.ts';

/** Flags: backup eligible, backed up, with the attested credential, but without user presence. */
const UNASKED = 8 | 16 | 64;
const ALGORITHM = 'GROVE_FACE_512_1';

onBothEngines('the steps of identity stores', (_engine, places) => {
  let its: IdentityJourneys;
  before(async () => {
    its = await openIdentityJourneys(await places.create());
  });
  after(() => its.stop());

  it('a journey adds a user and registers a passkey, and a second journey accepts the passkey', async () => {
    const { userExtId, device, journey, id } = await its.withPasskey();
    assert.deepEqual((await its.formsOf(journey)).user1, { userId: id, created: true });
    const storedUser = (await its.store('GET', `/users/${id}`)).body;
    assert.deepEqual([storedUser.extId, storedUser.summaryInfo.passkeys.length], [userExtId, 1]);
    const back = await its.login(device, { userExtId });
    assert.equal(await its.outcome(back), 'passed');
    assert.deepEqual((await its.formsOf(back)).passkey1, { userId: id });
    assert.equal(await its.outcome(await its.login(device, { userId: id })), 'passed');
  });

  it('a passkey step offers all passkeys of the browser only if no user is named, and waits for half an hour', async () => {
    const { userExtId, device, id } = await its.withPasskey();
    const withName = await its.begin(await its.start([USE_PASSKEY], { userExtId }), 'use');
    assert.equal(withName.settings.mediation, undefined);
    const anybody = await its.start([{ ...USE_PASSKEY, anyUser: true }]);
    const { settings } = await its.begin(anybody, 'use');
    assert.deepEqual([settings.mediation, settings.publicKey.allowCredentials], ['conditional', []]);
    its.grove.clock.advance(29 * MINUTE);
    await anybody.user.submit('use', { credential: device.get(settings.publicKey) });
    assert.deepEqual(
      [await its.outcome(anybody), await its.formsOf(anybody)],
      ['passed', { passkey1: { userId: id } }],
    );
  });

  it('363: a passkey of the user of the session is refused if the step is about another user by then', async () => {
    const journey = await its.start([{ ...USE_PASSKEY, anyUser: true }]);
    const user = { id: 'ada', extId: 'ada@example.org' };
    const started = { sessionId: '01J00000000000000000000000', expiringDtm: '', publicKey: {} };
    const ceremonies = { startAuthentication: async () => started, completeAuthentication: async () => ({ user }) };
    const now = its.grove.clock.now();
    const about = { instanceId: journey.id, step: 'use', environment: 'test', process: {}, now };
    const request = { store: 'people', rpId: RP_ID, policy: 'default', answer: {} };
    const finishFor = (expectedUser: StoreUser | undefined) =>
      its.grove.app.db.of(asTenantId(its.grove.tenantId)).write(async (tx) => {
        const caller = { db: joinTransaction(tx), now, principal: { environment: 'test' } };
        const acts = passkeyActs(ceremonies as never, { tx, caller, about } as never);
        await acts.startPasskeyAuthentication({ ...request, user: expectedUser });
        return acts.completePasskeyAuthentication({ ...request, user: expectedUser });
      });
    for (const same of [undefined, { userId: 'ada' }, { userExtId: 'ada@example.org' }]) {
      assert.deepEqual(await finishFor(same), { done: { userId: 'ada' } });
    }
    for (const other of [{ userId: 'grace' }, { userExtId: 'grace@example.org' }]) {
      assert.equal((await finishFor(other)).refusal?.code, 363);
    }
  });

  it('a passkey is created automatically only after a login, and if the policy allows it', async () => {
    const registrationPolicies = { upgrade: { conditionalCreateAllowed: true } };
    await its.store('POST', `/passkeyConfig/${RP_ID}`, { registrationPolicies });
    const upgrade = { ...MAKE_PASSKEY, policy: 'upgrade' };
    const mediationOf = async (login: boolean, step: typeof MAKE_PASSKEY) => {
      const { userExtId, app } = await its.withCodes();
      const journey = await its.start(login ? [USE_TOTP, step] : [step], { userExtId });
      if (login) await journey.user.submit('useCode', { code: app.generate({ timestamp: its.grove.clock.now() }) });
      const { settings } = await its.begin(journey, 'make');
      return { journey, settings };
    };
    assert.equal((await mediationOf(false, upgrade)).settings.mediation, undefined, 'nobody has logged in');
    assert.equal(
      (await mediationOf(true, MAKE_PASSKEY)).settings.mediation,
      undefined,
      'the policy says nothing of it',
    );
    const { journey, settings } = await mediationOf(true, upgrade);
    assert.equal(settings.mediation, 'conditional');
    const unasked = authenticator({ origin: ORIGIN }).create(settings.publicKey, { flags: UNASKED });
    await journey.user.submit('make', { credential: unasked });
    assert.equal(await its.outcome(journey), 'passed');
    const { journey: dialogJourney, settings: dialog } = await mediationOf(true, MAKE_PASSKEY);
    await dialogJourney.user.submit('make', {
      credential: authenticator({ origin: ORIGIN }).create(dialog.publicKey, { flags: UNASKED }),
    });
    assert.equal(await its.ended(dialogJourney, 'passkeyRegistration'), 'passkeyRegistration FAILED code_100092');
  });

  it('2100, 2101, 100031: a user that is locked or has no passkey cannot go on, and the page does not say why', async () => {
    const { id, userExtId } = await its.withPasskey();
    await its.store('POST', `/users/${id}/lock`, {});
    const locked = await its.start([USE_PASSKEY], { userExtId });
    assert.deepEqual(await its.begin(locked, 'use'), { begun: false, settings: {} });
    const snapshot = await locked.user.look();
    assert.deepEqual(snapshot.result, { outcome: 'notPossible' });
    assert.ok(!JSON.stringify(snapshot).includes('2100'));
    assert.equal(await its.ended(locked, 'passkeyAuthentication'), 'passkeyAuthentication FAILED code_2100');
    const fresh = await its.newUser();
    const without = await its.start([USE_PASSKEY], { userId: fresh.id });
    assert.equal((await its.begin(without, 'use')).begun, false);
    assert.equal(await its.ended(without, 'passkeyAuthentication'), 'passkeyAuthentication FAILED code_100031');
    assert.deepEqual((await without.user.look()).result, { outcome: 'notPossible' });
    const { app } = await its.withCodes();
    const { userExtId: guessed } = await its.withCodes();
    for (let at = 0; at < 5; at++) {
      const journey = await its.start([{ ...USE_TOTP, maxAttempts: 1 }], { userExtId: guessed });
      await journey.user.submit('useCode', { code: otherThan(app.generate({ timestamp: its.grove.clock.now() })) });
      assert.equal(await its.ended(journey, 'totpAuthentication'), 'totpAuthentication FAILED code_100051');
    }
    const last = await its.start([USE_TOTP], { userExtId: guessed });
    assert.equal((await its.begin(last, 'useCode')).begun, false);
    assert.equal(await its.ended(last, 'totpAuthentication'), 'totpAuthentication FAILED code_2101');
    assert.deepEqual((await last.user.look()).result, { outcome: 'notPossible' });
  });

  it('a journey adds a user and registers an authenticator app, and a second journey accepts its code', async () => {
    const { userExtId, app } = await its.withCodes();
    const journey = await its.start([USE_TOTP], { userExtId });
    assert.deepEqual(await its.begin(journey, 'useCode'), { begun: true, settings: { digits: 6 } });
    const code = app.generate({ timestamp: its.grove.clock.now() });
    const wrong = await journey.user.submit('useCode', { code: otherThan(code) });
    assert.deepEqual(wrong.body.step.fault, { reason: 'code_100051', advice: 'retry' });
    await journey.user.submit('useCode', { code });
    assert.equal(await its.outcome(journey), 'passed');
    const replayed = await its.start([USE_TOTP], { userExtId });
    const used = await replayed.user.submit('useCode', { code });
    assert.equal(used.body.step.fault.reason, 'code_100052');
    const { body } = await its.store('GET', `/users/${encodeURIComponent(userExtId)}/ext`);
    assert.equal(body.lockInfo.failedCount, 0);
  });

  it('two journeys that add a user of the same name at once add one user', async () => {
    const userExtId = its.nameOf();
    const journeys = await Promise.all(Array.from({ length: 5 }, () => its.start([ADD], { userExtId })));
    await Promise.all(journeys.map(({ user }) => user.settled()));
    const forms = await Promise.all(journeys.map(its.formsOf));
    assert.equal(new Set(forms.map(({ user1 }) => user1.userId)).size, 1);
    assert.equal(forms.filter(({ user1 }) => user1.created).length, 1);
  });

  it('100140: a face is compared with the enrolled one, and a face of another person counts as a failure', async () => {
    const { id, extId } = await its.newUser();
    const face = (standIn: object) => Buffer.from(JSON.stringify(standIn)).toString('base64');
    await its.store('POST', `/users/${id}/biometrics/face`, { data: face({ person: 'ada' }) });
    const show = async (standIn: object) => {
      const journey = await its.start([{ ...USE_FACE, maxAttempts: 1 }], { userExtId: extId });
      await journey.user.upload('face', 'image', standIn);
      const { status, text } = await journey.user.submit('face', {});
      assert.equal(status, 200, text);
      return journey;
    };
    const passed = await show({ person: 'ada' });
    assert.equal(await its.outcome(passed), 'passed');
    const check = (await its.checksOf(passed)).find(({ name }) => name === 'faceAuthentication');
    assert.deepEqual(check && { ...check, id: 0, dateTime: 0 }, {
      id: 0,
      dateTime: 0,
      step: 'face',
      name: 'faceAuthentication',
      type: 'face',
      status: 'PASSED',
      score: 0.97,
      threshold: 0.5,
      attempts: 1,
    });
    const other = await show({ person: 'grace' });
    assert.equal(await its.outcome(other), 'notPossible');
    assert.equal(await its.ended(other, 'faceAuthentication'), 'faceAuthentication FAILED code_100140');
    const dead = await show({ person: 'ada', live: false });
    assert.equal(await its.outcome(dead), 'notPossible');
    assert.equal(await its.ended(dead, 'liveness'), 'liveness FAILED not_live');
    const { body } = await its.store('GET', `/users/${id}`);
    assert.equal(body.lockInfo.modalities.FACE.failedCount, 1, 'a face that is not alive was not compared');
    const api = { data: face({ person: 'ada' }), matchingProcess: { algorithm: ALGORITHM } };
    const path = `/users/${encodeURIComponent(extId)}/biometrics/authentications/face/ext`;
    assert.equal((await its.store('POST', path, api)).status, 200);
  });

  it('a journey of one environment does not know the users of the other, nor those of another tenant', async () => {
    const { userExtId, device } = await its.withPasskey();
    const live = await its.start([USE_PASSKEY], { userExtId }, await its.grove.token());
    assert.equal((await its.begin(live, 'use')).begun, false);
    assert.equal((await its.checksOf(live, await its.grove.token())).at(-1)?.reason, 'code_100028');
    const other = its.grove.ofOther;
    await its.grove.send('POST', '/stores', { name: 'people' }, other);
    await its.grove.send('POST', '/stores/people/passkeyConfig', { rpId: RP_ID }, other);
    const elsewhere = await its.start([{ ...USE_PASSKEY, anyUser: true }], {}, other);
    const { settings } = await its.begin(elsewhere, 'use');
    const answer = await elsewhere.user.submit('use', { credential: device.get(settings.publicKey) });
    assert.equal(answer.body.step.fault.reason, 'code_362');
  });

  it('one response to a step that is sent many times at once passes once', async () => {
    const { device, userExtId } = await its.withPasskey();
    const journey = await its.start([USE_PASSKEY], { userExtId });
    const { settings } = await its.begin(journey, 'use');
    const { revision } = await journey.user.look();
    const body = JSON.stringify({ revision, result: { credential: device.get(settings.publicKey) } });
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => journey.user.call('/steps/use', { method: 'POST', body })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(await its.outcome(journey), 'passed');
    const { body: list } = await its.store('GET', `/users/${encodeURIComponent(userExtId)}/authentications/ext`);
    assert.equal(list.content.length, 1);
  });
});
