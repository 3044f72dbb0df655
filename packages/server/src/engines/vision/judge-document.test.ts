import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildMrz, type DocumentReading, parseMrz } from '@grove/vision';
import { compareSides } from '@grove/vision/light';
import type { DocumentSides } from './document-sides.ts';
import { judgeDocument } from './judge-document.ts';
import { readBiographicData } from './read-biographic-data.ts';

const TODAY = '2026-11-15';
const PERSON = {
  documentCode: 'P',
  issuer: 'D',
  nationality: 'D',
  documentNumber: 'L898902C3',
  sex: 'F',
  birthDate: '740812',
  expiryDate: '320415',
  surname: 'ERIKSSON',
  givenNames: 'ANNA MARIA',
} as const;

function zoneOf(content: Partial<Record<keyof typeof PERSON, string>> = {}): NonNullable<DocumentReading['mrz']> {
  const lines = buildMrz('TD3', { ...PERSON, ...content } as never);
  const parsed = parseMrz(lines);
  assert.ok(parsed);
  return { ...parsed, repairs: [], confidence: 0.99, quads: [], models: [] };
}

const GENUINE: DocumentReading['authenticity'] = [
  { name: 'ownColour', value: 9, bound: 2.5, isSign: false },
  { name: 'gridPeak', value: 1, bound: 3, isSign: false },
];

function readingOf(more: Partial<DocumentReading> = {}): DocumentReading {
  const portrait = { jpeg: new Uint8Array(), box: { x: 0, y: 0, width: 9, height: 9 } };
  return {
    type: 'passport',
    quality: { reasons: [] },
    checks: [],
    authenticity: GENUINE,
    mrz: zoneOf(),
    portrait,
    ...more,
  };
}

function print(fields: Record<string, string>): NonNullable<DocumentReading['visual']> {
  const each = Object.entries(fields).map(([name, value]) => ({ name, label: name, value, confidence: 1 }));
  const lines = each.map(({ value: text }) => ({ text, confidence: 1, x: 0, y: 0, width: 1, height: 1 }));
  return { lines, fields: each as never, models: [] };
}

function judge(sides: DocumentSides, request: object = {}) {
  const readings = [sides.front, ...(sides.back ? [sides.back] : [])];
  const verdict = judgeDocument(sides, { accept: ['PASSPORT'], ...request }, compareSides(readings, TODAY));
  const words = verdict.checks.map(({ name, status, reason, advice }) => [
    name,
    [status, reason, advice].filter(Boolean).join(' '),
  ]);
  return { ...verdict, results: Object.fromEntries(words) as Record<string, string> };
}

const AGREEING = print({
  documentNumber: 'L898902C3',
  birthDate: '12 AUG 1974',
  surname: 'ERIKSSON',
  givenNames: 'ANNA MARIA',
  expiryDate: '15 APR 2032',
});
const WITHOUT_ZONE = (({ mrz: _mrz, ...rest }) => rest)(readingOf());

describe('the verdict on a document', () => {
  it('the verdict on a document is a pass for a passport whose print and zone agree', () => {
    const { checks, documentType, countryCode } = judge({ front: readingOf({ visual: AGREEING }) });
    assert.deepEqual([...new Set(checks.map(({ status }) => status))], ['PASSED']);
    assert.deepEqual([documentType, countryCode], ['PASSPORT', 'DEU']);
  });

  it('the verdict on a document is a single reason if another picture is needed', () => {
    const blurred = readingOf({ quality: { reasons: ['blurred', 'glare'] } });
    assert.deepEqual(judge({ front: blurred }).results, { documentQuality: 'FAILED blurred retry' });
    assert.deepEqual(judge({ front: readingOf(), back: blurred }).results, { documentQuality: 'FAILED blurred retry' });
    const { portrait: _portrait, ...bare } = WITHOUT_ZONE;
    assert.deepEqual(judge({ front: bare }).results, { documentQuality: 'FAILED wrong_side retry' });
  });

  it('the verdict on a document names what is wrong with each side, and goes on if the poor photographs are used anyway', () => {
    const blurred = readingOf({ visual: AGREEING, quality: { reasons: ['blurred'] } });
    const sides = { front: blurred, back: readingOf({ quality: { reasons: ['glare', 'too_dark'] } }) };
    const pictures = [
      { picture: 'front', reasons: ['blurred'] },
      { picture: 'back', reasons: ['glare', 'too_dark'] },
    ];
    assert.deepEqual(judge(sides).pictures, pictures);
    const anyway = judge(sides, { anyway: true });
    assert.deepEqual([anyway.pictures, anyway.documentType], [pictures, 'PASSPORT']);
    const { documentQuality, documentMrz } = anyway.results;
    assert.deepEqual([documentQuality, documentMrz], ['FAILED blurred retry', 'PASSED']);
  });

  it('the verdict on a document asks for another picture if light clips the paper of the zone, unless a sign is seen all the same', () => {
    const measures = { brightness: 254, glareShare: 0, sharpness: 0.1, side: 1200, zoneBrightness: 250 };
    const bright = readingOf({ visual: AGREEING, quality: { reasons: [], measures } });
    const usual = readingOf({
      visual: AGREEING,
      quality: { reasons: [], measures: { ...measures, zoneBrightness: 249 } },
    });
    assert.deepEqual(judge({ front: bright }).results, { documentQuality: 'FAILED glare retry' });
    assert.equal(judge({ front: usual }).results.documentQuality, 'PASSED');
    assert.equal(judge({ front: bright }, { anyway: true }).results.documentAuthenticity, 'PASSED no_signs_found');
    const edited = { ...bright, authenticity: [{ name: 'zoneSave', value: 9, bound: 8, isSign: true }] } as const;
    assert.equal(judge({ front: edited }).results.documentAuthenticity, 'REVIEW edited_picture final');
  });

  it('the verdict on a document reports an expired document at once, and goes to a human if print and zone differ', () => {
    const expired = judge({ front: readingOf({ mrz: zoneOf({ expiryDate: '200101' }) }) });
    assert.equal(expired.results.documentExpiry, 'FAILED expired retry');
    const visual = print({ documentNumber: 'X12345678', birthDate: '12 AUG 1974' });
    assert.equal(judge({ front: readingOf({ visual }) }).results.documentConsistency, 'REVIEW mrz_mismatch final');
  });

  it('the verdict on a document asks again if a check digit is wrong or a passport has no zone, and passes neither', () => {
    const [first = '', second = ''] = zoneOf().lines;
    const wrong = parseMrz([first, `${second.slice(0, 9)}${(Number(second[9]) + 1) % 10}${second.slice(10)}`]);
    assert.ok(wrong && !wrong.valid);
    const mrz = { ...wrong, repairs: [], confidence: 0.9, quads: [], models: [] };
    assert.equal(judge({ front: readingOf({ mrz }) }).results.documentMrz, 'FAILED check_digits retry');
    const unclear = { ...mrz, confidence: 0.4 };
    assert.equal(judge({ front: readingOf({ mrz: unclear }) }).results.documentMrz, 'FAILED mrz_check_digit retry');
    assert.equal(judge({ front: WITHOUT_ZONE }).results.documentMrz, 'FAILED mrz_missing retry');
  });

  it('the verdict on a document asks for the front if only the back of a card is shown, whatever was read there', () => {
    const { portrait: _, ...bare } = readingOf();
    const mrz = { ...zoneOf(), format: 'TD1' } as const;
    const back = { ...bare, mrz, visual: AGREEING };
    assert.deepEqual(judge({ front: back }).results, { documentQuality: 'FAILED wrong_side retry' });
    const { mrz: _zone, ...coded } = bare;
    const barcode = { text: '', licence: { elements: {} } as never, model: { name: '', version: '' } };
    assert.deepEqual(judge({ front: { ...coded, barcode } }).results, { documentQuality: 'FAILED wrong_side retry' });
    // A passport whose portrait is hidden is still the right side.
    assert.equal(judge({ front: bare }).results.documentAuthenticity, 'REVIEW no_face_on_document final');
  });

  it('the verdict on a document is not performed, and never passed, if a card has nothing that machines can read', () => {
    const card = { ...WITHOUT_ZONE, type: 'identityCard' } as const;
    const { results } = judge({ front: card }, { accept: ['ID_CARD'] });
    for (const name of ['documentMrz', 'documentExpiry', 'documentPlausibility', 'documentConsistency']) {
      assert.match(results[name] ?? '', /^NOT_PERFORMED /, name);
    }
  });

  it('the verdict on a document compares the zone of the back with the print of the front', () => {
    const front = { ...WITHOUT_ZONE, type: 'unknown', visual: AGREEING } as const;
    const back = readingOf({ type: 'identityCard' });
    const { results, documentType } = judge({ front, back }, { accept: ['ID_CARD'] });
    assert.equal(documentType, 'ID_CARD');
    assert.deepEqual([results.documentMrz, results.documentConsistency], ['PASSED', 'PASSED']);
  });

  it('the verdict on a document refuses types and states that the definition does not accept', () => {
    assert.equal(
      judge({ front: readingOf() }, { accept: ['ID_CARD'] }).results.documentType,
      'FAILED type_not_accepted retry',
    );
    const elsewhere = judge({ front: readingOf() }, { countries: ['FRA', 'ITA'] });
    assert.equal(elsewhere.results.documentCountry, 'FAILED country_not_accepted retry');
    assert.equal(judge({ front: readingOf() }, { countryCode: 'DEU' }).results.documentCountry, 'PASSED');
    assert.equal(
      judge({ front: WITHOUT_ZONE }, { countries: ['DEU'] }).results.documentCountry,
      'NOT_PERFORMED country_unknown final',
    );
  });

  it('the verdict on a document goes to a human if a character under a check digit was corrected against the reading', () => {
    const repair = { line: 1, position: 15, from: '3', to: '8', checked: true };
    const zoneStatus = (confidence: number, isNumberDigit: boolean) => {
      const mrz = { ...zoneOf(), repairs: [{ ...repair, confidence, isNumberDigit }] };
      return judge({ front: readingOf({ mrz }) }).results.documentMrz;
    };
    assert.equal(zoneStatus(0.1, false), 'REVIEW mrz_repaired final');
    assert.equal(zoneStatus(0.6, false), 'PASSED');
    assert.equal(zoneStatus(0.6, true), 'REVIEW mrz_repaired final');
    assert.equal(zoneStatus(0.97, true), 'PASSED');
  });

  it('the verdict on a document asks for another picture if a reflection hides two fields of a passport, and then goes to a human', () => {
    const hidden = print({ documentNumber: 'L898902C3', surname: 'ERIKSSON', expiryDate: '15 APR 2032' });
    const first = judge({ front: readingOf({ visual: hidden }) });
    assert.deepEqual(first.results, { documentQuality: 'FAILED fields_missing retry' });
    assert.deepEqual(first.pictures, [{ picture: 'front', reasons: ['fields_missing'] }]);
    const authenticity = [{ name: 'ownColour', value: 1, bound: 2.3, isSign: true } as const];
    const copy = judge({ front: readingOf({ visual: hidden, authenticity }) });
    assert.equal(copy.results.documentAuthenticity, 'FAILED photocopy retry', 'no better picture helps a copy');
    const { results, checks } = judge({ front: readingOf({ visual: hidden }) }, { anyway: true });
    assert.equal(results.documentConsistency, 'REVIEW fields_missing final');
    const missing = checks.find(({ name }) => name === 'documentConsistency')?.metaData?.missing;
    assert.deepEqual(missing, ['visual.birthDate.mrz', 'visual.givenNames.mrz']);
  });

  it('the verdict on a document passes if a passport prints its dates and only parts of them could be read', () => {
    const names = { documentNumber: 'L898902C3', surname: 'ERIKSSON', givenNames: 'ANNA MARIA' };
    const consistency = (dates: Record<string, string>) =>
      judge({ front: readingOf({ visual: print({ ...names, ...dates }) }) }, { anyway: true }).results
        .documentConsistency;
    assert.equal(consistency({ birthDate: 'AUG 1974', expiryDate: 'APR 2032' }), 'PASSED');
    assert.equal(consistency({ birthDate: '12', expiryDate: '2032' }), 'REVIEW fields_missing final');
    // A finger over the year of birth hides the age of the holder.
    assert.equal(consistency({ birthDate: '12 AUG', expiryDate: 'APR 2032' }), 'REVIEW fields_missing final');
  });

  it('the verdict on a document goes to a human if any field of the zone of a passport or a card is hidden in print', () => {
    const printed = {
      documentNumber: 'L898902C3',
      birthDate: '12 AUG 1974',
      expiryDate: '15 APR 2032',
      surname: 'ERIKSSON',
      givenNames: 'ANNA MARIA',
    };
    const consistency = (fields: Record<string, string>, format: 'TD3' | 'TD2' | 'TD1' | 'MRVA') =>
      judge({ front: readingOf({ visual: print(fields), mrz: { ...zoneOf(), format } }) }, { anyway: true }).results
        .documentConsistency;
    for (const format of ['TD3', 'TD2', 'TD1'] as const) {
      assert.equal(consistency(printed, format), 'PASSED');
      for (const name of Object.keys(printed) as (keyof typeof printed)[]) {
        const { [name]: _, ...others } = printed;
        assert.equal(consistency(others, format), 'REVIEW fields_missing final', `${name} of ${format}`);
      }
      const withoutYear = { ...printed, birthDate: '12 AUG' };
      assert.equal(consistency(withoutYear, format), 'REVIEW fields_missing final');
    }
    assert.equal(consistency({ surname: 'ERIKSSON' }, 'MRVA'), 'PASSED');
  });

  it('the verdict on a document asks for a sharper picture if blurred print does not show the fields of the zone, before it goes to a human', () => {
    const visual = print({ documentNumber: 'L898902C3', surname: 'ERIKSSON' });
    const measures = { brightness: 200, glareShare: 0, sharpness: 0.035, side: 1200 };
    const front = readingOf({ visual, quality: { reasons: [], measures } });
    const verdict = judge({ front });
    assert.deepEqual(verdict.results, { documentQuality: 'FAILED blurred retry' });
    assert.deepEqual(verdict.pictures, [{ picture: 'front', reasons: ['blurred'] }]);
    assert.equal(judge({ front }, { anyway: true }).results.documentConsistency, 'REVIEW fields_missing final');
    const sharp = readingOf({ visual, quality: { reasons: [], measures: { ...measures, sharpness: 0.05 } } });
    assert.deepEqual(judge({ front: sharp }).results, { documentQuality: 'FAILED fields_missing retry' });
    const agreeing = readingOf({ visual: AGREEING, quality: { reasons: [], measures } });
    assert.equal(judge({ front: agreeing }).results.documentConsistency, 'PASSED');
  });

  it('the verdict on a document passes if the holder has only one name, so that print need not show another', () => {
    const visual = print({
      documentNumber: 'L898902C3',
      birthDate: '12 AUG 1974',
      expiryDate: '15 APR 2032',
      surname: 'ERIKSSON',
    });
    const mrz = zoneOf({ givenNames: '' });
    assert.equal(judge({ front: readingOf({ visual, mrz }) }).results.documentConsistency, 'PASSED');
  });

  it('the verdict on a document takes type and country of a card without a zone from its template', () => {
    const template = { id: 'usa-ca-dl', country: 'USA', region: 'CA', type: 'drivingLicence' } as const;
    const front = { ...WITHOUT_ZONE, type: 'drivingLicence', visual: { ...print({}), template } } as const;
    const { documentType, countryCode } = judge({ front }, { accept: ['DRIVERS_LICENSE'] });
    assert.deepEqual([documentType, countryCode], ['DRIVERS_LICENSE', 'USA']);
  });

  it('the verdict on a document ignores dates that do not exist', () => {
    const old = judge({ front: readingOf({ mrz: zoneOf({ expiryDate: '600101' }) }) });
    assert.equal(old.results.documentPlausibility, 'FAILED implausible_dates final');
  });

  it('the verdict on a document separates the values of print, zone and barcode, and writes out the dates of zone and barcode', () => {
    const fields = readBiographicData([readingOf({ visual: AGREEING })], TODAY);
    const valuesOf = (name: string) => fields.find(({ fieldName }) => fieldName === name)?.values;
    assert.deepEqual(valuesOf('Date Of Birth'), { visualZoneValue: '12 AUG 1974', mrzValue: '1974-08-12' });
    assert.deepEqual(valuesOf('First Name'), { visualZoneValue: 'ANNA MARIA', mrzValue: 'ANNA MARIA' });
    assert.equal(valuesOf('Place Of Birth'), undefined);
  });
});
