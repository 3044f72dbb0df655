import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_DATA, type State } from '../state.ts';
import { documentNumbersIn, emailsIn } from './listed-values.ts';

const stateOf = (data: object, params = {}) =>
  ({ flow: {}, data: { ...NO_DATA, ...data }, params }) as unknown as State;

describe('the values of a journey for watchlists', () => {
  it('the values of a journey for watchlists are the document number of every zone, each once', () => {
    const biographicData = [
      { fieldName: 'Document Number', values: { visualZoneValue: 'L8989', mrzValue: 'L8988', barcodeValue: 'L8989' } },
      { fieldName: 'First Name', values: { visualZoneValue: 'Ada' } },
    ];
    const state = stateOf({ documents: { doc1: { biographicData }, doc2: {} } });
    assert.deepEqual(documentNumbersIn(state, 'doc1'), ['L8989', 'L8988']);
    assert.deepEqual(documentNumbersIn(state, 'doc2'), []);
    assert.deepEqual(documentNumbersIn(state, 'constructor'), []);
  });

  it('the values of a journey for watchlists are the e-mail addresses of the instance and of forms', () => {
    const forms = { form1: { email: 'b@example.com' }, form2: { email: 7 }, form3: { email: ' ' } };
    assert.deepEqual(emailsIn(stateOf({ forms }, { email: 'a@example.com' })), ['a@example.com', 'b@example.com']);
    assert.deepEqual(emailsIn(stateOf({})), []);
  });
});
