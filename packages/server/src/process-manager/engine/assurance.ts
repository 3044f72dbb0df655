import type { Check } from '../../kernel/check.ts';
import type { AssuranceLevel, Gap, SecondFactor } from './assurance-level.ts';
import type { Definition, Step } from './definition.ts';
import { isPassiveEnough } from './passive-enough.ts';
import type { Flow, State, StepRecord } from './state.ts';
import { stepTypeOf } from './steps/registry.ts';

/** Definitions that are older than levels are `basic`. */
export function levelOf({ assurance = 'basic' }: Pick<Definition, 'assurance'>): AssuranceLevel {
  return assurance;
}

/** The checks on which an automatic acceptance is based. */
export const DECISIVE_CHECKS: readonly string[] = ['applicantMatch', 'documentAuthenticity', 'liveness'];

type EndedStep = { readonly step: Step; readonly record: StepRecord; readonly at: number };

export function assuranceGaps(definition: Definition, { flow, params }: State): Gap[] {
  const level = levelOf(definition);
  const stepResults = endedSteps(definition, flow);
  const approvedAt = Math.max(-1, ...stepResults.filter(isApproval).map(({ at }) => at));
  const gaps = new Set(stepResults.filter(({ at }) => at > approvedAt).flatMap((each) => gapsOf(each, level)));
  const evidenceAt = Math.max(
    -1,
    ...stepResults.filter(({ step }) => stepTypeOf(step.type).isEvidence).map(({ at }) => at),
  );
  const isApproved = approvedAt > evidenceAt;
  if (level === 'substantial' && !isApproved && !secondFactorOf(definition, flow, params)) {
    gaps.add('second_factor_missing');
  }
  return [...gaps];
}

function isApproval({ step, record }: EndedStep): boolean {
  return stepTypeOf(step.type).act === 'review' && record.outcome === 'PASSED';
}

function endedSteps({ steps }: Definition, { done }: Flow): EndedStep[] {
  return steps.flatMap((step, at) => {
    const record = Object.hasOwn(done, step.id) ? done[step.id] : undefined;
    return record && record.outcome !== 'SKIPPED' ? [{ step, record, at }] : [];
  });
}

function gapsOf({ step, record }: EndedStep, level: AssuranceLevel): Gap[] {
  const { checks = [], outcome } = record;
  const notPassed = (name: string) => checks.some((check) => check.name === name && check.status !== 'PASSED');
  const asksForLiveness = step.liveness === 'active' || step.liveness === 'passive';
  const liveness = checks.filter(({ name }) => name === 'liveness');
  // After "I can't do this" there is no such check, and the step has not passed.
  const isAlive =
    liveness.length > 0 ? liveness.every((check) => countsAsLive(step, check, level)) : outcome === 'PASSED';
  const isDoubtful = checks.some(
    ({ name, status }) => name === 'documentAuthenticity' && (status === 'FAILED' || status === 'REVIEW'),
  );
  return [
    ...(notPassed('applicantMatch') ? (['applicant_not_matched'] as const) : []),
    ...((asksForLiveness || liveness.length > 0) && !isAlive ? (['liveness_not_shown'] as const) : []),
    ...(isDoubtful ? (['document_in_doubt'] as const) : []),
  ];
}

function countsAsLive(step: Step, check: Pick<Check, 'name' | 'status' | 'reason'>, level: AssuranceLevel): boolean {
  return check.status === 'PASSED' || (level === 'basic' && isPassiveEnough(step, check));
}

/**
 * The second factor besides document and face: a passkey of the user whom the relying party names. A passkey that was
 * registered in this journey proves nothing, and neither does one of another user.
 */
export function secondFactorOf(
  definition: Definition,
  flow: Flow,
  params: Readonly<Record<string, string>>,
): SecondFactor | undefined {
  const passed = endedSteps(definition, flow).filter(({ record }) => record.outcome === 'PASSED');
  const isNamed = Boolean(params.userId || params.userExtId);
  const types = passed.map(({ step }) => stepTypeOf(step.type));
  if (!isNamed || types.some(({ voidsFactor }) => voidsFactor)) return undefined;
  return types.find(({ factor }) => factor !== undefined)?.factor;
}

/** Whether a human has approved or rejected, in any step of the journey. */
export function isReviewed(definition: Definition, flow: Flow): boolean {
  return (
    flow.reviewed === true || endedSteps(definition, flow).some(({ step }) => stepTypeOf(step.type).act === 'review')
  );
}
