import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../packages/server/test/harness.ts';
import { ATTACKS, type AttackName } from './attack-list.ts';
import { type Faces, openFaces } from './faces.ts';
import { openTrial } from './trial.ts';

/** The short form of `npm run attacks`: one try of the kinds that need each part of the defence. */
describe('attacks on the liveness of a real server', () => {
  const places = testPlaces();
  let app: TestApp;
  let faces: Faces;
  let trial: Awaited<ReturnType<typeof openTrial>>;

  before(async () => {
    app = await openTestApp(await places.create(), { environment: { GROVE_VISION: 'eager' } });
    faces = await openFaces({});
    trial = await openTrial(app);
  });
  after(() => app?.stop());

  const run = (kind: AttackName) => trial.run(ATTACKS[kind], faces, 0);

  it('accept a recording of a man who does what is asked for', async () => {
    const { outcome, signs } = await run('genuine');
    assert.deepEqual([outcome, signs], ['accepted', []]);
  });

  it('refuse a film that was made before', async () => {
    assert.equal((await run('sweep')).outcome, 'refused');
  });

  it('refuse frames that are all sent before anything is asked for', async () => {
    const { outcome, signs } = await run('early');
    assert.deepEqual([outcome, signs], ['refused', ['code 100132']]);
  });

  it('do not accept one photograph that is warped live over a generic face', async () => {
    const { outcome, signs } = await run('mesh');
    assert.notEqual(outcome, 'accepted');
    assert.notDeepEqual(signs, []);
  });

  it('do not accept somebody else who is half the victim whenever he is at rest', async () => {
    const { outcome } = await run('morphAtRest');
    assert.notEqual(outcome, 'accepted');
  });
});
