import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeImage } from '../images/raster.ts';
import { makeSpecimen } from '../specimens/make-specimen.ts';
import { buildAamva } from './build-aamva.ts';
import { parseAamva } from './parse-aamva.ts';
import { readPdf417 } from './read-barcode.ts';

test('the barcode of a tilted licence is read, control characters included', async () => {
  const specimen = await makeSpecimen({
    kind: 'licence',
    seed: 31,
    photograph: { tilt: 6, yaw: 8, share: 0.9, noise: 3 },
  });
  const code = await readPdf417(await decodeImage(specimen.jpeg));
  assert.equal(code?.text, specimen.barcode);
  const licence = parseAamva(code?.text ?? '');
  assert.equal(licence?.documentNumber, specimen.person.documentNumber);
  assert.equal(licence.birthDate, specimen.person.birthDate);
  assert.equal(licence.expiryDate, specimen.person.expiryDate);
});

test('no barcode is found on a passport', async () => {
  const { jpeg } = await makeSpecimen({
    kind: 'passport',
    seed: 32,
    photograph: { size: { width: 800, height: 600 } },
  });
  assert.equal(await readPdf417(await decodeImage(jpeg)), undefined);
});

test('dates of a licence are read month first for the United States and year first for Canada', () => {
  const elements = { DAQ: '1', DCS: 'DOE', DAC: 'JANE', DBB: '08121974' };
  assert.equal(
    parseAamva(buildAamva({ issuerNumber: '636000', elements: { ...elements, DCG: 'USA' } }))?.birthDate,
    '1974-08-12',
  );
  const canada = { ...elements, DBB: '19740812', DCG: 'CAN' };
  assert.equal(parseAamva(buildAamva({ issuerNumber: '636012', elements: canada }))?.birthDate, '1974-08-12');
});

test('the names of the first version are read from one element', () => {
  const licence = parseAamva('@\n\u001c\rAAMVA6360010102DL00390188DLDAADOE,JANE,Q\nDAQ9\nDBB19740812\r');
  assert.deepEqual([licence?.surname, licence?.givenNames, licence?.birthDate], ['DOE', 'JANE Q', '1974-08-12']);
});

test('no other barcode is taken for a licence', () => {
  assert.equal(parseAamva('M1ERIKSSON/ANNA       EABC123 ZENAMAXX 0834 226F001A0025 100'), undefined);
  assert.equal(parseAamva(''), undefined);
});
