import assert from 'node:assert/strict';
import { test } from 'node:test';
import { advances } from './verify-authentication.ts';

test('a counter must grow, unless it is that of an authenticator that has none', () => {
  assert.deepEqual(
    [
      [0, 0],
      [0, 1],
      [5, 6],
    ].map(([before = 0, now = 0]) => advances(before, now)),
    [true, true, true],
  );
  assert.deepEqual(
    [
      [5, 5],
      [5, 4],
      [5, 0],
    ].map(([before = 0, now = 0]) => advances(before, now)),
    [false, false, false],
  );
});
