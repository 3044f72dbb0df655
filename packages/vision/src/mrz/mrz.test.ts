import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHARACTERS } from './alphabet.ts';
import { buildMrz, type MrzContent } from './build-mrz.ts';
import { checkDigit } from './check-digit.ts';
import { decodeLine } from './decode-line.ts';
import { decodeBest, isNoDate, isSettled, MIN_MERIT } from './decode-zone.ts';
import { type MrzReading, NONE, WIDTH } from './fold.ts';
import { FORMATS, kindsOf } from './formats.ts';
import { parseMrz } from './parse-mrz.ts';
import { repairLines } from './repair.ts';
import { STATES } from './states.ts';

const ERIKSSON: MrzContent = {
  documentCode: 'P',
  issuer: 'UTO',
  documentNumber: 'L898902C3',
  nationality: 'UTO',
  birthDate: '740812',
  sex: 'F',
  expiryDate: '120415',
  surname: 'Eriksson',
  givenNames: 'Anna Maria',
  optional: 'ZE184226B',
};
const PASSPORT = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'];

/** The reading of a perfect reader: one step per character, «none» between; `blur` gives another character a share. */
function readingOf(text: string, blur: Readonly<Record<number, readonly [string, number]>> = {}): MrzReading {
  const steps = text.length * 2;
  const logs = new Float32Array(steps * WIDTH).fill(Math.log(1e-5));
  [...text].forEach((character, i) => {
    const other = blur[i];
    logs[i * 2 * WIDTH + CHARACTERS.indexOf(character)] = Math.log(other ? 1 - other[1] : 0.999);
    if (other) logs[i * 2 * WIDTH + CHARACTERS.indexOf(other[0])] = Math.log(other[1]);
    logs[(i * 2 + 1) * WIDTH + NONE] = Math.log(0.999);
  });
  return { steps, logs, foreign: 0 };
}

function decode(
  lines: readonly string[],
  blur: Readonly<Record<number, readonly [string, number]>>,
): ReturnType<typeof repairLines> {
  const decoded = lines.map((line, i) => decodeLine(readingOf(line, i === 1 ? blur : {}), kindsOf(FORMATS.TD3, i)));
  return repairLines(FORMATS.TD3, decoded);
}

test('check digits are those that ICAO 9303 gives as examples', () => {
  assert.equal(checkDigit('520727'), '3');
  assert.equal(checkDigit('AB2134<<<'), '5');
  assert.equal(checkDigit('L898902C3'), '6');
  assert.equal(checkDigit('HA672242<658022549601086<<<<<<<<<<<<<<0'), '8');
});

test('the zone of a passport is written as in ICAO 9303 part 4', () => {
  assert.deepEqual(buildMrz('TD3', ERIKSSON), PASSPORT);
});

test('a written zone is parsed in every format, with every check digit right', () => {
  for (const format of ['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB'] as const) {
    const documentCode = format.startsWith('MRV') ? 'V' : format === 'TD3' ? 'P' : 'I';
    const { optional: _, ...content } = { ...ERIKSSON, documentCode };
    const parsed = parseMrz(buildMrz(format, content));
    assert.equal(parsed?.format, format);
    assert.equal(parsed.valid, true);
    assert.deepEqual(
      { ...parsed.fields, optional: undefined, optional2: undefined },
      { ...content, surname: 'ERIKSSON', givenNames: 'ANNA MARIA', optional: undefined, optional2: undefined },
    );
  }
});

test('a wrong check digit is named', () => {
  const lines = [PASSPORT[0] as string, (PASSPORT[1] as string).replace('7408122', '7408123')];
  const failed = parseMrz(lines)?.checks.filter(({ passed }) => !passed);
  assert.deepEqual(
    failed?.map(({ name }) => name),
    ['birthDate', 'composite'],
  );
});

test('a document number of more than nine characters is read from the optional data', () => {
  const number = 'D23145890734';
  const line = `I<UTO${number.slice(0, 9)}<${number.slice(9)}${checkDigit(number)}`.padEnd(30, '<');
  const parsed = parseMrz([line, '7408122F1204159UTO<<<<<<<<<<<6', 'ERIKSSON<<ANNA<MARIA<<<<<<<<<<']);
  assert.equal(parsed?.fields.documentNumber, number);
  assert.equal(parsed.checks.find(({ name }) => name === 'documentNumber')?.passed, true);
});

test('the French identity card of 1988 is read in its own order', () => {
  const parsed = parseMrz(['IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<', '9409923102854CORINNE<<<<<<<6512068F4']);
  assert.equal(parsed?.format, 'IDFRA');
  assert.deepEqual(
    [parsed.fields.surname, parsed.fields.givenNames, parsed.fields.birthDate, parsed.fields.documentNumber],
    ['BERTHIER', 'CORINNE', '651206', '940992310285'],
  );
  assert.equal(parsed.checks.filter(({ passed }) => passed).length >= 2, true);
});

test('lines that are no zone are refused', () => {
  assert.equal(parseMrz(['HELLO', 'WORLD']), undefined);
  assert.equal(parseMrz([(PASSPORT[0] as string).toLowerCase(), PASSPORT[1] as string]), undefined);
});

test('letters are read at positions of letters, and digits at those of digits', () => {
  const seen = ['P<UT0ERIKSS0N<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UT07408I22F1204159ZE184226B<<<<<10'];
  const { lines } = decode(seen, {});
  assert.equal(lines[1]?.slice(13, 19), '740812');
});

test('a repair tells whether a digit of the number became another digit, or one elsewhere', () => {
  const wrong = (position: number, digit: string) => {
    const line = PASSPORT[1] as string;
    return [PASSPORT[0] as string, `${line.slice(0, position)}${digit}${line.slice(position + 1)}`];
  };
  const repairsOf = (position: number, digit: string, right: string) =>
    decode(wrong(position, digit), { [position]: [right, 0.4] }).repairs.map(({ position: at, isNumberDigit }) => [
      at,
      isNumberDigit,
    ]);
  assert.deepEqual(repairsOf(3, '5', '8'), [[3, true]]);
  assert.deepEqual(repairsOf(9, '5', '6'), [[9, true]]);
  assert.deepEqual(repairsOf(14, '9', '4'), [[14, false]]);
});

test('an uncertain character is repaired by its check digit', () => {
  // The 8 at the third place is read as a B with a doubt.
  const seen = (PASSPORT[1] as string).replace('L898', 'L89B');
  const { lines, repairs } = decode([PASSPORT[0] as string, seen], { 3: ['8', 0.2] });
  assert.deepEqual(lines, PASSPORT);
  const [{ confidence, ...repair } = { confidence: 1 }, ...others] = repairs;
  const expected = { line: 1, position: 3, from: 'B', to: '8', checked: true, isNumberDigit: false };
  assert.deepEqual([repair, others], [expected, []]);
  assert.ok(confidence > 0.2 && confidence < 0.3, `${confidence}`);
});

test('a check digit that is wrong in print stays wrong', () => {
  const forged = (PASSPORT[1] as string).replace('7408122', '7408222');
  const { lines } = decode([PASSPORT[0] as string, forged], {});
  assert.equal(lines[1], forged);
});

test('an impossible date is distinguished from an incomplete one', () => {
  for (const date of ['380011', '301319', '300132', '741300']) assert.ok(isNoDate(date), date);
  for (const date of ['300119', '741231', '740000', '000000', '740800', '74<<<<', '7408<<'])
    assert.ok(!isNoDate(date), date);
});

test('fillers that the reader merged are restored to the full length', () => {
  const reading = readingOf((PASSPORT[0] as string).slice(0, 36));
  const wide: MrzReading = {
    steps: reading.steps + 24,
    foreign: 0,
    logs: new Float32Array((reading.steps + 24) * WIDTH),
  };
  wide.logs.set(reading.logs);
  for (let step = reading.steps; step < wide.steps; step += 1) {
    wide.logs.fill(Math.log(1e-5), step * WIDTH, (step + 1) * WIDTH);
    wide.logs[step * WIDTH + CHARACTERS.indexOf('<')] = Math.log(0.7);
    wide.logs[step * WIDTH + NONE] = Math.log(0.3);
  }
  assert.equal(decodeLine(wide, kindsOf(FORMATS.TD3, 0)).text, PASSPORT[0]);
});

test('the states are the codes of ISO 3166-1 and the special ones of ICAO 9303, each once', () => {
  const special =
    'D<< EUE GBD GBN GBO GBP GBS IAO NTZ RKS UNA UNK UNO UTO XBA XCC XCE XCO XEC XIM XOM XPO XXA XXB XXC XXX';
  for (const code of [...special.split(' '), 'SXM', 'CUW', 'SSD', 'TLS']) assert.ok(STATES.has(code), code);
  const iso = [...STATES].filter((code) => !/^(D<<|EUE|GB[DNOPS]|IAO|NTZ|RKS|UN[AKO]|UTO|X..|ZAR)$/.test(code));
  assert.equal(iso.length, 249);
});

test('a passport is read again in lines of 36, for which the check digits of one with lost fillers hold, too', () => {
  const { optional: _, ...content } = ERIKSSON;
  const attemptOf = (documentCode: string) =>
    decodeBest(
      buildMrz('TD2', { ...content, documentCode }).map((line) => readingOf(line)),
      [],
    );
  const [passport, card] = [attemptOf('P'), attemptOf('I')];
  assert.deepEqual([passport?.finding.format, card?.finding.format], ['TD2', 'TD2']);
  assert.deepEqual([isSettled(passport), isSettled(card)], [false, true]);
  assert.ok((passport?.merit ?? 0) < (card?.merit ?? 0) - 0.4, 'a reading of 44 characters may be a little worse');
});

test('a badly read passport in lines of 36 still counts as a zone, so that it is read again', () => {
  const { optional: _, ...content } = ERIKSSON;
  const [first, second] = buildMrz('TD2', content) as [string, string];
  const wrong = (digit: string) => String((Number(digit) + 2) % 10);
  const changed = [...second].map((character, at) => ([9, 19, 27].includes(at) ? wrong(character) : character));
  const lines = [first, changed.join('').replace('UTO', 'QQQ')].map((line) => readingOf(line));
  const attempt = decodeBest(lines, []);
  assert.equal(attempt?.finding.format, 'TD2');
  assert.ok((attempt?.merit ?? 0) > MIN_MERIT);
});
