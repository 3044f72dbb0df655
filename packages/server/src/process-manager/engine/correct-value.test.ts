import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definitionOf, passed, type Ride, ride, submit } from '../../../test/engine.ts';
import type { Check } from '../../kernel/check.ts';
import { MAX_VALUE_CORRECTIONS } from './correct-value.ts';
import type { Trigger } from './state.ts';

const PARAMS = { firstName: 'Ada', lastName: 'Byrne', dateOfBirth: '1990-01-31' };
const FIELDS = {
  'First Name': 'ADA',
  'Last Name': 'BYRNE',
  'Date Of Birth': '1999-01-31',
  'Date Of Expiry': '2035-01-01',
};
const DIFFERS: Check = {
  name: 'applicantMatch',
  type: 'document',
  status: 'FAILED',
  reason: 'date_of_birth_differs',
  advice: 'final',
};
const EXPIRY: Check = { name: 'documentExpiry', type: 'document', status: 'PASSED' };
const CHECKS = [DIFFERS, EXPIRY];
const decision = { type: 'decision', onAnyFailure: 'REVIEW', onUncertain: 'REVIEW' };
const document = { type: 'document', applicantMatch: true };

const correction = (change: Partial<Extract<Trigger, { type: 'correctValue' }>> = {}): Trigger => ({
  type: 'correctValue',
  document: 'doc1',
  fieldName: 'Date Of Birth',
  value: '1990-01-31',
  comment: 'misread',
  reviewer: 'Grace',
  checks: { document: CHECKS },
  ...change,
});

/** A journey with a misread document, so that a human has to decide. */
function inReview(...more: Parameters<typeof definitionOf>): Ride {
  const biographicData = Object.entries(FIELDS).map(([fieldName, text]) => ({
    fieldName,
    values: { visualZoneValue: text, mrzValue: text },
  }));
  const findings = { checks: CHECKS, data: { documents: { doc1: { documentType: 'PASSPORT', biographicData } } } };
  return ride(definitionOf(document, ...more, decision), PARAMS)
    .on(submit('document', {}, 'front'))
    .on({ type: 'findings', step: 'document', attempt: 1, findings });
}

describe('a value corrected by a reviewer', () => {
  it('a corrected value is compared in place of the read values, and a human still decides', () => {
    const before = inReview();
    assert.equal(before.state.flow.status, 'REVIEW');
    const { state, effects } = before.on(correction(), 1000);
    assert.deepEqual(
      [state.flow.status, state.flow.evaluation, state.flow.gaps],
      ['REVIEW', 'PASS', ['value_corrected']],
    );
    assert.equal(state.flow.done.document?.outcome, 'PASSED');
    const field = ((state.data.documents.doc1?.biographicData ?? []) as { fieldName: string }[])[2];
    assert.deepEqual(field, {
      fieldName: 'Date Of Birth',
      values: { visualZoneValue: '1999-01-31', mrzValue: '1999-01-31', correctedValue: '1990-01-31' },
    });
    const [note] = state.data.corrections ?? [];
    assert.deepEqual([note?.before, note?.value, note?.reviewer], ['1999-01-31', '1990-01-31', 'Grace']);
    const stored = effects.findLast((effect) => effect.type === 'checks');
    assert.equal(stored?.isFirst, false);
    assert.deepEqual(
      stored?.checks.map(({ name, status }) => [name, status]),
      [
        ['applicantMatch', 'PASSED'],
        ['documentExpiry', 'PASSED'],
      ],
    );
  });

  it('a corrected value starts a new round of verdicts', () => {
    const before = inReview();
    const after = before.on(correction(), 1000);
    assert.notEqual(after.state.flow.current?.enteredAt, before.state.flow.current?.enteredAt);
  });

  it('a corrected value that shows an expired document fails the check, and the case stays with the reviewer', () => {
    const expired = correction({ fieldName: 'Date Of Expiry', value: '2001-01-01' });
    const { flow } = inReview().on(expired).state;
    assert.deepEqual([flow.status, flow.evaluation], ['REVIEW', 'REVIEW']);
  });

  it('a corrected value does not end a journey that the definition would end, and the case shows that', () => {
    const findings = { checks: [EXPIRY], data: { documents: { doc1: { biographicData: [] } } } };
    const waiting = ride(
      definitionOf({ ...document, onFail: 'end', applicantMatch: false }, { type: 'review' }, decision),
    )
      .on(submit('document', {}, 'front'))
      .on({ type: 'findings', step: 'document', attempt: 1, findings });
    const { state, events } = waiting.on(
      correction({ fieldName: 'Date Of Expiry', value: '2001-01-01', checks: { document: [EXPIRY] } }),
    );
    assert.deepEqual(
      [state.flow.status, state.flow.current?.step, state.flow.evaluation],
      ['REVIEW', 'review', 'FAIL'],
    );
    assert.equal(events().includes('instance.completed'), false);
  });

  it('a corrected value makes a watchlist step search for the new number, and evaluates skipped steps again', () => {
    const list = { type: 'watchlist', name: 'stolen', by: 'documentNumber', document: 'doc1' };
    const minor = { type: 'consent', when: 'data.documents.doc1.age < 18' };
    const waiting = inReview(list, minor).on(passed('watchlist'));
    assert.equal(waiting.state.flow.done.consent?.outcome, 'SKIPPED');
    const after = waiting.on(correction({ fieldName: 'Document Number', value: 'L1234567' }));
    assert.deepEqual([after.state.flow.current?.phase, after.state.flow.current?.step], ['work', 'watchlist']);
    assert.equal(after.state.flow.current?.attempt, 2);
    const again = after.on(passed('watchlist', 2));
    assert.deepEqual([again.state.flow.status, again.state.flow.gaps], ['REVIEW', ['value_corrected']]);
  });

  it('a corrected value is refused if it matches no field, with the fault', () => {
    const faultsOf = (change: Parameters<typeof correction>[0]) =>
      inReview()
        .on(correction(change))
        .faults.map(({ pointer }) => pointer);
    assert.deepEqual(faultsOf({ value: '31.01.1990' }), ['/value']);
    assert.deepEqual(faultsOf({ value: '1990-02-31' }), ['/value']);
    assert.deepEqual(faultsOf({ value: '1999-01-31' }), ['/value']);
    assert.deepEqual(faultsOf({ fieldName: 'Shoe Size' }), ['/fieldName']);
    for (const key of ['decision', 'nothing', '__proto__'])
      assert.deepEqual(faultsOf({ document: key }), ['/document']);
    assert.equal(inReview().on(correction({ replaces: '1998-01-31' })).refusal, 'changed');
    assert.equal(inReview().on(correction({ replaces: '1999-01-31' })).refusal, undefined);
    assert.equal(ride(definitionOf(document, decision)).on(correction()).refusal, 'notInReview');
  });

  it('the corrected values of an instance are limited in number', () => {
    let journey = inReview();
    for (let at = 0; at < MAX_VALUE_CORRECTIONS; at++)
      journey = journey.on(correction({ value: `19${10 + at}-01-31` }));
    assert.equal(journey.refusal, undefined);
    assert.deepEqual(
      journey.on(correction()).faults.map(({ pointer }) => pointer),
      ['/value'],
    );
  });

  it('a corrected value is dropped when the end user photographs the document again', () => {
    const repeatedStep = inReview()
      .on(correction())
      .on({ type: 'askAgain', steps: ['document'] });
    assert.deepEqual([repeatedStep.state.flow.corrected, repeatedStep.state.flow.evaluation], [undefined, undefined]);
    assert.equal(repeatedStep.state.data.corrections?.length, 1, 'who did what stays');
  });
});

describe('a reopened journey', () => {
  const decided = () => inReview().on({ type: 'approve' });

  it('a reopened journey waits for a reviewer at the step that decided it, and is decided again', () => {
    const reopened = decided().on({ type: 'reopen' });
    const { flow } = reopened.state;
    assert.deepEqual([flow.status, flow.current?.step, flow.reviewed], ['REVIEW', 'decision', undefined]);
    const rejected = reopened.on({ type: 'reject' });
    assert.equal(rejected.state.flow.status, 'COMPLETED_ENDED_ERROR');
    assert.deepEqual(rejected.events().slice(-4), [
      'instance.reopened',
      'instance.review',
      'instance.rejected',
      'instance.completed',
    ]);
  });

  it('a reopened journey may have been decided by rules, or rejected by a review before the decision', () => {
    const machine = ride(definitionOf({ type: 'consent' }, decision)).on(submit('consent', { accepted: true }));
    assert.equal(machine.on({ type: 'reopen' }).state.flow.status, 'REVIEW');
    const steps = [{ type: 'review', onFail: 'end' }, decision];
    const rejected = ride(definitionOf(...steps)).on({ type: 'reject' });
    assert.equal(rejected.on({ type: 'reopen' }).state.flow.current?.step, 'review');
  });

  it('a journey that is under way, expired or cancelled cannot be reopened', () => {
    assert.equal(inReview().on({ type: 'reopen' }).refusal, 'notDecided');
    assert.equal(inReview().on({ type: 'cancel' }).on({ type: 'reopen' }).refusal, 'notDecided');
    const declined = ride(definitionOf({ type: 'consent' }, decision)).on(submit('consent', { accepted: false }));
    assert.equal(declined.on({ type: 'reopen' }).refusal, 'notDecided');
  });
});
