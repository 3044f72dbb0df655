import type { Check, PictureFault } from '../../kernel/check.ts';
import type { Step } from './definition.ts';
import type { Current, Fault, Poor } from './state.ts';
import { stepTypeOf } from './steps/registry.ts';

/**
 * What becomes of an attempt that failed. Pictures that are not good enough have tries of their own, for each of
 * them; everything else counts against the attempts of the step. Pure.
 */
export type FailedAttempt = {
  readonly step: Step;
  readonly current: Current;
  /** Attempts made before a reviewer asked for the step again. */
  readonly earlier: number;
  /** Those that failed. */
  readonly failed: readonly Check[];
  readonly pictures: readonly PictureFault[];
};

export type AttemptJudgement =
  | { readonly next: 'end' }
  | { readonly next: 'again'; readonly fault: Fault; readonly poor?: Poor; readonly mayUseAnyway?: true }
  /** There is no other try, so what there is goes to a human. */
  | { readonly next: 'anyway'; readonly fault: Fault; readonly poor: Poor };

const NONE: Poor = { attempts: 0, pictures: {} };
/** Reasons that ask the end user a question: the same pictures are analysed again with the answer. */
export const QUESTIONS: readonly string[] = ['country_differs'];

type Limits = { maxAttempts: number; triesPerSide: number | undefined; useAnywayAfter: number };

/** A definition that was stored before there were tries of pictures means what it meant then. */
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
  // Where the definition has another way for who failed, that is the way.
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

/** What a human may make something of. Where there is no document at all, nobody can. */
function isUsable({ type }: Step, pictures: readonly PictureFault[]): boolean {
  const usable = stepTypeOf(type).anyway?.reasons ?? [];
  return pictures.every(({ reasons }) => reasons.every((reason) => usable.includes(reason)));
}

/** How many tries there are, the present one included: of the picture that was not good enough, or of the step. */
export function triesLeft(step: Step, { attempt, fault, poor = NONE }: Current, earlier: number): number {
  const { maxAttempts, triesPerSide } = limitsOf(step);
  const { picture } = fault ?? {};
  if (triesPerSide !== undefined && picture !== undefined) return triesPerSide - (poor.pictures[picture] ?? 0);
  return maxAttempts - (attempt - earlier - poor.attempts) + 1;
}
