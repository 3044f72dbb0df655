import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Answer, onBothEngines } from '../../../test/harness.ts';
import { addressesOf, openTestIdentity, type TestIdentity } from '../../../test/identity.ts';
import { JPEG } from '../../../test/images.ts';
import { asTenantId } from '../../kernel/ids.ts';
import { userSubject } from '../users/find-user.ts';
import { findFace, putFace } from './biometrics.repository.ts';
import { templateContext } from './enrol-face.ts';

const ALGORITHM = 'GROVE_FACE_512_1';
const MATCHING = { algorithm: ALGORITHM, threshold: 0.6 };

/** A JSON document in place of a picture. */
const face = (standIn: object) => Buffer.from(JSON.stringify(standIn)).toString('base64');
const ADA = face({ person: 'ada' });
const GRACE = face({ person: 'grace' });

onBothEngines('faces of users', (_engine, places) => {
  let grove: TestIdentity;
  let people = 0;

  before(async () => {
    grove = await openTestIdentity(await places.create());
  });
  after(() => grove.stop());

  const send = (path: string, body: unknown, token = grove.inTest) => grove.send('POST', path, body, token);
  const storeOf = async (configuration: object = {}) => {
    people += 1;
    const answer = await send('/stores', { name: `store ${people}`, configuration });
    assert.equal(answer.status, 201, answer.text);
    return `/stores/store%20${people}`;
  };
  type Person = { store: string; id: string; extId: string };
  /** Creates a user with an enrolled face. */
  const withFace = async (configuration: object = {}, standIn: object = { person: 'ada' }): Promise<Person> => {
    const somebody = await unknown(configuration);
    const enrolled = await enrol(somebody, { data: face(standIn) });
    assert.equal(enrolled.status, 200, enrolled.text);
    return somebody;
  };
  const unknown = async (configuration: object = {}): Promise<Person> => {
    const store = await storeOf(configuration);
    const { body } = await send(`${store}/users`, { extId: 'ada@example.org' });
    return { store, id: body.id, extId: body.extId };
  };
  const enrol = ({ store, id }: Person, body: object, type = 'face') =>
    send(`${store}/users/${id}/biometrics/${type}`, body);
  const match = ({ store, extId }: Person, body: object = { data: ADA, matchingProcess: MATCHING }, token?: string) =>
    send(`${store}/users/${encodeURIComponent(extId)}/biometrics/authentications/face/ext`, body, token);
  const failures = ({ body }: Answer) => body.user.lockInfo.modalities.FACE?.failedCount ?? 0;
  const assertRefused = async (answer: Promise<Answer>, code: number) => {
    const { status, body, text } = await answer;
    assert.deepEqual([status, body.code], [400, code], text);
    assert.equal(body.user.extId, 'ada@example.org');
    return body.user;
  };

  it('an enrolled face authenticates by the id and by the external id of its user, and appears in no answer', async () => {
    const ada = await unknown();
    for (const [at, address] of addressesOf(ada.store, ada, '/biometrics/face').entries()) {
      const { status, body, text } = await send(address, { data: ADA });
      assert.equal(status, 200, text);
      const [{ lastUpdatedDtm, ...biometric }] = body.summaryInfo.biometrics;
      assert.deepEqual([biometric, body.summaryInfo.biometrics.length], [{ type: 'FACE', status: 'ACTIVE' }, 1]);
      assert.equal(Date.parse(lastUpdatedDtm), grove.clock.now());
      grove.clock.advance(at + 1);
      const { status: matched, body: result } = await match(ada);
      assert.deepEqual([matched, result.score, result.user.id], [200, 0.97, ada.id]);
      assert.ok(!/sealed|template|algorithm|"person/.test(JSON.stringify([body, result])));
    }
  });

  it('the list of users shows who has an enrolled face', async () => {
    const ada = await withFace();
    await send(`${ada.store}/users`, { extId: 'grace@example.org' });
    const { body } = await grove.send('GET', `${ada.store}/users?sort=extId,asc`, undefined, grove.inTest);
    const counts = body.content.map(({ summaryInfo }: { summaryInfo: { biometrics: [] } }) => summaryInfo.biometrics);
    assert.deepEqual([counts[0].length, counts[1].length], [1, 0]);
  });

  it('100140: another face is refused and counted as a failure, and a success resets the failures', async () => {
    const ada = await withFace();
    const user = await assertRefused(match(ada, { data: GRACE, matchingProcess: MATCHING }), 100140);
    assert.equal(user.lockInfo.modalities.FACE.failedCount, 1);
    assert.ok(!('score' in user));
    const { body } = await match(ada);
    assert.equal(body.user.lockInfo.failedCount, 0);
  });

  it('a new face replaces the previous one', async () => {
    const ada = await withFace();
    assert.equal((await enrol(ada, { data: GRACE })).status, 200);
    await assertRefused(match(ada), 100140);
    assert.equal((await match(ada, { data: GRACE, matchingProcess: MATCHING })).status, 200);
  });

  it('the threshold of a caller can be higher than that of the store, but not lower', async () => {
    const usual = await withFace();
    const low = { algorithm: ALGORITHM, threshold: 0 };
    const faceWith = (score: number) => face({ person: 'ada', score });
    await assertRefused(match(usual, { data: faceWith(0.49), matchingProcess: low }), 100140);
    assert.equal((await match(usual, { data: faceWith(0.5), matchingProcess: low })).body.score, 0.5);
    await assertRefused(
      match(usual, { data: faceWith(0.8), matchingProcess: { algorithm: ALGORITHM, threshold: 0.81 } }),
      100140,
    );
    const strict = await withFace({ faceConfiguration: { floor: 0.9 } });
    await assertRefused(match(strict, { data: faceWith(0.89), matchingProcess: low }), 100140);
    assert.equal((await match(strict, { data: faceWith(0.999), matchingProcess: low })).body.score, 0.99);
  });

  it('an enrolled face is replaced by a later picture of the same person, if the caller wants that and the picture is good', async () => {
    const ada = await withFace();
    const at = () => rowOf(ada);
    const first = await at();
    const again = (more: object, standIn: object = {}) =>
      match(ada, {
        data: face({ person: 'ada', score: 0.9, ...standIn }),
        matchingProcess: { algorithm: ALGORITHM, ...more },
      });
    assert.equal((await again({})).status, 200);
    assert.equal((await again({ internalThreshold: 0.91 })).status, 200);
    assert.equal((await again({ internalThreshold: 0.9 }, { quality: 0.69 })).status, 200);
    assert.deepEqual(await at(), first);
    assert.equal((await again({ internalThreshold: 0.9 }, { quality: 0.7 })).status, 200);
    const second = await at();
    assert.notEqual(second?.id, first?.id);
    assert.equal(second?.created_at, first?.created_at);
    assert.equal((await match(ada)).status, 200);
  });

  const tx = () => grove.app.db.of(asTenantId('acme'));
  const rowOf = ({ id }: Person) => findFace(tx(), { userId: id });

  it('8: an unknown algorithm neither matches nor enrols a face', async () => {
    const ada = await withFace();
    await assertRefused(match(ada, { data: ADA, matchingProcess: { algorithm: 'EIGENFACE' } }), 8);
    await assertRefused(enrol(ada, { data: ADA, algorithm: 'EIGENFACE' }), 8);
    assert.equal((await match(ada, { data: ADA, matchingProcess: { algorithm: 'grove_face_512_1' } })).status, 200);
    assert.equal((await enrol(ada, { data: ADA, algorithm: ALGORITHM })).status, 200);
  });

  it('2005: a biometric that Grove does not support is refused at every address', async () => {
    const ada = await withFace();
    await assertRefused(enrol(ada, { data: ADA }, 'fingerprint'), 2005);
    await assertRefused(match(ada, { data: ADA, type: 'IRIS', matchingProcess: MATCHING }), 2005);
    const failure = `${ada.store}/users/${ada.id}/biometrics/authentications/failure`;
    assert.equal((await send(failure, { type: 'voice' })).body.code, 2005);
  });

  it('20115: an unknown biometric is refused at every address', async () => {
    const ada = await withFace();
    await assertRefused(enrol(ada, { data: ADA }, 'shoe-size'), 20115);
    await assertRefused(match(ada, { data: ADA, type: 'shoe-size', matchingProcess: MATCHING }), 20115);
    const failure = `${ada.store}/users/${ada.id}/biometrics/authentications/failure`;
    assert.equal((await send(failure, { type: 'shoe-size' })).body.code, 20115);
  });

  it('2006: a face in profile is neither enrolled nor matched', async () => {
    const ada = await withFace();
    await assertRefused(enrol(ada, { data: ADA, subtype: 'PROFILE' }), 2006);
    await assertRefused(match(ada, { data: ADA, subtype: 'PROFILE', matchingProcess: MATCHING }), 2006);
    assert.equal((await enrol(ada, { data: ADA, subtype: 'frontal' }, 'FACE')).status, 200);
    assert.equal(
      (await match(ada, { data: ADA, type: 'FACE', subtype: 'none', matchingProcess: MATCHING })).status,
      200,
    );
  });

  it('20114: without a picture no face is matched or enrolled, and none is disabled if none is enrolled', async () => {
    const ada = await unknown();
    await assertRefused(enrol(ada, {}), 20114);
    await assertRefused(enrol(ada, { data: '' }), 20114);
    await assertRefused(enrol(ada, { status: 'DISABLED' }), 20114);
    await assertRefused(match(ada, { matchingProcess: MATCHING }), 20114);
    await assertRefused(match(ada, {}), 20114);
    const { status, body } = await match(ada, { data: 'not base64!', matchingProcess: MATCHING });
    assert.deepEqual([status, body.code], [400, 20122], 'there is no face to compare with, so nobody reads the data');
    const { body: garbage } = await enrol(ada, { data: 'not base64!' });
    assert.deepEqual([garbage.code, garbage.errors[0].pointer], [100001, '/data']);
  });

  it('100001: a picture of more than 5 MiB is refused before it is decoded', async () => {
    const ada = await unknown();
    const { status, body } = await enrol(ada, { data: 'A'.repeat(Math.ceil((5 * 2 ** 20) / 3) * 4 + 4) });
    assert.deepEqual([status, body.code, body.errors[0].pointer], [400, 100001, '/data']);
  });

  it('20123, 20124, 20125, 20126: a comparison needs an algorithm and thresholds from 0 to 1', async () => {
    const ada = await withFace();
    const matchWith = (matchingProcess?: object) =>
      match(ada, { data: ADA, ...(matchingProcess && { matchingProcess }) });
    await assertRefused(matchWith(), 20123);
    await assertRefused(matchWith({}), 20124);
    await assertRefused(matchWith({ algorithm: '', threshold: 7 }), 20124);
    for (const threshold of [-0.01, 1.01, 1e300]) {
      await assertRefused(matchWith({ ...MATCHING, threshold }), 20125);
      await assertRefused(matchWith({ ...MATCHING, internalThreshold: threshold }), 20126);
    }
    const user = await assertRefused(matchWith({ ...MATCHING, threshold: 2, internalThreshold: 2 }), 20125);
    assert.equal(user.lockInfo.failedCount, 0, 'what could not be compared is no failure of the user');
    assert.equal((await matchWith({ ...MATCHING, threshold: 1, internalThreshold: 0 })).body.code, 100140);
  });

  it('20120: a picture without a face, or a file that is not a picture, is not enrolled and does not count as a failure', async () => {
    const ada = await withFace();
    const pictures = [face({ fault: 'no_face' }), Buffer.from('hello').toString('base64'), face({}).slice(0, 2)];
    for (const data of pictures) {
      await assertRefused(enrol(ada, { data }), 20120);
      const user = await assertRefused(match(ada, { data, matchingProcess: MATCHING }), 20120);
      assert.equal(user.lockInfo.failedCount, 0);
    }
    const { body } = await match(ada, { data: face({ fault: 'no_face' }), matchingProcess: MATCHING });
    assert.match(body.message, /no_face/);
  });

  it('100141: a picture of low quality is not enrolled', async () => {
    const ada = await unknown();
    const { body } = await enrol(ada, { data: face({ person: 'ada', quality: 0.49 }) });
    assert.deepEqual([body.code, body.user.summaryInfo.biometrics], [100141, []]);
    assert.match(body.message, /too_dark/);
    assert.equal((await enrol(ada, { data: face({ person: 'ada', quality: 0.5 }) })).status, 200);
  });

  it('20121: a template that cannot be compared is refused, and does not count as a failure', async () => {
    const ada = await withFace();
    await replaceTemplate(ada, { template: Buffer.from('damaged') });
    const user = await assertRefused(match(ada), 20121);
    assert.equal(user.lockInfo.failedCount, 0);
  });

  it('20122: nothing is compared if no face is enrolled, or one of another algorithm', async () => {
    await assertRefused(match(await unknown()), 20122);
    const ada = await withFace();
    await replaceTemplate(ada, { algorithm: 'GROVE_FACE_256_0' });
    await assertRefused(match(ada), 20122);
  });

  const replaceTemplate = (ada: Person, { template, algorithm }: { template?: Buffer; algorithm?: string }) =>
    tx().write(async (write) => {
      const row = await findFace(write, { userId: ada.id });
      if (!row) throw new Error('no face');
      const { vault } = grove.app;
      const context = templateContext(row.id);
      const sealed = template ? await vault.sealFor(write, userSubject(ada.id), context, template) : row.sealed;
      putFace(write, { ...row, sealed, algorithm: algorithm ?? row.algorithm });
    });

  it('2103: a disabled face authenticates nobody until it is enabled', async () => {
    const ada = await withFace();
    const disabled = await enrol(ada, { status: 'DISABLED' });
    assert.deepEqual([disabled.status, disabled.body.summaryInfo.biometrics[0].status], [200, 'DISABLED']);
    const user = await assertRefused(match(ada), 2103);
    assert.equal(user.lockInfo.failedCount, 0);
    assert.equal((await enrol(ada, { status: 'ACTIVE' })).status, 200);
    assert.equal((await match(ada)).status, 200);
    assert.equal((await enrol(ada, { data: ADA, status: 'DISABLED' })).status, 200);
    await assertRefused(match(ada), 2103);
  });

  it('2101: after five failures the face is locked, other modalities are not, and a new enrolment unlocks it', async () => {
    const ada = await withFace();
    const wrong = { data: GRACE, matchingProcess: MATCHING };
    for (let at = 0; at < 4; at++) await assertRefused(match(ada, wrong), 100140);
    const last = await match(ada, wrong);
    assert.deepEqual([last.body.code, last.body.user.lockInfo.modalities.FACE.locked], [100140, true]);
    const user = await assertRefused(match(ada), 2101);
    assert.deepEqual([user.status, failures(last)], ['ACTIVE', 5]);
    assert.equal((await enrol(ada, { data: ADA })).status, 200);
    assert.equal((await match(ada)).status, 200);
  });

  it('failures of a face that the caller reports count at both addresses, up to the lock and not further', async () => {
    const ada = await withFace();
    const addresses = addressesOf(ada.store, ada, '/biometrics/authentications/failure');
    const counts: number[] = [];
    for (let at = 0; at < 7; at++) {
      const { status, body, text } = await send(addresses[at % 2] as string, {
        type: 'face',
        reason: 'another device',
      });
      assert.equal(status, 200, text);
      counts.push(body.lockInfo.modalities.FACE.failedCount);
    }
    assert.deepEqual(counts, [1, 2, 3, 4, 5, 5, 5]);
    await assertRefused(match(ada), 2101);
  });

  it('2100, 2102, 502: a locked, a disabled and an inactive user are refused before the picture is analysed', async () => {
    const ada = await withFace();
    const path = `${ada.store}/users/${ada.id}`;
    await send(`${path}/lock`, {});
    await assertRefused(match(ada), 2100);
    await assertRefused(enrol(ada, { data: ADA }), 2100);
    assert.equal((await enrol(ada, { status: 'DISABLED' })).status, 200, 'to disable is for an operator at any time');
    await send(`${path}/unlock`, {});
    await enrol(ada, { status: 'ACTIVE' });
    await send(path, { status: 'DISABLED' });
    await assertRefused(match(ada, {}), 2102);
    await assertRefused(enrol(ada, { data: ADA }), 502);
    await send(path, { status: 'PENDING_ACTIVE' });
    await assertRefused(match(ada), 502);
    await send(path, { status: 'ACTIVE' });
    assert.equal((await match(ada)).status, 200);
  });

  it('100027, 100028, 100082: no face is matched or enrolled for an unknown store or user, or in an inactive store', async () => {
    const ada = await withFace();
    const body = { data: ADA, matchingProcess: MATCHING };
    for (const other of [grove.ofOther, await grove.token()]) {
      assert.equal((await match(ada, body, other)).body.code, 100027);
      const path = `${ada.store}/users/${ada.id}/biometrics`;
      assert.equal((await send(`${path}/face`, { data: ADA }, other)).body.code, 100027);
      assert.equal((await send(`${path}/authentications/failure`, { type: 'face' }, other)).body.code, 100027);
    }
    assert.equal((await match({ ...ada, extId: 'nobody' })).body.code, 100028);
    assert.equal((await enrol({ ...ada, id: '01M7EK55GPPBVSG5TAX910HKS7' }, { data: ADA })).body.code, 100028);
    await send(ada.store, { status: 'INACTIVE' });
    assert.equal((await match(ada)).body.code, 100082);
    assert.equal((await enrol(ada, { data: ADA })).body.code, 100082);
  });

  it('a document in place of a picture of a face is accepted only in the sandbox', async () => {
    const live = await grove.token();
    const store = '/stores/live';
    await send('/stores', { name: 'live' }, live);
    const { body } = await send(`${store}/users`, { extId: 'ada@example.org' }, live);
    const enrolled = await send(`${store}/users/${body.id}/biometrics/face`, { data: ADA }, live);
    assert.deepEqual([enrolled.status, enrolled.body.code], [400, 20120]);
  });

  it('100010: without image analysis no face is refused, and none is accepted', async () => {
    const ada = await withFace();
    const { status, body } = await match(ada, {
      data: Buffer.from(JPEG).toString('base64'),
      matchingProcess: MATCHING,
    });
    assert.deepEqual([status, body.code], [503, 100010]);
  });

  it('wrong faces that arrive at once are not compared beyond the limit', async () => {
    const ada = await withFace();
    const wrong = { data: GRACE, matchingProcess: MATCHING };
    const answers = await Promise.all(Array.from({ length: 20 }, () => match(ada, wrong)));
    const codes = answers.map(({ body }) => body.code);
    assert.equal(codes.filter((code) => code === 100140).length, 5);
    assert.equal(codes.filter((code) => code === 2101).length, 15);
  });

  it('each operation on a face has an event, and the face is deleted together with its user', async () => {
    const ada = await unknown();
    // Events of one millisecond have no order, so the clock moves between them.
    const later = () => grove.clock.advance(1);
    later();
    await enrol(ada, { data: ADA });
    later();
    await match(ada);
    later();
    await match(ada, { data: GRACE, matchingProcess: MATCHING });
    later();
    await enrol(ada, { status: 'DISABLED' });
    later();
    await grove.send('DELETE', `${ada.store}/users/${ada.id}`, undefined, grove.inTest);
    assert.equal(await rowOf(ada), undefined);
    const { body } = await grove.query({ size: 1000 }, grove.inTest);
    const mine = body.results.filter(({ userId }: { userId: string }) => userId === ada.id).toReversed();
    assert.deepEqual(
      mine.map(({ type, code, modality }: { type: string; code?: number; modality?: string }) =>
        [type.slice('identity.'.length), modality, code].filter(Boolean).join(' '),
      ),
      [
        'userCreated',
        'authenticatorRegistered FACE',
        'authenticationSucceeded FACE',
        'authenticationFailed FACE 100140',
        'biometricUpdated FACE',
        'userDeleted',
      ],
    );
  });
});
