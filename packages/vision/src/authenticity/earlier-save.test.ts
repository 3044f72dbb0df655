import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { type DocumentArea, renderAttack } from '../attacks/attacks.ts';
import type { Quad } from '../images/geometry.ts';
import { decodeImage } from '../images/raster.ts';
import { drawDocument } from '../specimens/draw-document.ts';
import { pastePortrait } from '../specimens/paste-portrait.ts';
import { inventPerson } from '../specimens/person.ts';
import { seeded } from '../specimens/random.ts';
import { AUTHENTICITY_BOUNDS } from './authenticity.ts';
import { findEarlierSave, lackOfTwo, missingInPortrait } from './earlier-save.ts';
import { jpegTable } from './jpeg-table.ts';

const BOUND = AUTHENTICITY_BOUNDS.portraitSave.bound;
const HOW = { tilt: 4, yaw: 6, share: 0.86, blur: 0.7, noise: 2.5, size: { width: 1100, height: 800 } };

/** A picture with detail of all sizes, as a face has. */
async function someFace(seed: number): Promise<Buffer> {
  const random = seeded(seed);
  const pixels = Uint8Array.from({ length: 40 * 52 * 3 }, () => 40 + random() * 180);
  return sharp(pixels, { raw: { width: 40, height: 52, channels: 3 } })
    .resize(600, 780, { kernel: 'cubic' })
    .jpeg({ quality: 95 })
    .toBuffer();
}

type Shot = { jpeg: Buffer; quad: Quad };
/** The second one is hardly coarser than the server's save. */
const QUALITIES = [82, 90];

describe('an earlier save of a photograph', () => {
  let genuine: (quality: number) => Promise<Shot>;
  let edited: typeof genuine;
  let portraitArea: DocumentArea;

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
    const shoot = (attack: 'genuine' | 'pasteCareful') => async (quality: number) =>
      (await renderAttack(attack, image, { ...HOW, quality }, seeded(3), { portraitArea, face })) as Shot;
    [genuine, edited] = [shoot('genuine'), shoot('pasteCareful')];
  });

  /** Saved once more, as a server does. */
  async function measured({ jpeg, quad }: Shot): Promise<number | undefined> {
    const again = await sharp(jpeg).jpeg({ quality: 92 }).toBuffer();
    const { x, y, width, height } = portraitArea;
    // The inner part of the portrait, where nothing fades.
    const inner = { x: x + 0.2 * width, y: y + 0.2 * height, width: 0.6 * width, height: 0.6 * height };
    const save = findEarlierSave(await decodeImage(again), quad, jpegTable(again), inner);
    return save && missingInPortrait(save);
  }

  it('the earlier save is missing in a portrait that was put in afterwards, however soft its edges are', async () => {
    for (const quality of QUALITIES) assert.ok(((await measured(await edited(quality))) ?? 0) >= BOUND);
  });

  it('the earlier save is not missing in a photograph that was saved as a whole', async () => {
    for (const quality of QUALITIES) assert.ok(((await measured(await genuine(quality))) ?? BOUND) < -BOUND);
  });

  it('an earlier save is not seen if it was as fine as the last one', async () => {
    assert.equal(await measured(await edited(92)), undefined);
  });
});

describe('the evidence of an earlier save in the digits of a zone', () => {
  /** Digits by ascending evidence; those that stand beside each other share a block. */
  const lackOf = (...digits: readonly (readonly [place: number, save: number])[]) =>
    lackOfTwo(digits.map(([place, save]) => ({ blocks: [2 * place, 2 * place + 1, 2 * place + 2], save }))) ??
    Number.NaN;
  const usual = [20, 22, 24, 26, 28, 30].map((save, i) => [10 + 2 * i, save] as const);

  it('the neighbour of a moved digit lacks the save as well and does not hide it', () => {
    assert.ok(lackOf([3, -40], [4, -40], [6, -39], ...usual) >= AUTHENTICITY_BOUNDS.zoneSave.bound);
  });

  it('two digits that lack the save hardly more than others are no sign', () => {
    const varied = [-2, 10, 25, 40, 60, 76].map((save, i) => [10 + 2 * i, save] as const);
    assert.ok(lackOf([3, -21], [6, -18], ...varied) <= 0);
  });

  it('too few digits show nothing', () => {
    assert.ok(Number.isNaN(lackOf([3, -40], [4, -40], [6, -39], ...usual.slice(2))));
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
