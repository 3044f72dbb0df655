import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../server/test/harness.ts';
import { FAKE_CAMERA, measureInteractions } from './interactions.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * The processor time after a press, the next screen included, until the page has painted three times. The time to the
 * first paint is a part of that: `bench/interactions.ts` measures it by the clock, four times slower, against 200 ms.
 */
const MAX_PROCESSOR_MS = 2000;
const SCREENS = [
  'start',
  'consent',
  'declining',
  'form',
  'unable',
  'choice',
  'primer',
  'document camera',
  'check',
  'change',
  'selfie primer',
  'selfie camera',
  'result',
  'switching devices',
  'the code',
  'the phone',
  'sandbox panel',
  'received',
  'welcome back',
  'link trouble',
  'the statement',
];

/** The browser counts the time of other programs with its own, so only what is far too long is refused here. */
describe('a tap on any screen', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places, {}, FAKE_CAMERA);
  });
  after(() => stage.close());

  it('a tap is measured by the browser as an interaction, and keeps the page busy for a short time only', async () => {
    const interactions = await measureInteractions(stage);
    assert.deepEqual([...new Set(interactions.map(({ screen }) => screen))].toSorted(), SCREENS.toSorted());
    const slow = interactions.filter(({ processorMs }) => processorMs > MAX_PROCESSOR_MS);
    assert.deepEqual(slow, []);
    assert.ok(
      interactions.every(({ processorMs }) => processorMs > 0) && interactions.some(({ paintMs }) => paintMs > 0),
      'nothing was measured',
    );
    assert.deepEqual(stage.complaints, []);
  });
});
