import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type EndUser, startJourney } from '../../test/end-user.ts';
import { onBothEngines, openTestApp, type TestApp } from '../../test/harness.ts';
import { MINUTE, toDtm } from '../kernel/clock.ts';

const DEFINITION = {
  name: 'moving',
  processDefinitionType: 'VERIFICATION',
  steps: [
    { id: 'still', type: 'face', key: 'face1', liveness: 'passive' },
    { id: 'moving', type: 'face', key: 'face2', liveness: 'active', maxAttempts: 5 },
    { id: 'decide', type: 'decision', onAnyFailure: 'REVIEW' },
  ],
};

onBothEngines('a challenge of active liveness', (_engine, places) => {
  let app: TestApp;
  let testKey: string;
  before(async () => {
    app = await openTestApp(await places.create());
    testKey = (await app.app.tenants.createApiKey('acme', { name: 'mover', environment: 'test' })).apiKey;
    const made = await app.client.processDefinitions.create({ body: DEFINITION as never });
    await app.call(`/api/process-manager/processDefinitions/${made.id}/deploy`, { method: 'POST' });
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
  const draw = (user: EndUser, step = 'moving') =>
    user.call(`/steps/${step}/challenges`, { method: 'POST', body: '{}' });
  /** With a selfie that does not look alive, so that there is another attempt. */
  const answer = async (user: EndUser, result: object) => {
    await user.upload('moving', 'image', { live: false });
    return user.submit('moving', result);
  };

  it('begins in the middle, has four movements and is good for a minute', async () => {
    const { status, body } = await draw(await atMoving());
    assert.equal(status, 201);
    assert.equal(body.poses[0], 'centre');
    assert.equal(body.poses.length, 5);
    assert.match(body.nonce, /^[\w-]{22}$/);
    assert.equal(body.expiringDtm, toDtm(app.clock.now() + MINUTE));
  });

  it('is refused with 100130 where nobody is asked to move, and with 100056 where the journey is not', async () => {
    const user = await begin();
    assert.equal((await draw(user, 'still')).body.code, 100130);
    assert.equal((await draw(user, 'moving')).body.code, 100056);
    assert.equal((await draw(user, 'nowhere')).body.code, 100056);
  });

  it('is refused with 100131 while five are open, also to many at once, and given again when they have expired', async () => {
    const user = await atMoving();
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => draw(user)))).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [201, 201, 201, 201, 201, 429, 429, 429]);
    assert.equal((await draw(user)).body.code, 100131);
    app.clock.advance(MINUTE + 1);
    assert.equal((await draw(user)).status, 201);
  });

  it('is spent by its answer, and refused with 100132 when it is answered again, too late, or was never drawn', async () => {
    const user = await atMoving();
    const { nonce } = (await draw(user)).body;
    assert.equal((await answer(user, { nonce: 'never-drawn' })).body.code, 100132);
    assert.equal((await answer(user, { nonce, frames: [{ name: 'frame1', at: 0 }] })).status, 200);
    assert.equal((await user.settled()).step?.attempt, 2);
    assert.equal((await answer(user, { nonce })).body.code, 100132);
    const late = (await draw(user)).body.nonce;
    app.clock.advance(MINUTE + 1);
    assert.equal((await answer(user, { nonce: late })).body.code, 100132);
  });

  it('is not of use to another attempt or another instance', async () => {
    const [one, other] = [await atMoving(), await atMoving()];
    const { nonce } = (await draw(one)).body;
    assert.equal((await answer(other, { nonce })).body.code, 100132);
    const spare = (await draw(one)).body.nonce;
    assert.equal((await answer(one, { nonce })).status, 200);
    assert.equal((await one.settled()).step?.attempt, 2);
    assert.equal((await answer(one, { nonce: spare })).body.code, 100132);
  });

  it('is not spent by a submission that is refused', async () => {
    const user = await atMoving();
    const { nonce } = (await draw(user)).body;
    const bad = [
      { nonce, frames: [{ name: 'frame25', at: 0 }] },
      { nonce, frames: Array.from({ length: 25 }, () => ({ name: 'frame1', at: 0 })) },
      { nonce, frames: [{ name: 'frame1', at: -1 }] },
      { nonce, hints: { nested: { a: 1 } } },
      { nonce, poses: ['centre'] },
    ];
    for (const result of bad) assert.equal((await answer(user, result)).body.code, 100001, JSON.stringify(result));
    assert.equal((await answer(user, { nonce, hints: { cameraLabel: 'Front Camera' } })).status, 200);
  });

  it('takes 24 frames beside the selfie, and no more', async () => {
    const user = await atMoving();
    for (let at = 1; at <= 24; at += 1) assert.equal((await user.upload('moving', `frame${at}`)).status, 200, `${at}`);
    assert.equal((await user.upload('moving', 'image')).status, 200);
    assert.equal((await user.upload('moving', 'frame25')).body.code, 100001);
    const { step } = await user.look();
    assert.equal(step.images.length, 25);
  });

  it('is gone with its instance', async () => {
    const user = await atMoving();
    await draw(user);
    const id = user.processInstanceId;
    const token = await app.token(testKey);
    await app.call(`/api/process-manager/processInstances/${id}`, { method: 'DELETE', token });
    const rows = await app.app.db
      .of('acme' as never)
      .all({ text: 'SELECT 1 AS one FROM face_challenges WHERE tenant_id = $1 AND instance_id = $2' }, ['acme', id]);
    assert.deepEqual(rows, []);
  });
});
