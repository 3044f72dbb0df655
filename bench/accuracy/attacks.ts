import { globSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { judgeDocument } from '../../packages/server/src/engines/vision/judge-document.ts';
import { ATTACKS, type Attack, renderAttack } from '../../packages/vision/src/attacks/attacks.ts';
import { compareSides } from '../../packages/vision/src/documents/compare-sides.ts';
import { readDocument } from '../../packages/vision/src/documents/read-document.ts';
import { findPortrait } from '../../packages/vision/src/faces/find-portrait.ts';
import type { Raster } from '../../packages/vision/src/images/raster.ts';
import { loadModels } from '../../packages/vision/src/models.ts';
import { drawDocument } from '../../packages/vision/src/specimens/draw-document.ts';
import { everydayPhotograph, makeSpecimen } from '../../packages/vision/src/specimens/make-specimen.ts';
import { inventPerson } from '../../packages/vision/src/specimens/person.ts';
import type { Photograph } from '../../packages/vision/src/specimens/photograph.ts';
import { seeded, within } from '../../packages/vision/src/specimens/random.ts';
import { newProgress } from '../attacks/progress.ts';
import { share } from './intervals.ts';

/**
 * Forged and genuine documents through the reading and the judgement of the server, in a tenant that allows specimens:
 * how many pass every check of the document, with intervals. `faces` is a folder of portraits to paste.
 */
const TODAY = '2026-01-01';
const FORGED = ['zoneOfAnother', 'editedPrint', 'wrongDigits', 'expired'] as const;
export const KINDS = ['genuine', ...ATTACKS, ...FORGED] as const;
type Kind = (typeof KINDS)[number];

export type AttackRow = {
  readonly kind: Kind;
  readonly count: number;
  readonly passed: number;
  readonly reasons: Readonly<Record<string, number>>;
};

export async function measureAttacks(
  count: number,
  { seed, kinds = KINDS, faces }: { seed: number; kinds?: readonly Kind[]; faces?: string },
): Promise<AttackRow[]> {
  const { detect } = await loadModels(['detect']);
  const findFace = (image: Raster) => findPortrait(image, detect);
  const portraits = faces ? globSync(`${faces}/*.{jpg,jpeg,png}`).sort() : [];
  const rows: AttackRow[] = [];
  for (const kind of kinds) {
    const reasons: Record<string, number> = {};
    let [made, passed] = [0, 0];
    const progress = newProgress(kind, count);
    for (let i = 0; i < count; i += 1) {
      const jpeg = await pictureOf(kind, seed + i, portraits);
      if (!jpeg) continue;
      made += 1;
      const front = await readDocument(jpeg, { today: TODAY, findFace });
      const request = { accept: ['PASSPORT'], allowSpecimens: true };
      const { checks } = judgeDocument({ front }, request, compareSides([front], TODAY));
      const bad = checks.filter(({ status }) => status !== 'PASSED');
      if (bad.length === 0) passed += 1;
      for (const { name, reason } of bad) {
        const word = `${name} ${reason}`;
        reasons[word] = (reasons[word] ?? 0) + 1;
      }
      progress.show(i + 1, `${passed} passed`);
    }
    progress.end();
    rows.push({ kind, count: made, passed, reasons });
  }
  return rows;
}

function howOf(seed: number): Photograph {
  const random = seeded(seed);
  const tint = [within(random, 0.95, 1.1), 1, within(random, 0.72, 1.05)] as const;
  const { tilt = 0, yaw = 0, ...rest } = everydayPhotograph(random);
  const noise = within(random, 1.5, 4);
  // No lens is sharper. Less than 0.6 would leave the pixels as they were drawn.
  const blur = within(random, 0.6, 1);
  return { ...rest, tint, noise, blur, tilt: tilt / 2, yaw: yaw / 2, share: 0.8, quality: 85 };
}

async function pictureOf(kind: Kind, seed: number, portraits: readonly string[]): Promise<Buffer | undefined> {
  const how = howOf(seed);
  const other = inventPerson(seeded(seed + 5000), TODAY);
  const made = async (more: Partial<Parameters<typeof makeSpecimen>[0]>) =>
    (await makeSpecimen({ kind: 'passport', seed, today: TODAY, photograph: how, ...more })).jpeg;
  if (kind === 'zoneOfAnother') return made({ zoneChange: { person: other } });
  if (kind === 'editedPrint') return made({ zoneChange: { person: { birthDate: other.birthDate } } });
  if (kind === 'wrongDigits') return made({ zoneChange: { wrongDigit: true } });
  if (kind === 'expired') return made({ person: { expiryDate: '2020-01-01' } });
  const random = seeded(seed);
  const { image, portrait } = drawDocument('passport', 'front', inventPerson(random, TODAY), random);
  const file = portraits[seed % Math.max(1, portraits.length)];
  const face = file === undefined ? undefined : await rasterOf(readFileSync(file));
  const place = portrait && {
    x: portrait.left / image.width,
    y: portrait.top / image.height,
    width: portrait.width / image.width,
    height: portrait.height / image.height,
  };
  const material = { ...(place && { place }), ...(face && { face }) };
  return (await renderAttack(kind as Attack | 'genuine', image, how, random, material))?.jpeg;
}

async function rasterOf(bytes: Buffer): Promise<Raster> {
  const { data, info } = await sharp(bytes)
    .autoOrient()
    .resize({ width: 600 })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, data: new Uint8Array(data) };
}

export function attackTable(rows: readonly AttackRow[]): string {
  const lines = rows.map(({ kind, count, passed, reasons }) => {
    const found = Object.entries(reasons).map(([word, times]) => `${word} ${times}`);
    return `| ${kind} | ${share(passed, count, 1)} | ${found.join(', ')} |`;
  });
  return ['| presented | every check passed | found |', '| --- | --- | --- |', ...lines].join('\n');
}
