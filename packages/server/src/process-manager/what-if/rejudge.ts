import type { Check } from '../../kernel/check.ts';
import type { Step } from '../engine/definition.ts';
import type { StepRecord } from '../engine/state.ts';
import { stepTypeOf } from '../engine/steps/registry.ts';
import { outcomeOf } from '../engine/take-findings.ts';

/** How a step would have ended with other settings, by its recorded checks. Undefined if that is unknown. Pure. */
export type RecordedCheck = Pick<Check, 'name' | 'status' | 'score' | 'threshold' | 'reason' | 'advice' | 'metaData'>;
type ChecksOf = (step: string) => readonly RecordedCheck[];

/** Settings that do not change the outcome of a step. */
const IRRELEVANT: readonly string[] = ['when', 'next', 'onFail', 'timeout', 'key'];

export function rejudge(before: Step, after: Step, record: StepRecord, checksOf: ChecksOf): StepRecord | undefined {
  let result: StepRecord | undefined = record;
  for (const name of differing(before, after)) {
    result = result && (RULES[name]?.({ before, after, record: result, checksOf }) ?? unlessAnswer(before, result));
  }
  return result;
}

export function differing(before: Step, after: Step): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter(
    (name) => !IRRELEVANT.includes(name) && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
}

function unlessAnswer({ type }: Step, record: StepRecord): StepRecord | undefined {
  return stepTypeOf(type).byAnswer ? record : undefined;
}

type RuleInput = { before: Step; after: Step; record: StepRecord; checksOf: ChecksOf };
type Rule = (input: RuleInput) => StepRecord | undefined;

/** Another limit changes nothing if the step passed within it. */
const attempts: (name: string) => Rule =
  (name) =>
  ({ before, after, record }) => {
    const [maxBefore, maxAfter] = [Number(before[name] ?? 0), Number(after[name] ?? 0)];
    const isUnchanged = record.outcome === 'PASSED' && (maxAfter >= maxBefore || record.attempts <= maxAfter);
    return isUnchanged ? record : undefined;
  };

/** A longer list changes nothing for an accepted value. */
const list: (name: string) => Rule =
  (name) =>
  ({ before, after, record }) => {
    const [oldList, newList] = [before[name], after[name]] as (readonly string[] | undefined)[];
    const isLonger = newList === undefined || (oldList?.every((each) => newList.includes(each)) ?? false);
    return isLonger && record.outcome === 'PASSED' ? record : undefined;
  };

type Candidates = { candidates?: readonly { score: number }[]; notCompared?: number; notComparable?: number };

/** Candidates are stored down to the former threshold; those below it are unknown. */
const threshold: Rule = ({ before, after, record, checksOf }) => {
  const [oldThreshold, newThreshold] = [Number(before.threshold), Number(after.threshold)];
  const [check] = checksOf(before.id).filter(({ name }) => name === 'watchlist' || name === 'duplicate');
  if (!check || record.outcome === 'NOT_PERFORMED') return record.outcome === 'NOT_PERFORMED' ? record : undefined;
  const { candidates = [], notCompared = 0, notComparable = 0 } = (check.metaData ?? {}) as Candidates;
  const remaining = candidates.filter(({ score }) => score >= newThreshold);
  if (remaining.length > 0) return record;
  if (newThreshold < oldThreshold) return undefined;
  const outcome = notCompared + notComparable > 0 ? 'NOT_PERFORMED' : 'PASSED';
  return { outcome, attempts: record.attempts };
};

/** The worst remaining check decides the outcome. */
const fromChecks: Rule = ({ before, after, record, checksOf }) => {
  const checks = checksOf(before.id);
  const relevant = after.applicantMatch === false ? checks.filter(({ name }) => name !== 'applicantMatch') : checks;
  if (checks.length === 0 || (before.applicantMatch === false && after.applicantMatch !== false)) return undefined;
  const { outcome, ...rest } = outcomeOf(after, relevant);
  // A step that now fails might have been tried again.
  if (record.outcome === 'PASSED' && outcome === 'FAILED') return undefined;
  const assessed = record.checks?.filter(({ name }) => relevant.some((check) => check.name === name));
  return { outcome, attempts: record.attempts, ...rest, ...(assessed && { checks: assessed }) };
};

const RULES: Readonly<Record<string, Rule>> = {
  maxAttempts: attempts('maxAttempts'),
  triesPerSide: ({ record }) => (record.outcome === 'PASSED' ? record : undefined),
  useAnywayAfter: ({ record }) => (record.outcome === 'PASSED' ? record : undefined),
  accept: list('accept'),
  countries: list('countries'),
  threshold,
  passiveIsEnough: fromChecks,
  applicantMatch: fromChecks,
  requireLiveCapture: ({ after, record }) => (after.requireLiveCapture === true ? undefined : record),
};
