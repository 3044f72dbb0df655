import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { definitionOf } from '../../../test/engine.ts';
import { intervalOf, MEASURED } from '../../engines/vision/measured.ts';
import type { Flow } from '../engine/state.ts';
import { measuredTable } from './measured-table.ts';
import { type AssessedCheck, showAssurance } from './show-assurance.ts';

const check = (name: string, more: Partial<AssessedCheck> = {}, metaData?: object): AssessedCheck => ({
  step: 'face',
  name,
  status: 'PASSED',
  reason: null,
  ...more,
  meta_data: metaData ? JSON.stringify(metaData) : null,
});
const answeredCheck = check('liveness', { reason: 'challenge_answered' }, { method: 'active', hints: [] });
const { definition } = definitionOf({ type: 'face', liveness: 'passive' }, { type: 'decision' });
const ACCEPTED: Flow = { status: 'COMPLETED_ENDED_SUCCESS', done: {}, decision: 'PASS' };

const show = (checks: readonly AssessedCheck[], flow = ACCEPTED, environment: 'live' | 'test' = 'live') =>
  showAssurance({ definition, flow, checks, environment });

describe('the assurance of a result', () => {
  it('the assurance of a result says that nothing was assessed if that is so', () => {
    const nothing = { assessed: false, countsFor: [], measured: [] };
    assert.deepEqual(show([]), {
      level: 'basic',
      decidedBy: 'machine',
      missing: [],
      simulated: false,
      presentationAttack: nothing,
      injection: nothing,
      documentAuthenticity: nothing,
      identityBinding: nothing,
      expectedPerson: nothing,
    });
  });

  it('the assurance of a result names the method, the reason of its result, and the measured error', () => {
    const { presentationAttack, injection, identityBinding } = show([answeredCheck, check('faceMatch')]);
    assert.equal(presentationAttack.method, 'challenge');
    assert.equal(presentationAttack.reason, 'challenge_answered');
    assert.deepEqual(
      presentationAttack.measured,
      MEASURED.challenge.map((each) => ({ ...each, ...intervalOf(each) })),
    );
    const [match] = MEASURED.faceMatch;
    assert.deepEqual(identityBinding.measured[0], match && { ...match, ...intervalOf(match) });
    assert.deepEqual(injection, {
      assessed: true,
      method: 'clientSignals',
      signs: [],
      countsFor: ['basic'],
      measured: [],
    });
    assert.deepEqual([identityBinding.method, identityBinding.countsFor], ['faceMatch', ['basic', 'substantial']]);
  });

  it('the assurance of a result quotes the errors of the face pack in use', () => {
    const [one, other] = ['GROVE_FACE_512_1', 'GROVE_FACE_INTEL_0095_1'].map(
      (algorithm) => show([check('faceMatch', {}, { algorithm })]).identityBinding.measured[0],
    );
    assert.deepEqual([one?.errors, other?.errors], [7, 3]);
  });

  it('the assurance of a result says that the best result for a document counts for basic and for no other level', () => {
    const { documentAuthenticity } = show([check('documentAuthenticity', { reason: 'no_signs_found' })]);
    assert.deepEqual(documentAuthenticity.countsFor, ['basic']);
    assert.deepEqual(show([check('documentAuthenticity', { status: 'REVIEW' })]).documentAuthenticity.countsFor, []);
  });

  it('the assurance of a result does not count a single picture, unless the definition does', () => {
    const passive = check('liveness', { status: 'NOT_PERFORMED', reason: 'no_attack_seen' }, { method: 'passive' });
    const { presentationAttack } = show([passive]);
    assert.deepEqual([presentationAttack.assessed, presentationAttack.countsFor], [true, []]);
    const lenient = definitionOf({ type: 'face', liveness: 'passive', passiveIsEnough: true }).definition;
    const assurance = showAssurance({ definition: lenient, flow: ACCEPTED, checks: [passive], environment: 'live' });
    assert.deepEqual(assurance.presentationAttack.countsFor, ['basic']);
  });

  it('the assurance of a result does not show as assessed what was not analysed', () => {
    const none = check('liveness', { status: 'NOT_PERFORMED', reason: 'engine_not_available' });
    const { presentationAttack, injection } = show([none]);
    assert.deepEqual([presentationAttack.assessed, presentationAttack.measured], [false, []]);
    assert.equal(injection.assessed, false);
  });

  it('the assurance of a result shows the weakest of several results, and the signs that were recorded', () => {
    const doubtful = check(
      'liveness',
      { step: 'second', status: 'REVIEW', reason: 'uncertain' },
      { method: 'active', hints: ['virtual_camera'] },
    );
    const { presentationAttack, injection } = show([answeredCheck, doubtful]);
    assert.deepEqual([presentationAttack.status, injection.signs], ['REVIEW', ['virtual_camera']]);
  });

  it('the assurance of a result says who decided, and that the sandbox analyses nothing', () => {
    assert.equal(show([], { ...ACCEPTED, reviewed: true }).decidedBy, 'human');
    assert.equal(show([], { status: 'ACTIVE', done: {} }).decidedBy, undefined);
    const inReview = show([], { status: 'REVIEW', done: {}, decision: 'REVIEW', gaps: ['second_factor_missing'] });
    assert.deepEqual([inReview.decidedBy, inReview.missing], [undefined, ['second_factor_missing']]);
    const simulated = show([answeredCheck], ACCEPTED, 'test');
    assert.deepEqual([simulated.simulated, simulated.presentationAttack.measured], [true, []]);
  });
});

describe('the measured errors', () => {
  it('the measured errors have the confidence interval of Wilson', () => {
    assert.deepEqual(intervalOf({ what: '', errors: 7, of: 14 }), { low: 0.267992, high: 0.732008 });
    assert.deepEqual(intervalOf({ what: '', errors: 0, of: 38 }), { low: 0, high: 0.09181 });
  });

  it('the measured errors are in docs/vision.md as results quote them', () => {
    const page = readFileSync(new URL('../../../../../docs/vision.md', import.meta.url), 'utf8');
    assert.ok(page.includes(`<!-- measured -->\n${measuredTable()}\n<!-- /measured -->`), 'run npm run generate');
  });
});
