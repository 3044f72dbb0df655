import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Attack, type AttackMaterial, renderAttack } from '../attacks/attacks.ts';
import { straighten } from '../documents/straighten.ts';
import { decodeImage, type Raster } from '../images/raster.ts';
import { drawDocument } from '../specimens/draw-document.ts';
import { inventPerson } from '../specimens/person.ts';
import type { Photograph } from '../specimens/photograph.ts';
import { seeded } from '../specimens/random.ts';
import { type AuthenticitySignal, measureAuthenticity } from './authenticity.ts';

const HOW: Photograph = {
  tilt: 4,
  yaw: 6,
  share: 0.86,
  blur: 0.6,
  noise: 2.5,
  tint: [1.08, 1, 0.72],
  size: { width: 1100, height: 800 },
};

/** A dark portrait without sharp details, before a background that becomes brighter downwards. */
function anotherPortrait(): Raster {
  const [width, height] = [300, 400];
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) data.fill(60 + (y * 80) / height, y * width * 3, (y + 1) * width * 3);
  return { width, height, data };
}

/** `npm run attacks:documents` measures them through a server. */
describe('signs of a forged document', () => {
  const signs = new Map<string, readonly string[]>();
  before(async () => {
    const random = seeded(7);
    const { image, portrait } = drawDocument('passport', 'front', inventPerson(random, '2026-01-01'), random);
    assert.ok(portrait);
    const portraitArea = {
      x: portrait.left / image.width,
      y: portrait.top / image.height,
      width: portrait.width / image.width,
      height: portrait.height / image.height,
    };
    for (const kind of ['genuine', 'grey', 'screen', 'moire', 'halftone', 'drawn', 'pasteDigital'] as const) {
      signs.set(kind, namesOf(await measured(kind, image, { portraitArea, face: anotherPortrait() })));
    }
    const bright = await measured('drawn', image, {}, { ...HOW, light: 1.08 });
    signs.set('drawn and bright', namesOf(bright));
  });

  const namesOf = (signals: readonly AuthenticitySignal[]) =>
    signals.flatMap(({ name, isSign }) => (isSign ? [name] : []));

  async function measured(
    kind: Attack | 'genuine',
    image: Raster,
    material: AttackMaterial,
    how = HOW,
  ): Promise<AuthenticitySignal[]> {
    const shot = await renderAttack(kind, image, how, seeded(3), material);
    assert.ok(shot);
    const picture = await decodeImage(shot.jpeg);
    return measureAuthenticity(picture, straighten(picture, shot.quad), shot.quad, {});
  }

  it('no sign is found on a photograph under a warm lamp', () => assert.deepEqual(signs.get('genuine'), []));
  it('the signs show a grey copy under the same lamp', () => assert.deepEqual(signs.get('grey'), ['ownColour']));
  it('the signs show the pixels of a screen', () => assert.ok(signs.get('screen')?.includes('gridPeak')));
  it('the signs show the bands of a screen that is too fine to show its pixels', () => {
    assert.deepEqual(signs.get('moire'), ['colourBands']);
  });
  it('the signs show the dots of a printer', () => assert.ok(signs.get('halftone')?.includes('gridPeak')));
  it('the signs show the border of a portrait that was put into the finished photograph', () => {
    assert.deepEqual(signs.get('pasteDigital'), ['cutBorder']);
  });
  it('the signs show a page that no camera has taken', () => assert.deepEqual(signs.get('drawn'), ['sensorNoise']));
  it('the signs show a page that no camera has taken, even if its paper is too bright to be measured', () => {
    assert.ok(signs.get('drawn and bright')?.includes('sensorNoise'));
  });
});
