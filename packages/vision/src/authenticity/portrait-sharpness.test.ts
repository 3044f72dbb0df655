import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { AUDREY, FRANCK, picture } from '../../test/pictures.ts';
import { type Attack, renderAttack } from '../attacks/attacks.ts';
import { decodeImage } from '../images/raster.ts';
import { drawDocument } from '../specimens/draw-document.ts';
import { pastePortrait } from '../specimens/paste-portrait.ts';
import { inventPerson } from '../specimens/person.ts';
import { seeded } from '../specimens/random.ts';
import { AUTHENTICITY_BOUNDS } from './authenticity.ts';
import { portraitSharpness } from './portrait-sharpness.ts';

const { bound } = AUTHENTICITY_BOUNDS.portraitSharpness;
const HOW = { tilt: 3, yaw: 4, share: 0.86, blur: 1, noise: 2, quality: 92, size: { width: 1600, height: 1200 } };

describe('the sharpness of a portrait', () => {
  let document: ReturnType<typeof drawDocument>['image'];
  let portraitArea: Parameters<typeof portraitSharpness>[2];
  let face: Parameters<typeof portraitSharpness>[2];

  before(async () => {
    const random = seeded(7);
    const { image, portrait } = drawDocument('passport', 'front', inventPerson(random, '2026-01-01'), random);
    assert.ok(portrait);
    await pastePortrait(image, portrait, picture(AUDREY));
    document = image;
    const area = {
      x: portrait.left / image.width,
      y: portrait.top / image.height,
      width: portrait.width / image.width,
      height: portrait.height / image.height,
    };
    portraitArea = area;
    face = {
      x: area.x + 0.2 * area.width,
      y: area.y + 0.2 * area.height,
      width: 0.6 * area.width,
      height: 0.6 * area.height,
    };
  });

  async function measured(attack: Attack | 'genuine'): Promise<number> {
    const other = await decodeImage(picture(FRANCK));
    const shot = await renderAttack(attack, document, HOW, seeded(3), { portraitArea, face: other });
    assert.ok(shot);
    const sharpness = portraitSharpness(await decodeImage(shot.jpeg), shot.quad, face);
    assert.ok(sharpness !== undefined);
    return sharpness;
  }

  it('the sharpness of a portrait is not above that of the print in a photograph of the document', async () => {
    assert.ok((await measured('genuine')) < bound);
  });

  it('an inserted portrait is sharper than the print, however soft its edges are', async () => {
    assert.ok((await measured('pasteCareful')) >= bound);
  });

  it('the sharpness of a portrait is not measured with too few edges', async () => {
    const grey = { width: 400, height: 300, data: new Uint8Array(400 * 300 * 3).fill(128) };
    const corners = [
      { x: 10, y: 10 },
      { x: 390, y: 10 },
      { x: 390, y: 290 },
      { x: 10, y: 290 },
    ] as const;
    assert.equal(portraitSharpness(grey, corners, face), undefined);
  });
});
