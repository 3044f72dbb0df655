import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { definitionOf, type Ride, ride, submit } from '../../../test/engine.ts';
import type { Check } from '../../kernel/check.ts';
import { triesLeft } from './judge-attempt.ts';
import type { Current, Trigger } from './state.ts';

const STEP = { type: 'document', maxAttempts: 2, triesPerSide: 4, useAnywayAfter: 2 };
const DECIDE = { type: 'decision', onAnyFailure: 'FAIL', onUncertain: 'REVIEW' };
const submission = submit('document', {}, 'front', 'back');
const USE: Trigger = { type: 'useAnyway', step: 'document' };

const failed = (reason: string, name = 'documentQuality', advice: 'retry' | 'final' = 'retry'): Check => ({
  name,
  type: 'document',
  status: 'FAILED',
  reason,
  advice,
});
const PASSED: Check = { name: 'documentQuality', type: 'document', status: 'PASSED' };

const currentOf = (at: Ride) => at.state.flow.current as Current;

/** The findings about the current attempt. */
function finds(at: Ride, pictures: Record<string, string[]>, ...more: Check[]): Ride {
  const faults = Object.entries(pictures).map(([picture, reasons]) => ({ picture, reasons }));
  const [first] = faults;
  const quality = first ? failed(first.reasons[0] as string) : PASSED;
  const findings = { checks: [quality, ...more], pictures: faults };
  return at.on({ type: 'findings', step: 'document', attempt: currentOf(at).attempt, findings });
}

const poor = (at: Ride, reason = 'blurred', picture = 'front') => finds(at.on(submission), { [picture]: [reason] });
const open = (step: object = {}, ...more: object[]) => ride(definitionOf({ ...STEP, ...step }, ...more, DECIDE));

/** Possible findings about the pictures. */
const pictureFaults = fc
  .subarray(['front', 'back'])
  .chain((sides) =>
    fc
      .tuple(...sides.map(() => fc.constantFrom('blurred', 'glare', 'no_document')))
      .map((reasons) => Object.fromEntries(sides.map((side, at) => [side, [reasons[at] as string]]))),
  );
const tries = fc.array(fc.record({ pictureFaults, uses: fc.boolean(), wrongType: fc.nat(4).map((one) => one === 0) }), {
  minLength: 30,
  maxLength: 30,
});
/** Created once, because definitions are compiled. */
const limited = [0, 1, 2].flatMap((useAnywayAfter) =>
  [1, 3].map((triesPerSide) => {
    const step = { ...STEP, triesPerSide, useAnywayAfter };
    return { ...step, definition: definitionOf(step, DECIDE) };
  }),
);

describe('any photographs with any choices of the end user', () => {
  it('a document step always ends within its tries, and never passes with a poor photograph', () => {
    const reached = new Set<string>();
    const property = fc.property(fc.constantFrom(...limited), tries, ({ definition, ...step }, all) => {
      let at = ride(definition);
      let anyway: string | undefined;
      for (const { pictureFaults: pictures, uses, wrongType } of all) {
        if (at.state.flow.current?.step !== 'document') break;
        if (currentOf(at).phase === 'user') at = uses && currentOf(at).mayUseAnyway ? at.on(USE) : at.on(submission);
        anyway = currentOf(at).anyway;
        if (anyway) reached.add(anyway);
        at = finds(at, pictures, ...(wrongType ? [failed('type_not_accepted', 'documentType')] : []));
      }
      const record = at.state.flow.done.document;
      assert.ok(record, 'the step goes on and on');
      assert.ok(record.attempts <= step.maxAttempts + 2 * step.triesPerSide + 1);
      if (anyway) assert.notEqual(record.outcome, 'PASSED');
    });
    fc.assert(property, { numRuns: 300 });
    assert.deepEqual([...reached].sort(), ['chosen', 'triesEnded']);
  });
});

describe('a poor photograph', () => {
  it('a poor photograph uses up tries of its own side, and no attempts of the step', () => {
    let at = open();
    for (const picture of ['front', 'back', 'front', 'back', 'front']) at = poor(at, 'blurred', picture);
    const { attempt, fault, poor: poorCounts } = currentOf(at);
    assert.deepEqual(
      [attempt, fault?.picture, poorCounts],
      [6, 'front', { attempts: 5, pictures: { front: 3, back: 2 } }],
    );
    const wrong = finds(at.on(submission), {}, failed('type_not_accepted', 'documentType'));
    assert.equal(currentOf(wrong).attempt, 7, 'the first attempt that could be seen was the last');
    const journey = finds(wrong.on(submission), {}, failed('type_not_accepted', 'documentType'));
    assert.deepEqual(journey.state.flow.done.document, { outcome: 'FAILED', attempts: 7, reason: 'type_not_accepted' });
  });

  it('a poor photograph is taken again alone: the other side is carried over to the next attempt', () => {
    const at = poor(open(), 'glare', 'back');
    assert.deepEqual(
      at.effects.filter(({ type }) => type === 'carry'),
      [{ type: 'carry', step: 'document', attempt: 1, names: ['front'] }],
    );
    const both = finds(open().on(submission), { front: ['blurred'], back: ['glare'] });
    assert.ok(both.effects.every(({ type }) => type !== 'carry'));
  });

  it('a poor photograph is reported with the remaining tries, of the side or of the step', () => {
    const step = definitionOf(STEP, DECIDE).step('document') as never;
    const first = open();
    assert.equal(triesLeft(step, currentOf(first), 0), 2);
    const second = poor(first);
    assert.equal(triesLeft(step, currentOf(second), 0), 3);
    const wrong = finds(second.on(submission), {}, failed('type_not_accepted', 'documentType'));
    assert.equal(triesLeft(step, currentOf(wrong), 0), 1);
  });

  it('a poor photograph may be used after the second one, goes to a human, and its reason is stored', () => {
    const first = poor(open());
    assert.deepEqual([currentOf(first).mayUseAnyway, first.on(USE).refusal], [undefined, 'notOffered']);
    const second = poor(first, 'glare');
    assert.equal(currentOf(second).mayUseAnyway, true);
    assert.equal(currentOf(poor(first, 'fields_missing')).mayUseAnyway, true);
    const used = second.on(USE);
    const { phase, attempt, anyway: how } = currentOf(used);
    assert.deepEqual([phase, attempt, how], ['work', 3, 'chosen']);
    assert.deepEqual(used.effects.slice(-2), [
      { type: 'carry', step: 'document', attempt: 2, names: ['front', 'back'] },
      { type: 'work', step: 'document', attempt: 3 },
    ]);
    const journey = finds(used, { front: ['glare'] }, failed('mrz_check_digit', 'documentMrz'));
    assert.deepEqual(journey.state.flow.done.document, { outcome: 'REVIEW', attempts: 3, reason: 'glare' });
    assert.equal(journey.state.flow.status, 'REVIEW');
    const [, checksEffect] = journey.effects.filter(({ type }) => type === 'checks').slice(-2);
    assert.deepEqual(
      checksEffect?.type === 'checks' && checksEffect.checks.map(({ status, reason }) => [status, reason]),
      [
        ['REVIEW', 'glare'],
        ['REVIEW', 'mrz_check_digit'],
      ],
    );
  });

  it('a poor photograph leaves checks that those of the next attempt replace', () => {
    const first = finds(open().on(submission), { front: ['blurred'] }, failed('mrz_check_digit', 'documentMrz'));
    const second = finds(first.on(submission), {}, failed('mrz_check_digit', 'documentMrz'));
    const checkEffects = second.effects.filter((effect) => effect.type === 'checks');
    assert.deepEqual(
      checkEffects.map(({ attempts, isFirst }) => [attempts, isFirst]),
      [
        [1, true],
        [2, false],
      ],
    );
  });

  it('a poor photograph that is used never passes, even if a second analysis finds nothing wrong', () => {
    const used = poor(poor(open())).on(USE);
    const journey = finds(used, {});
    assert.deepEqual(journey.state.flow.done.document, { outcome: 'REVIEW', attempts: 3, reason: 'blurred' });
  });

  it('a poor photograph that is used does not change the result of a wrong type or an expired document', () => {
    const used = () => poor(poor(open({ maxAttempts: 1 }))).on(USE);
    const wrong = finds(used(), { front: ['blurred'] }, failed('type_not_accepted', 'documentType'));
    assert.equal(wrong.state.flow.done.document?.outcome, 'FAILED');
    const expired = finds(used(), { front: ['blurred'] }, failed('expired', 'documentExpiry', 'final'));
    assert.equal(expired.state.flow.done.document?.outcome, 'FAILED');
  });

  it('a poor photograph cannot be used if a side shows nothing of a document', () => {
    const none = poor(poor(open()), 'no_document');
    assert.equal(none.on(USE).refusal, 'notOffered');
    const oneSide = finds(poor(open()).on(submission), { front: ['blurred'], back: ['no_document'] });
    assert.equal(oneSide.on(USE).refusal, 'notOffered');
  });

  it('a poor photograph cannot be used if the definition forbids it, or is older than this feature', () => {
    const never = open({ useAnywayAfter: 0 });
    assert.equal(poor(poor(never)).on(USE).refusal, 'notOffered');
    const before = open({ triesPerSide: undefined, useAnywayAfter: undefined });
    const journey = poor(poor(before));
    assert.deepEqual(journey.state.flow.done.document, { outcome: 'FAILED', attempts: 2, reason: 'blurred' });
  });

  it('a poor photograph after the last try goes to a human, or where the definition says for a failure', () => {
    const tries = (at: Ride, reason?: string) => poor(poor(poor(poor(at, reason), reason), reason), reason);
    const inWork = tries(open());
    assert.deepEqual([currentOf(inWork).phase, currentOf(inWork).anyway], ['work', 'triesEnded']);
    const journey = finds(inWork, { front: ['blurred'] });
    assert.deepEqual(journey.state.flow.done.document, { outcome: 'REVIEW', attempts: 5, reason: 'blurred' });
    const elsewhere = tries(open({ onFail: 'review' }, { type: 'review' }));
    assert.equal(elsewhere.state.flow.done.document?.outcome, 'FAILED');
    assert.equal(currentOf(elsewhere).step, 'review');
    const none = tries(open(), 'no_document');
    assert.deepEqual(none.state.flow.done.document, { outcome: 'FAILED', attempts: 4, reason: 'no_document' });
    const never = tries(open({ useAnywayAfter: 0 }));
    assert.equal(never.state.flow.done.document?.outcome, 'FAILED');
  });

  it('a poor photograph is kept for a human when the end user gives up', () => {
    const journey = poor(open(), 'glare', 'back').on({ type: 'unable', step: 'document' });
    assert.deepEqual(
      journey.effects.filter(({ type }) => type === 'carry').map((effect) => effect.type === 'carry' && effect.names),
      [['front'], ['front', 'back']],
    );
    assert.deepEqual(journey.state.flow.done.document, { outcome: 'NOT_PERFORMED', attempts: 2, reason: 'unable' });
  });

  it('the tries for poor photographs begin again when a reviewer requests the step again', () => {
    const reviewed = finds(poor(poor(open())).on(USE), { front: ['blurred'] });
    const again = reviewed.on({ type: 'askAgain', steps: ['document'] });
    assert.deepEqual([currentOf(again).attempt, currentOf(again).poor], [4, undefined]);
    assert.equal(poor(again).on(USE).refusal, 'notOffered');
  });
});
