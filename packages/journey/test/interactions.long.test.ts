import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { testPlaces } from '../../server/test/harness.ts';
import { FAKE_CAMERA, measureInteractions } from './interactions.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * All that the page does after a press, the next screen included, until it has painted three times. How soon it paints for
 * the first time is a part of that: `bench/interactions.ts` measures it by the clock, four times slower, against 200 ms.
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

/** Others use the machine, too, and the browser counts their time with its own: only what is far too long is refused here. */
describe('a tap on any screen', () => {
  const places = testPlaces();
  let stage: Stage;
  before(async () => {
    stage = await openStage(places, {}, FAKE_CAMERA);
  });
  after(() => stage.close());

  it('is seen by the browser’s own measure of interactions, and keeps the page busy for a short time only', async () => {
    const found = await measureInteractions(stage);
    assert.deepEqual([...new Set(found.map(({ screen }) => screen))].toSorted(), SCREENS.toSorted());
    const slow = found.filter(({ processorMs }) => processorMs > MAX_PROCESSOR_MS);
    assert.deepEqual(slow, []);
    assert.ok(
      found.every(({ processorMs }) => processorMs > 0) && found.some(({ paintMs }) => paintMs > 0),
      'nothing was measured',
    );
    assert.deepEqual(stage.complaints, []);
  });
});
