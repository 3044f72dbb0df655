import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestApp, type TestApp, testPlaces } from '../../packages/server/test/harness.ts';
import { IS_LONG } from '../../scripts/long.ts';
import { ATTACKS, type AttackName } from './attack-list.ts';
import { type Faces, openFaces } from './faces.ts';
import { openTrial } from './trial.ts';

const MAX_ATTEMPTS = 3;

/** The short form of `npm run attacks`: one try of the kinds that need each part of the defence. `npm run test:long` has two more. */
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

  it('a recording of a man who does what is asked for is accepted within three attempts, as many as a person has', async () => {
    let result = await run('genuine');
    // What is asked for and the light are drawn by lot, and pictures at rest are sometimes too alike for a recording this short.
    for (let attempts = 1; attempts < MAX_ATTEMPTS && result.outcome !== 'accepted'; attempts++)
      result = await run('genuine');
    assert.deepEqual([result.outcome, result.signs], ['accepted', []]);
  });

  it('a film that was made before is refused', async () => {
    assert.equal((await run('sweep')).outcome, 'refused');
  });

  it('frames that are all sent before anything is asked for are refused', async () => {
    const { outcome, signs } = await run('early');
    assert.deepEqual([outcome, signs], ['refused', ['code 100132']]);
  });

  /**
   * What is asked for is drawn by lot, and docs/vision.md tells how many of these are accepted. So one that is accepted is
   * followed by two more, and none of those may be.
   */
  async function isRarelyAccepted(kind: AttackName): Promise<void> {
    const { outcome, measures } = await run(kind);
    if (outcome !== 'accepted') return;
    const others = [await run(kind), await run(kind)];
    const isAcceptedAgain = others.some((other) => other.outcome === 'accepted');
    assert.ok(!isAcceptedAgain, `accepted twice of three; the first measured ${JSON.stringify(measures)}`);
  }

  // To draw each takes longer than all of the above. What they are stopped by has tests beside its rule.
  if (!IS_LONG) return;

  it('one photograph that is warped live over a generic face is rarely accepted', () => isRarelyAccepted('mesh'));

  it('somebody else who is half the victim whenever he is at rest is rarely accepted', () =>
    isRarelyAccepted('morphAtRest'));
});
