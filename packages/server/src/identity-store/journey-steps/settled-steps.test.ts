import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type TOTP, URI } from 'otpauth';
import { openChallengePage } from '../../../test/challenge.ts';
import { testPlaces } from '../../../test/harness.ts';
import {
  ADD,
  DECIDE,
  FORM,
  FROM_FORM,
  type IdentityJourneys,
  MAKE_PASSKEY,
  MAKE_TOTP,
  openIdentityJourneys,
  otherThan,
  RP_ID,
  USE_FACE,
  USE_PASSKEY,
  USE_TOTP,
} from '../../../test/identity-journeys.ts';
import { MINUTE } from '../../kernel/clock.ts';

/** These results are decided before the database is read, so one engine is enough. */
describe('the results of steps of identity stores', () => {
  const places = testPlaces();
  let its: IdentityJourneys;
  before(async () => {
    its = await openIdentityJourneys(await places.create());
  });
  after(() => its.stop());

  it('the owner of the passkey becomes the user of the journey, if the definition accepts anybody', async () => {
    const { device, id } = await its.withPasskey();
    const any = await its.login(device, {}, { anyUser: true });
    assert.equal(await its.outcome(any), 'passed');
    assert.deepEqual((await its.formsOf(any)).passkey1, { userId: id });
    const nobody = await its.start([USE_PASSKEY]);
    assert.deepEqual(await its.begin(nobody, 'use'), { begun: false, settings: {} });
    assert.equal(await its.ended(nobody, 'passkeyAuthentication'), 'passkeyAuthentication NOT_PERFORMED user_missing');
  });

  it('registrations and authentications by a step have events that name the process', async () => {
    const { device, userExtId, id } = await its.withPasskey();
    const journey = await its.login(device, { userExtId });
    await its.outcome(journey);
    const [event, ...more] = await its.eventsOf({ parentProcessInstanceId: journey.id });
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event.type, event.userId, event.rpId, event.parentProcessDefnId, event.parentProcessDefnName],
      ['identity.authenticationSucceeded', id, RP_ID, journey.definition.id, journey.definition.name],
    );
  });

  it('353: an assertion for another challenge is refused, can be tried again, and the code becomes the reason', async () => {
    const { device, userExtId } = await its.withPasskey();
    const journey = await its.start([USE_PASSKEY], { userExtId });
    const { settings } = await its.begin(journey, 'use');
    const again = await its.begin(journey, 'use');
    assert.notEqual(again.settings.publicKey.challenge, settings.publicKey.challenge);
    const { body } = await journey.user.submit('use', { credential: device.get(settings.publicKey) });
    assert.deepEqual(body.step.fault, { reason: 'code_353', advice: 'retry' });
    assert.equal(await its.ended(journey, 'passkeyAuthentication'), 'passkeyAuthentication FAILED code_353');
    const third = await its.begin(journey, 'use');
    await journey.user.submit('use', { credential: device.get(third.settings.publicKey) });
    assert.equal(await its.outcome(journey), 'passed');
  });

  it('100035: a response to a ceremony that was not started, or that is too late, is refused and can be started again', async () => {
    const { device, userExtId } = await its.withPasskey();
    const journey = await its.start([USE_PASSKEY], { userExtId });
    const early = await journey.user.submit('use', {});
    assert.deepEqual(early.body.step.fault, { reason: 'code_100035', advice: 'retry' });
    const { settings } = await its.begin(journey, 'use');
    its.grove.clock.advance(5 * MINUTE);
    const late = await journey.user.submit('use', { credential: device.get(settings.publicKey) });
    assert.deepEqual(late.body.step.fault, { reason: 'code_100035', advice: 'retry' });
  });

  it('a ceremony session of a journey, or of a caller, completes no other', async () => {
    const { device, userExtId, id } = await its.withPasskey();
    const [one, other] = [await its.start([USE_PASSKEY], { userExtId }), await its.start([USE_PASSKEY], { userExtId })];
    const ceremony = await its.begin(one, 'use');
    await its.begin(other, 'use');
    const stolen = await other.user.submit('use', { credential: device.get(ceremony.settings.publicKey) });
    assert.equal(stolen.body.step.fault.reason, 'code_353');
    const path = `/users/${id}/passkeys/relyingParties/${RP_ID}/authentications/default`;
    const { body } = await its.store('POST', path, {});
    const third = await its.start([USE_PASSKEY], { userExtId });
    await its.begin(third, 'use');
    const mixed = await third.user.submit('use', { credential: device.get(body.publicKey) });
    assert.equal(mixed.body.step.fault.reason, 'code_353');
  });

  it('100056, 100142: only the current step can start a ceremony, and only if it has one', async () => {
    const journey = await its.start([{ id: 'hello', type: 'consent' }, USE_PASSKEY], { userExtId: 'x' });
    const beginStep = (step: string) => journey.user.call(`/steps/${step}/begin`, { method: 'POST', body: '{}' });
    assert.deepEqual([(await beginStep('hello')).status, (await beginStep('hello')).body.code], [409, 100142]);
    assert.equal((await beginStep('use')).body.code, 100056);
  });

  it('a passkey step that the end user cancelled can be tried again, until the journey fails', async () => {
    const { userExtId } = await its.withPasskey();
    const journey = await its.start([{ ...USE_PASSKEY, maxAttempts: 2 }], { userExtId });
    const cancelled = async () => {
      await its.begin(journey, 'use');
      return journey.user.submit('use', { error: { name: 'NotAllowedError' } });
    };
    assert.equal((await cancelled()).body.step.fault.reason, 'code_398');
    await cancelled();
    assert.equal(await its.outcome(journey), 'notPossible');
    const { body } = await its.store('GET', `/users/${encodeURIComponent(userExtId)}/ext`);
    assert.equal(body.lockInfo.failedCount, 0, 'who cancels has not failed');
  });

  it('a step for an unknown user, policy or store goes to a human and does not fail the end user', async () => {
    const nobody = await its.start([USE_PASSKEY], { userExtId: 'nobody' });
    assert.equal((await its.begin(nobody, 'use')).begun, false);
    assert.equal(await its.ended(nobody, 'passkeyAuthentication'), 'passkeyAuthentication NOT_PERFORMED code_100028');
    assert.equal(await its.outcome(nobody), 'received');
    const policy = await its.start([{ ...USE_TOTP, policy: 'other' }], { userId: (await its.newUser()).id });
    assert.equal((await its.begin(policy, 'useCode')).begun, false);
    assert.equal(await its.ended(policy, 'totpAuthentication'), 'totpAuthentication NOT_PERFORMED code_100030');
  });

  it('an authenticator app is not registered if its first code is wrong or missing', async () => {
    const journey = await its.start([ADD, { ...MAKE_TOTP, maxAttempts: 5 }], { userExtId: its.nameOf() });
    await journey.user.settled();
    const early = await journey.user.submit('makeCode', {});
    assert.equal(early.body.step.fault.reason, 'code_100035');
    const { settings } = await its.begin(journey, 'makeCode');
    const app = URI.parse(settings.uri) as TOTP;
    const code = app.generate({ timestamp: its.grove.clock.now() });
    const wrong = await journey.user.submit('makeCode', { code: otherThan(code) });
    assert.equal(wrong.body.step.fault.reason, 'code_100051');
    await journey.user.submit('makeCode', { code });
    assert.equal(await its.outcome(journey), 'passed');
  });

  it('an end user who failed to authenticate cannot register anything, whatever steps follow', async () => {
    const { userExtId } = await its.withCodes();
    const journey = await its.start([{ ...USE_TOTP, onFail: 'make', maxAttempts: 1 }, MAKE_PASSKEY, MAKE_TOTP], {
      userExtId,
    });
    await journey.user.submit('useCode', { code: '' });
    assert.equal((await journey.user.settled()).step.id, 'make');
    assert.equal((await its.begin(journey, 'make')).begun, false);
    assert.equal(
      await its.ended(journey, 'passkeyRegistration'),
      'passkeyRegistration NOT_PERFORMED not_authenticated',
    );
    assert.equal((await its.begin(journey, 'makeCode')).begun, false);
    const { body } = await its.store('GET', `/users/${encodeURIComponent(userExtId)}/ext`);
    assert.deepEqual(body.summaryInfo.passkeys, []);
    const unable = await its.start([USE_TOTP, MAKE_PASSKEY], { userExtId });
    const { revision } = await unable.user.look();
    const skipped = JSON.stringify({ revision, unable: true });
    await unable.user.call('/steps/useCode', { method: 'POST', body: skipped });
    assert.equal((await its.begin(unable, 'make')).begun, false);
  });

  it('an end user who failed with one modality and passed with another is authenticated', async () => {
    const { userExtId, app } = await its.withCodes();
    const steps = [
      { ...USE_PASSKEY, onFail: 'useCode', maxAttempts: 1 },
      { ...USE_TOTP, when: '!checks.use.passed' },
      MAKE_PASSKEY,
    ];
    const journey = await its.start(steps, { userExtId });
    assert.equal((await its.begin(journey, 'use')).begun, false);
    await journey.user.submit('useCode', { code: app.generate({ timestamp: its.grove.clock.now() }) });
    assert.equal((await its.begin(journey, 'make')).begun, true);
  });

  it('a user is added with the attributes that the end user wrote, and never replaces an existing user', async () => {
    const email = `${its.nameOf()}@example.org`;
    const sign = async (more: object = {}) => {
      const journey = await its.start([FORM, { ...FROM_FORM, ...more }, MAKE_PASSKEY]);
      await journey.user.submit('form', { email, name: 'Ada' });
      await journey.user.settled();
      return journey;
    };
    const first = await sign();
    assert.equal((await its.begin(first, 'make')).begun, true);
    const { body } = await its.store('GET', `/users/${encodeURIComponent(email)}/ext`);
    assert.deepEqual(body.attributes, { name: 'Ada' });
    const second = await sign();
    assert.equal(await its.ended(second, 'addUser'), 'addUser FAILED code_100037');
    assert.equal((await its.begin(second, 'make')).begun, false);
    assert.equal(await its.ended(second, 'passkeyRegistration'), 'passkeyRegistration NOT_PERFORMED user_missing');
    const third = await sign({ existing: 'link' });
    assert.deepEqual((await its.formsOf(third)).user1, { userId: body.id, created: false });
  });

  it('a step to add a user takes an existing one that a parameter names; if the definition refuses that, there is no user', async () => {
    const existing = await its.newUser();
    const linked = await its.start([ADD, MAKE_PASSKEY], { userExtId: existing.extId });
    await linked.user.settled();
    assert.deepEqual((await its.formsOf(linked)).user1, { userId: existing.id, created: false });
    const refusal = await its.start([{ ...ADD, existing: 'refuse' }, MAKE_PASSKEY], { userExtId: existing.extId });
    await refusal.user.settled();
    assert.equal((await its.begin(refusal, 'make')).begun, false);
    assert.equal(await its.ended(refusal, 'passkeyRegistration'), 'passkeyRegistration NOT_PERFORMED user_missing');
  });

  it('no user is added without a name, with a name that is too long, or with one that no address can hold', async () => {
    const missing = await its.start([ADD]);
    await missing.user.settled();
    assert.equal(await its.ended(missing, 'addUser'), 'addUser NOT_PERFORMED ext_id_missing');
    const long = await its.start([FORM, FROM_FORM]);
    await long.user.submit('form', { email: 'x'.repeat(256) });
    await long.user.settled();
    assert.equal(await its.ended(long, 'addUser'), 'addUser NOT_PERFORMED ext_id_too_long');
    const dots = await its.start([FORM, FROM_FORM]);
    await dots.user.submit('form', { email: ' .. ' });
    await dots.user.settled();
    assert.equal(await its.ended(dots, 'addUser'), 'addUser NOT_PERFORMED ext_id_invalid');
  });

  it('20122: the comparison with an enrolled face fails if none is enrolled, and is not made without a user', async () => {
    const { extId } = await its.newUser();
    const journey = await its.start([USE_FACE], { userExtId: extId });
    await journey.user.upload('face', 'image', { person: 'ada' });
    await journey.user.submit('face', {});
    assert.equal(await its.outcome(journey), 'notPossible');
    assert.equal(await its.ended(journey, 'faceAuthentication'), 'faceAuthentication FAILED code_20122');
    const nobody = await its.start([USE_FACE]);
    await nobody.user.upload('face', 'image', { person: 'ada' });
    await nobody.user.submit('face', {});
    assert.equal(await its.outcome(nobody), 'received');
    assert.equal(await its.ended(nobody, 'faceAuthentication'), 'faceAuthentication NOT_PERFORMED user_missing');
  });

  it('a definition cannot name a store that does not exist', async () => {
    const name = 'nowhere';
    const steps = [{ ...USE_PASSKEY, store: 'nowhere' }, DECIDE];
    const definition = await its.post('/processDefinitions', { name, steps });
    const path = `/api/process-manager/processDefinitions/${definition.id}/deploy`;
    const token = its.grove.inTest;
    const { status, body } = await its.grove.call(path, { method: 'POST', body: '{}', token });
    assert.equal(status, 400);
    assert.deepEqual(body.errors[0], {
      pointer: '/steps/0/store',
      message: 'there is no identity store named "nowhere"',
    });
  });

  it('a user whom a step has added stays the user of the journey when a reviewer asks for the form again', async () => {
    const email = `${its.nameOf()}@example.org`;
    const journey = await its.start([FORM, FROM_FORM, { id: 'look', type: 'review' }, MAKE_PASSKEY]);
    await journey.user.submit('form', { email });
    await journey.user.settled();
    const { user1 } = await its.formsOf(journey);
    await its.post(`/reviews/${journey.id}/claim`);
    await its.post(`/reviews/${journey.id}/askAgain`, { steps: ['form'], comment: 'Once more' });
    await journey.user.submit('form', { email });
    await journey.user.settled();
    assert.equal(await its.ended(journey, 'addUser'), 'addUser PASSED');
    assert.deepEqual((await its.formsOf(journey)).user1, { ...user1, created: false });
  });

  it('an event of a child journey names the process of its parent, and beside it the child', async () => {
    const { userExtId, app } = await its.withCodes();
    const child = await its.deployed([USE_TOTP], its.grove.inTest);
    const tags = `/api/process-manager/processDefinitions/${child.id}/tags`;
    const body = JSON.stringify({ name: 'child-prod' });
    const tagged = await its.grove.call(tags, { method: 'POST', body, token: its.grove.inTest });
    assert.equal(tagged.status, 201, tagged.text);
    const journey = await its.start([{ id: 'sub', type: 'subprocess', definition: child.name }], { userExtId });
    const { step } = await journey.user.look();
    assert.equal(step.id, 'useCode');
    await journey.user.submit('useCode', { code: app.generate({ timestamp: its.grove.clock.now() }) });
    assert.equal(await its.outcome(journey), 'passed');
    const [event] = await its.eventsOf({ parentProcessInstanceId: journey.id });
    assert.deepEqual(
      [event.type, event.parentProcessDefnName, event.childProcessDefnName, event.childProcessDefnVersion],
      ['identity.authenticationSucceeded', journey.definition.name, child.name, 1],
    );
    assert.equal(event.childProcessDefnTag, 'child-prod');
    assert.equal((await its.eventsOf({ childProcessDefnTag: 'child%' })).length, 1);
  });

  it('a face may have to answer a challenge, as in a step of active liveness', async () => {
    const journey = await its.start([{ ...USE_FACE, liveness: 'active' }], { userExtId: (await its.newUser()).extId });
    const { step } = await journey.user.look();
    assert.deepEqual(step.settings, { liveness: 'active' });
    const page = openChallengePage(journey.user, 'face', its.grove.clock);
    assert.equal((await page.answer(() => ({ person: 'ada' }))).state, 'DONE');
  });

  it('the face of an accepted selfie is enrolled for a new user, and for no existing one', async () => {
    const SELFIE = { id: 'selfie', type: 'face' };
    const userExtId = its.nameOf();
    const enrol = async (standIn: object, more: object = {}) => {
      const steps = [
        { ...SELFIE, maxAttempts: 1 },
        { ...ADD, face: 'face1' },
      ];
      const journey = await its.start(steps, { userExtId, ...more });
      await journey.user.upload('selfie', 'image', standIn);
      await journey.user.submit('selfie', {});
      await journey.user.settled();
      return its.ended(journey, 'faceEnrolment');
    };
    assert.equal(await enrol({ person: 'ada' }), 'faceEnrolment PASSED');
    assert.equal(await enrol({ person: 'eve' }), 'faceEnrolment NOT_PERFORMED not_authenticated');
    const dead = { person: 'bob', live: false };
    assert.equal(await enrol(dead, { userExtId: its.nameOf() }), 'faceEnrolment NOT_PERFORMED face_not_passed');
    const login = async (person: string) => {
      const journey = await its.start([{ ...USE_FACE, maxAttempts: 1 }], { userExtId });
      await journey.user.upload('face', 'image', { person });
      await journey.user.submit('face', {});
      return its.outcome(journey);
    };
    assert.deepEqual([await login('eve'), await login('ada')], ['notPossible', 'passed']);
  });

  it('an existing user gets another enrolled face after authentication', async () => {
    const { userExtId, app } = await its.withCodes();
    const steps = [USE_TOTP, { id: 'selfie', type: 'face' }, { ...ADD, face: 'face1' }];
    const journey = await its.start(steps, { userExtId });
    await journey.user.submit('useCode', { code: app.generate({ timestamp: its.grove.clock.now() }) });
    await journey.user.upload('selfie', 'image', { person: 'ada' });
    await journey.user.submit('selfie', {});
    assert.equal(await its.outcome(journey), 'passed');
    assert.equal(await its.ended(journey, 'faceEnrolment'), 'faceEnrolment PASSED');
  });
});
