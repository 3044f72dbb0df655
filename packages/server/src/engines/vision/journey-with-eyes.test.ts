import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { makeSpecimen } from '@grove/vision';
import sharp from 'sharp';
import { AUDREY, picture } from '../../../../vision/test/pictures.ts';
import { openRecording, PORTRAIT_AT, type Recording } from '../../../../vision/test/recording.ts';
import { openChallengePage } from '../../../test/challenge.ts';
import { type EndUser, type Journey, startJourney } from '../../../test/end-user.ts';
import { openTestApp, type TestApp, testPlaces } from '../../../test/harness.ts';
import { openTraceCollector } from '../../../test/trace-collector.ts';
import { openReceiver, type Receiver } from '../../../test/webhooks.ts';

/**
 * Live journeys with real image analysis: a specimen passport with a photograph, the same man before the camera, and
 * another person. It needs all models, so it runs on one database only.
 */
const DEFINITION = {
  name: 'eyes',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'document', type: 'document', key: 'doc1', accept: ['PASSPORT'] },
    { id: 'selfie', type: 'face', key: 'face1', liveness: 'active', maxAttempts: 2 },
    { id: 'match', type: 'faceMatch', document: 'doc1', face: 'face1' },
    { id: 'twice', type: 'duplicate', face: 'face1' },
    { id: 'decide', type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' },
  ],
};
/** The specimen is valid both on its own date and on the date of the test clock. */
const VALID = { issueDate: '2020-01-01', expiryDate: '2029-12-31' };
/** The caller is already part of a trace. */
const TRACE_ID = 'ab'.repeat(16);
const TRACE = `00-${TRACE_ID}-${'cd'.repeat(8)}-01`;

describe('a live journey with real image analysis', () => {
  const places = testPlaces();
  let app: TestApp;
  let collector: Awaited<ReturnType<typeof openTraceCollector>>;
  let receiver: Receiver;
  let isStopped = false;
  let token: string;
  let recording: Recording;
  let passport: Buffer;
  /** The accepted journey. */
  let holder: EndUser;

  before(async () => {
    collector = await openTraceCollector();
    receiver = await openReceiver();
    const traced = { GROVE_OTLP_URL: collector.url, GROVE_OUTBOUND_ALLOW: new URL(receiver.uri).host };
    app = await openTestApp(await places.create(), { environment: { GROVE_VISION: 'lazy', ...traced } });
    token = await app.token();
    await app.client.webhooks.create({ body: { name: 'hook', uri: receiver.uri, events: ['instance.completed'] } });
    recording = await openRecording();
    const portrait = await sharp(recording.at(PORTRAIT_AT))
      .extract({ left: 120, top: 60, width: 170, height: 217 })
      .jpeg()
      .toBuffer();
    passport = await passportWith(portrait);
    await app.client.processSettings.update({ body: { redirectOrigins: [], allowSpecimens: true } });
    const definition = await app.client.processDefinitions.create({ body: DEFINITION as never });
    await app.call(`/api/process-manager/processDefinitions/${definition.id}/deploy`, { method: 'POST' });
  });
  after(async () => {
    if (!isStopped) await app.stop();
    await receiver.close();
    collector.close();
  });

  const passportWith = async (portrait: Buffer) => {
    const photograph = { tilt: 4, yaw: 5, noise: 2 };
    return (await makeSpecimen({ kind: 'passport', seed: 3, person: VALID, portrait, photograph })).jpeg;
  };
  const begin = async () => (await startJourney(app, app.apiKey, { processDefnName: 'eyes' })).user;
  const send = async (user: EndUser, step: string, name: string, jpeg: Buffer) => {
    const answer = await user.call(`/steps/${step}/images/${name}`, {
      method: 'POST',
      body: jpeg as never,
      headers: { 'content-type': 'image/jpeg' },
    });
    assert.equal(answer.status, 200, answer.text);
  };
  const showPassport = async (user: EndUser, picture = passport) => {
    await send(user, 'document', 'front', picture);
    assert.equal((await user.submit('document')).status, 200);
    return user.settled(app.clock);
  };
  /** Makes the requested movements before the camera. */
  const showFace = async (user: EndUser, hints: object = {}, frameOf = recording.actor().frame) => {
    const challenge = await openChallengePage(user, 'selfie', app.clock).answer(frameOf);
    assert.equal(challenge.state, 'DONE', JSON.stringify(challenge));
    const result = { challengeId: challenge.challengeId, hints };
    const { revision } = await user.look();
    const answer = await user.call('/steps/selfie', {
      method: 'POST',
      body: JSON.stringify({ revision, result }),
      headers: { traceparent: TRACE },
    });
    assert.equal(answer.status, 200, answer.text);
    return user.settled(app.clock);
  };
  const placeOf = async ({ processInstanceId: id }: EndUser, by = token) => {
    const { body } = await app.call(`/api/process-manager/processInstances/${id}`, { token: by });
    return `/api/userdata-server/processDefinitions/${body.processDefnId}/processInstances/${id}`;
  };
  const checksOf = async (user: EndUser, by = token) => {
    const { body } = await app.call(`${await placeOf(user, by)}/userdata/checks`, { token: by });
    return new Map(body.map((check: { name: string }) => [check.name, check])) as Map<string, Journey>;
  };

  it('a live journey accepts the holder of the passport, and stores the values and images that were read from it', async () => {
    const user = await begin();
    holder = user;
    assert.equal((await showPassport(user)).step?.id, 'selfie');
    const uploaded = await user.call('/steps/selfie/images/image', {
      method: 'POST',
      body: recording.at(PORTRAIT_AT) as never,
      headers: { 'content-type': 'image/jpeg' },
    });
    assert.equal(uploaded.body.code, 100059, 'a selfie cannot be uploaded beside the challenge');
    const done = await showFace(user);
    const checks = await checksOf(user);
    assert.equal(done.result?.outcome, 'passed', JSON.stringify([...checks.values()]));
    assert.deepEqual(
      [...checks.values()].map(({ name, status }) => `${name} ${status}`).toSorted(),
      [
        'documentQuality',
        'documentType',
        'documentMrz',
        'documentExpiry',
        'documentPlausibility',
        'documentConsistency',
        'documentAuthenticity',
        'faceQuality',
        'liveness',
        'faceMatch',
        'duplicate',
      ]
        .map((name) => `${name} PASSED`)
        .toSorted(),
    );
    assert.equal(checks.get('liveness').reason, 'challenge_answered');

    const place = await placeOf(user);
    const { body: data } = await app.call(`${place}/userdata`, { token });
    const { documentType, countryCode, biographicData, images } = data.documents.doc1;
    assert.deepEqual([documentType, countryCode], ['PASSPORT', 'UTO']);
    const expiry = biographicData.find(({ fieldName }: { fieldName: string }) => fieldName === 'Date Of Expiry');
    assert.equal(expiry.values.mrzValue, VALID.expiryDate);
    assert.ok(expiry.values.visualZoneValue);
    assert.deepEqual(Object.keys(images).toSorted(), ['front', 'front.cropped', 'portrait']);
    for (const path of ['documents/doc1/front/cropped', 'documents/doc1/portrait']) {
      const { status, body } = await app.call(`${place}/getdata?path=${path}`, { token });
      assert.equal(status, 200, path);
      const { format, width = 0 } = await sharp(Buffer.from(body.data, 'base64')).metadata();
      assert.ok(format === 'jpeg' && width > 100, `${path}: ${format} ${width}`);
    }
  });

  it('a live journey does not accept a still image that is moved, whatever the challenge, nor a camera that says it is virtual', async () => {
    const user = await begin();
    await showPassport(user);
    const still = recording.actor().frame({ kind: 'centre', phase: 'do' });
    let frames = 0;
    const moved = async () => {
      frames += 1;
      return sharp(still)
        .rotate((frames % 5) - 2, { background: '#888' })
        .jpeg()
        .toBuffer();
    };
    const challenge = await openChallengePage(user, 'selfie', app.clock).answer(moved);
    assert.deepEqual([challenge.state, challenge.reason], ['ENDED', 'too_slow']);
    await showFace(user, { cameraLabel: 'OBS Virtual Camera' });
    const { status, metaData } = (await checksOf(user)).get('liveness');
    assert.deepEqual([status, metaData.hints], ['REVIEW', ['virtual_camera']]);
    assert.doesNotMatch(JSON.stringify(metaData), /OBS/, 'what a client says of itself may be personal');
  });

  it('a live journey declines an applicant with the passport of another person, and finds the earlier journey of that applicant', async () => {
    const user = await begin();
    await showPassport(user, await passportWith(picture(AUDREY)));
    const done = await showFace(user);
    assert.equal(done.result?.outcome, 'notPossible');
    const checks = await checksOf(user);
    const { status, reason } = checks.get('faceMatch');
    assert.deepEqual([status, reason], ['FAILED', 'not_the_same']);
    const { metaData, ...duplicate } = checks.get('duplicate');
    assert.deepEqual([duplicate.status, duplicate.reason], ['REVIEW', 'candidate_found']);
    assert.ok(metaData.candidates.length >= 1);
  });

  describe('the same journey in the sandbox', () => {
    let testKey: string;
    let testToken: string;

    before(async () => {
      testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
      testToken = await app.token(testKey);
    });

    const play = async () => {
      const { user } = await startJourney(app, testKey, { processDefnName: 'eyes' });
      await showPassport(user);
      await showFace(user);
      return user;
    };

    it('a live journey and the same journey in the sandbox have user data, checks and image paths of the same form', async () => {
      const user = await play();
      const shapeIn = async (of: EndUser, by: string) => {
        const place = await placeOf(of, by);
        const { body: data } = await app.call(`${place}/userdata`, { token: by });
        const { body: optimized } = await app.call(`${place}/userdata?optimized=true`, { token: by });
        const checks = Object.fromEntries(await checksOf(of, by));
        const paths = Object.entries(data.documents.doc1.images).map(([name, image]) => [name, image]);
        return { data: shapeOf(data), optimized: shapeOf(optimized), checks: shapeOf(checks), paths };
      };
      const [live, sandbox] = [await shapeIn(holder, token), await shapeIn(user, testToken)];
      assert.deepEqual(sandbox.checks, live.checks);
      assert.deepEqual(sandbox.data, live.data);
      assert.deepEqual(sandbox.optimized, live.optimized);
      assert.deepEqual(sandbox.paths, live.paths);
      const place = await placeOf(user, testToken);
      for (const path of ['documents/doc1/front/cropped', 'documents/doc1/portrait']) {
        const { status, body } = await app.call(`${place}/getdata?path=${path}`, { token: testToken });
        assert.deepEqual([status, body.contentType], [200, 'image/jpeg'], path);
        assert.equal((await sharp(Buffer.from(body.data, 'base64')).metadata()).format, 'jpeg');
      }
    });

    it('the sandbox really searches for duplicates, but only among its own faces', async () => {
      const user = await play();
      const { status, reason, metaData } = (await checksOf(user, testToken)).get('duplicate');
      assert.deepEqual([status, reason], ['REVIEW', 'candidate_found']);
      const ids = metaData.candidates.map((candidate: { processInstanceId: string }) => candidate.processInstanceId);
      assert.equal(ids.length, 1, 'the first journey of the sandbox, and none of the live ones');
      assert.equal((await app.call(`/api/process-manager/processInstances/${ids[0]}`)).status, 404);
    });
  });

  it('one trace leads from the caller over request, job and image analysis to the webhook', async () => {
    await receiver.arrived(1);
    // Stopping the application sends the collected spans.
    isStopped = true;
    await app.stop();
    const spans = collector.spans.filter(({ traceId }) => traceId === TRACE_ID);
    const names = new Set(spans.map(({ name }) => name));
    for (const name of ['journey.submitStep', 'vision.matchFaces', 'webhook.deliver', 'outbound']) {
      assert.ok(names.has(name), [...names].join(', '));
    }
    assert.ok(
      [...names].some((name) => name.startsWith('job ')),
      [...names].join(', '),
    );
    assert.equal(receiver.received[0]?.headers.traceparent?.split('-')[1], TRACE_ID);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const orphans = spans.filter(
      ({ name, parentSpanId = '' }) => name !== 'journey.submitStep' && !ids.has(parentSpanId),
    );
    assert.deepEqual(orphans, []);
  });
});

/**
 * The members and types of a JSON value. A list has the form of its elements, a list of fields that of each field by
 * name. Parts that depend on the photograph are left out, such as whether a list of reasons is empty.
 */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const fields = value.filter((each): each is { fieldName: string } => typeof each?.fieldName === 'string');
    if (fields.length > 0) return Object.fromEntries(fields.map((each) => [each.fieldName, shapeOf(each)]));
    return 'list';
  }
  if (typeof value !== 'object' || value === null) return value === null ? 'number' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, shapeOf(member)])
      .toSorted(([one], [other]) => String(one).localeCompare(String(other))),
  );
}
