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

test('a grey copy under a warm lamp has no colour of its own, even if coloured fingers hold it', () => {
  assert.ok(ownColour(page(() => undefined)) < bound);
  const isFinger = (x: number, y: number): boolean =>
    Math.hypot((x - 0.02) / 0.09, (y - 0.75) / 0.16) < 1 || Math.hypot((x - 0.98) / 0.1, (y - 0.7) / 0.18) < 1;
  assert.ok(ownColour(page((x, y) => (isFinger(x, y) ? SKIN : undefined))) < bound);
});

test('a document with a coloured portrait alone has colour of its own', () => {
  const isPortrait = (x: number, y: number): boolean => x > 0.05 && x < 0.35 && y > 0.25 && y < 0.75;
  assert.ok(ownColour(page((x, y) => (isPortrait(x, y) ? [180 + 60 * y, 120 + 40 * x, 90] : undefined))) > bound);
});

test('a pale document with a little print in colour has colour of its own', () => {
  const isHeading = (x: number, y: number): boolean => y > 0.3 && y < 0.45 && x > 0.15 && x < 0.8;
  assert.ok(ownColour(page((x, y) => (isHeading(x, y) ? [165, 150, 110] : undefined))) > bound);
});

/** White paper with fine print and a portrait, in colour or grey, under a lamp so bright that it clips the paper. */
function brightPage(portrait: (light: number, isSkin: boolean) => Colour): Raster {
  const [width, height] = [1200, 840];
  const lamp = [1.4, 1.2, 0.9] as const;
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isPortrait = x > 0.2 * width && x < 0.4 * width && y > 0.25 * height && y < 0.7 * height;
      const isPrint = x > 0.5 * width && y % 50 < 20 && x % 7 < 3;
      const light = isPrint ? 25 : 248;
      const isSkin = (Math.floor(x / 60) + Math.floor(y / 60)) % 2 === 0;
      const colour = isPortrait
        ? portrait(50 + 150 * Math.abs(Math.sin(x / 37) * Math.cos(y / 29)), isSkin)
        : [light, light, light];
      for (let k = 0; k < 3; k += 1) {
        data[(y * width + x) * 3 + k] = Math.min(255, (colour[k] as number) * (lamp[k] as number));
      }
    }
  }
  return { width, height, data };
}

test('a grey copy has no colour of its own under a lamp that clips the paper, and a document has', () => {
  assert.ok(ownColour(brightPage((light) => [light, light, light])) < bound);
  const skinAndCloth = (light: number, isSkin: boolean): Colour =>
    isSkin ? [light, 0.73 * light, 0.58 * light] : [0.6 * light, 0.7 * light, light];
  assert.ok(ownColour(brightPage(skinAndCloth)) > bound);
});
