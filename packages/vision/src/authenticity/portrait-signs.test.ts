import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Raster } from '../images/raster.ts';
import { grainOf } from './grain.ts';
import { portraitSigns } from './portrait-signs.ts';

const [WIDTH, HEIGHT] = [500, 350];
const FACE = { x: 90, y: 110, width: 70, height: 95 };
const PHOTOGRAPH = { left: 60, top: 70, right: 190, bottom: 240 };
const PAPER = 215;

/** Paper with a rectangle around the face that differs by `difference`, and fades into it over `fading` pixels. */
function page(difference: number, fading: number): Raster {
  const data = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const { left, top, right, bottom } = PHOTOGRAPH;
      const inside = Math.min(x - left, y - top, right - x, bottom - y) + 1;
      const share = Math.min(1, Math.max(0, inside / fading));
      data.fill(PAPER - difference * share, (y * WIDTH + x) * 3, (y * WIDTH + x + 1) * 3);
    }
  }
  return { width: WIDTH, height: HEIGHT, data };
}

function signsOf(straight: Raster, face = FACE) {
  const data = straight.data.filter((_, at) => at % 3 === 1);
  const quad = [
    { x: 0, y: 0 },
    { x: WIDTH, y: 0 },
    { x: WIDTH, y: HEIGHT },
    { x: 0, y: HEIGHT },
  ] as const;
  return portraitSigns(straight, face, grainOf({ left: 0, top: 0, width: WIDTH, height: HEIGHT, data }, quad));
}

describe('the frame of a portrait', () => {
  it('the frame is complete where a pale photograph with faint edges is stuck on', () => {
    const { edges, frame } = signsOf(page(20, 1));
    assert.ok(edges !== undefined && edges < 36.5);
    assert.equal(frame, 1);
  });

  it('the frame has gaps where a portrait fades into the paper', () => assert.equal(signsOf(page(60, 30)).frame, 0));

  it('no frame is searched around a tiny face', () => {
    const { edges, frame } = signsOf(page(60, 1), { x: 20, y: 20, width: 20, height: 30 });
    assert.deepEqual([edges, frame], [undefined, undefined]);
  });
});
