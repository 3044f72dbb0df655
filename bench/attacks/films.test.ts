import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNearEnough } from './films.ts';

const face = (height: number) => ({ left: 0, right: height, top: 100, bottom: 100 + height });

test('a face that the page would ask to come closer is no material for a film', () => {
  const landscape = { width: 1280, height: 720 };
  assert.equal(isNearEnough({ ...landscape, box: face(0.34 * 720) }), true);
  assert.equal(isNearEnough({ ...landscape, box: face(0.33 * 720) }), false);
});

test('of a picture that is taller than the place on the page, only the visible height counts', () => {
  const portrait = { width: 720, height: 1280 };
  assert.equal(isNearEnough({ ...portrait, box: face(0.34 * 900) }), true);
  assert.equal(isNearEnough({ ...portrait, box: face(0.33 * 900) }), false);
});
