import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Pixels } from '../pixels.ts';
import { type CardHint, judgeCard } from './judge-card.ts';
import { measureCard, measureLight } from './measure-card.ts';
import type { Quad } from './quad.ts';
import { noCardYet, STEADY_LOOKS, watchCard } from './watch-card.ts';

const PICTURE = { width: 320, height: 240 };
const FRAME = { left: 20, top: 32, width: 280, height: 176.5 };
const GOOD: Quad = quadOf(30, 40, 260, 164);

function quadOf(left: number, top: number, width: number, height: number): Quad {
  return [
    { x: left, y: top },
    { x: left + width, y: top },
    { x: left + width, y: top + height },
    { x: left, y: top + height },
  ];
}

type Scene = {
  quad?: Quad;
  paper?: number;
  ink?: number;
  stripe?: number;
  flash?: number;
  /** A soft reflection: the brightness that it adds in its middle. */
  veil?: number;
  /** A lamp at one side: how much darker the other end is. */
  falloff?: number;
  seed?: number;
};

/** A card with lines of text on a table. `stripe` is the width of a line: narrow lines are sharp edges. */
function scene(wanted: Scene = {}): Pixels {
  const { quad = GOOD, paper = 200, ink = 40, stripe = 2, flash = 0, veil = 0, falloff = 0, seed = 0 } = wanted;
  const data = new Uint8ClampedArray(PICTURE.width * PICTURE.height * 4);
  const [first, , third] = quad;
  for (let y = 0; y < PICTURE.height; y += 1) {
    for (let x = 0; x < PICTURE.width; x += 1) {
      const inside = x >= first.x && x <= third.x && y >= first.y && y <= third.y;
      // A soft wave imitates lines that are out of focus.
      const wave = (Math.sin((x + seed * 97 + (seed > 0 ? y * y : 0)) / stripe) + 1) / 2;
      let value = inside ? ink + (paper - ink) * wave : 60;
      if (veil > 0) value = Math.min(235, value + veil * Math.exp(-(((x - 160) / 30) ** 2) - ((y - 120) / 30) ** 2));
      value *= 1 - (falloff * x) / PICTURE.width;
      if (flash > 0 && Math.hypot(x - 160, y - 120) < flash) value = 255;
      data.fill(value, (y * PICTURE.width + x) * 4, (y * PICTURE.width + x) * 4 + 3);
    }
  }
  return { ...PICTURE, data };
}

function look(pixels: Pixels, quad: Quad | null = GOOD, at = 0) {
  return { at, card: quad ? measureCard(pixels, quad, FRAME) : null, light: measureLight(pixels) };
}

function hintFor(change: Scene, quad: Quad | null = change.quad ?? GOOD): CardHint | null {
  return judgeCard(look(scene(change), quad));
}

describe('a document before the camera', () => {
  test('a document is good when it fills the frame, lies straight, and is sharp and lit', () => {
    assert.equal(hintFor({}), null);
  });

  test('a document is missing when nothing, or something of another shape, was found', () => {
    assert.equal(hintFor({}, null), 'noDocument');
    // A quad as small as the portrait box on a pale card: a strong rectangle, but no document.
    assert.equal(hintFor({}, quadOf(40, 60, 70, 90)), 'noDocument');
    assert.equal(hintFor({}, quadOf(30, 40, 250, 60)), 'noDocument');
    const [one, two, three, four] = GOOD;
    assert.equal(hintFor({}, [one, three, two, four]), 'noDocument');
  });

  test('a document is too far away, or too near', () => {
    assert.equal(hintFor({ quad: quadOf(100, 75, 150, 94) }), 'closer');
    assert.equal(hintFor({ quad: quadOf(75, 65, 180, 113) }), 'closer');
    assert.equal(hintFor({ quad: quadOf(0, 30, 260, 164) }), 'back');
    assert.equal(hintFor({ quad: quadOf(4, 20, 310, 195) }), 'back');
  });

  test('a tilted document is to be turned, and one seen from the side is to be photographed from above', () => {
    const tilted: Quad = [
      { x: 55, y: 20 },
      { x: 295, y: 85 },
      { x: 255, y: 220 },
      { x: 20, y: 160 },
    ];
    assert.equal(judgeCard(look(scene(), tilted)), 'turn');
    const [one, two, three, four] = GOOD;
    assert.equal(judgeCard(look(scene(), [one, { ...two, y: 53 }, { ...three, y: 189 }, four])), 'flat');
  });

  test('a document is too dark, overexposed, or has a reflection', () => {
    assert.equal(hintFor({ paper: 70, ink: 10 }), 'dark');
    assert.equal(hintFor({ paper: 255, ink: 252 }), 'bright');
    assert.equal(hintFor({ flash: 30 }), 'glare');
  });

  test('a document has a reflection that the camera does not show as white, whether light falls evenly or from one side', () => {
    for (const falloff of [0, 0.3]) {
      assert.equal(hintFor({ veil: 220, falloff }), 'glare');
      assert.equal(hintFor({ falloff }), null);
    }
  });

  test('small white spots and white paper are no reflection', () => {
    assert.equal(hintFor({ flash: 4 }), null);
    assert.equal(hintFor({ paper: 255, ink: 20 }), null);
  });

  test('a document is not sharp when its lines run into each other', () => {
    assert.equal(hintFor({ stripe: 14 }), 'blurred');
  });

  test('a document is to be turned over when it shows the side that was photographed before', () => {
    const front = measureCard(scene({ seed: 1, stripe: 30 }), GOOD, FRAME).thumbnail;
    const same = look(scene({ seed: 1, stripe: 30 }));
    const other = look(scene({ seed: 5, stripe: 3 }));
    assert.equal(judgeCard(same, front), 'turnOver');
    assert.notEqual(judgeCard(other, front), 'turnOver');
  });

  test('a document gets one hint, the first of several in their order', () => {
    const good = measureCard(scene(), GOOD, FRAME);
    const wrong: [CardHint, Partial<typeof good>][] = [
      ['noDocument', { ratio: 1 }],
      ['turnOver', {}],
      ['back', { margin: 0 }],
      ['closer', { share: 0.5 }],
      ['turn', { tiltDegrees: 30 }],
      ['flat', { slant: 0.5 }],
      ['dark', { light: { ...good.light, highlights: 40 } }],
      ['blurred', { sharpness: 0 }],
    ];
    for (const [place, [hint]] of wrong.entries()) {
      const card = Object.assign({ ...good }, ...wrong.slice(place).map(([, measures]) => measures));
      const otherSide = place <= 1 ? good.thumbnail : undefined;
      assert.equal(judgeCard({ at: 0, card, light: good.light }, otherSide), hint);
    }
  });

  test('a document in a black picture is too dark, not missing', () => {
    assert.equal(judgeCard(look(scene({ paper: 20, ink: 10, quad: quadOf(0, 0, 320, 240) }), null)), 'dark');
  });
});

describe('watching a document', () => {
  const good = (at: number, quad = GOOD) => look(scene({ quad }), quad, at);
  const watched = (looks: ReturnType<typeof good>[]) => {
    let watch = noCardYet;
    return looks.map((each) => {
      const verdict = watchCard(watch, each);
      watch = verdict.watch;
      return verdict;
    });
  };

  test('a document is photographed after five good looks that are alike, and not before', () => {
    const verdicts = watched(Array.from({ length: STEADY_LOOKS }, (_, at) => good(at)));
    assert.deepEqual(
      verdicts.map(({ capture }) => capture),
      [false, false, false, false, true],
    );
    assert.deepEqual([verdicts[0]?.hint, verdicts[0]?.progress, verdicts[4]?.progress], ['hold', 0.2, 1]);
  });

  test('the count of good looks begins anew when the document moves', () => {
    const moved = quadOf(45, 40, 260, 164);
    const verdicts = watched([...Array.from({ length: 4 }, (_, at) => good(at)), good(4, moved), good(5, moved)]);
    assert.ok(verdicts.every(({ capture }) => !capture));
    assert.equal(verdicts[4]?.progress, 0.2);
  });

  test('the count of good looks begins anew after a bad one', () => {
    const bad = look(scene({ stripe: 14 }));
    const verdicts = watched([...Array.from({ length: 4 }, (_, at) => good(at)), bad, good(6)]);
    assert.ok(verdicts.every(({ capture }) => !capture));
    assert.deepEqual([verdicts[4]?.hint, verdicts[4]?.progress], ['blurred', 0]);
  });

  test('an implausible quad gets no outline', () => {
    const [verdict] = watched([look(scene(), quadOf(40, 60, 70, 90))]);
    assert.equal(verdict?.outline, null);
  });
});
