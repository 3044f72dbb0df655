import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaleOfKey, sizeWithin, WHOLE, ZOOM, zoomTo } from './zoom.ts';

test('a picture fits its room both ways, whatever its shape', () => {
  assert.deepEqual(sizeWithin({ width: 2000, height: 1000 }, { width: 300, height: 400 }), { width: 300, height: 150 });
  assert.deepEqual(sizeWithin({ width: 1000, height: 2000 }, { width: 300, height: 400 }), { width: 200, height: 400 });
  assert.deepEqual(sizeWithin({ width: 30, height: 20 }, { width: 300, height: 400 }), { width: 300, height: 200 });
});

const FITTING = { picture: { width: 300, height: 200 }, room: { width: 300, height: 200 } };

test('the point under the finger stays under it while the picture is enlarged', () => {
  const point = { x: 120, y: 80 };
  const once = zoomTo(WHOLE, 2, point, FITTING);
  assert.deepEqual(once, { scale: 2, left: 120, top: 80 });
  const twice = zoomTo(once, 4, point, FITTING);
  // The same point of the picture, from its own top left.
  assert.equal((twice.left + point.x) / twice.scale, point.x);
  assert.equal((twice.top + point.y) / twice.scale, point.y);
});

test('the point under the finger also stays in a picture that is narrower than its room', () => {
  const narrow = { picture: { width: 100, height: 200 }, room: { width: 300, height: 200 } };
  // The left edge of the picture, which is centred in its room.
  const { left } = zoomTo(WHOLE, 4, { x: 100, y: 0 }, narrow);
  assert.equal(left, 0, 'nothing is left of it');
  const middle = zoomTo(WHOLE, 4, { x: 150, y: 100 }, narrow);
  assert.deepEqual(middle, { scale: 4, left: 50, top: 300 });
});

test('the zoom is never below the whole picture or above the limit', () => {
  assert.deepEqual(zoomTo({ scale: 3, left: 50, top: 50 }, 0.2, { x: 10, y: 10 }, FITTING), WHOLE);
  assert.equal(zoomTo(WHOLE, 100, { x: 0, y: 0 }, FITTING).scale, ZOOM.most);
});

test('the keyboard makes the picture larger, smaller and whole, and leaves the arrows to scroll', () => {
  assert.equal(scaleOfKey('+', 2), 3);
  assert.equal(scaleOfKey('=', 2), 3);
  assert.equal(scaleOfKey('-', 3), 2);
  assert.equal(scaleOfKey('0', 3), 1);
  assert.equal(scaleOfKey('ArrowLeft', 2), undefined);
});
