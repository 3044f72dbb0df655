import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paceOf } from './camera-signals.ts';

test('frames have a rate and a spread of the gaps between them', () => {
  assert.deepEqual(paceOf([0, 100, 200, 300]), { frameRate: 10, frameJitterMs: 0 });
  assert.deepEqual(paceOf([0, 30, 100, 130, 200]), { frameRate: 20, frameJitterMs: 20 });
});

test('a browser that does not say when frames arrive has neither', () => {
  assert.deepEqual(paceOf([]), {});
  assert.deepEqual(paceOf([5]), {});
});
