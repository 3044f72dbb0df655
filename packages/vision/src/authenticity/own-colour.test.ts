import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Raster } from '../images/raster.ts';
import { AUTHENTICITY_BOUNDS } from './authenticity.ts';
import { ownColour } from './own-colour.ts';

const [WIDTH, HEIGHT] = [400, 280];
const { bound } = AUTHENTICITY_BOUNDS.ownColour;

type Colour = readonly [red: number, green: number, blue: number];

/** Grey print under a warm lamp, with colour where `colourAt` gives one; positions are shares of the sides. */
function page(colourAt: (x: number, y: number) => Colour | undefined): Raster {
  const data = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const light = 90 + 130 * Math.abs(Math.sin(x / 9) * Math.cos(y / 7));
      const colour = colourAt(x / WIDTH, y / HEIGHT) ?? [light * 1.05, light, light * (0.75 + (0.1 * x) / WIDTH)];
      data.set(colour, (y * WIDTH + x) * 3);
    }
  }
  return { width: WIDTH, height: HEIGHT, data };
}

const SKIN: Colour = [205, 150, 120];

test('a grey copy under a warm lamp has no colour of its own, though it is held between coloured fingers', () => {
  assert.ok(ownColour(page(() => undefined)) < bound);
  const isFinger = (x: number, y: number): boolean =>
    Math.hypot((x - 0.02) / 0.09, (y - 0.75) / 0.16) < 1 || Math.hypot((x - 0.98) / 0.1, (y - 0.7) / 0.18) < 1;
  assert.ok(ownColour(page((x, y) => (isFinger(x, y) ? SKIN : undefined))) < bound);
});

test('a document with a coloured portrait alone has colour of its own', () => {
  const isPortrait = (x: number, y: number): boolean => x > 0.05 && x < 0.35 && y > 0.25 && y < 0.75;
  assert.ok(ownColour(page((x, y) => (isPortrait(x, y) ? [180 + 60 * y, 120 + 40 * x, 90] : undefined))) > bound);
});
