import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Attack, renderAttack } from '../attacks/attacks.ts';
import { straighten } from '../documents/straighten.ts';
import { decodeImage } from '../images/raster.ts';
import { drawDocument } from '../specimens/draw-document.ts';
import { inventPerson } from '../specimens/person.ts';
import type { Photograph } from '../specimens/photograph.ts';
import { seeded } from '../specimens/random.ts';
import { type AuthenticitySignal, measureAuthenticity } from './authenticity.ts';

const HOW: Photograph = {
  ...{ tilt: 4, yaw: 6, share: 0.86, blur: 0.6, noise: 2.5, tint: [1.08, 1, 0.72], size: { width: 1100, height: 800 } },
};

/** The short form of `npm run accuracy -- --attacks`. */
describe('signs that a document is none', () => {
  const signs = new Map<string, readonly string[]>();
  before(async () => {
    const random = seeded(7);
    const { image } = drawDocument('passport', 'front', inventPerson(random, '2026-01-01'), random);
    for (const kind of ['genuine', 'grey', 'screen', 'halftone', 'drawn'] as const) {
      signs.set(
        kind,
        (await measured(kind, image)).flatMap(({ name, isSign }) => (isSign ? [name] : [])),
      );
    }
  });

  async function measured(
    kind: Attack | 'genuine',
    image: Parameters<typeof straighten>[0],
  ): Promise<AuthenticitySignal[]> {
    const shot = await renderAttack(kind, image, HOW, seeded(3));
    assert.ok(shot);
    const picture = await decodeImage(shot.jpeg);
    return measureAuthenticity(picture, straighten(picture, shot.quad), shot.quad, undefined);
  }

  it('are not found on a photograph under a warm lamp', () => assert.deepEqual(signs.get('genuine'), []));
  it('show a grey copy under the same lamp', () => assert.deepEqual(signs.get('grey'), ['ownColour']));
  it('show the pixels of a screen', () => assert.ok(signs.get('screen')?.includes('gridPeak')));
  it('show the dots of a printer', () => assert.ok(signs.get('halftone')?.includes('gridPeak')));
  it('show a page that no camera has taken', () => assert.deepEqual(signs.get('drawn'), ['sensorNoise']));
});
