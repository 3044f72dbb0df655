import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, before, it } from 'node:test';
import { type Challenge, openChallengePage } from '../../test/challenge.ts';
import { type EndUser, startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { MINUTE } from '../kernel/clock.ts';

const DEFINITION = {
  name: 'moving',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'still', type: 'face', key: 'face1', liveness: 'none' },
    { id: 'moving', type: 'face', key: 'face2', liveness: 'active', maxAttempts: 5 },
    { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW' },
  ],
};

/** In the sandbox every frame counts, whatever it shows: this file tests who may call, and when. */
onBothEngines('a challenge of active liveness', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'mover', environment: 'test' })).apiKey;
    const definition = await app.client.processDefinitions.create({ body: DEFINITION as never });
    await app.call(`/api/process-manager/processDefinitions/${definition.id}/deploy`, { method: 'POST' });
  });
  after(() => app.stop());

  const begin = async () => (await startJourney(app, testKey, { processDefnName: 'moving' })).user;
  const atMoving = async (): Promise<EndUser> => {
    const user = await begin();
    await user.upload('still', 'image');
    await user.submit('still');
    assert.equal((await user.settled()).step?.id, 'moving');
    return user;
  };
  const pageOf = (user: EndUser, step = 'moving') => openChallengePage(user, step, app.clock);
  const started = async (user: EndUser) => {
    const page = pageOf(user);
    const { status, body, text } = await page.start();
    assert.equal(status, 201, text);
    return { page, challenge: body as Challenge };
  };
  const frame = () => ({ live: true });

  it('a challenge of active liveness reveals one instruction at a time, each with a token of its own, and is done after the sixth', async () => {
    const user = await atMoving();
    const tokens = new Set<string>();
    const kinds: string[] = [];
    const done = await pageOf(user).answer(({ kind, token }) => {
      if (!tokens.has(token)) kinds.push(kind);
      tokens.add(token);
      return frame();
    });
    assert.deepEqual([done.state, done.instruction, kinds.length, tokens.size], ['DONE', undefined, 6, 6]);
    assert.equal(kinds[0], 'centre');
    assert.ok(kinds.includes('closeEyes') && kinds.includes('openMouth'));
    assert.equal((await user.submit('moving', { challengeId: done.challengeId })).status, 200);
    assert.equal((await user.settled()).step, undefined);
  });

  it('a challenge of active liveness is refused with 100130 for a step without one, and with 100056 for a step that is not current', async () => {
    const user = await begin();
    assert.equal((await pageOf(user, 'still').start()).body.code, 100130);
    assert.equal((await pageOf(user).start()).body.code, 100056);
    assert.equal((await pageOf(user, 'nowhere').start()).body.code, 100056);
  });

  it('a challenge of active liveness replaces the one before, and the fourth start of an attempt is refused with 100131', async () => {
    const user = await atMoving();
    const first = await started(user);
    const second = await started(user);
    app.clock.advance(300);
    const late = await first.page.send(first.challenge, frame());
    assert.deepEqual([late.body.state, late.body.accepted], ['ENDED', false]);
    assert.equal((await second.page.send(second.challenge, frame())).body.accepted, true);
    await started(user);
    assert.equal((await pageOf(user).start()).body.code, 100131);
    const many = await atMoving();
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => pageOf(many).start()))).map(
      ({ status }) => status,
    );
    assert.deepEqual(statuses.toSorted(), [201, 201, 201, 429, 429, 429]);
  });

  it('a challenge of active liveness accepts no frame for an instruction that is not open: with another token, an earlier one, or too early', async () => {
    const user = await atMoving();
    const { page, challenge } = await started(user);
    app.clock.advance(300);
    const other = await page.send(challenge, frame(), { token: 'another' });
    assert.deepEqual([other.status, other.body.accepted, other.body.number], [200, false, 1]);
    let now = challenge;
    for (let frames = 0; frames < 2; frames += 1) {
      app.clock.advance(300);
      now = (await page.send(now, frame())).body;
    }
    assert.equal(now.number, 2);
    app.clock.advance(700);
    const old = await page.send(challenge, frame(), { token: challenge.instruction?.token as string });
    assert.deepEqual([old.body.accepted, old.body.number], [false, 2]);
    assert.equal(old.body.instruction.token, now.instruction?.token);
  });

  it('a challenge of active liveness accepts only frames signed with the key of its start: 100180 for others, 100132 for another challenge', async () => {
    const { page, challenge } = await started(await atMoving());
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    assert.equal((await page.send(challenge, frame(), { key: privateKey })).body.code, 100180);
    const other = await started(await atMoving());
    assert.equal((await page.send(challenge, frame(), { challengeId: other.challenge.challengeId })).body.code, 100132);
  });

  it('a challenge of active liveness accepts no frame that is not an image (100059), and none for a step that is not current (100056)', async () => {
    const user = await atMoving();
    const { page, challenge } = await started(user);
    app.clock.advance(1000);
    assert.equal((await page.send(challenge, Buffer.from('no picture'))).body.code, 100059);
    const elsewhere = openChallengePage(user, 'still', app.clock);
    assert.equal((await elsewhere.send(challenge, frame())).body.code, 100056);
  });

  it('a challenge of active liveness ends as too_slow after ten seconds for one instruction', async () => {
    const { page, challenge } = await started(await atMoving());
    app.clock.advance(10_001);
    const { body } = await page.send(challenge, frame());
    assert.deepEqual([body.state, body.reason, body.instruction], ['ENDED', 'too_slow', undefined]);
  });

  it('a challenge of active liveness is used once, by the attempt that it belongs to, only when it is done, and in time', async () => {
    const user = await atMoving();
    const submit = async (challengeId: string) => (await user.submit('moving', { challengeId })).body.code;
    assert.equal(await submit('never-started'), 100132);
    const open = await started(user);
    assert.equal(await submit(open.challenge.challengeId), 100132);
    const done = await pageOf(user).answer(() => ({ live: false }));
    const other = await atMoving();
    assert.equal((await other.submit('moving', { challengeId: done.challengeId })).body.code, 100132);
    assert.equal((await user.submit('moving', { challengeId: done.challengeId })).status, 200);
    assert.equal((await user.settled()).step?.attempt, 2);
    assert.equal(await submit(done.challengeId), 100132);
    const late = await pageOf(user).answer(frame);
    app.clock.advance(5 * MINUTE);
    assert.equal(await submit(late.challengeId), 100132);
  });

  it('a challenge of active liveness stores the selfie and two frames of each movement, and nothing else', async () => {
    const user = await atMoving();
    await pageOf(user).answer(frame);
    const { step } = await user.look();
    const frames = Array.from({ length: 10 }, (_, at) => `frame${at + 1}`);
    assert.deepEqual(step.images.toSorted(), ['image', ...frames].toSorted());
  });

  it('a challenge of active liveness contains only movements that a person can make', async () => {
    const page = pageOf(await atMoving());
    const { body } = await page.start(['eyes', 'mouth']);
    const kinds = new Set<string>();
    for (let now = body as Challenge; now.state === 'OPEN'; ) {
      app.clock.advance(700);
      kinds.add(now.instruction?.kind as string);
      now = (await page.send(now, frame())).body;
    }
    assert.ok(!kinds.has('closeEyes') && !kinds.has('openMouth'), [...kinds].join());
  });

  it('a challenge of active liveness is deleted together with its instance', async () => {
    const user = await atMoving();
    await started(user);
    const id = user.processInstanceId;
    const token = await app.token(testKey);
    await app.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE', token });
    const rows = await app.app.db
      .of('acme' as never)
      .all({ text: 'SELECT 1 AS one FROM liveness_challenges WHERE tenant_id = $1 AND instance_id = $2' }, [
        'acme',
        id,
      ]);
    assert.deepEqual(rows, []);
  });
});
