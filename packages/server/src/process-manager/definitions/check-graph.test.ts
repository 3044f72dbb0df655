import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDefinition } from './check-definition.ts';

const decide = { id: 'decide', type: 'decision' };
const consent = { id: 'consent', type: 'consent' };
const form = { id: 'ask', type: 'form', schema: { type: 'object', properties: { age: { type: 'integer' } } } };

const faultsOf = (...steps: readonly unknown[]) =>
  checkDefinition({ name: 'a-journey', steps }).faults.map(({ pointer, message }) => `${pointer} ${message}`);

describe('the paths through the steps', () => {
  it('the paths through the steps lead down, never back', () => {
    assert.deepEqual(faultsOf(consent, { ...form, next: 'consent' }, decide), [
      '/steps/1/next would go back to "consent": a definition has no loops',
    ]);
    assert.match(faultsOf({ ...consent, onFail: 'consent' }, decide)[0] ?? '', /^\/steps\/0\/onFail .*no loops$/);
    assert.match(
      faultsOf({ ...consent, next: 'decde' }, decide)[0] ?? '',
      /there is no step "decde"; did you mean decide\?/,
    );
  });

  it('the paths through the steps may end by onFail or at a decision, and nowhere else', () => {
    assert.deepEqual(faultsOf({ ...consent, onFail: 'end' }, decide), []);
    assert.match(faultsOf({ ...consent, next: 'end' }, decide)[0] ?? '', /^\/steps\/0\/next must be a step/);
  });

  it('the paths through the steps must have an end', () => {
    assert.match(faultsOf(consent, form)[0] ?? '', /^\/steps\/1 is the last step, and the journey has no end/);
    assert.match(faultsOf(consent, { ...decide, when: 'checks.consent.passed' })[0] ?? '', /^\/steps\/1\/when leaves/);
    const early = { id: 'early', type: 'decision', when: 'checks.consent.passed' };
    assert.deepEqual(faultsOf(consent, early, decide), []);
    // The journey can end at the decision, but the path around it has no end.
    assert.match(faultsOf({ ...consent, onFail: 'ask' }, decide, form)[0] ?? '', /^\/steps\/2 is the last step/);
  });

  it('the paths through the steps must reach every step', () => {
    assert.deepEqual(faultsOf(consent, decide, form), [
      '/steps/2 "decide" above ends the journey, so this step is never reached',
    ]);
    assert.deepEqual(faultsOf({ ...consent, next: 'decide' }, form, decide), [
      '/steps/1 "consent" above goes on elsewhere, so this step is never reached',
    ]);
    // Each of these is a path to the step: skipping, jumping, failing.
    assert.deepEqual(faultsOf({ ...consent, next: 'decide', when: 'params.x == "1"' }, form, decide), []);
    assert.deepEqual(faultsOf({ ...consent, next: 'decide', onFail: 'ask' }, form, decide), []);
    assert.deepEqual(faultsOf({ ...consent, onFail: 'ask' }, decide, form, { ...decide, id: 'other' }), []);
  });
});
