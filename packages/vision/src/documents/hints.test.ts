import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Raster } from '../images/raster.ts';
import { drawDocument } from '../specimens/draw-document.ts';
import { inventPerson } from '../specimens/person.ts';
import { noise, seeded } from '../specimens/random.ts';
import { documentHints, type Hint } from './hints.ts';

const random = seeded(71);
const { image } = drawDocument('passport', 'front', inventPerson(random, '2026-01-01'), random);

function scores(picture: Raster): Record<Hint['name'], number> {
  const hints = documentHints(picture, picture);
  assert.ok(hints.every(({ measured, model }) => measured !== '' && model.version !== ''));
  return Object.fromEntries(hints.map(({ name, score }) => [name, score])) as Record<Hint['name'], number>;
}

function changed(change: (value: number, x: number, y: number, colour: number) => number): Raster {
  const data = image.data.map((value, i) => {
    const pixel = Math.floor(i / 3);
    const next = change(value, pixel % image.width, Math.floor(pixel / image.width), i);
    return Math.min(255, Math.max(0, next));
  });
  return { ...image, data };
}

test('a document in colour with camera noise gives no hint', () => {
  const grain = seeded(72);
  const { copy, screen } = scores(changed((value) => value + noise(grain) * 4));
  assert.ok(copy < 0.4 && screen < 0.3, `${copy} ${screen}`);
});

test('a grey document looks like a copy', () => {
  const grey = changed((_, __, ___, i) => image.data[i - (i % 3) + 1] as number);
  assert.equal(scores(grey).copy, 1);
});

test('the grid of a screen stands out', () => {
  const grid = changed((value, x, y) => value * (0.85 + 0.15 * Math.sin(x * 2.1)) * (0.85 + 0.15 * Math.sin(y * 2.1)));
  assert.ok(scores(grid).screen > 0.8);
});
