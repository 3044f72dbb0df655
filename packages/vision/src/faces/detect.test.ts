import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FaceBox, mainFace, overlap } from './detect.ts';

function box(left: number, top: number, side: number): FaceBox {
  return { left, top, right: left + side, bottom: top + side, confidence: 1 };
}

const picture = { width: 400, height: 300 };

test('the face of a picture is the larger of two at the same distance, and the nearer of two of one size', () => {
  const [small, large] = [box(100, 120, 60), box(240, 110, 80)];
  assert.equal(mainFace([small, large], picture), large);
  const [near, far] = [box(180, 130, 50), box(320, 130, 50)];
  assert.equal(mainFace([far, near], picture), near);
});

test('a passer-by at the edge is not the face of the picture, even if somewhat nearer to the camera', () => {
  const [subject, passerBy] = [box(160, 110, 80), box(320, 90, 100)];
  assert.equal(mainFace([passerBy, subject], picture), subject);
  assert.equal(mainFace([], picture), null);
});

test('overlap is the share of the union', () => {
  assert.equal(overlap(box(0, 0, 10), box(5, 0, 10)), 1 / 3);
  assert.equal(overlap(box(0, 0, 10), box(20, 0, 10)), 0);
});
