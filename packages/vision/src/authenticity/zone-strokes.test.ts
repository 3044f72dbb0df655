import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import { firstOf, IS_LONG } from '../../../../scripts/long.ts';
import { apply, homography, type Quad, rectangle } from '../images/geometry.ts';
import { decodeImage, type Raster } from '../images/raster.ts';
import type { Colour } from '../specimens/canvas.ts';
import { drawDocument, type ZoneChange } from '../specimens/draw-document.ts';
import { inventPerson } from '../specimens/person.ts';
import { photograph } from '../specimens/photograph.ts';
import { seeded } from '../specimens/random.ts';
import { AUTHENTICITY_BOUNDS } from './authenticity.ts';
import { findEarlierSave } from './earlier-save.ts';
import { jpegTable } from './jpeg-table.ts';
import { paintedOver } from './zone-paper.ts';
import type { ZoneLine } from './zone-strip.ts';
import { zoneSigns } from './zone-strokes.ts';

const { bound } = AUTHENTICITY_BOUNDS.zoneStrokes;
const { bound: colourBound } = AUTHENTICITY_BOUNDS.zoneColour;
const { bound: copyBound } = AUTHENTICITY_BOUNDS.zoneCopies;
const { bound: paperBound } = AUTHENTICITY_BOUNDS.zonePaper;
const { bound: saveBound } = AUTHENTICITY_BOUNDS.zoneSave;
/** The page of a passport, and where the second line of its zone stands on it, in millimetres. */
const PAGE = { width: 125, height: 88 };
const LINE = { left: 6.4, top: 79.1, length: 44.6 * 2.54, height: 3 };
/** The middle of its first character from the beginning of the line, and the distance between characters. */
const CELL = { first: 1.42, pitch: 2.54 };

type Shot = { readonly image: Raster; readonly line: ZoneLine; readonly page: Quad };

async function shoot(seed: number, zone: ZoneChange = {}, longer = 1, light = 1): Promise<Shot> {
  const random = seeded(seed);
  const { image: page, mrz } = drawDocument('passport', 'front', inventPerson(random, '2026-01-01'), random, zone);
  const { jpeg, quads } = await photograph(
    [page],
    { tilt: 3, yaw: 4, share: 0.86, blur: 0.7, noise: 2.5, light, size: { width: 1500, height: 1100 } },
    seeded(seed),
  );
  const map = homography(rectangle(PAGE.width, PAGE.height), quads[0] as Quad);
  const { left, top, length, height } = LINE;
  const corner = (x: number, y: number) => apply(map, { x: left + x * length, y: top + y * height });
  const quad: Quad = [corner(0, 0), corner(longer, 0), corner(longer, 1), corner(0, 1)];
  return { image: await decodeImage(jpeg), line: { text: mrz?.[1] as string, quad }, page: quads[0] as Quad };
}

const strokesOf = ({ image, line }: Shot): number => zoneSigns(image, [line]).strokes ?? Number.NaN;
const colourOf = ({ image, line }: Shot): number => zoneSigns(image, [line]).colour ?? Number.NaN;

/** A zone of another number, in which one digit and its check digits were written in ink. */
function inkedBy(seed: number, ink: Colour): ZoneChange {
  const { documentNumber } = inventPerson(seeded(seed), '2026-01-01');
  const digit = (Number(documentNumber.at(-2)) + 5) % 10;
  const printedFor = { documentNumber: `${documentNumber.slice(0, -2)}${digit}${documentNumber.at(-1)}` };
  return { rewritten: { printedFor, ink, strength: 0.8 } };
}

/** The picture with one character of the line copied over another, by whole pixels, into `copied` if there is one. */
function copyDigit(
  { width, height, data }: Raster,
  { quad }: ZoneLine,
  from: number,
  to: number,
  copied: Uint8Array = Uint8Array.from(data),
): Raster {
  const map = homography(rectangle(LINE.length, LINE.height), quad);
  const centreOf = (index: number) => apply(map, { x: CELL.first + index * CELL.pitch, y: LINE.height / 2 });
  const [there, here, next] = [centreOf(from), centreOf(to), centreOf(to + 1)];
  const half = Math.hypot(next.x - here.x, next.y - here.y) / 2;
  const apart = Math.round(there.y - here.y) * width + Math.round(there.x - here.x);
  for (let y = Math.round(here.y - 1.4 * half); y <= here.y + 1.4 * half; y += 1) {
    for (let x = Math.round(here.x - half); x <= here.x + half; x += 1) {
      for (let k = 0; k < 3; k += 1) copied[3 * (y * width + x) + k] = data[3 * (y * width + x + apart) + k] as number;
    }
  }
  return { width, height, data: copied };
}

/** As somebody who changed it saves a picture, and then the server. */
async function saveTwice({ width, height, data }: Raster): Promise<Buffer> {
  const once = await sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 92 })
    .toBuffer();
  return sharp(once).jpeg({ quality: 92 }).toBuffer();
}

/** What is left of the first save in the digits of the line. */
async function saveSignOf(picture: Raster, { line, page }: Shot, text = line.text): Promise<number | undefined> {
  const jpeg = await saveTwice(picture);
  const image = await decodeImage(jpeg);
  return zoneSigns(image, [{ ...line, text }], findEarlierSave(image, page, jpegTable(jpeg))).save;
}

describe('the strokes of a zone', () => {
  const SEEDS = firstOf(2, [1, 2, 3, 4]);
  const genuine: Shot[] = [];
  before(async () => {
    for (const seed of SEEDS) genuine.push(await shoot(seed));
  });

  it('the strokes of a zone are alike in a genuine document', () => {
    for (const shot of genuine) assert.ok(strokesOf(shot) < bound / 1.5);
  });

  it('the strokes of a zone show a digit that was written over another, even if the other is read', async () => {
    for (const seed of SEEDS) {
      assert.ok(strokesOf(await shoot(seed, { overwritten: 0.55 })) >= bound);
      assert.ok(strokesOf(await shoot(seed, { overwritten: 1 })) >= bound);
    }
  });

  it('the strokes of a zone are found in a box that is longer than its line', async () => {
    assert.ok(strokesOf(await shoot(1, {}, 1.3)) < bound / 1.5);
    assert.ok(strokesOf(await shoot(1, { overwritten: 0.7 }, 1.3)) >= bound);
  });

  it('the digits of a zone have the colour of the line in a genuine document', () => {
    for (const shot of genuine) assert.ok(colourOf(shot) < colourBound / 2);
  });

  it('the colour of a zone shows a digit written in blue, green or red ink over the print, or where it was rubbed out', async () => {
    const inks: readonly Colour[] = [
      [30, 50, 150],
      [20, 110, 50],
      [170, 30, 40],
    ];
    for (const [i, ink] of inks.entries()) {
      const zone = inkedBy(i + 1, ink);
      assert.ok(colourOf(await shoot(i + 1, zone)) >= colourBound);
      if (i > 0 && !IS_LONG) continue;
      const rewritten = zone.rewritten && { ...zone.rewritten, erased: 1 };
      assert.ok(colourOf(await shoot(i + 1, { ...(rewritten && { rewritten }) })) >= colourBound);
    }
  });

  it('no two digits of a zone are the same picture in a genuine document', () => {
    for (const { image, line } of genuine) assert.ok((zoneSigns(image, [line]).copies ?? 0) > 1.3 * copyBound);
  });

  it('a digit that was copied within the line is found, even if the picture was saved twice since', async () => {
    for (const { image, line } of genuine) {
      // The first and the last digit of the date of birth.
      const copied = await decodeImage(await saveTwice(copyDigit(image, line, 13, 18)));
      const text = `${line.text.slice(0, 18)}${line.text[13]}${line.text.slice(19)}`;
      assert.ok((zoneSigns(copied, [{ ...line, text }]).copies ?? Number.NaN) < copyBound);
    }
  });

  it('two digits that were exchanged are found by the first save of the picture', async () => {
    for (const shot of genuine) {
      const { image, line } = shot;
      assert.ok(((await saveSignOf(image, shot)) ?? saveBound) < saveBound / 2);
      const { data } = copyDigit(image, line, 13, 18);
      const [there, here] = [line.text[13], line.text[18]];
      const text = `${line.text.slice(0, 13)}${here}${line.text.slice(14, 18)}${there}${line.text.slice(19)}`;
      assert.ok(((await saveSignOf(copyDigit(image, line, 18, 13, data), shot, text)) ?? 0) >= saveBound);
    }
  });

  it('clipped paper, on which the first save is missing in places, is no sign of an exchange', async () => {
    for (const seed of firstOf(1, [7, 8, 9])) {
      const shot = await shoot(seed, {}, 1, 1.06);
      assert.ok(((await saveSignOf(shot.image, shot)) ?? 0) < saveBound / 2);
    }
  });

  it('paper that is alike behind all digits but two was painted over behind these', () => {
    const others = Array.from({ length: 20 }, (_, i) => ({ brighter: 0, difference: -0.004 + 0.0001 * (i % 5) }));
    const painted = { brighter: 0.006, difference: 0.006 };
    assert.ok((paintedOver([painted, ...others, painted], 4) ?? 0) >= paperBound);
    assert.ok((paintedOver([painted, ...others], 4) ?? paperBound) < paperBound);
  });

  it('the digits of a zone are on paper of one brightness in a genuine document', () => {
    for (const { image, line } of genuine) assert.ok((zoneSigns(image, [line]).paper ?? paperBound) < paperBound / 1.5);
  });

  it('digits that were printed on correction fluid are found', async () => {
    for (const seed of SEEDS) {
      const { rewritten } = inkedBy(seed, [24, 24, 28]);
      assert.ok(rewritten);
      const { image, line } = await shoot(seed, { rewritten: { ...rewritten, strength: 1, cover: [252, 252, 250] } });
      assert.ok((zoneSigns(image, [line]).paper ?? 0) >= paperBound);
    }
  });

  it('clipped paper of a zone gives no result', async () => {
    const { image, line } = await shoot(1, {}, 1, 1.3);
    assert.equal(zoneSigns(image, [line]).paper, undefined);
  });

  it('a zone without lines or with too few digits gives no result', () => {
    const [{ image, line }] = genuine as [Shot];
    const nothing = { strokes: undefined, colour: undefined, copies: undefined, paper: undefined, save: undefined };
    assert.deepEqual(zoneSigns(image, []), nothing);
    assert.deepEqual(zoneSigns(image, [{ ...line, text: '<'.repeat(44) }]), nothing);
  });
});
