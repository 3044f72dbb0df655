import type { Check, PictureFault } from '../../kernel/check.ts';
import type { Step } from './definition.ts';
import type { Current, Fault, Poor } from './state.ts';
import { stepTypeOf } from './steps/registry.ts';

/**
 * Judges a failed attempt. Poor pictures have their own attempts, counted for each picture; all other failures count against
 * the attempts of the step. Pure.
 */
export type FailedAttempt = {
  readonly step: Step;
  readonly current: Current;
  /** Attempts made before a reviewer asked for the step again. */
  readonly earlier: number;
  /** The failed checks. */
  readonly failed: readonly Check[];
  readonly pictures: readonly PictureFault[];
};

export type AttemptJudgement =
  | { readonly next: 'end' }
  | { readonly next: 'again'; readonly fault: Fault; readonly poor?: Poor; readonly mayUseAnyway?: true }
  /** No attempt remains, so a human gets the pictures as they are. */
  | { readonly next: 'anyway'; readonly fault: Fault; readonly poor: Poor };

const NONE: Poor = { attempts: 0, pictures: {} };
/** Reasons that ask the end user a question: the same pictures are analysed again with the answer. */
export const QUESTIONS: readonly string[] = ['country_differs'];

type Limits = { maxAttempts: number; triesPerSide: number | undefined; useAnywayAfter: number };

/** Definitions that are older than attempts of pictures keep their meaning. */
function limitsOf({ maxAttempts = 1, triesPerSide, useAnywayAfter }: Step): Limits {
  return {
    maxAttempts,
    triesPerSide: typeof triesPerSide === 'number' ? triesPerSide : undefined,
    useAnywayAfter: typeof useAnywayAfter === 'number' ? useAnywayAfter : 0,
  };
}

export function judgeAttempt(failedAttempt: FailedAttempt): AttemptJudgement {
  const { step, current, earlier, failed, pictures } = failedAttempt;
  const [first] = failed;
  if (!first || !failed.every(({ advice }) => advice === 'retry')) return { next: 'end' };
  const { maxAttempts, triesPerSide } = limitsOf(step);
  const reason = first.reason ?? 'failed';
  if (triesPerSide !== undefined && isAboutPictures(failed, pictures)) return judgePoor(failedAttempt, triesPerSide);
  const { poor = NONE } = current;
  if (!poor.asked && failed.every((check) => QUESTIONS.includes(check.reason ?? ''))) {
    return {
      next: 'again',
      fault: { reason, advice: 'retry' },
      poor: { ...poor, attempts: poor.attempts + 1, asked: true },
    };
  }
  const countedAttempts = current.attempt - earlier - (current.poor?.attempts ?? 0);
  if (countedAttempts >= maxAttempts) return { next: 'end' };
  return { next: 'again', fault: { reason, advice: 'retry' }, ...(current.poor && { poor: current.poor }) };
}

function isAboutPictures(failed: readonly Check[], pictures: readonly PictureFault[]): boolean {
  return failed.every(({ reason = '' }) => pictures.some(({ reasons }) => reasons.includes(reason)));
}

function judgePoor({ step, current, failed, pictures }: FailedAttempt, triesPerSide: number): AttemptJudgement {
  const { useAnywayAfter } = limitsOf(step);
  const poor = counting(current.poor ?? NONE, pictures);
  const fault = faultOf(failed, pictures);
  const usable = useAnywayAfter > 0 && isUsable(step, pictures);
  const isOver = pictures.some(({ picture }) => (poor.pictures[picture] ?? 0) >= triesPerSide);
  if (!isOver) {
    const offered = usable && poor.attempts >= useAnywayAfter;
    return { next: 'again', fault, poor, ...(offered && { mayUseAnyway: true }) };
  }
  // An `onFail` of the definition takes precedence.
  return usable && step.onFail === undefined && current.anyway === undefined
    ? { next: 'anyway', fault, poor }
    : { next: 'end' };
}

function counting({ attempts, pictures, ...poor }: Poor, faults: readonly PictureFault[]): Poor {
  const more = faults.map(({ picture }) => [picture, (pictures[picture] ?? 0) + 1]);
  return { ...poor, attempts: attempts + 1, pictures: { ...pictures, ...Object.fromEntries(more) } };
}

function faultOf([first]: readonly Check[], pictures: readonly PictureFault[]): Fault {
  const reason = first?.reason ?? 'failed';
  const about = pictures.find(({ reasons }) => reasons.includes(reason)) ?? pictures[0];
  return { reason, advice: 'retry', ...(about && { picture: about.picture }) };
}

/** Whether a human can judge the pictures, which is impossible without any document. */
function isUsable({ type }: Step, pictures: readonly PictureFault[]): boolean {
  const usable = stepTypeOf(type).anyway?.reasons ?? [];
  return pictures.every(({ reasons }) => reasons.every((reason) => usable.includes(reason)));
}

/** The remaining attempts including the current one: of the poor picture, or of the step. */
export function triesLeft(step: Step, { attempt, fault, poor = NONE }: Current, earlier: number): number {
  const { maxAttempts, triesPerSide } = limitsOf(step);
  const { picture } = fault ?? {};
  if (triesPerSide !== undefined && picture !== undefined) return triesPerSide - (poor.pictures[picture] ?? 0);
  return maxAttempts - (attempt - earlier - poor.attempts) + 1;
}
