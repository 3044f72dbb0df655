import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { ImageFault } from '../images/image-fault.ts';
import { drawDocument } from '../specimens/draw-document.ts';
import { makeSpecimen, type SpecimenOrder } from '../specimens/make-specimen.ts';
import { inventPerson } from '../specimens/person.ts';
import { photograph } from '../specimens/photograph.ts';
import { seeded } from '../specimens/random.ts';
import { dateChecks, type Facts, factsOfMrz } from './checks.ts';
import type { QualityReason } from './quality.ts';
import { type DocumentOptions, type DocumentReading, readDocument } from './read-document.ts';

const TODAY = '2026-01-01';
const QUICK: DocumentOptions = { today: TODAY, visualZone: false };

const SMALL = { width: 1100, height: 825 };

async function read(order: SpecimenOrder, options: DocumentOptions = QUICK): Promise<DocumentReading> {
  const { jpeg } = await makeSpecimen({ ...order, photograph: { size: SMALL, ...order.photograph } });
  return readDocument(jpeg, options);
}

function resultOf(reading: DocumentReading, name: string): string | undefined {
  return reading.checks.find((check) => check.name === name)?.result;
}

test('a passport is read: its type, zone and visual zone, and that they agree', async () => {
  const specimen = await makeSpecimen({ kind: 'passport', seed: 41, photograph: { tilt: -7, yaw: 9, noise: 3 } });
  const reading = await readDocument(specimen.jpeg, { today: TODAY });
  assert.equal(reading.type, 'passport');
  assert.equal(reading.outline?.source, 'edges');
  assert.deepEqual(reading.quality.reasons, []);
  assert.deepEqual(reading.mrz?.lines, specimen.mrz);
  for (const name of ['documentNumber', 'birthDate', 'expiryDate', 'surname', 'givenNames']) {
    assert.equal(resultOf(reading, `visual.${name}.mrz`), 'passed', name);
  }
  for (const { text, rivals } of reading.visual?.lines ?? [])
    assert.equal(rivals?.length, Array.from(text).length, text);
  assert.equal(resultOf(reading, 'notExpired'), 'passed');
  assert.equal(
    reading.checks.every(({ result }) => result !== 'failed'),
    true,
  );
});

test('the check of a date fails if print and zone differ', async () => {
  const specimen = await makeSpecimen({ kind: 'passport', seed: 42, person: { birthDate: '1980-05-06' } });
  const other = await makeSpecimen({ kind: 'passport', seed: 42, person: { birthDate: '1986-05-06' } });
  // The upper half of one document over the zone of the other, as a forger would do it.
  const top = await sharp(other.jpeg).extract({ left: 0, top: 0, width: 1600, height: 850 }).toBuffer();
  const forged = await sharp(specimen.jpeg)
    .composite([{ input: top, left: 0, top: 0 }])
    .jpeg({ quality: 92 })
    .toBuffer();
  const reading = await readDocument(forged, { today: TODAY });
  assert.equal(reading.mrz?.fields.birthDate, '800506');
  assert.equal(resultOf(reading, 'visual.birthDate.mrz'), 'failed');
  assert.equal(resultOf(reading, 'visual.surname.mrz'), 'passed');
});

test('the check of a name fails if print and zone differ by one letter', async () => {
  const random = seeded(53);
  const person = inventPerson(random, TODAY);
  const { image } = drawDocument('passport', 'front', { ...person, surname: 'ERIKSSON' }, random, {
    person: { surname: 'ERIKSTON' },
  });
  const { jpeg } = await photograph([image], {}, random);
  const reading = await readDocument(jpeg, { today: TODAY });
  assert.equal(reading.mrz?.fields.surname, 'ERIKSTON');
  assert.equal(resultOf(reading, 'visual.surname.mrz'), 'failed');
});

test('a licence is read by its barcode, and an expired one is recognised', async () => {
  const reading = await read({
    kind: 'licence',
    seed: 43,
    person: { expiryDate: '2025-12-31' },
    photograph: { share: 0.9 },
  });
  assert.equal(reading.type, 'drivingLicence');
  assert.equal(resultOf(reading, 'notExpired'), 'failed');
  assert.equal(reading.barcode?.model.name, 'zxing-cpp');
  assert.deepEqual(reading.quality.reasons, []);
});

/** The back of a card that is valid for a day. Several tests share its reading, which takes seconds. */
const CARD: SpecimenOrder = {
  kind: 'idCard',
  seed: 44,
  person: { expiryDate: TODAY },
  photograph: { tilt: 4, noise: 5 },
};
let card: Promise<DocumentReading> | undefined;
const cardReading = () => {
  card ??= read(CARD, { ...QUICK, expected: 'mrz' });
  return card;
};

test('a document is valid through its last day', async () => {
  const reading = await cardReading();
  assert.equal(resultOf(reading, 'notExpired'), 'passed');
  const facts = factsOfMrz(reading.mrz as NonNullable<typeof reading.mrz>, TODAY) as Facts;
  const [notExpired] = dateChecks(facts, '2026-01-02');
  assert.deepEqual([notExpired?.name, notExpired?.result], ['notExpired', 'failed']);
});

const FLAWS: readonly (readonly [reason: string, order: SpecimenOrder])[] = [
  ['too_dark', { kind: 'idCard', seed: 45, photograph: { light: 0.18, noise: 2 } }],
  ['glare', { kind: 'idCard', seed: 46, photograph: { glare: 1 } }],
  ['blurred', { kind: 'idCard', seed: 47, photograph: { blur: 7 } }],
  ['cut_off', { kind: 'passport', seed: 48, photograph: { shift: [0.3, 0] } }],
  ['too_small', { kind: 'idCard', seed: 49, photograph: { share: 0.22 } }],
  ['two_documents', { kind: 'idCard', side: 'front', seed: 50, twice: true }],
];
for (const [reason, order] of FLAWS) {
  test(`the reason ${reason} is given for such a picture`, async () => {
    const { reasons } = (await read(order)).quality;
    assert.ok(reasons.includes(reason as QualityReason), reasons.join());
  });
}

test('the brightness of the paper behind a zone is measured, so that clipped paper is known', async () => {
  const zoneBrightnessIn = async (light: number) =>
    (await read({ kind: 'passport', seed: 46, photograph: { light } })).quality.measures?.zoneBrightness ?? Number.NaN;
  assert.ok((await zoneBrightnessIn(1.12)) >= 250);
  const usual = await zoneBrightnessIn(0.9);
  assert.ok(usual > 200 && usual < 235, String(usual));
});

test('a good picture of a card gets no reason', async () => {
  assert.deepEqual((await cardReading()).quality.reasons, []);
});

test('wrong_side is given if the side lacks what was requested', async () => {
  const front = await read({ kind: 'idCard', side: 'front', seed: 51 }, { ...QUICK, expected: 'mrz' });
  assert.deepEqual(front.quality.reasons, ['wrong_side']);
  assert.deepEqual((await cardReading()).quality.reasons, []);
});

test('no_document is given for a bare table and a drawing, and a single pixel is refused', async () => {
  const table = await sharp({ create: { width: 1200, height: 900, channels: 3, background: '#665544' } })
    .jpeg()
    .toBuffer();
  const pixel = await sharp({ create: { width: 1, height: 1, channels: 3, background: '#fff' } })
    .png()
    .toBuffer();
  const face =
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><rect width="600" height="600" fill="#fe8"/><circle cx="300" cy="300" r="200" fill="#fc4"/><circle cx="240" cy="240" r="20"/><circle cx="360" cy="240" r="20"/></svg>';
  await assert.rejects(
    readDocument(pixel, QUICK),
    (fault) => fault instanceof ImageFault && fault.reason === 'too_small',
  );
  for (const bytes of [table, await sharp(Buffer.from(face)).jpeg().toBuffer()]) {
    assert.deepEqual((await readDocument(bytes, QUICK)).quality.reasons, ['no_document']);
  }
});

test('the portrait that the finder finds on the straightened document is cut out', async () => {
  const { jpeg } = await makeSpecimen({
    kind: 'passport',
    seed: 52,
    photograph: { tilt: 12, quarters: 2, size: SMALL },
  });
  const seen: number[] = [];
  const reading = await readDocument(jpeg, {
    ...QUICK,
    findFace: async ({ width, height }) => {
      seen.push(width, height);
      return { x: 60, y: 150, width: 200, height: 240 };
    },
  });
  assert.ok((seen[0] as number) > (seen[1] as number), 'lying down');
  const { width, height } = await sharp(reading.portrait?.jpeg).metadata();
  assert.ok(width > 200 && height > 240);
});

test('the same bytes give the same reading', async () => {
  assert.deepEqual(await read(CARD, { ...QUICK, expected: 'mrz' }), await cardReading());
});

test('the reason why bytes cannot be decoded is passed on', async () => {
  await assert.rejects(readDocument(Buffer.from('text'), QUICK), (fault) => fault instanceof ImageFault);
});
