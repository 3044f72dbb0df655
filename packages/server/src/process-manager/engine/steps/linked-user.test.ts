import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Step } from '../definition.ts';
import { NO_DATA, type State, type StepRecord } from '../state.ts';
import { isProven, isUnproven, linkedUser } from './linked-user.ts';
import { stepTypeOf, stepTypes } from './registry.ts';
import type { StepType } from './step-type.ts';

type EndedStep = { type: string; outcome: StepRecord['outcome']; userId?: string; store?: string };

/** A journey with these ended steps, which is now at a step of the store. */
function journeyOf(endedSteps: EndedStep[], params: Record<string, string> = {}) {
  const steps: Step[] = endedSteps.map(({ type, store = 'people' }, at) => ({
    id: `s${at}`,
    type,
    key: `k${at}`,
    store,
  }));
  const step: Step = { id: 'now', type: 'passkeyRegistration', store: 'people' };
  const forms = Object.fromEntries(
    endedSteps.flatMap(({ userId }, at) => (userId === undefined ? [] : [[`k${at}`, { userId }]])),
  );
  const done = Object.fromEntries(endedSteps.map(({ outcome }, at) => [`s${at}`, { outcome, attempts: 1 }]));
  const state: State = { flow: { status: 'ACTIVE', done }, data: { ...NO_DATA, forms }, params };
  return { step, steps: [...steps, step], state, typeOf: stepTypeOf };
}

describe('the user of a step of an identity store', () => {
  const added = (outcome: StepRecord['outcome'], userId?: string): EndedStep => ({
    type: 'addUser',
    outcome,
    ...(userId !== undefined && { userId }),
  });

  it('the user of a step of an identity store is the last one that an earlier step added or authenticated', () => {
    assert.deepEqual(linkedUser(journeyOf([added('PASSED', 'a')])), { userId: 'a' });
    const both = [added('PASSED', 'a'), { type: 'passkeyAuthentication', outcome: 'PASSED', userId: 'b' } as const];
    assert.deepEqual(linkedUser(journeyOf(both, { userId: 'c' })), { userId: 'b' });
  });

  it('the user of a step of an identity store is the one that the parameters name, if no step has a user', () => {
    assert.deepEqual(linkedUser(journeyOf([], { userId: 'c', userExtId: 'd' })), { userId: 'c' });
    assert.deepEqual(linkedUser(journeyOf([], { userExtId: 'd' })), { userExtId: 'd' });
    assert.deepEqual(linkedUser(journeyOf([added('SKIPPED')], { userExtId: 'd' })), { userExtId: 'd' });
    assert.equal(linkedUser(journeyOf([], { userId: '', userExtId: '' })), undefined);
    assert.equal(linkedUser(journeyOf([])), undefined);
  });

  it('the user of a step of an identity store is missing if a user could not be added, whatever the parameters say', () => {
    for (const outcome of ['FAILED', 'NOT_PERFORMED', 'REVIEW'] as const) {
      assert.equal(linkedUser(journeyOf([added(outcome)], { userExtId: 'd' })), undefined);
    }
  });

  it('the user of a step of an identity store is never one of another store, or one named in a form', () => {
    const elsewhere: EndedStep = { ...added('PASSED', 'a'), store: 'others' };
    assert.equal(linkedUser(journeyOf([elsewhere])), undefined);
    const form: EndedStep = { type: 'form', outcome: 'PASSED', userId: 'a' };
    assert.equal(linkedUser(journeyOf([form])), undefined);
    const failed: EndedStep = { type: 'passkeyAuthentication', outcome: 'FAILED', userId: 'a' };
    assert.equal(linkedUser(journeyOf([failed])), undefined);
  });
});

describe('the authentication of the end user of a journey', () => {
  const journeyWith = (...outcomes: StepRecord['outcome'][]) =>
    journeyOf(outcomes.map((outcome) => ({ type: 'totpAuthentication', outcome })));

  it('the authentication of the end user is not required if no step required it', () => {
    assert.equal(isUnproven(journeyWith()), false);
    assert.equal(isUnproven(journeyWith('SKIPPED')), false);
    assert.equal(isUnproven(journeyOf([{ type: 'faceAuthentication', outcome: 'FAILED', store: 'others' }])), false);
  });

  it('the authentication of the end user needs one step that has passed, and nothing less suffices', () => {
    assert.equal(isUnproven(journeyWith('PASSED')), false);
    assert.equal(isUnproven(journeyWith('FAILED', 'PASSED')), false);
    for (const outcome of ['FAILED', 'NOT_PERFORMED', 'REVIEW'] as const) {
      assert.equal(isUnproven(journeyWith(outcome)), true);
      assert.equal(isUnproven(journeyWith(outcome, 'SKIPPED')), true);
    }
  });
});

describe('every type of step in the registry', () => {
  const OUTCOMES = ['FAILED', 'NOT_PERFORMED', 'REVIEW'] as const;

  it('every type of step in the registry declares whether it authenticates the end user, if it uses an identity store', () => {
    const silent = [...stepTypes.values()].filter(
      ({ settings, proves }) => 'store' in settings !== (proves !== undefined),
    );
    assert.deepEqual(
      silent.map(({ type }) => type),
      [],
    );
    const proving = [...stepTypes.values()].filter(({ proves }) => proves);
    assert.deepEqual(
      proving.map(({ type }) => type).sort(),
      [...stepTypes.keys()].filter((type) => type.endsWith('Authentication')).sort(),
    );
  });

  it('every type of step in the registry that authenticates counts as a failed attempt unless it passed', () => {
    for (const { type, proves = false } of stepTypes.values()) {
      for (const outcome of OUTCOMES) assert.equal(isUnproven(journeyOf([{ type, outcome }])), proves, type);
      assert.equal(isUnproven(journeyOf([{ type, outcome: 'PASSED' }])), false, type);
      assert.equal(isProven(journeyOf([{ type, outcome: 'PASSED' }])), proves, type);
    }
  });

  it('every type of step in the registry that declares to authenticate prevents a registration after a failure, also a new type', () => {
    const appkey: StepType = { ...stepTypeOf('totpAuthentication'), type: 'appkeyAuthentication' };
    const typeOf = (type: string) => (type === appkey.type ? appkey : stepTypeOf(type));
    const journey = { ...journeyOf([{ type: appkey.type, outcome: 'FAILED' }]), typeOf };
    assert.equal(isUnproven(journey), true);
    assert.equal(isUnproven({ ...journey, typeOf: () => ({ ...appkey, proves: false }) }), false);
  });

  it('every type of step in the registry that links a user stores the user', () => {
    for (const { type, links } of stepTypes.values()) {
      const user = linkedUser(journeyOf([{ type, outcome: 'PASSED', userId: 'a' }]));
      assert.deepEqual(user, links ? { userId: 'a' } : undefined, type);
      const failed = linkedUser(journeyOf([{ type, outcome: 'FAILED' }], { userId: 'b' }));
      assert.deepEqual(failed, links === 'adds' ? undefined : { userId: 'b' }, type);
    }
  });

  it('every type of step in the registry that the engine executes declares how', () => {
    for (const { type, kind, act } of stepTypes.values()) assert.equal(kind === 'control', act !== undefined, type);
  });
});
