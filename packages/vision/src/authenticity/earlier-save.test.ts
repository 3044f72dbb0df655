import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { renderAttack } from '../attacks/attacks.ts';
import { decodeImage } from '../images/raster.ts';
import { drawDocument } from '../specimens/draw-document.ts';
import { pastePortrait } from '../specimens/paste-portrait.ts';
import { inventPerson } from '../specimens/person.ts';
import { seeded } from '../specimens/random.ts';
import { AUTHENTICITY_BOUNDS } from './authenticity.ts';
import { missingSave } from './earlier-save.ts';
import { jpegTable } from './jpeg-table.ts';

const BOUND = AUTHENTICITY_BOUNDS.portraitSave.bound;
/** The highest value of genuine portraits after a server has saved them again, among 63 public specimens. */
const GENUINE = 0.21;
const HOW = { tilt: 4, yaw: 6, share: 0.86, blur: 0.7, noise: 2.5, quality: 82, size: { width: 1100, height: 800 } };

/** A picture with detail of all sizes, as a face has. */
async function someFace(seed: number): Promise<Buffer> {
  const random = seeded(seed);
  const pixels = Uint8Array.from({ length: 40 * 52 * 3 }, () => 40 + random() * 180);
  return sharp(pixels, { raw: { width: 40, height: 52, channels: 3 } })
    .resize(600, 780, { kernel: 'cubic' })
    .jpeg({ quality: 95 })
    .toBuffer();
}

describe('an earlier save of a photograph', () => {
  let genuine: { jpeg: Buffer; quad: Parameters<typeof missingSave>[1] };
  let edited: typeof genuine;
  let portraitArea: Parameters<typeof missingSave>[3];

  before(async () => {
    const random = seeded(7);
    const { image, portrait } = drawDocument('passport', 'front', inventPerson(random, '2026-01-01'), random);
    assert.ok(portrait);
    await pastePortrait(image, portrait, await someFace(1));
    portraitArea = {
      x: portrait.left / image.width,
      y: portrait.top / image.height,
      width: portrait.width / image.width,
      height: portrait.height / image.height,
    };
    const face = await decodeImage(await someFace(2));
    genuine = (await renderAttack('genuine', image, HOW, seeded(3))) as typeof genuine;
    edited = (await renderAttack('pasteCareful', image, HOW, seeded(3), { portraitArea, face })) as typeof genuine;
  });

  async function measured({ jpeg, quad }: typeof genuine): Promise<number | undefined> {
    const table = jpegTable(jpeg);
    assert.ok(table);
    const { x, y, width, height } = portraitArea;
    // The inner part of the portrait, where nothing fades.
    const inner = { x: x + 0.2 * width, y: y + 0.2 * height, width: 0.6 * width, height: 0.6 * height };
    return missingSave(await decodeImage(jpeg), quad, table, inner);
  }

  it('an earlier save is missing in a portrait that was inserted afterwards, however soft its edges are', async () => {
    assert.ok(((await measured(edited)) ?? 0) >= BOUND);
  });

  it('an earlier save is still missing in an inserted portrait after a server has saved the whole once more', async () => {
    const again = await sharp(edited.jpeg).jpeg({ quality: 92 }).toBuffer();
    assert.ok(((await measured({ ...edited, jpeg: again })) ?? 0) >= BOUND);
  });

  it('no save is missing in a photograph that was saved once, or twice as a whole', async () => {
    assert.equal((await measured(genuine)) ?? 0, 0);
    const again = await sharp(genuine.jpeg).jpeg({ quality: 92 }).toBuffer();
    assert.ok(((await measured({ ...genuine, jpeg: again })) ?? 0) < 0.25);
    assert.ok(BOUND > GENUINE);
  });
});

describe('the table of a JPEG', () => {
  it('the table of a JPEG is read with its size, and not from other bytes', async () => {
    const blank = { create: { width: 40, height: 24, channels: 3 as const, background: '#888' } };
    const jpeg = await sharp(blank).jpeg({ quality: 50 }).toBuffer();
    const table = jpegTable(jpeg);
    assert.deepEqual([table?.width, table?.height, table?.steps[0], table?.steps[1]], [40, 24, 16, 11]);
    assert.equal(jpegTable(await sharp(blank).png().toBuffer()), undefined);
    assert.equal(jpegTable(jpeg.subarray(0, 30)), undefined);
    assert.equal(jpegTable(new Uint8Array([0xff, 0xd8, 0xff])), undefined);
  });
});
