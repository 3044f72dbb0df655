import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { definitionOf, NOW } from '../../../test/engine.ts';
import { journeys, moves } from '../../../test/random-journeys.ts';
import type { Step } from '../engine/definition.ts';
import type { Flow, StepRecord } from '../engine/state.ts';
import type { RecordedCheck } from './rejudge.ts';
import { recordedOutcome, replay } from './replay.ts';

const RUNS = 3000;

describe('a replay', () => {
  it('a replay with the same version has the recorded outcome, whatever happened', () => {
    let compared = 0;
    const property = fc.property(journeys, (journey) => {
      for (const { after } of moves(journey)) {
        const { definition } = journey;
        const past = { definition, flow: after.flow, checksOf: () => [] };
        // An instance that was never opened cannot be replayed.
        if (after.flow.status === 'PENDING') continue;
        compared += 1;
        assert.deepEqual(replay(definition, past, NOW), { outcome: recordedOutcome(past) });
      }
    });
    fc.assert(property, { numRuns: RUNS });
    assert.ok(compared > RUNS);
  });

  const document: Partial<Step> = {
    id: 'document',
    type: 'document',
    key: 'doc1',
    maxAttempts: 3,
    accept: ['PASSPORT'],
  };
  const selfie: Partial<Step> = { id: 'selfie', type: 'face', key: 'face1', liveness: 'passive', maxAttempts: 3 };
  const twice: Partial<Step> = { id: 'twice', type: 'duplicate', threshold: 0.6 };
  const decide: Partial<Step> = { id: 'decide', type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' };
  const passed: StepRecord = { outcome: 'PASSED', attempts: 1 };
  const endedFlow = (done: Record<string, StepRecord>, more: Partial<Flow> = {}): Flow => ({
    status: 'COMPLETED_ENDED_SUCCESS',
    decision: 'PASS',
    done: { ...done, decide: passed },
    ...more,
  });
  const run = (
    before: Partial<Step>[],
    after: Partial<Step>[],
    flow: Flow,
    checks: Record<string, readonly RecordedCheck[]> = {},
  ) => {
    const definition = definitionOf(...before);
    return replay(definitionOf(...after), { definition, flow, checksOf: (step) => checks[step] ?? [] }, NOW);
  };

  it('a replay shows whom a rule about steps would have sent to a human', () => {
    const rules = [{ when: 'checks.document.attempts > 1', outcome: 'REVIEW' }];
    const flow = endedFlow({ document: { outcome: 'PASSED', attempts: 2 } });
    assert.deepEqual(run([document, decide], [document, { ...decide, rules }], flow), { outcome: 'REVIEW' });
    const once = endedFlow({ document: passed });
    assert.deepEqual(run([document, decide], [document, { ...decide, rules }], once), { outcome: 'PASS' });
  });

  it('a replay does not know the result of a rule about personal data, unless the outcome does not depend on it', () => {
    const asks = [{ when: 'data.documents.doc1.countryCode == "DEU"', outcome: 'REVIEW' }];
    const flow = endedFlow({ document: passed });
    const { outcome, because } = run([document, decide], [document, { ...decide, rules: asks }], flow);
    assert.deepEqual([outcome, because], ['NOT_KNOWN', 'decide: a rule depends on personal data']);
    const same = [{ when: 'params.vip == "yes"', outcome: 'PASS' }];
    assert.deepEqual(run([document, decide], [document, { ...decide, rules: same }], flow), { outcome: 'PASS' });
  });

  it('a replay does not know the result of a new step, and does not need one that was removed', () => {
    const flow = endedFlow({ document: passed });
    assert.equal(run([document, decide], [document, selfie, decide], flow).outcome, 'NOT_KNOWN');
    const failed = endedFlow(
      { document: passed, selfie: { outcome: 'FAILED', attempts: 3, reason: 'not_live' } },
      { status: 'COMPLETED_ENDED_ERROR', decision: 'FAIL' },
    );
    assert.deepEqual(run([document, selfie, decide], [document, decide], failed), { outcome: 'PASS' });
  });

  it('a replay judges candidates by another threshold, down to the lowest stored score', () => {
    const flow = endedFlow({ twice: { outcome: 'REVIEW', attempts: 1 } }, { status: 'REVIEW', decision: 'REVIEW' });
    const candidates = [{ processInstanceId: 'x', score: 0.7 }];
    const check: RecordedCheck = { name: 'duplicate', status: 'REVIEW', score: 0.7, metaData: { candidates } };
    const higher = { ...twice, threshold: 0.8 };
    assert.deepEqual(run([twice, decide], [higher, decide], flow, { twice: [check] }), { outcome: 'PASS' });
    const none: RecordedCheck = { name: 'duplicate', status: 'PASSED', metaData: { candidates: [] } };
    const lower = { ...twice, threshold: 0.5 };
    const clean = endedFlow({ twice: passed });
    assert.equal(run([twice, decide], [lower, decide], clean, { twice: [none] }).outcome, 'NOT_KNOWN');
  });

  it('a replay judges a single picture again if the new version accepts one', () => {
    const record: StepRecord = {
      outcome: 'NOT_PERFORMED',
      attempts: 1,
      reason: 'no_attack_seen',
      checks: [{ name: 'liveness', status: 'NOT_PERFORMED', reason: 'no_attack_seen' }],
    };
    const flow = endedFlow({ selfie: record }, { reviewed: true });
    const liveness: RecordedCheck = { name: 'liveness', status: 'NOT_PERFORMED', reason: 'no_attack_seen' };
    const enough = { ...selfie, passiveIsEnough: true };
    const checks = { selfie: [{ name: 'faceQuality', status: 'PASSED' } as const, liveness] };
    assert.deepEqual(run([selfie, decide], [selfie, decide], flow, checks), { outcome: 'REVIEW' });
    assert.deepEqual(run([selfie, decide], [enough, decide], flow, checks), { outcome: 'PASS' });
  });

  it('a replay accepts a document that is also on a longer list of types, and does not know about a shorter list', () => {
    const flow = endedFlow({ document: passed });
    const longer = { ...document, accept: ['PASSPORT', 'ID_CARD'] };
    assert.deepEqual(run([document, decide], [longer, decide], flow), { outcome: 'PASS' });
    assert.equal(run([longer, decide], [document, decide], flow).outcome, 'NOT_KNOWN');
  });
});
