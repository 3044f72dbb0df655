import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rectangle } from './geometry.ts';
import { halved } from './halve.ts';
import type { Raster } from './raster.ts';
import { resize, warp } from './warp.ts';

/** The red of a pixel encodes its column, the green its row. */
function ramp(width: number, height: number): Raster {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) data.set([(x * 255) / width, (y * 255) / height, 7], (y * width + x) * 3);
  }
  return { width, height, data };
}

test('a half is the mean of four pixels, and is made once for each picture', () => {
  const image: Raster = {
    width: 3,
    height: 2,
    data: Uint8Array.from([0, 10, 90, 4, 20, 90, 9, 9, 9, 8, 30, 90, 13, 40, 90, 9, 9, 9]),
  };
  const half = halved(image);
  assert.deepEqual([half.width, half.height, ...half.data], [1, 1, 6, 25, 90]);
  assert.equal(halved(image), half);
  assert.deepEqual([...halved(half).data], [6, 25, 90]);
});

test('a picture keeps the colour of every place, however much it is reduced', () => {
  const image = ramp(1200, 900);
  for (const factor of [0.7, 1, 1.4, 1.9, 2.5, 3.3, 4.6, 9, 40]) {
    const [width, height] = [Math.round(1200 / factor), Math.round(900 / factor)];
    for (const drawn of [warp(image, rectangle(1200, 900), { width, height }), resize(image, width, height)]) {
      for (const [x, y] of [
        [0.25, 0.5],
        [0.8, 0.2],
        [0.5, 0.9],
      ] as const) {
        const at = (Math.floor(height * y) * width + Math.floor(width * x)) * 3;
        const right = ((Math.floor(width * x) + 0.5) / width) * 255;
        const down = ((Math.floor(height * y) + 0.5) / height) * 255;
        assert.ok(Math.abs((drawn.data[at] as number) - right) < 3, `${factor}: ${drawn.data[at]} for ${right}`);
        assert.ok(Math.abs((drawn.data[at + 1] as number) - down) < 3, `${factor}: ${drawn.data[at + 1]} for ${down}`);
        assert.equal(drawn.data[at + 2], 7);
      }
    }
  }
});

test('a picture that is resized by less than half is the same as one that is drawn straight on', () => {
  const image = { width: 130, height: 90, data: Uint8Array.from({ length: 130 * 90 * 3 }, (_, i) => (i * i) % 251) };
  for (const [width, height] of [
    [200, 111],
    [130, 61],
    [70, 60],
    [110, 30],
  ] as const) {
    const drawn = warp(image, rectangle(130, 90), { width, height });
    const resized = resize(image, width, height);
    const most = resized.data.reduce(
      (sum, value, at) => Math.max(sum, Math.abs(value - (drawn.data[at] as number))),
      0,
    );
    assert.ok(most <= 1, `${width} × ${height}: ${most}`);
  }
});

test('the border of a picture continues beyond it', () => {
  const image = ramp(100, 80);
  const beside = rectangle(40, 80).map(({ x, y }) => ({ x: x - 60, y })) as unknown as Parameters<typeof warp>[1];
  const drawn = warp(image, beside, { width: 20, height: 40 });
  assert.ok(drawn.data.every((value, at) => at % 3 !== 0 || value <= 2));
});
