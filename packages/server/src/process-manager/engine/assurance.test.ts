import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definitionOf, ride, submit } from '../../../test/engine.ts';
import type { Check } from '../../kernel/check.ts';
import type { AssuranceLevel } from './assurance-level.ts';
import type { CompiledDefinition } from './compile-definition.ts';
import type { Step } from './definition.ts';
import type { Trigger } from './state.ts';

const PASS_ALWAYS = { type: 'decision', rules: [{ when: 'true', outcome: 'PASS' }] };

function asking(assurance: AssuranceLevel | undefined, ...steps: Partial<Step>[]): CompiledDefinition {
  const { definition, ...compiled } = definitionOf(...steps);
  return { ...compiled, definition: { ...definition, ...(assurance && { assurance }) } };
}

type Finding = Pick<Check, 'name' | 'status'> & { reason?: string };

const finds = (step: string, ...checks: Finding[]): Trigger => ({
  type: 'findings',
  step,
  attempt: 1,
  findings: { checks: checks.map((check) => ({ type: 'face', advice: 'final', ...check })) },
});
const answeredChallenge: Finding = { name: 'liveness', status: 'PASSED', reason: 'challenge_answered' };
const noAttackSeen: Finding = { name: 'liveness', status: 'NOT_PERFORMED', reason: 'no_attack_seen' };
const noSigns: Finding = { name: 'documentAuthenticity', status: 'PASSED', reason: 'no_signs_found' };
const submission = submit('face', {}, 'image');

const faceOf = (definition: CompiledDefinition, ...findings: Finding[]) =>
  ride(definition)
    .on(submission)
    .on(finds('face', ...findings)).state.flow;
const documentOf = (definition: CompiledDefinition, ...findings: Finding[]) =>
  ride(definition, { lastName: 'Byrne' })
    .on(submit('document', {}, 'front'))
    .on(finds('document', ...findings)).state.flow;

describe('a definition with basic assurance', () => {
  it('basic assurance accepts an answered challenge and a document without signs, and is the default for older definitions', () => {
    for (const level of ['basic', undefined] as const) {
      assert.equal(faceOf(asking(level, { type: 'face' }, { type: 'decision' }), answeredChallenge).decision, 'PASS');
      assert.equal(documentOf(asking(level, { type: 'document' }, { type: 'decision' }), noSigns).decision, 'PASS');
    }
  });

  it('basic assurance sends every other liveness result to a human, whatever a rule says', () => {
    for (const finding of [
      { name: 'liveness', status: 'FAILED', reason: 'not_live' },
      { name: 'liveness', status: 'REVIEW', reason: 'uncertain' },
      { name: 'liveness', status: 'NOT_PERFORMED', reason: 'engine_not_available' },
      noAttackSeen,
    ] as const) {
      const flow = faceOf(asking('basic', { type: 'face' }, PASS_ALWAYS), finding);
      assert.deepEqual([flow.status, flow.decision, flow.gaps], ['REVIEW', 'REVIEW', ['liveness_not_shown']]);
    }
    const unable = ride(asking('basic', { type: 'face' }, PASS_ALWAYS)).on({ type: 'unable', step: 'face' });
    assert.deepEqual(unable.state.flow.gaps, ['liveness_not_shown']);
  });

  it('basic assurance accepts a single picture without signs of an attack, if the definition allows that', () => {
    const passive = { type: 'face', liveness: 'passive', passiveIsEnough: true };
    const flow = faceOf(asking('basic', passive, { type: 'decision' }), noAttackSeen);
    assert.deepEqual([flow.decision, flow.done.face?.outcome], ['PASS', 'PASSED']);
    const uncertain = { name: 'liveness', status: 'REVIEW', reason: 'uncertain' } as const;
    assert.equal(faceOf(asking('basic', passive, { type: 'decision' }), uncertain).decision, 'REVIEW');
  });

  it('basic assurance sends a document with signs, or of another person, to a human, whatever a rule says', () => {
    for (const [finding, gap] of [
      [{ name: 'documentAuthenticity', status: 'REVIEW', reason: 'copy' }, 'document_in_doubt'],
      [{ name: 'documentAuthenticity', status: 'FAILED', reason: 'specimen' }, 'document_in_doubt'],
      [{ name: 'applicantMatch', status: 'FAILED', reason: 'name_differs' }, 'applicant_not_matched'],
      [{ name: 'applicantMatch', status: 'REVIEW', reason: 'last_name_similar' }, 'applicant_not_matched'],
    ] as const) {
      const flow = documentOf(asking('basic', { type: 'document' }, PASS_ALWAYS), finding);
      assert.deepEqual([flow.status, flow.gaps], ['REVIEW', [gap]]);
    }
  });

  it('basic assurance accepts what a human has approved in an earlier review, but no doubtful result after it', () => {
    const doubtful = { name: 'applicantMatch', status: 'REVIEW', reason: 'last_name_similar' } as const;
    const reviewedDocument = ride(asking('basic', { type: 'document' }, { type: 'review' }, PASS_ALWAYS), {
      lastName: 'Byrne',
    })
      .on(submit('document', {}, 'front'))
      .on(finds('document', doubtful))
      .on({ type: 'approve' });
    assert.equal(reviewedDocument.state.flow.status, 'COMPLETED_ENDED_SUCCESS');
    const before = ride(asking('basic', { type: 'review' }, { type: 'document' }, PASS_ALWAYS), { lastName: 'Byrne' })
      .on({ type: 'approve' })
      .on(submit('document', {}, 'front'))
      .on(finds('document', doubtful));
    assert.equal(before.state.flow.status, 'REVIEW');
  });

  it('basic assurance ignores steps that were skipped', () => {
    const definition = asking('basic', { type: 'consent' }, { type: 'face', when: 'false' }, { type: 'decision' });
    const flow = ride(definition).on(submit('consent', { accepted: true })).state.flow;
    assert.equal(flow.decision, 'PASS');
  });

  it('basic assurance accepts after a human has approved, and applies again if steps are requested again', () => {
    const inReview = ride(asking('basic', { type: 'face' }, PASS_ALWAYS))
      .on(submission)
      .on(finds('face', noAttackSeen));
    const approved = inReview.on({ type: 'approve' }).state.flow;
    assert.deepEqual([approved.status, approved.reviewed], ['COMPLETED_ENDED_SUCCESS', true]);
    const again = inReview.on({ type: 'askAgain', steps: ['face'] });
    assert.equal(again.state.flow.gaps, undefined);
    const { checks } = (finds('face', answeredChallenge) as Extract<Trigger, { type: 'findings' }>).findings;
    const answer = { type: 'findings', step: 'face', attempt: 2, findings: { checks } } as const;
    assert.equal(again.on(submission).on(answer).state.flow.status, 'COMPLETED_ENDED_SUCCESS');
  });
});

describe('a definition with substantial assurance', () => {
  const passkey = { id: 'use', type: 'passkeyAuthentication', store: 'people', rpId: 'example.com' };
  const after = (params: Record<string, string>, ...steps: Partial<Step>[]) => {
    let journey = ride(asking('substantial', ...steps, { type: 'face' }, { type: 'decision' }), params);
    for (const { id, type } of steps) {
      journey = journey.on(submit(id as string)).on(finds(id as string, { name: type as string, status: 'PASSED' }));
    }
    return journey.on(submission).on(finds('face', answeredChallenge)).state.flow;
  };

  it('substantial assurance sends to a human what basic assurance would accept', () => {
    const flow = after({});
    assert.deepEqual([flow.status, flow.gaps], ['REVIEW', ['second_factor_missing']]);
  });

  it('substantial assurance accepts with a passkey of the user whom the relying party names', () => {
    const flow = after({ userExtId: 'ada' }, passkey);
    assert.deepEqual([flow.status, flow.secondFactor], ['COMPLETED_ENDED_SUCCESS', 'passkey']);
  });

  it('substantial assurance does not count the passkey of just any user, or one registered in this journey', () => {
    const make = { id: 'make', type: 'passkeyRegistration', store: 'people', rpId: 'example.com' };
    for (const flow of [after({}, { ...passkey, anyUser: true }), after({ userExtId: 'ada' }, make, passkey)]) {
      assert.deepEqual([flow.status, flow.gaps, flow.secondFactor], ['REVIEW', ['second_factor_missing'], undefined]);
    }
  });

  it('substantial assurance does not count a single picture, even if basic would', () => {
    const face = { type: 'face', liveness: 'passive', passiveIsEnough: true };
    const flow = ride(asking('substantial', passkey, face, { type: 'decision' }), { userExtId: 'ada' })
      .on(submit('use'))
      .on(finds('use', { name: 'passkeyAuthentication', status: 'PASSED' }))
      .on(submission)
      .on(finds('face', noAttackSeen)).state.flow;
    assert.deepEqual([flow.status, flow.gaps], ['REVIEW', ['liveness_not_shown']]);
  });

  it('substantial assurance accepts after the approval of a human, if no document or face was shown later', () => {
    const steps = [{ type: 'face' }, { type: 'review' }, { type: 'decision' }];
    const reviewedFace = ride(asking('substantial', ...steps))
      .on(submission)
      .on(finds('face', answeredChallenge))
      .on({ type: 'approve' });
    assert.equal(reviewedFace.state.flow.status, 'COMPLETED_ENDED_SUCCESS');
    const early = ride(asking('substantial', { type: 'review' }, { type: 'face' }, { type: 'decision' }))
      .on({ type: 'approve' })
      .on(submission)
      .on(finds('face', answeredChallenge));
    assert.deepEqual(early.state.flow.gaps, ['second_factor_missing']);
  });
});
