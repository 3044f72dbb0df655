import type { Check, CheckStatus, PictureFault } from '../../kernel/check.ts';
import type { Gap, SecondFactor } from './assurance-level.ts';

/** What the engine knows of one journey, and what can happen to it. All of it is plain data. */

export const FINAL_STATUSES = [
  'COMPLETED_ENDED_SUCCESS',
  'COMPLETED_ENDED_ERROR',
  'COMPLETED_PROCESS_ERROR',
  'COMPLETED_TERMINATED',
] as const;
export type FinalStatus = (typeof FINAL_STATUSES)[number];
export type InstanceStatus = 'PENDING' | 'ACTIVE' | 'PAUSED' | 'REVIEW' | FinalStatus;

export function isFinal(status: InstanceStatus): status is FinalStatus {
  return (FINAL_STATUSES as readonly string[]).includes(status);
}

export type Outcome = CheckStatus | 'SKIPPED';

/** How a step ended. */
export type StepRecord = {
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly reason?: string;
  readonly score?: number;
  /** Those that an automatic acceptance rests on, of the attempt that ended it. */
  readonly checks?: readonly Pick<Check, 'name' | 'status' | 'reason'>[];
};

export type Fault = {
  readonly reason: string;
  readonly advice: 'retry' | 'final';
  /** The picture that should be taken again, if it is one of them. */
  readonly picture?: string;
};

/** How often pictures were not good enough so far: in how many attempts, and each of them. */
export type Poor = {
  readonly attempts: number;
  readonly pictures: Readonly<Record<string, number>>;
  /** An attempt ended with a question to the end user, which costs no try. It is asked once. */
  readonly asked?: true;
};

/** What the current step waits for: the end user, a machine, a resume, a reviewer, a child instance. */
export type Phase = 'user' | 'work' | 'pause' | 'review' | 'child';

export type Current = {
  readonly step: string;
  readonly phase: Phase;
  readonly attempt: number;
  readonly enteredAt: number;
  /** When it runs out of time. */
  readonly dueAt?: number;
  /** Why the attempt before failed. */
  readonly fault?: Fault;
  readonly poor?: Poor;
  /** The pictures of the attempt before may be used, although they are poor. */
  readonly mayUseAnyway?: true;
  /** A machine looks at pictures that are used although they are poor: the end user wanted it, or there is no other try. */
  readonly anyway?: 'chosen' | 'triesEnded';
  readonly childId?: string;
};

/** Where a journey stands. It holds no personal data. */
export type Flow = {
  readonly status: InstanceStatus;
  readonly current?: Current;
  readonly done: Readonly<Record<string, StepRecord>>;
  readonly decision?: 'PASS' | 'FAIL' | 'REVIEW';
  /** Why it is for a human, although the steps and rules would have let it pass. */
  readonly gaps?: readonly Gap[];
  /** Shown besides document and face, by the time of the decision. */
  readonly secondFactor?: SecondFactor;
  /** A human has decided what the decision left to one. */
  readonly reviewed?: true;
  /**
   * Attempts made of steps that a reviewer asked for again. Numbers go on from there, so that an attempt is never taken
   * for one of the time before.
   */
  readonly earlier?: Readonly<Record<string, number>>;
  /** Steps that were put aside while the end user corrects an earlier one. */
  readonly suspended?: Readonly<Record<string, Current>>;
  /** How often the end user has corrected a step. */
  readonly corrections?: number;
  /** Why a reviewer asked for steps again; what they wrote to the end user is with the data. */
  readonly askedAgain?: { readonly steps: readonly string[]; readonly reason?: string };
  /** Steps of which a reviewer has corrected a value. The values are with the data. */
  readonly corrected?: readonly string[];
  /** What the rules come to with the corrected values. A human decides all the same. */
  readonly evaluation?: 'PASS' | 'FAIL' | 'REVIEW';
};

type ByName<T> = Readonly<Record<string, T>>;

/** What the end user gave and machines read, by the keys of the steps. It is stored sealed. */
export type KeptData = {
  readonly forms: ByName<Readonly<Record<string, unknown>>>;
  readonly documents: ByName<Readonly<Record<string, unknown>>>;
  readonly faces: ByName<Readonly<Record<string, unknown>>>;
  readonly pauses: ByName<Readonly<Record<string, string>>>;
};

export type JourneyData = KeptData & {
  /** What a reviewer wrote to the end user when asking for steps again, by language. */
  readonly message?: ByName<string>;
  /** The values that reviewers corrected, the first one first. */
  readonly corrections?: readonly ValueCorrection[];
};

export type ValueCorrection = {
  readonly step: string;
  readonly fieldName: string;
  /** What was shown until then; empty if the field was not read. */
  readonly before: string;
  readonly value: string;
  readonly comment: string;
  readonly reviewer: string;
  readonly at: number;
};

export const NO_DATA: JourneyData = { forms: {}, documents: {}, faces: {}, pauses: {} };

export type State = { readonly flow: Flow; readonly data: JourneyData; readonly params: ByName<string> };

/** What a machine found in the images of an attempt. `data` is added to what the journey has. */
export type Findings = {
  readonly checks: readonly Check[];
  readonly data?: Partial<JourneyData>;
  /** The pictures that should be taken again. */
  readonly pictures?: readonly PictureFault[];
};

export type Happening =
  /** The end user has come for the first time. */
  | { readonly type: 'open' }
  | {
      readonly type: 'submit';
      readonly step: string;
      readonly result: Readonly<Record<string, unknown>>;
      readonly images: readonly string[];
    }
  /** The end user wants the pictures of the attempt before to be used, although they are poor. */
  | { readonly type: 'useAnyway'; readonly step: string }
  /** The end user cannot do the step. */
  | { readonly type: 'unable'; readonly step: string }
  | { readonly type: 'findings'; readonly step: string; readonly attempt: number; readonly findings: Findings }
  /** The machine could not do the step, and will not be able to. */
  | { readonly type: 'broke'; readonly step: string; readonly attempt: number; readonly reason: string }
  /** Time has passed; what is due happens. */
  | { readonly type: 'tick' }
  /** The time for the whole instance is over. */
  | { readonly type: 'expire' }
  | { readonly type: 'abandon' }
  /** The tenant ends it, whatever it waits for. */
  | { readonly type: 'cancel' }
  | { readonly type: 'resume'; readonly variables: ByName<string> }
  | { readonly type: 'childEnded'; readonly childId: string; readonly status: FinalStatus }
  | { readonly type: 'approve' }
  | { readonly type: 'reject' }
  | {
      readonly type: 'askAgain';
      readonly steps: readonly string[];
      readonly reason?: string;
      /** To the end user, by language. */
      readonly message?: ByName<string>;
    }
  /** The end user corrects an earlier step. */
  | { readonly type: 'doAgain'; readonly step: string }
  /** A reviewer corrects a value that was read of a document. */
  | {
      readonly type: 'correctValue';
      /** The key of the document. */
      readonly document: string;
      readonly fieldName: string;
      readonly value: string;
      /** What the reviewer saw. */
      readonly replaces?: string;
      readonly comment: string;
      readonly reviewer: string;
      /** The stored checks, by step. */
      readonly checks: ByName<readonly Check[]>;
    }
  /** A decided journey goes back to the reviewers. */
  | { readonly type: 'reopen' };

/** `freshId` names the child instance, if the step that comes next makes one. */
export type Input = Happening & { readonly now: number; readonly freshId: string };

export type Effect =
  | {
      readonly type: 'event';
      readonly event: string;
      readonly step?: string;
      readonly data?: Readonly<Record<string, unknown>>;
    }
  /** A machine shall look at the attempt, and give its findings. */
  | { readonly type: 'work'; readonly step: string; readonly attempt: number }
  /** These images of one attempt are those of the next, unless it has others already. */
  | { readonly type: 'carry'; readonly step: string; readonly attempt: number; readonly names: readonly string[] }
  /** Checks to store, whatever the outcome of the step. */
  | {
      readonly type: 'checks';
      readonly step: string;
      readonly attempts: number;
      readonly checks: readonly Check[];
      /** The step has none yet. */
      readonly isFirst: boolean;
    }
  /** Checks of these steps are no longer true. */
  | { readonly type: 'forget'; readonly steps: readonly string[] }
  | { readonly type: 'child'; readonly step: string; readonly childId: string }
  | { readonly type: 'webhook'; readonly step: string; readonly name: string };

/** Why an input was refused. A refused input changes nothing. */
export type Reason =
  | 'ended'
  | 'notCurrent'
  | 'notPaused'
  | 'notInReview'
  | 'notOffered'
  | 'notDecided'
  | 'changed'
  | 'badInput';

export type Next =
  | { readonly state: State; readonly effects: readonly Effect[]; readonly refusal?: undefined }
  | { readonly refusal: Reason; readonly faults?: readonly { pointer: string; message: string }[] };
