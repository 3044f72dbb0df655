import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildMrz, type DocumentReading, parseMrz } from '@grove/vision';
import { judgeAuthenticity } from './judge-authenticity.ts';

type Signals = DocumentReading['authenticity'];

const signal = (name: Signals[number]['name'], value: number, bound: number, isSign = false) => ({
  name,
  value,
  bound,
  isSign,
});
const QUIET: Signals = [signal('ownColour', 9, 2.5), signal('gridPeak', 1, 4.6), signal('sensorNoise', 0.5, 0.12)];

function zoneOf(
  issuer: string,
  nationality = issuer,
  names: { surname?: string; givenNames?: string } = {},
): NonNullable<DocumentReading['mrz']> {
  const content = {
    documentCode: 'P',
    issuer,
    nationality,
    documentNumber: 'L898902C3',
    sex: 'F',
    surname: 'ERIKSSON',
    givenNames: 'ANNA',
    birthDate: '740812',
    expiryDate: '320415',
    ...names,
  };
  const parsed = parseMrz(buildMrz('TD3', content as never));
  assert.ok(parsed);
  return { ...parsed, repairs: [], confidence: 0.9, quads: [], models: [] };
}

function readingOf(authenticity: Signals, more: Partial<DocumentReading> = {}): DocumentReading {
  const portrait = { jpeg: new Uint8Array(), box: { x: 0, y: 0, width: 9, height: 9 } };
  const quality = { reasons: [] };
  return { type: 'passport', quality, checks: [], authenticity, mrz: zoneOf('D'), portrait, ...more };
}

function verdictOf(front: DocumentReading, request: { allowSpecimens?: boolean } = {}, back?: DocumentReading): string {
  const { status, reason } = judgeAuthenticity({ front, ...(back && { back }) }, request);
  return `${status} ${reason}`;
}

describe('the authenticity of a document', () => {
  it('the authenticity of a document is at best no_signs_found, which names the levels it counts for and what was not assessed', () => {
    const check = judgeAuthenticity({ front: readingOf(QUIET) }, {});
    assert.deepEqual([check.status, check.reason], ['PASSED', 'no_signs_found']);
    assert.deepEqual(check.metaData?.countsFor, ['basic']);
    assert.deepEqual(check.metaData?.signals, { front: QUIET });
    assert.match(JSON.stringify(check.metaData?.notAssessed), /holograms/);
  });

  it('the authenticity of a document fails for a copy without colour, but not for a back without colour', () => {
    const grey = [signal('ownColour', 1, 2.5, true), ...QUIET.slice(1)];
    assert.equal(verdictOf(readingOf(grey)), 'FAILED photocopy');
    assert.equal(verdictOf(readingOf(QUIET), {}, readingOf(grey)), 'PASSED no_signs_found');
  });

  it('the authenticity of a document goes to a human if either side shows a grid, no noise, or a portrait of another origin', () => {
    assert.equal(verdictOf(readingOf([signal('gridPeak', 6, 4.6, true)])), 'REVIEW screen_or_print');
    assert.equal(
      verdictOf(readingOf(QUIET), {}, readingOf([signal('gridPeak', 6, 4.6, true)])),
      'REVIEW screen_or_print',
    );
    assert.equal(verdictOf(readingOf([signal('sensorNoise', 0, 0.12, true)])), 'REVIEW no_sensor_noise');
    const edges = signal('portraitEdges', 60, 36.5, true);
    const licence = (signals: Signals) => {
      const { mrz: _, ...rest } = readingOf(signals);
      return rest;
    };
    assert.equal(verdictOf(licence([...QUIET, edges])), 'PASSED no_signs_found');
    const frame = signal('portraitFrame', 0.95, 0.86, true);
    assert.equal(verdictOf(readingOf([...QUIET, frame])), 'REVIEW pasted_portrait');
    assert.equal(verdictOf(licence([...QUIET, frame])), 'PASSED no_signs_found');
    const hard = signal('portraitEdges', 81, 36.5, true);
    assert.equal(verdictOf(licence([...QUIET, hard])), 'REVIEW pasted_portrait');
    assert.equal(
      verdictOf(licence([...QUIET, edges, signal('portraitNoise', 0.9, 0.5, true)])),
      'REVIEW pasted_portrait',
    );
    assert.equal(verdictOf(readingOf([...QUIET, signal('cutBorder', 0.3, 0.08, true)])), 'REVIEW edited_picture');
    assert.equal(verdictOf(readingOf([...QUIET, signal('portraitSave', 200, 10, true)])), 'REVIEW edited_picture');
    assert.equal(
      verdictOf(readingOf([...QUIET, signal('portraitSharpness', 0.06, 0.05, true)])),
      'REVIEW edited_picture',
    );
    assert.equal(verdictOf(readingOf([...QUIET, signal('zoneStrokes', 0.4, 0.26, true)])), 'REVIEW zone_overwritten');
    assert.equal(verdictOf(readingOf([...QUIET, signal('zoneColour', 0.3, 0.13, true)])), 'REVIEW zone_overwritten');
    assert.equal(verdictOf(readingOf([...QUIET, signal('zoneCopies', 0.06, 0.1, true)])), 'REVIEW edited_picture');
    assert.equal(verdictOf(readingOf([...QUIET, signal('zoneSave', 40, 8, true)])), 'REVIEW edited_picture');
    assert.equal(verdictOf(readingOf([...QUIET, signal('gridShared', 4, 3.6, true)])), 'REVIEW screen_or_print');
    assert.equal(verdictOf(readingOf([...QUIET, signal('colourBands', 4, 2.5, true)])), 'REVIEW screen_or_print');
  });

  it('the authenticity of a document goes to a human if the portrait beside a zone has harder edges than print has', () => {
    assert.equal(verdictOf(readingOf([...QUIET, signal('portraitEdges', 36, 36.5)])), 'PASSED no_signs_found');
    const withFrame = (edges: number, frame: number): Signals => [
      ...QUIET,
      signal('portraitEdges', edges, 36.5, edges >= 36.5),
      signal('portraitFrame', frame, 0.867, frame >= 0.867),
    ];
    assert.equal(verdictOf(readingOf(withFrame(37, 0.81))), 'REVIEW pasted_portrait');
    assert.equal(verdictOf(readingOf(withFrame(81, 0.5))), 'REVIEW pasted_portrait');
    // Printed portraits with hard edges, whose backdrop is in places as bright as the page.
    assert.equal(verdictOf(readingOf(withFrame(64.5, 0.578)), {}), 'PASSED no_signs_found');
    // Values measured on the portraits of genuine passports of Australia, Estonia, Croatia and Poland.
    assert.equal(verdictOf(readingOf(withFrame(48.3, 0.763)), {}), 'PASSED no_signs_found');
    assert.equal(verdictOf(readingOf(withFrame(32.4, 0.864)), {}), 'PASSED no_signs_found');
    assert.equal(verdictOf(readingOf(withFrame(40.9, 0.74)), {}), 'PASSED no_signs_found');
    assert.equal(verdictOf(readingOf(withFrame(42.5, 0.71)), {}), 'PASSED no_signs_found');
  });

  it('the authenticity of a document treats a weaker grid as a screen beside the zone of a passport, but not on a visa or a licence', () => {
    const grid = [signal('ownColour', 9, 2.3), signal('gridPeak', 4.2, 4.7), signal('portraitNoise', 0.1, 0.5)];
    assert.equal(verdictOf(readingOf(grid)), 'REVIEW screen_or_print');
    assert.equal(verdictOf(readingOf(grid, { mrz: { ...zoneOf('D'), format: 'MRVA' } })), 'PASSED no_signs_found');
    const { mrz: _, ...licence } = readingOf(grid);
    assert.equal(verdictOf(licence), 'PASSED no_signs_found');
    assert.equal(verdictOf(readingOf([signal('gridPeak', 3.9, 4.7)])), 'PASSED no_signs_found');
  });

  it('the authenticity of a document goes to a human if the portrait of a card has edges on all sides, and the zone is on the other side', () => {
    const back = (issuer: string) => readingOf(QUIET, { mrz: { ...zoneOf(issuer), format: 'TD1' } });
    const front = (edges: number, frame: number) => {
      const { mrz: _, ...rest } = readingOf([
        ...QUIET,
        signal('portraitEdges', edges, 36.5, edges >= 36.5),
        signal('portraitFrame', frame, 0.867, frame >= 0.867),
      ]);
      return rest;
    };
    assert.equal(verdictOf(front(24.3, 0.87), {}, back('PER')), 'REVIEW pasted_portrait');
    assert.equal(verdictOf(front(41, 0.8), {}, back('SWE')), 'REVIEW pasted_portrait');
    // Genuine documents: faint lines on all sides, and a card whose issuer prints a frame.
    assert.equal(verdictOf(front(15.6, 0.97), { allowSpecimens: true }, back('UTO')), 'PASSED no_signs_found');
    assert.equal(verdictOf(front(33.7, 0.98), {}, back('D')), 'PASSED no_signs_found');
    // A document without a zone on either side is a licence.
    assert.equal(verdictOf(front(24.3, 0.87)), 'PASSED no_signs_found');
  });

  it('the authenticity of a document considers which documents with a zone have portraits with hard edges', () => {
    const signals = (edges: number): Signals => [
      ...QUIET,
      signal('portraitEdges', edges, 36.5, true),
      signal('portraitFrame', 0.81, 0.867),
    ];
    const framed = [
      zoneOf('UKR'),
      zoneOf('CZE'),
      zoneOf('EST'),
      zoneOf('FRA'),
      { ...zoneOf('USA'), format: 'MRVA' as const },
    ];
    for (const mrz of framed) {
      assert.equal(verdictOf(readingOf(signals(55), { mrz })), 'PASSED no_signs_found', mrz.fields.issuer);
      assert.equal(verdictOf(readingOf(signals(81), { mrz })), 'REVIEW pasted_portrait', mrz.fields.issuer);
    }
    assert.equal(verdictOf(readingOf(signals(55), { mrz: zoneOf('LVA') })), 'REVIEW pasted_portrait');
  });

  it('the authenticity of a document goes to a human if several weak signs come together, each below its bound', () => {
    const weak = (edges: number, noise: number, grid: number) => [
      signal('portraitEdges', edges, 36.5),
      signal('portraitNoise', noise, 0.5),
      signal('gridPeak', grid, 4.6),
    ];
    const { mrz: _, ...licence } = readingOf(weak(35.5, 0.49, 4.4));
    assert.equal(verdictOf(licence), 'REVIEW several_weak_signs');
    assert.equal(verdictOf({ ...licence, authenticity: weak(34, 0.1, 3) }), 'PASSED no_signs_found');
    // Values measured on a genuine passport of Croatia, whose paper has a fine pattern.
    assert.equal(verdictOf(readingOf(weak(34.8, 0.72, 3.8))), 'PASSED no_signs_found');
  });

  it('the authenticity of a document fails for an invented state, unless the tenant allows specimens', () => {
    for (const issuer of ['UTO', 'XXX', 'ZZZ', 'AAB', 'QQQ']) {
      assert.equal(verdictOf(readingOf(QUIET, { mrz: zoneOf(issuer) })), 'FAILED specimen', issuer);
    }
    assert.equal(verdictOf(readingOf(QUIET, { mrz: zoneOf('D', 'UTO') })), 'FAILED specimen');
    const utopian = readingOf(QUIET, { mrz: zoneOf('UTO') });
    const check = judgeAuthenticity({ front: utopian }, { allowSpecimens: true });
    assert.deepEqual([check.status, check.metaData?.specimen], ['PASSED', true]);
    // A stateless person has a passport of the state of residence.
    assert.equal(verdictOf(readingOf(QUIET, { mrz: zoneOf('D', 'XXA') })), 'PASSED no_signs_found');
    const text = { text: 'SPECIMEN', confidence: 1, x: 0, y: 0, width: 1, height: 1 };
    const printed = readingOf(QUIET, { visual: { lines: [text], fields: [], models: [] } });
    assert.equal(verdictOf(printed), 'FAILED specimen');
  });

  it('the authenticity of a document fails for a specimen that only the names in its zone reveal', () => {
    const verdictForNames = (names: { surname?: string; givenNames?: string }) =>
      verdictOf(readingOf(QUIET, { mrz: zoneOf('D', 'D', names) }));
    assert.equal(verdictForNames({ surname: 'MUSTERMANN', givenNames: 'ERIKA' }), 'FAILED specimen');
    assert.equal(verdictForNames({ surname: 'UK SPECIMEN', givenNames: 'ANGELA ZOE' }), 'FAILED specimen');
    assert.equal(verdictForNames({ surname: 'ZHENGJIAN', givenNames: 'YANGBEN' }), 'FAILED specimen');
    assert.equal(verdictForNames({ surname: 'MUSTER', givenNames: 'SAM' }), 'PASSED no_signs_found');
  });

  it('the authenticity of a document goes to a human if no side shows a portrait', () => {
    const { portrait: _, ...bare } = readingOf(QUIET);
    assert.equal(verdictOf(bare), 'REVIEW no_face_on_document');
    assert.equal(verdictOf(readingOf(QUIET), {}, bare), 'PASSED no_signs_found');
  });

  it('the authenticity of a document is not performed if nothing was measured', () => {
    assert.equal(verdictOf(readingOf([])), 'NOT_PERFORMED nothing_to_measure');
  });
});
