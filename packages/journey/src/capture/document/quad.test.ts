import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaOf, isConvex, movementBetween, pointIn, type Quad, ratioOf, slantOf, tiltOf } from './quad.ts';

const card: Quad = [
  { x: 100, y: 50 },
  { x: 260, y: 50 },
  { x: 260, y: 150 },
  { x: 100, y: 150 },
];

/** Rotates a quad around its middle. */
function turned(quad: Quad, degrees: number): Quad {
  const angle = (degrees * Math.PI) / 180;
  const [x, y] = [180, 100];
  return quad.map((corner) => ({
    x: x + (corner.x - x) * Math.cos(angle) - (corner.y - y) * Math.sin(angle),
    y: y + (corner.x - x) * Math.sin(angle) + (corner.y - y) * Math.cos(angle),
  })) as unknown as Quad;
}

test('area and ratio of a rectangle do not change when it is turned', () => {
  for (const degrees of [0, 10, 90, 135]) {
    assert.ok(Math.abs(areaOf(turned(card, degrees)) - 16_000) < 1e-6);
    assert.ok(Math.abs(ratioOf(turned(card, degrees)) - 1.6) < 1e-9);
  }
});

test('the tilt is that of the long sides, whichever way the document lies', () => {
  assert.equal(Math.round(tiltOf(card)), 0);
  assert.equal(Math.round(tiltOf(turned(card, 15))), 15);
  assert.equal(Math.round(tiltOf(turned(card, -15))), 15);
  assert.equal(Math.round(tiltOf(turned(card, 90))), 90);
  assert.equal(Math.round(tiltOf(turned(card, 180))), 0);
});

test('a document that is seen from aside has unequal opposite sides', () => {
  const [topLeft, topRight, bottomRight, bottomLeft] = card;
  const aside: Quad = [topLeft, { ...topRight, y: 75 }, { ...bottomRight, y: 125 }, bottomLeft];
  assert.equal(slantOf(card), 0);
  assert.equal(slantOf(aside), 0.5);
});

test('corners in a wrong order make no document', () => {
  const [topLeft, topRight, bottomRight, bottomLeft] = card;
  assert.equal(isConvex(card), true);
  assert.equal(isConvex([topLeft, bottomRight, topRight, bottomLeft]), false);
  assert.equal(isConvex([topLeft, topLeft, bottomRight, bottomLeft]), false);
});

test('the movement is that of the corner that moved most', () => {
  const [first, ...others] = card;
  assert.equal(movementBetween(card, [{ x: first.x + 3, y: first.y + 4 }, ...others] as unknown as Quad), 5);
});

test('a point of the document is found between its corners', () => {
  assert.deepEqual(pointIn(card, 0, 0), { x: 100, y: 50 });
  assert.deepEqual(pointIn(card, 0.5, 0.5), { x: 180, y: 100 });
  assert.deepEqual(pointIn(card, 1, 1), { x: 260, y: 150 });
});
