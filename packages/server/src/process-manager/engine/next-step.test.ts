import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHILD_ID, definitionOf, findingOf, passed, ride, submit } from '../../../test/engine.ts';
import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { triesLeft } from './judge-attempt.ts';
import { earlierAttempts } from './walk.ts';

const accepted = submit('consent', { accepted: true });
const decision = { type: 'decision' };
const selfie = { type: 'face', maxAttempts: 3 };

describe('a journey', () => {
  it('a journey is opened, runs its steps from the top and is decided', () => {
    const journey = ride(definitionOf({ type: 'consent' }, selfie, decision))
      .on(accepted)
      .on(submit('face', {}, 'image'))
      .on(passed('face'));
    assert.equal(journey.state.flow.status, 'COMPLETED_ENDED_SUCCESS');
    assert.equal(journey.state.flow.current, undefined);
    assert.deepEqual(journey.events(), [
      'instance.started',
      'instance.stepCompleted',
      'instance.stepCompleted',
      'instance.completed',
    ]);
    assert.deepEqual(journey.state.data.forms.consent, { accepted: true, textVersion: '1' });
  });

  it('a journey is opened once: opening it again changes nothing', () => {
    const opened = ride(definitionOf({ type: 'consent' }, decision));
    const again = opened.on({ type: 'open' });
    assert.equal(again.state, opened.state);
    assert.equal(again.effects.length, opened.effects.length);
  });

  it('a journey accepts no input once it has ended', () => {
    const journey = ride(definitionOf({ type: 'consent' }, decision)).on(accepted);
    for (const trigger of [accepted, { type: 'open' }, { type: 'expire' }, { type: 'approve' }] as const) {
      assert.equal(journey.on(trigger).refusal, 'ended');
    }
  });

  it('a journey refuses a step that is not the current one: a later, a finished or an unknown one', () => {
    const atFace = ride(definitionOf({ type: 'consent' }, selfie, decision)).on(accepted);
    for (const step of ['consent', 'decision', 'nothing', '__proto__', 'constructor']) {
      assert.equal(atFace.on(submit(step, { accepted: true })).refusal, 'notCurrent', step);
    }
  });

  it('a journey refuses an invalid result of a step and names each fault', () => {
    const opened = ride(definitionOf({ type: 'consent' }, decision));
    const attempt = opened.on(submit('consent', { accepted: 'yes', more: 1 }));
    assert.equal(attempt.refusal, 'badInput');
    assert.deepEqual(attempt.faults.map(({ pointer }) => pointer).sort(), ['', '/accepted']);
    const atFace = ride(definitionOf(selfie, decision)).on(submit('face'));
    assert.deepEqual(atFace.faults, [{ pointer: '/images/image', message: 'is required' }]);
  });

  it('a journey ends when the end user declines, unless the definition says how to continue', () => {
    const declined = submit('consent', { accepted: false });
    const journey = ride(definitionOf({ type: 'consent' }, selfie, decision)).on(declined);
    assert.equal(journey.state.flow.status, 'COMPLETED_ENDED_ERROR');
    assert.equal(journey.state.flow.done.consent?.reason, 'consent_declined');
    const elsewhere = definitionOf({ type: 'consent', onFail: 'review' }, selfie, { type: 'review' }, decision);
    assert.equal(ride(elsewhere).on(declined).state.flow.status, 'REVIEW');
  });

  it('a journey continues at the step that next names, and at the one below if the step was skipped', () => {
    const steps = [
      { type: 'consent', when: 'params.short == "yes"', next: 'decision' },
      selfie,
      { type: 'decision', onAnyFailure: 'FAIL' },
    ];
    const short = ride(definitionOf(...steps), { short: 'yes' }).on(accepted);
    assert.equal(short.state.flow.status, 'COMPLETED_ENDED_SUCCESS');
    const long = ride(definitionOf(...steps), { short: 'no' });
    assert.equal(long.state.flow.current?.step, 'face');
    assert.equal(long.state.flow.done.consent?.outcome, 'SKIPPED');
  });

  it('a journey ends with an error if a condition cannot be evaluated, and guesses nothing', () => {
    const journey = ride(definitionOf({ type: 'consent', when: 'params.nothing == "x"' }, decision));
    assert.equal(journey.state.flow.status, 'COMPLETED_PROCESS_ERROR');
    const rules = [{ when: 'params.nothing == "x"', outcome: 'PASS' }];
    const undecided = ride(definitionOf({ type: 'consent' }, { type: 'decision', rules })).on(accepted);
    assert.equal(undecided.state.flow.status, 'COMPLETED_PROCESS_ERROR');
  });
});

describe('an attempt at a step', () => {
  const definition = definitionOf(selfie, decision);
  const submission = submit('face', {}, 'image');

  it('an attempt with a correctable fault is requested again, with the reason, as often as the definition allows', () => {
    const first = ride(definition)
      .on(submission)
      .on(findingOf('face', 'FAILED', { advice: 'retry', reason: 'too_dark' }));
    assert.deepEqual(first.state.flow.current?.fault, { reason: 'too_dark', advice: 'retry' });
    assert.equal(first.state.flow.current?.attempt, 2);
    const last = first
      .on(submission)
      .on(findingOf('face', 'FAILED', { attempt: 2, advice: 'retry' }))
      .on(submission)
      .on(findingOf('face', 'FAILED', { attempt: 3, advice: 'retry' }));
    assert.deepEqual(last.state.flow.done.face, { outcome: 'FAILED', attempts: 3, reason: 'because' });
    assert.equal(last.state.flow.status, 'COMPLETED_ENDED_ERROR');
  });

  it('an attempt with a final fault ends the step at once', () => {
    const journey = ride(definition).on(submission).on(findingOf('face', 'FAILED'));
    assert.equal(journey.state.flow.done.face?.attempts, 1);
    assert.equal(journey.state.flow.status, 'COMPLETED_ENDED_ERROR');
  });

  it('an attempt accepts its findings once: those of another attempt, or the same again, are refused', () => {
    const atWork = ride(definition).on(submission);
    assert.equal(atWork.on(passed('face', 2)).refusal, 'notCurrent');
    const retried = atWork.on(findingOf('face', 'FAILED', { advice: 'retry' }));
    assert.equal(retried.on(passed('face', 1)).refusal, 'notCurrent');
    assert.equal(retried.on(submission).on(passed('face', 1)).refusal, 'notCurrent');
  });

  it('an attempt that image analysis cannot process ends the instance with an error, not with a failure', () => {
    const broken = ride(definition)
      .on(submission)
      .on({ type: 'broke', step: 'face', attempt: 1, reason: 'step_broke' });
    assert.equal(broken.state.flow.status, 'COMPLETED_PROCESS_ERROR');
  });

  it('an attempt without any finding has not passed', () => {
    const none = ride(definition)
      .on(submission)
      .on({ type: 'findings', step: 'face', attempt: 1, findings: { checks: [] } });
    assert.equal(none.state.flow.done.face?.outcome, 'NOT_PERFORMED');
    assert.equal(none.state.flow.status, 'REVIEW');
  });
});

describe('the decision of a journey', () => {
  const after = (status: 'FAILED' | 'REVIEW' | 'NOT_PERFORMED', step: object) =>
    ride(definitionOf({ type: 'face', maxAttempts: 1, liveness: 'none' }, { type: 'decision', ...step }))
      .on(submit('face', {}, 'image'))
      .on(findingOf('face', status)).state.flow.status;

  it('the decision of a journey fails on a failure unless the definition says otherwise', () => {
    assert.equal(after('FAILED', {}), 'COMPLETED_ENDED_ERROR');
    assert.equal(after('FAILED', { onAnyFailure: 'REVIEW' }), 'REVIEW');
    assert.equal(after('FAILED', { onAnyFailure: 'PASS' }), 'COMPLETED_ENDED_SUCCESS');
  });

  it('the decision of a journey never accepts a check that is for a human or not performed, unless the definition says so', () => {
    for (const status of ['REVIEW', 'NOT_PERFORMED'] as const) {
      assert.equal(after(status, {}), 'REVIEW');
      assert.equal(after(status, { onUncertain: 'FAIL' }), 'COMPLETED_ENDED_ERROR');
      assert.equal(after(status, { onUncertain: 'PASS' }), 'COMPLETED_ENDED_SUCCESS');
    }
  });

  it('the decision of a journey follows the first rule that holds', () => {
    const rules = [
      { when: 'checks.face.reason == "other"', outcome: 'PASS' },
      { when: 'checks.face.status == "FAILED" && checks.face.attempts == 1', outcome: 'REVIEW' },
      { when: 'true', outcome: 'PASS' },
    ];
    assert.equal(after('FAILED', { rules }), 'REVIEW');
    assert.equal(after('NOT_PERFORMED', { rules }), 'COMPLETED_ENDED_SUCCESS');
  });
});

describe('an end user who cannot do a step', () => {
  it('an end user who cannot do a step does not fail: the step is not performed, and a human decides', () => {
    const unable = ride(definitionOf(selfie, decision)).on({ type: 'unable', step: 'face' });
    assert.equal(unable.state.flow.done.face?.outcome, 'NOT_PERFORMED');
    assert.equal(unable.state.flow.status, 'REVIEW');
  });

  it('an end user who cannot do a step continues as the definition says, such as with a selfie without movements, and a human decides', () => {
    const still = { id: 'still', type: 'face', key: 'still', liveness: 'none', when: 'checks.face.reason == "unable"' };
    const atStill = ride(definitionOf({ ...selfie, liveness: 'active' }, still, decision)).on({
      type: 'unable',
      step: 'face',
    });
    assert.equal(atStill.state.flow.current?.step, 'still');
    const journey = atStill.on(submit('still', {}, 'image')).on(passed('still'));
    assert.deepEqual([journey.state.flow.done.still?.outcome, journey.state.flow.status], ['PASSED', 'REVIEW']);
  });
});

describe('the time-outs of a journey', () => {
  const definition = definitionOf({ type: 'consent', timeout: 'PT1H' }, selfie, decision);

  it('the time-out of a step ends the journey, and not earlier', () => {
    const waiting = ride(definition).on({ type: 'tick' }, HOUR - 1);
    assert.equal(waiting.state.flow.status, 'ACTIVE');
    assert.equal(waiting.on({ type: 'tick' }, 1).state.flow.status, 'COMPLETED_TERMINATED');
  });

  it('a time-out applies to late input, even if no job has ended the journey yet', () => {
    const late = ride(definition).on(accepted, HOUR);
    assert.equal(late.refusal, undefined);
    assert.equal(late.state.flow.status, 'COMPLETED_TERMINATED');
    assert.equal(late.state.data.forms.consent, undefined);
  });

  it('the time-out of a step begins again with each attempt', () => {
    const retried = ride(definitionOf({ ...selfie, timeout: 'PT1H' }, decision))
      .on(submit('face', {}, 'image'), 50 * MINUTE)
      .on(findingOf('face', 'FAILED', { advice: 'retry' }), MINUTE)
      .on({ type: 'tick' }, 50 * MINUTE);
    assert.equal(retried.state.flow.status, 'ACTIVE');
  });

  it('the time-out of the whole instance ends it in any state except in review, when nobody waits for the end user', () => {
    assert.equal(ride(definition).on({ type: 'expire' }).state.flow.status, 'COMPLETED_TERMINATED');
    const inReview = ride(definitionOf({ type: 'review' }, decision));
    assert.equal(inReview.on({ type: 'expire' }).state.flow.status, 'REVIEW');
  });

  it('the time-out ends a journey whose automatic check never answers', () => {
    const journey = ride(definitionOf(selfie, decision))
      .on(submit('face', {}, 'image'))
      .on({ type: 'tick' }, HOUR);
    assert.equal(journey.state.flow.status, 'COMPLETED_PROCESS_ERROR');
  });
});

describe('a pause of a journey', () => {
  it('a pause of a journey waits for the relying party, whose variables conditions can read', () => {
    const definition = definitionOf(
      { type: 'pause' },
      { type: 'consent', when: 'data.pauses.pause1.go == "yes"' },
      decision,
    );
    const paused = ride(definition);
    assert.equal(paused.state.flow.status, 'PAUSED');
    assert.equal(paused.on({ type: 'tick' }, 1000 * HOUR).state.flow.status, 'PAUSED');
    assert.equal(paused.on({ type: 'resume', variables: { go: 'yes' } }).state.flow.current?.step, 'consent');
  });

  it('a pause of a journey ends by itself after its time-out', () => {
    const definition = definitionOf({ type: 'pause', resumeAfter: 'PT10M' }, { type: 'consent' }, decision);
    const waiting = ride(definition).on({ type: 'tick' }, 10 * MINUTE - 1);
    assert.equal(waiting.state.flow.status, 'PAUSED');
    assert.equal(waiting.on({ type: 'tick' }, 1).state.flow.current?.step, 'consent');
  });

  it('only a paused journey can be resumed', () => {
    const atConsent = ride(definitionOf({ type: 'consent' }, decision));
    assert.equal(atConsent.on({ type: 'resume', variables: {} }).refusal, 'notPaused');
  });
});

describe('a subprocess of a journey', () => {
  const definition = definitionOf({ type: 'subprocess', definition: 'other' }, { type: 'consent' }, decision);
  const afterChild = (status: 'COMPLETED_ENDED_SUCCESS' | 'COMPLETED_ENDED_ERROR' | 'COMPLETED_TERMINATED') =>
    ride(definition).on({ type: 'childEnded', childId: CHILD_ID, status });

  it('a subprocess of a journey creates a child and waits for its end', () => {
    const waiting = ride(definition);
    assert.deepEqual(
      waiting.effects.filter(({ type }) => type === 'child'),
      [{ type: 'child', step: 'subprocess', childId: CHILD_ID }],
    );
    assert.equal(waiting.state.flow.current?.phase, 'child');
  });

  it('a subprocess of a journey passes with a child that is accepted, fails with one that is declined, and otherwise ends as the child did', () => {
    assert.equal(afterChild('COMPLETED_ENDED_SUCCESS').state.flow.done.subprocess?.outcome, 'PASSED');
    assert.equal(afterChild('COMPLETED_ENDED_ERROR').state.flow.done.subprocess?.outcome, 'FAILED');
    assert.equal(afterChild('COMPLETED_TERMINATED').state.flow.status, 'COMPLETED_TERMINATED');
  });

  it('a subprocess of a journey ignores other children', () => {
    const other = ride(definition).on({ type: 'childEnded', childId: 'other', status: 'COMPLETED_ENDED_SUCCESS' });
    assert.equal(other.refusal, 'notCurrent');
  });
});

describe('a review of a journey', () => {
  const definition = definitionOf(
    { type: 'consent' },
    { ...selfie, maxAttempts: 1 },
    { type: 'duplicate' },
    { type: 'decision', onAnyFailure: 'REVIEW' },
  );
  const inReview = () =>
    ride(definition)
      .on(accepted)
      .on(submit('face', {}, 'image'))
      .on(findingOf('face', 'FAILED'))
      .on(passed('duplicate'));

  it('a review at the decision ends the journey as the reviewer decides', () => {
    assert.equal(inReview().state.flow.status, 'REVIEW');
    assert.equal(inReview().on({ type: 'approve' }).state.flow.status, 'COMPLETED_ENDED_SUCCESS');
    assert.equal(inReview().on({ type: 'reject' }).state.flow.status, 'COMPLETED_ENDED_ERROR');
  });

  it('a review as a step continues the journey when approved and ends it when rejected', () => {
    const waiting = ride(definitionOf({ type: 'review' }, { type: 'consent' }, decision));
    assert.equal(waiting.state.flow.status, 'REVIEW');
    assert.equal(waiting.on({ type: 'approve' }).state.flow.current?.step, 'consent');
    assert.equal(waiting.on({ type: 'reject' }).state.flow.status, 'COMPLETED_ENDED_ERROR');
  });

  it('a verdict on a journey is refused if no review is pending', () => {
    assert.equal(ride(definition).on({ type: 'approve' }).refusal, 'notInReview');
    assert.equal(ride(definition).on({ type: 'askAgain', steps: ['consent'] }).refusal, 'notInReview');
  });

  it('a review can request a step again: that step, and automatic checks that depend on it, are repeated, and nothing else', () => {
    const reopened = inReview().on({ type: 'askAgain', steps: ['face'] });
    assert.equal(reopened.state.flow.status, 'ACTIVE');
    assert.deepEqual(reopened.state.flow.current?.step, 'face');
    assert.deepEqual(Object.keys(reopened.state.flow.done), ['consent']);
    assert.deepEqual(reopened.state.data.forms.consent, { accepted: true, textVersion: '1' });
    assert.equal(reopened.state.flow.current?.attempt, 2, 'findings of the time before are of another attempt');
    const resubmission = reopened.on(submit('face', {}, 'image'));
    assert.equal(resubmission.on(passed('face', 1)).refusal, 'notCurrent');
    assert.equal(
      resubmission.on(passed('face', 2)).on(passed('duplicate', 2)).state.flow.status,
      'COMPLETED_ENDED_SUCCESS',
    );
  });

  it('a review that requests a step again allows all its attempts again', () => {
    const twice = definitionOf({ ...selfie, maxAttempts: 2 }, { type: 'decision', onAnyFailure: 'REVIEW' });
    const submission = submit('face', {}, 'image');
    const failed = (attempt: number) => findingOf('face', 'FAILED', { attempt, advice: 'retry' });
    const afterTwoFailures = ride(twice).on(submission).on(failed(1)).on(submission).on(failed(2));
    assert.equal(afterTwoFailures.state.flow.status, 'REVIEW');
    const again = afterTwoFailures
      .on({ type: 'askAgain', steps: ['face'] })
      .on(submission)
      .on(failed(3));
    const { current } = again.state.flow;
    assert.deepEqual([current?.step, current?.attempt], ['face', 4]);
    const step = twice.step('face') as never;
    assert.equal(
      triesLeft(step, current as never, earlierAttempts(again.state, 'face')),
      1,
      'what the end user is told',
    );
    assert.equal(again.on(submission).on(failed(4)).state.flow.status, 'REVIEW');
  });

  it('a review can request only steps that the end user has done', () => {
    for (const step of ['duplicate', 'decision', 'nothing']) {
      const attempt = inReview().on({ type: 'askAgain', steps: [step] });
      assert.equal(attempt.refusal, 'badInput', step);
    }
  });

  it('the end user cannot leave a journey in review', () => {
    assert.equal(inReview().on({ type: 'abandon' }).refusal, 'notCurrent');
  });
});

describe('a form in a journey', () => {
  const schema = {
    type: 'object',
    properties: { country: { type: 'string', maxLength: 3 }, age: { type: 'integer', minimum: 0 } },
    required: ['country'],
    additionalProperties: false,
  };
  const definition = definitionOf(
    { type: 'form', schema },
    { type: 'consent', when: 'data.forms.form1.country == "DE" && has(data.forms.form1.age)' },
    decision,
  );

  it('a form in a journey stores values that match its schema, for conditions to read', () => {
    const adult = ride(definition).on(submit('form', { country: 'DE', age: 30 }));
    assert.equal(adult.state.flow.current?.step, 'consent');
    assert.equal(ride(definition).on(submit('form', { country: 'DE' })).state.flow.status, 'COMPLETED_ENDED_SUCCESS');
  });

  it('a form in a journey refuses other values, field by field', () => {
    const refusal = ride(definition).on(submit('form', { age: -1 }));
    assert.deepEqual(refusal.faults.map(({ pointer }) => pointer).sort(), ['/age', '/country']);
  });
});
