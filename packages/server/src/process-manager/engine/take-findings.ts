import type { Check } from '../../kernel/check.ts';
import { DECISIVE_CHECKS } from './assurance.ts';
import type { Step } from './definition.ts';
import { judgeAttempt, QUESTIONS } from './judge-attempt.ts';
import { isPassiveEnough } from './passive-enough.ts';
import type { Current, Findings, Outcome, StepRecord } from './state.ts';
import { stepTypeOf, wantedImages } from './steps/registry.ts';
import { complete, earlierAttempts, keep, noteChecks, setCurrent, userCurrent, type Walk, work } from './walk.ts';

/** Applies the findings of a machine to a journey. Pure, as `next-step.ts` is. */
export function takeFindings(walk: Walk, step: Step, current: Current, findings: Findings): void {
  const { attempt } = current;
  if (findings.data) keep(walk, findings.data);
  const checks = checksOf(step, current, findings);
  noteChecks(walk, step, attempt, checks);
  const failed = checks.filter(({ status }) => status === 'FAILED');
  const earlier = earlierAttempts(walk.state, step.id);
  const { pictures = [] } = findings;
  const judgement = judgeAttempt({ step, current, earlier, failed, pictures });
  if (judgement.next === 'end') {
    complete(walk, step, { ...summary(step, checks, current), attempts: attempt, ...assessedOf(checks) });
    return;
  }
  const { next: _next, ...failure } = judgement;
  if (judgement.next === 'anyway') {
    useAnyway(walk, step, attempt + 1, { ...failure, anyway: 'triesEnded' });
    return;
  }
  const { reason } = judgement.fault;
  const data = { attempt: attempt + 1, reason };
  walk.effects.push({ type: 'event', event: 'instance.stepRetried', step: step.id, data });
  // If one side must be photographed again, the other one stays.
  if (judgement.fault.picture !== undefined) carry(walk, step, attempt, (name) => !isPoor(name, findings));
  else if (QUESTIONS.includes(reason)) carry(walk, step, attempt, () => true);
  setCurrent(walk, { ...userCurrent(walk, step, attempt + 1), ...failure });
}

/** Uses the pictures of the previous attempt, which a machine analyses again. */
export function useAnyway(walk: Walk, step: Step, attempt: number, more: Partial<Current>): void {
  carry(walk, step, attempt - 1, () => true);
  work(walk, step, attempt, more);
}

/** Carries poor pictures over when the end user gives up, so that a reviewer sees them together. */
export function carryPoor(walk: Walk, step: Step, { attempt, fault }: Current): void {
  if (fault?.picture !== undefined) carry(walk, step, attempt - 1, () => true);
}

function carry(walk: Walk, step: Step, attempt: number, isWanted: (name: string) => boolean): void {
  const names = wantedImages(step)
    .map(({ name }) => name)
    .filter(isWanted);
  if (names.length > 0) walk.effects.push({ type: 'carry', step: step.id, attempt, names });
}

function isPoor(name: string, { pictures = [] }: Findings): boolean {
  return pictures.some(({ picture }) => picture === name);
}

function checksOf(step: Step, { anyway, fault }: Current, { checks }: Findings): readonly Check[] {
  if (anyway === undefined) return checks;
  return stepTypeOf(step.type).anyway?.soften(checks, { anyway, reason: fault?.reason ?? POOR_PICTURE }) ?? checks;
}

const POOR_PICTURE = 'poor_picture';

export function assessedOf(checks: readonly Check[]): Pick<StepRecord, 'checks'> {
  const assessed = checks.filter(({ name }) => DECISIVE_CHECKS.includes(name));
  if (assessed.length === 0) return {};
  return { checks: assessed.map(({ name, status, reason }) => ({ name, status, ...(reason && { reason }) })) };
}

type JudgedCheck = Pick<Check, 'name' | 'status' | 'score' | 'reason'>;

/** The outcome of a step by its checks, if its pictures were good enough. */
export function outcomeOf(step: Step, checks: readonly JudgedCheck[]): Omit<StepRecord, 'attempts'> {
  return summary(step, checks, {});
}

/** The worst check decides the outcome. A step with poor pictures never passes. */
function summary(
  step: Step,
  checks: readonly JudgedCheck[],
  { anyway, fault }: Pick<Current, 'anyway' | 'fault'>,
): Omit<StepRecord, 'attempts'> {
  const doubts = checks.filter((check) => !isPassiveEnough(step, check));
  const worst = (['FAILED', 'REVIEW', 'NOT_PERFORMED'] as const)
    .map((status) => doubts.find((check) => check.status === status))
    .find((check) => check !== undefined);
  const scored = worst ?? checks.find(({ score }) => score !== undefined);
  const best: Outcome = anyway === undefined ? 'PASSED' : 'REVIEW';
  const outcome: Outcome = worst?.status ?? (checks.length > 0 ? best : 'NOT_PERFORMED');
  const reason = worst?.reason ?? (anyway === undefined ? undefined : (fault?.reason ?? POOR_PICTURE));
  return {
    outcome,
    ...(reason !== undefined && { reason }),
    ...(scored?.score !== undefined && { score: scored.score }),
  };
}
