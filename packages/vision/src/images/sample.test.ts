import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Raster } from './raster.ts';
import { resizeBox, toGrey, toPlanes, warp } from './sample.ts';

/** Red encodes the column, green the row. */
function ramp(width: number, height: number): Raster {
  const data = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at += 1) {
    data[at * 3] = at % width;
    data[at * 3 + 1] = Math.floor(at / width);
  }
  return { width, height, data };
}

function at({ width, data }: { width: number; data: ArrayLike<number> }, x: number, y: number): [number, number] {
  const start = (y * width + x) * 3;
  return [data[start] as number, data[start + 1] as number];
}

test('a box drawn at its own size is unchanged', () => {
  const drawn = resizeBox(ramp(40, 30), { left: 10, top: 5, right: 20, bottom: 15 }, { width: 10, height: 10 });
  assert.deepEqual(at(drawn, 0, 0), [10, 5]);
  assert.deepEqual(at(drawn, 9, 9), [19, 14]);
});

test('each pixel of a smaller picture is the mean of those that it covers', () => {
  const stripes: Raster = {
    width: 8,
    height: 2,
    data: Uint8Array.from({ length: 48 }, (_, byte) => (Math.floor(byte / 3) % 2) * 200),
  };
  const drawn = resizeBox(stripes, { left: 0, top: 0, right: 8, bottom: 2 }, { width: 2, height: 1 });
  assert.deepEqual([...drawn.data], [100, 100, 100, 100, 100, 100]);
});

test('a larger picture is drawn between the pixels', () => {
  const drawn = resizeBox(ramp(10, 10), { left: 2, top: 2, right: 4, bottom: 4 }, { width: 4, height: 4 });
  assert.deepEqual(at(drawn, 1, 1), [2.25, 2.25]);
  assert.deepEqual(at(drawn, 2, 2), [2.75, 2.75]);
});

test('the edge of a picture continues outside of it', () => {
  const drawn = resizeBox(ramp(10, 10), { left: -10, top: 0, right: 0, bottom: 10 }, { width: 10, height: 10 });
  assert.deepEqual(at(drawn, 0, 7), [0, 7]);
});

test('a rotation by a right angle moves columns to rows', () => {
  const turned = warp(ramp(20, 20), { a: 0, b: 1, c: 15, d: 2 }, { width: 4, height: 4 });
  assert.deepEqual(at(turned, 0, 0), [15, 2]);
  assert.deepEqual(at(turned, 3, 0), [15, 5]);
  assert.deepEqual(at(turned, 0, 3), [12, 2]);
});

test('planes stand in the order that the model was trained with', () => {
  const pixels = { width: 1, height: 1, data: Float32Array.of(10, 20, 30) };
  const formula = { scale: [1, 2, 3], shift: [0, 1, 2] } as const;
  assert.deepEqual([...toPlanes(pixels, { ...formula, order: 'rgb' })], [10, 41, 92]);
  assert.deepEqual([...toPlanes(pixels, { ...formula, order: 'bgr' })], [92, 41, 10]);
  assert.equal(Math.round(toGrey(pixels)[0] as number), 18);
});

test('pixels in a frame are at their position, with zeros around them', () => {
  const pixels = { width: 1, height: 1, data: Float32Array.of(10, 20, 30) };
  const formula = { order: 'rgb', scale: [1, 1, 1], shift: [0, 0, 0] } as const;
  const planes = toPlanes(pixels, formula, { width: 2, height: 2, left: 1, top: 0 });
  assert.deepEqual([...planes], [0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0]);
});
