import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AUTHENTICITY_BOUNDS } from '@grove/vision';
import { judgeDocument } from './judge-document.ts';
import { type SandboxDocument, sandboxAgreement, sandboxFields, sandboxSides } from './sandbox-document.ts';

const PASSPORT: SandboxDocument = {
  documentType: 'PASSPORT',
  countryCode: 'UTO',
  expired: false,
  faults: {},
  hasBack: false,
};

function judge(change: Partial<SandboxDocument>, request: object = {}) {
  const document = { ...PASSPORT, ...change };
  const accept = [document.documentType];
  return judgeDocument(
    sandboxSides(document),
    { accept, allowSpecimens: true, ...request },
    sandboxAgreement(document),
  );
}

const resultsOf = ({ checks }: ReturnType<typeof judge>) =>
  Object.fromEntries(checks.map(({ name, status, reason }) => [name, [status, reason].filter(Boolean).join(' ')]));

describe('the document of the sandbox', () => {
  it('the document of the sandbox passes every check of a live document of its type', () => {
    for (const documentType of ['PASSPORT', 'ID_CARD', 'DRIVERS_LICENSE', 'OTHER']) {
      const verdict = judge({ documentType, hasBack: true }, { countries: ['UTO'] });
      assert.deepEqual([...new Set(verdict.checks.map(({ status }) => status))], ['PASSED'], documentType);
      assert.deepEqual([verdict.documentType, verdict.countryCode], [documentType, 'UTO']);
      assert.ok('documentCountry' in resultsOf(verdict));
    }
    assert.ok('documentMrz' in resultsOf(judge({})));
    assert.ok('documentBarcode' in resultsOf(judge({ documentType: 'DRIVERS_LICENSE' })));
  });

  it('the document of the sandbox has every signal of a live document, with its bound, and none is a sign of an attack', () => {
    const signals = sandboxSides(PASSPORT).front.authenticity ?? [];
    assert.deepEqual(
      signals.map(({ name, bound }) => [name, bound]),
      Object.entries(AUTHENTICITY_BOUNDS).map(([name, { bound }]) => [name, bound]),
    );
    for (const { name, value = Number.NaN, bound, isSign } of signals) {
      const isBeyond = AUTHENTICITY_BOUNDS[name].sign === 'above' ? value > bound : value < bound;
      assert.deepEqual([isBeyond, isSign], [false, false], name);
    }
  });

  it('the document of the sandbox is judged like a live one: expired, of another state, or photographed badly', () => {
    assert.equal(resultsOf(judge({ expired: true })).documentExpiry, 'FAILED expired');
    assert.equal(resultsOf(judge({}, { countries: ['DEU'] })).documentCountry, 'FAILED country_not_accepted');
    const blurred = judge({ faults: { back: 'blurred' }, hasBack: true });
    assert.deepEqual(resultsOf(blurred), { documentQuality: 'FAILED blurred' });
    assert.deepEqual(blurred.pictures, [{ picture: 'back', reasons: ['blurred'] }]);
  });

  it('the document of the sandbox has the values of its print, and beside them those of a zone or a code', () => {
    const fields = { 'First Name': 'Zoë', 'Last Name': 'Müller', 'Date Of Birth': '1990-05-04', Authority: 'Dublin' };
    const values = (type: string, input: object = fields) =>
      sandboxFields({ ...input }, type).map((field) => field.values);
    assert.deepEqual(values('PASSPORT'), [
      { visualZoneValue: 'Zoë', mrzValue: 'ZOE' },
      { visualZoneValue: 'Müller', mrzValue: 'MUELLER' },
      { visualZoneValue: '04 MAY 1990', mrzValue: '1990-05-04' },
      { visualZoneValue: 'Dublin' },
    ]);
    assert.deepEqual(values('DRIVERS_LICENSE')[2], { visualZoneValue: '04 MAY 1990', barcodeValue: '1990-05-04' });
    // A zone has both names or none, and valid dates.
    assert.deepEqual(values('PASSPORT', { 'First Name': '小明', 'Last Name': 'Wang', 'Date Of Birth': '4.5.90' }), [
      { visualZoneValue: '小明' },
      { visualZoneValue: 'Wang' },
      { visualZoneValue: '4.5.90' },
    ]);
  });

  it('the document of the sandbox shows a limited number of fields, of limited length', () => {
    const many = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`Field ${at}`, 'x'.repeat(500)]));
    const fields = sandboxFields({ 'Document Number': { toString: 1 }, ...many }, 'PASSPORT');
    assert.equal(fields.length, 50);
    assert.ok(fields.every(({ values }) => (values.visualZoneValue ?? '').length <= 200));
  });
});
