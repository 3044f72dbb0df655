import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectFaces, type FaceBox, mainFace, overlap } from './detect.ts';

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

/** A face finder that sees these faces of a picture of 320 × 240 pixels at its first look, and those at its second. */
function finderOf(...looks: readonly (readonly FaceBox[])[]) {
  let at = 0;
  return async () => {
    // At the second look the picture fills six tenths of the input, in its middle.
    const share = at === 0 ? 1 : 0.6;
    const place = (pixel: number, side: number) => (pixel / side) * share + (1 - share) / 2;
    const faces = looks[at++] ?? [];
    return [
      new Float32Array(faces.flatMap(({ confidence }) => [1 - confidence, confidence])),
      new Float32Array(
        faces.flatMap(({ left, top, right, bottom }) => [
          place(left, 320),
          place(top, 240),
          place(right, 320),
          place(bottom, 240),
        ]),
      ),
    ];
  };
}

const raster = { width: 320, height: 240, data: new Uint8Array(320 * 240 * 3) };

test('a plant that looks like a face at one size only is none; a second person is one', async () => {
  const [person, plant] = [box(100, 60, 100), box(250, 100, 60)];
  const alone = await detectFaces(raster, finderOf([person, plant], [person]));
  assert.deepEqual(
    alone.map(({ left }) => Math.round(left)),
    [100],
  );
  assert.equal((await detectFaces(raster, finderOf([person, plant], [person, plant]))).length, 2);
  assert.equal((await detectFaces(raster, finderOf([person, plant], []))).length, 2, 'two small faces');
});
