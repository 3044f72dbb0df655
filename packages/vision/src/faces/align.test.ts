import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignTo } from './align.ts';
import type { FivePoints, Point } from './landmarks.ts';
import { DEFAULT_PACK } from './packs.ts';

const TEMPLATE = DEFAULT_PACK.places;

/** Scales, rotates and moves points. */
function moved(
  { x, y }: Point,
  { scale, turn, dx, dy }: { scale: number; turn: number; dx: number; dy: number },
): Point {
  const [cos, sin] = [Math.cos(turn) * scale, Math.sin(turn) * scale];
  return { x: cos * x - sin * y + dx, y: sin * x + cos * y + dy };
}

test('a scaled, rotated and moved template is found exactly', () => {
  const how = { scale: 3.5, turn: 0.4, dx: 120, dy: -30 };
  const { a, b, c, d } = alignTo(TEMPLATE, TEMPLATE.map((point) => moved(point, how)) as unknown as FivePoints);
  for (const point of TEMPLATE) {
    const wanted = moved(point, how);
    assert.ok(Math.abs(a * point.x - b * point.y + c - wanted.x) < 1e-9);
    assert.ok(Math.abs(b * point.x + a * point.y + d - wanted.y) < 1e-9);
  }
});

test('a displaced nose moves the other points by a part of that only', () => {
  const points = TEMPLATE.map(({ x, y }, at) => (at === 2 ? { x: x + 10, y } : { x, y })) as unknown as FivePoints;
  const { a, c } = alignTo(TEMPLATE, points);
  assert.ok(Math.abs(a - 1) < 0.01);
  assert.ok(Math.abs(a * 56.03 + c - 58.03) < 0.5);
});
