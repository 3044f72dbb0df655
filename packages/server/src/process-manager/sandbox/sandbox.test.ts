import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openChallengePage } from '../../../test/challenge.ts';
import { startJourney } from '../../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../../test/harness.ts';
import { JPEG } from '../../../test/images.ts';
import { scenarios } from '../../engines/vision/scenarios.ts';

onBothEngines('the sandbox', (_engine, places) => {
  let app: TestApp;
  let testKey: string;

  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'test', environment: 'test' })).apiKey;
  });
  after(() => app.stop());

  const run = async (_scenario: string) => {
    const journey = await startJourney(app, testKey, { parameters: { _scenario } });
    await journey.user.finish();
    const path = `/api/process-manager/processInstances/${journey.processInstanceId}`;
    return { ...journey, path, instance: (await app.call(path, { token: journey.token })).body };
  };

  describe('the scenarios of the sandbox', () => {
    for (const { name, outcome } of scenarios) {
      it(`the scenario ${name} ends in ${outcome}`, async () => {
        const { instance } = await run(name);
        assert.equal(instance.status, outcome);
        assert.equal(instance.environment, 'test');
      });
    }
  });

  it('the sandbox lists its scenarios in pages', async () => {
    const { body } = await app.call('/api/process-manager/sandbox/scenarios?size=3', {
      token: await app.token(testKey),
    });
    assert.equal(body.totalElements, scenarios.length);
    assert.deepEqual(
      body.content.map(({ name }: { name: string }) => name),
      scenarios.slice(0, 3).map(({ name }) => name),
    );
  });

  it('the sandbox runs a journey like live: the same events, in the same order, and checks that name their source', async () => {
    const { path, token, instance } = await run('passed');
    const events = (await app.call(`${path}/events?size=100`, { token })).body.content;
    assert.deepEqual(
      events.map(({ type, step }: { type: string; step?: string }) => [type, step].filter(Boolean).join(' ')),
      [
        'instance.created',
        'instance.started',
        'instance.stepSeen consent',
        'instance.stepCompleted consent',
        'instance.stepSeen document',
        'instance.stepCompleted document',
        'instance.stepSeen selfie',
        'instance.stepCompleted selfie',
        'instance.stepCompleted match',
        'instance.completed decide',
      ],
    );
    const data = `/api/userdata-server/processDefinitions/${instance.processDefnId}/processInstances/${instance.id}`;
    const checks = (await app.call(`${data}/userdata/checks`, { token })).body;
    assert.ok(checks.length >= 5);
    for (const check of checks) assert.equal(check.metaData.engine, 'sandbox');
  });

  it('the sandbox accepts a JSON document in place of an image', async () => {
    const { user, token, processInstanceId } = await startJourney(app, testKey);
    await user.submit('consent', { accepted: true });
    const fields = { 'First Name': 'GRACE', 'Document Number': 'X1', 'Date Of Birth': '1990-05-04' };
    await user.upload('document', 'front', { documentType: 'ID_CARD', countryCode: 'DEU', fields, person: 'grace' });
    await user.submit('document', {});
    await user.settled();
    await user.upload('selfie', 'image', { person: 'somebody else' });
    await user.submit('selfie');
    const snapshot = await user.settled();
    assert.equal(snapshot.waitingFor, 'review');
    const instance = (await app.call(`/api/process-manager/processInstances/${processInstanceId}`, { token })).body;
    const data = `/api/userdata-server/processDefinitions/${instance.processDefnId}/processInstances/${processInstanceId}`;
    const place = `/api/process-manager/processInstances/${processInstanceId}/withParameters`;
    const { dateOfBirth, processServerId } = (await app.call(place, { token })).body;
    assert.deepEqual([dateOfBirth, processServerId], ['1990-05-04', 'fir'], 'the document says when');
    const { documents } = (await app.call(`${data}/userdata`, { token })).body;
    assert.equal(documents.doc1.documentType, 'ID_CARD');
    assert.equal(documents.doc1.countryCode, 'DEU');
    const number = documents.doc1.biographicData.find(
      ({ fieldName }: { fieldName: string }) => fieldName === 'Document Number',
    );
    assert.equal(number.values.visualZoneValue, 'X1');
    const item = await app.call(`${data}/getdata?path=${documents.doc1.images.front.path}`, { token });
    assert.equal(item.body.contentType, 'application/json');
    assert.equal(JSON.parse(Buffer.from(item.body.data, 'base64').toString()).person, 'grace');
  });

  it('the sandbox really searches the watchlists of its environment, unless a scenario sets the result', async () => {
    const token = await app.token(testKey);
    const send = async (path: string, body: object) => {
      const answer = await app.call(path, { method: 'POST', body: JSON.stringify(body), token });
      assert.ok(answer.status < 300, answer.text);
      return answer.body;
    };
    const lists = '/api/watchlist-manager/facewatchlists';
    const list = await send(lists, { name: 'throw-away', type: 'EMAIL' });
    await send(`${lists}/${list.id}/watchlist-members`, { value: 'bad@example.com' });
    const steps = [
      { id: 'look', type: 'watchlist', name: 'throw-away', by: 'email' },
      { id: 'decide', type: 'decision' },
    ];
    const definitions = '/api/process-manager/processDefinitions';
    const { id } = await send(definitions, { name: 'mailing', steps });
    await send(`${definitions}/${id}/deploy`, {});
    const checkOf = async (parameters: Record<string, string>) => {
      const { user, processInstanceId } = await startJourney(app, testKey, { processDefnName: 'mailing', parameters });
      await user.settled();
      const data = `/api/userdata-server/processDefinitions/${id}/processInstances/${processInstanceId}`;
      const [check] = (await app.call(`${data}/userdata/checks`, { token })).body;
      return [check.status, check.reason];
    };
    assert.deepEqual(await checkOf({ email: 'BAD@example.com' }), ['REVIEW', 'candidate_found']);
    assert.deepEqual(await checkOf({ email: 'good@example.com' }), ['PASSED', undefined]);
    assert.deepEqual(await checkOf({ email: 'good@example.com', _scenario: 'watchlist-hit' }), [
      'REVIEW',
      'candidate_found',
    ]);
  });

  it('the sandbox lets the end user of a test journey choose the outcome of later checks', async () => {
    const { user, token, processInstanceId } = await startJourney(app, testKey);
    const choose = (scenario: string) =>
      user.call('/simulation', { method: 'POST', body: JSON.stringify({ scenario }) });
    const before = (await user.call('/simulation')).body;
    assert.equal(before.scenario, 'passed');
    assert.deepEqual(
      before.scenarios.map(({ name }: { name: string }) => name),
      scenarios.map(({ name }) => name),
    );
    const face = before.steps.find(({ type }: { type: string }) => type === 'face');
    assert.equal(face.settings.liveness, 'active');
    assert.equal((await choose('no-such')).body.code, 100001);
    assert.equal((await choose('face-mismatch')).body.scenario, 'face-mismatch');
    await user.finish();
    const path = `/api/process-manager/processInstances/${processInstanceId}`;
    const expectedOutcome = scenarios.find(({ name }) => name === 'face-mismatch')?.outcome;
    assert.equal((await app.call(path, { token })).body.status, expectedOutcome);
  });

  it('100233: a live journey offers no choice of outcomes, to any caller', async () => {
    const { user } = await startJourney(app, app.apiKey);
    for (const init of [{}, { method: 'POST', body: JSON.stringify({ scenario: 'passed' }) }]) {
      const { status, body } = await user.call('/simulation', init);
      assert.deepEqual([status, body.code], [403, 100233]);
    }
    const { user: tester } = await startJourney(app, testKey);
    const elsewhere = await app.call(`/api/journey/${tester.processInstanceId}/simulation`, {
      token: null,
      headers: { cookie: user.cookie },
    });
    assert.equal(elsewhere.body.code, 100054);
  });

  it('748 and 802: a check of an unusable face in the sandbox has the code of its reason', async () => {
    for (const [fault, code] of [
      ['no_face', 748],
      ['several_faces', 748],
      ['too_dark', 802],
      ['', undefined],
    ] as const) {
      const { user, token, processInstanceId } = await startJourney(app, testKey);
      await user.submit('consent', { accepted: true });
      await user.upload('document', 'front', { person: 'ada' });
      await user.submit('document', {});
      await user.settled();
      await user.upload('selfie', 'image', { person: 'ada', ...(fault && { fault }) });
      await user.submit('selfie');
      await user.settled();
      const { processDefnId } = (
        await app.call(`/api/process-manager/processInstances/${processInstanceId}`, { token })
      ).body;
      const data = `/api/userdata-server/processDefinitions/${processDefnId}/processInstances/${processInstanceId}`;
      const checks = (await app.call(`${data}/userdata/checks`, { token })).body as { name: string; code?: number }[];
      assert.equal(checks.find(({ name }) => name === 'faceQuality')?.code, code, fault);
      assert.deepEqual(
        checks.filter((check) => check.code !== undefined && check.name !== 'faceQuality'),
        [],
      );
    }
  });

  it('the sandbox refuses an unknown scenario, and any scenario from a live key', async () => {
    const create = async (_scenario: string, token: string) => {
      const body = JSON.stringify({ name: 'x', processDefnName: 'document-only', parameters: { _scenario } });
      return (await app.call('/api/process-manager/processTokens', { method: 'POST', body, token })).body;
    };
    assert.match(
      (await create('no-such-scenario', await app.token(testKey))).message,
      /_scenario must be one of passed/,
    );
    assert.match((await create('passed', await app.token())).message, /use a test key/);
  });

  it('the sandbox is closed to live keys, and live instances are closed to test keys', async () => {
    const { processInstanceId, token } = await startJourney(app, testKey);
    const path = `/api/process-manager/processInstances/${processInstanceId}`;
    assert.equal((await app.call(path, { token })).status, 200);
    assert.equal((await app.call(path)).body.code, 100022);
  });

  it('the sandbox never replaces live checks: without image analysis a live journey passes no check, and a human decides', async () => {
    const { processInstanceId, user } = await startJourney(app, app.apiKey);
    await user.submit('consent', { accepted: true });
    const image = { method: 'POST', body: JPEG, headers: { 'content-type': 'image/jpeg' } };
    await user.call('/steps/document/images/front', image);
    await user.submit('document');
    await user.settled();
    const { challengeId } = await openChallengePage(user, 'selfie', app.clock).answer(() => Buffer.from(JPEG));
    await user.submit('selfie', { challengeId });
    await user.settled();
    const instance = (await app.call(`/api/process-manager/processInstances/${processInstanceId}`)).body;
    assert.equal(instance.status, 'REVIEW');
    const data = `/api/userdata-server/processDefinitions/${instance.processDefnId}/processInstances/${instance.id}`;
    const checks = (await app.call(`${data}/userdata/checks`)).body;
    assert.ok(checks.length > 0);
    for (const { status } of checks) assert.equal(status, 'NOT_PERFORMED');
  });
});
