import assert from 'node:assert/strict';
import { test } from 'node:test';
import { paceOf } from './camera-signals.ts';

test('the rate of frames and the spread of their gaps are computed from their times', () => {
  assert.deepEqual(paceOf([0, 100, 200, 300]), { frameRate: 10, frameJitterMs: 0 });
  assert.deepEqual(paceOf([0, 30, 100, 130, 200]), { frameRate: 20, frameJitterMs: 20 });
});

test('a browser that reports no times of frames has no rate and no spread', () => {
  assert.deepEqual(paceOf([]), {});
  assert.deepEqual(paceOf([5]), {});
});
