import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeImage } from '../images/raster.ts';
import { makeSpecimen, type SpecimenOrder } from '../specimens/make-specimen.ts';
import { readMrz } from './read-mrz.ts';

const EVERYDAY = { tilt: 9, yaw: -11, pitch: 8, noise: 4, blur: 0.5, quality: 80, size: { width: 1200, height: 900 } };

async function reads(order: SpecimenOrder): Promise<void> {
  const specimen = await makeSpecimen(order);
  const { mrz } = await readMrz(await decodeImage(specimen.jpeg));
  assert.deepEqual(mrz?.lines, specimen.mrz);
  assert.equal(mrz?.valid, true);
  assert.ok(mrz.models.every(({ name, version }) => name !== '' && version !== ''));
}

for (const kind of ['passport', 'idCard', 'idCardTd2', 'visa', 'visaB'] as const) {
  test(`the zone of a tilted ${kind} is read`, () => reads({ kind, seed: 21, photograph: EVERYDAY }));
}

for (const quarters of [1, 2, 3]) {
  test(`a passport rotated by ${quarters * 90}° is read`, () =>
    reads({ kind: 'passport', seed: 22, photograph: { ...EVERYDAY, quarters } }));
}

test('a passport seen from 30° aside is read', () =>
  reads({ kind: 'passport', seed: 23, photograph: { ...EVERYDAY, tilt: 0, yaw: 30, share: 0.7 } }));

test('no zone is found where there is none', async () => {
  const { jpeg } = await makeSpecimen({ kind: 'licence', side: 'front', seed: 24 });
  assert.equal((await readMrz(await decodeImage(jpeg))).mrz, undefined);
});
