import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { apply, homography, type Quad, rectangle } from '../images/geometry.ts';
import { decodeImage, type Raster } from '../images/raster.ts';
import { drawDocument, type ZoneChange } from '../specimens/draw-document.ts';
import { inventPerson } from '../specimens/person.ts';
import { photograph } from '../specimens/photograph.ts';
import { seeded } from '../specimens/random.ts';
import { AUTHENTICITY_BOUNDS } from './authenticity.ts';
import type { ZoneLine } from './zone-strip.ts';
import { zoneStrokes } from './zone-strokes.ts';

const { bound } = AUTHENTICITY_BOUNDS.zoneStrokes;
/** The page of a passport, and where the second line of its zone stands on it, in millimetres. */
const PAGE = { width: 125, height: 88 };
const LINE = { left: 6.4, top: 79.1, length: 44.6 * 2.54, height: 3 };

type Shot = { readonly image: Raster; readonly line: ZoneLine };

async function shoot(seed: number, zone: ZoneChange = {}, longer = 1): Promise<Shot> {
  const random = seeded(seed);
  const { image: page, mrz } = drawDocument('passport', 'front', inventPerson(random, '2026-01-01'), random, zone);
  const { jpeg, quads } = await photograph(
    [page],
    { tilt: 3, yaw: 4, share: 0.86, blur: 0.7, noise: 2.5, size: { width: 1500, height: 1100 } },
    seeded(seed),
  );
  const map = homography(rectangle(PAGE.width, PAGE.height), quads[0] as Quad);
  const { left, top, length, height } = LINE;
  const corner = (x: number, y: number) => apply(map, { x: left + x * length, y: top + y * height });
  const quad: Quad = [corner(0, 0), corner(longer, 0), corner(longer, 1), corner(0, 1)];
  return { image: await decodeImage(jpeg), line: { text: mrz?.[1] as string, quad } };
}

const strokesOf = ({ image, line }: Shot): number => zoneStrokes(image, [line]) ?? Number.NaN;

describe('the strokes of a zone', () => {
  const SEEDS = [1, 2, 3, 4];
  const genuine: Shot[] = [];
  before(async () => {
    for (const seed of SEEDS) genuine.push(await shoot(seed));
  });

  it('are alike in a genuine document', () => {
    for (const shot of genuine) assert.ok(strokesOf(shot) < bound / 1.5);
  });

  it('show a digit that was written over another, even if the other is read', async () => {
    for (const seed of SEEDS) {
      assert.ok(strokesOf(await shoot(seed, { overwritten: 0.55 })) >= bound);
      assert.ok(strokesOf(await shoot(seed, { overwritten: 1 })) >= bound);
    }
  });

  it('are found in a box that is longer than its line', async () => {
    assert.ok(strokesOf(await shoot(1, {}, 1.3)) < bound / 1.5);
    assert.ok(strokesOf(await shoot(1, { overwritten: 0.7 }, 1.3)) >= bound);
  });

  it('say nothing where no line was read, or too few digits', () => {
    const [{ image, line }] = genuine as [Shot];
    assert.equal(zoneStrokes(image, []), undefined);
    assert.equal(zoneStrokes(image, [{ ...line, text: '<'.repeat(44) }]), undefined);
  });
});
