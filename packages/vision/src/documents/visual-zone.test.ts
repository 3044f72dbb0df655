import assert from 'node:assert/strict';
import { test } from 'node:test';
import { datesIn, fullDate } from './dates.ts';
import { sameName } from './names.ts';
import { isHalfRead, labelledFields, type VisualLine, worthReading } from './visual-zone.ts';

const line = (text: string, x: number, y: number): VisualLine => ({
  text,
  confidence: 0.99,
  x,
  y,
  width: 0.2,
  height: 0.03,
});

test('values are found below and after their labels, in several languages', () => {
  const fields = labelledFields([
    line('Nachname / Surname', 0.4, 0.2),
    line('MUSTERMANN', 0.4, 0.24),
    line('Date of birth/Date de naissance', 0.4, 0.3),
    line('12 AUG/AOU 1974', 0.4, 0.34),
    line('4b. 01.02.2031', 0.1, 0.5),
    line('Passport No.', 0.7, 0.2),
    line('Passeport N°', 0.7, 0.23),
    line('C01X0006H', 0.7, 0.26),
  ]);
  const value = (name: string): string | undefined => fields.find((field) => field.name === name)?.value;
  assert.equal(value('surname'), 'MUSTERMANN');
  assert.equal(value('birthDate'), '12 AUG/AOU 1974');
  assert.equal(value('expiryDate'), '01.02.2031');
  assert.equal(value('documentNumber'), 'C01X0006H');
});

test('dates are understood as documents print them', () => {
  assert.deepEqual(datesIn('12 AUG 1974'), ['1974-08-12']);
  assert.deepEqual(datesIn('12AUGUST/AOUT 1974'), ['1974-08-12']);
  assert.deepEqual(datesIn('260CT 2030'), ['2030-10-26']);
  assert.deepEqual(datesIn('01N0V2030'), ['2030-11-01']);
  assert.deepEqual(datesIn('31.12.1999'), ['1999-12-31']);
  assert.deepEqual(datesIn('2004-12-31'), ['2004-12-31']);
  assert.ok(datesIn('01/02/03').includes('2003-02-01'));
  assert.deepEqual(datesIn('31.02.1999'), []);
  assert.deepEqual(datesIn('no date'), []);
  for (const text of ['1960-0208', '196002-08', '08.021960', '0802.1960']) {
    assert.deepEqual(datesIn(text), ['1960-02-08'], text);
  }
  assert.deepEqual(datesIn('2004-1231'), ['2004-12-31']);
});

test('six digits are put into the right century', () => {
  assert.equal(fullDate('740812', 'birth', '2026-01-01'), '1974-08-12');
  assert.equal(fullDate('250812', 'birth', '2026-01-01'), '2025-08-12');
  assert.equal(fullDate('260812', 'birth', '2026-01-01'), '1926-08-12');
  assert.equal(fullDate('350415', 'expiry', '2026-01-01'), '2035-04-15');
  assert.equal(fullDate('980415', 'expiry', '2026-01-01'), '1998-04-15');
  assert.equal(fullDate('740230', 'birth', '2026-01-01'), undefined);
  assert.equal(fullDate('74<<<<', 'birth', '2026-01-01'), undefined);
});

test('a name counts as the same if the reader lost letters that the zone spells out', () => {
  assert.equal(sameName('OSTERGARD', 'OESTERGAARD'), true);
  assert.equal(sameName('OVERLAND', 'OESTERGAARD'), false);
});

test('a name counts as the same across transliteration and one misread letter, not across persons', () => {
  assert.equal(sameName('MÜLLER', 'MUELLER'), true);
  assert.equal(sameName('ØSTERGÅRD', 'OESTERGAARD'), true);
  assert.equal(sameName('ERIKSS0N', 'ERIKSSON'), true);
  assert.equal(sameName('ERIKSEN', 'ANDERSEN'), false);
  assert.equal(sameName('', 'ERIKSSON'), false);
});

test('the highest letters are read first, sentences last, within the limit', () => {
  const title = { length: 300, breadth: 40 };
  const value = { length: 100, breadth: 20 };
  const label = { length: 60, breadth: 12 };
  const sentence = { length: 900, breadth: 30 };
  assert.deepEqual(worthReading([label, sentence, value, title]), [title, value, label, sentence]);
  const page = Array.from({ length: 40 }, () => ({ length: 300, breadth: 20 }));
  assert.equal(worthReading(page, 7200).length, 10);
});

test('more of a card with a known template is read until its six fields are found, and of nothing else', () => {
  const title = [line('MONTANA', 0.4, 0.05), line('DRIVER LICENSE', 0.4, 0.1)];
  const fields = [
    line('4d LIC#: 0812319684104', 0.4, 0.2),
    line('1 SAMPLE', 0.4, 0.3),
    line('2 BRENDA LYNN', 0.4, 0.35),
    line('3 DOB: 08/04/1968', 0.4, 0.5),
    line('4b EXP: 08/04/2023', 0.4, 0.6),
    line('4a ISS: 02/15/2015', 0.4, 0.7),
  ];
  const isEnough = () => false;
  assert.equal(isHalfRead([...title, ...fields.slice(0, 4)], { isEnough }), true);
  assert.equal(isHalfRead([...title, ...fields], { isEnough }), false);
  const prose = [line('The quick brown fox', 0.1, 0.1), line('jumps over the lazy dog', 0.1, 0.2)];
  assert.equal(isHalfRead(prose, { isEnough }), false);
  assert.equal(
    isHalfRead([...prose, line('3DOB01/06/1958', 0.4, 0.3), line('4bEXP01/06/2022', 0.4, 0.4)], { isEnough }),
    true,
  );
  assert.equal(isHalfRead(title, { isEnough, openValues: () => [] }), false);
});

test('a date after its label is found without a mark between them', () => {
  const [field] = labelledFields([line('DOB01/01/1980', 0.4, 0.2), line('01/01/2024', 0.4, 0.24)]);
  assert.equal(field?.value, '01/01/1980');
});

test('a date with a label of its own is not taken for another field', () => {
  const fields = labelledFields([line('Card Expires', 0.4, 0.2), line('Resident Since: 08/12/07', 0.4, 0.24)]);
  assert.deepEqual(fields, []);
});
