import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeApplicant, type ReadDocument } from './judge-applicant.ts';

type Texts = Readonly<Record<string, string>>;

function documentOf(mrz: Texts, print: Texts = {}, documentType = 'PASSPORT'): ReadDocument {
  const names = [...new Set([...Object.keys(mrz), ...Object.keys(print)])];
  const biographicData = names.map((fieldName) => ({
    fieldName,
    values: {
      ...(fieldName in mrz && { mrzValue: mrz[fieldName] }),
      ...(fieldName in print && { visualZoneValue: print[fieldName] }),
    },
  }));
  return { documentType, biographicData };
}

const ANNA = {
  'First Name': 'ANNA MARIA',
  'Last Name': 'ERIKSSON',
  'Date Of Birth': '1974-08-12',
  'Document Number': 'L898902C3',
  Nationality: 'UTO',
  'Issuing State': 'UTO',
};
const EXPECTED = { firstName: 'Anna', lastName: 'Eriksson', dateOfBirth: '1974-08-12' };

const verdict = (params: Texts, document: ReadDocument = documentOf(ANNA)) => {
  const check = judgeApplicant(params, document);
  return check && [check.status, check.reason].filter(Boolean).join(' ');
};

describe('the check applicantMatch', () => {
  it('the check applicantMatch is not made if the parameters contain no expected person', () => {
    for (const params of [{}, { email: 'a@example.com', _scenario: 'passed' }, { firstName: ' ', lastName: '' }]) {
      assert.equal(verdict(params), undefined);
    }
  });

  it('the check applicantMatch passes if every expected value agrees', () => {
    assert.equal(verdict(EXPECTED), 'PASSED');
    assert.equal(verdict({ lastName: 'eriksson' }), 'PASSED');
    assert.equal(
      verdict({ ...EXPECTED, documentNumber: 'L898902-C3', nationality: 'UTO', countryCode: 'UTO' }),
      'PASSED',
    );
  });

  it('the check applicantMatch fails for another birth date, whatever else agrees', () => {
    assert.equal(verdict({ ...EXPECTED, dateOfBirth: '2015-08-12' }), 'FAILED date_of_birth_differs');
    assert.equal(verdict({ dateOfBirth: '1974-08-13', documentNumber: 'L898902C3' }), 'FAILED date_of_birth_differs');
  });

  it('the check applicantMatch fails for another name', () => {
    assert.equal(verdict({ firstName: 'Ada', lastName: 'Byrne' }), 'FAILED name_differs');
    assert.equal(verdict({ ...EXPECTED, firstName: 'Ada', lastName: 'Byrne' }), 'FAILED name_differs');
    assert.equal(verdict({ firstName: 'Erik', lastName: 'Eriksson' }), 'FAILED first_name_differs');
    assert.equal(verdict({ firstName: 'Anna', lastName: 'Byrne' }), 'FAILED last_name_differs');
    assert.equal(verdict({ ...EXPECTED, firstName: 'Erik', dateOfBirth: '1975-01-01' }), 'FAILED first_name_differs');
  });

  it('the check applicantMatch goes to a human if one part differs and the birth date or the number agrees', () => {
    assert.equal(verdict({ ...EXPECTED, lastName: 'Byrne' }), 'REVIEW last_name_differs');
    assert.equal(verdict({ ...EXPECTED, firstName: 'Bob' }), 'REVIEW first_name_differs');
    assert.equal(verdict({ lastName: 'Byrne', documentNumber: 'L898902C3' }), 'REVIEW last_name_differs');
    assert.equal(verdict({ ...EXPECTED, documentNumber: 'X1' }), 'REVIEW document_number_differs');
    assert.equal(verdict({ ...EXPECTED, nationality: 'DEU' }), 'REVIEW nationality_differs');
    assert.equal(verdict({ lastName: 'Eriksson', documentNumber: 'X1' }), 'FAILED document_number_differs');
  });

  it('the check applicantMatch goes to a human if a value is similar', () => {
    assert.equal(verdict({ ...EXPECTED, lastName: 'Erikson' }), 'REVIEW last_name_similar');
    assert.equal(verdict({ ...EXPECTED, dateOfBirth: '1974-12-08' }), 'REVIEW date_of_birth_similar');
    assert.equal(verdict({ ...EXPECTED, documentNumber: 'L898902CE' }), 'REVIEW document_number_differs');
    assert.equal(verdict({ documentNumber: 'LB98902C3' }), 'REVIEW document_number_similar');
  });

  it('the check applicantMatch goes to a human if an expected value was not read, or cannot be compared', () => {
    const { 'Date Of Birth': _born, ...withoutDate } = ANNA;
    assert.equal(verdict(EXPECTED, documentOf(withoutDate)), 'REVIEW date_of_birth_not_compared');
    assert.equal(verdict({ ...EXPECTED, dateOfBirth: '12.8.74' }), 'REVIEW date_of_birth_not_compared');
    assert.equal(verdict({ ...EXPECTED, firstName: '山田' }), 'REVIEW first_name_not_compared');
    assert.equal(verdict(EXPECTED, documentOf({})), 'NOT_PERFORMED applicant_not_read');
    assert.equal(verdict(EXPECTED, {}), 'NOT_PERFORMED applicant_not_read');
  });

  it('the check applicantMatch reads the print if the document has no zone', () => {
    const licence = { 'Full Name': 'ANNA MARIA ERIKSSON', 'Date Of Birth': '12 AUG/AOÛT 74' };
    assert.equal(verdict(EXPECTED, documentOf({}, licence, 'DRIVERS_LICENSE')), 'PASSED');
    assert.equal(
      verdict(EXPECTED, documentOf({}, { ...licence, 'Date Of Birth': '13 AUG 1974' })),
      'FAILED date_of_birth_differs',
    );
  });

  it('the check applicantMatch prefers the zone to the print, and goes to a human if they differ', () => {
    const forged = { 'First Name': 'Ada', 'Last Name': 'Byrne', 'Date Of Birth': '2001-01-01' };
    const ada = { firstName: 'Ada', lastName: 'Byrne', dateOfBirth: '2001-01-01' };
    assert.equal(verdict(ada, documentOf(ANNA, forged)), 'FAILED date_of_birth_differs');
    assert.equal(verdict({ firstName: 'Ada', lastName: 'Byrne' }, documentOf(ANNA, forged)), 'REVIEW name_similar');
  });

  it('the check applicantMatch recognises by the type of the document a zone that is too short for the name', () => {
    const zone = { 'First Name': 'NILAVADHANA', 'Last Name': 'PAPANDROPOULOUS' };
    const params = { firstName: 'Nilavadhanananda', lastName: 'Papandropoulous' };
    assert.equal(verdict(params, documentOf({ ...zone, 'First Name': 'NILAVADHANANA' }, {}, 'ID_CARD')), 'PASSED');
    assert.notEqual(verdict(params, documentOf({ ...zone, 'First Name': 'NILAVADHANANA' })), 'PASSED');
  });

  it('the check applicantMatch compares states only by their codes', () => {
    const german = documentOf({ ...ANNA, Nationality: 'D' });
    assert.equal(verdict({ ...EXPECTED, nationality: 'DEU' }, german), 'PASSED');
    assert.equal(verdict({ ...EXPECTED, nationality: 'German' }, german), 'PASSED');
    assert.equal(verdict({ nationality: 'German' }, german), undefined);
    assert.equal(verdict({ nationality: 'UTO' }, german), 'REVIEW nationality_differs');
  });

  it('the check applicantMatch is not made if a state is the only expected value and agrees, because that identifies nobody', () => {
    assert.equal(
      verdict({ nationality: 'UTO', countryCode: 'UTO' }, documentOf({ ...ANNA, Nationality: 'UTO' })),
      undefined,
    );
  });

  it('the check applicantMatch names the field that differs, without personal data', () => {
    const check = judgeApplicant({ ...EXPECTED, lastName: 'Byrne', documentNumber: 'X1' }, documentOf(ANNA));
    assert.deepEqual(check?.metaData, {
      fields: { firstName: 'agrees', lastName: 'differs', dateOfBirth: 'agrees', documentNumber: 'differs' },
    });
    assert.equal(check?.status, 'FAILED');
    assert.doesNotMatch(JSON.stringify(check), /byrne|eriksson|anna|1974|L898/i);
  });
});
