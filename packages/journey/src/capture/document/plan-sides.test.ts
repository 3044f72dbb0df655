import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sidesOf, wantedSides } from './plan-sides.ts';

test('a passport has one side, everything else two, unless the definition says otherwise', () => {
  assert.deepEqual(sidesOf('auto', 'PASSPORT'), ['front']);
  assert.deepEqual(sidesOf('auto', 'ID_CARD'), ['front', 'back']);
  assert.deepEqual(sidesOf('both', 'PASSPORT'), ['front', 'back']);
  assert.deepEqual(sidesOf('front', 'ID_CARD'), ['front']);
});

test('only missing sides are requested, and the last side if none is missing', () => {
  const sides = ['front', 'back'] as const;
  assert.deepEqual(wantedSides(sides, []), ['front', 'back']);
  assert.deepEqual(wantedSides(sides, ['front']), ['back']);
  assert.deepEqual(wantedSides(sides, ['back', 'portrait']), ['front']);
  assert.deepEqual(wantedSides(sides, ['front', 'back']), ['back']);
});
