import type { Check, CheckStatus, PictureFault } from '../../kernel/check.ts';
import type { Gap, SecondFactor } from './assurance-level.ts';

/** The state of a journey for the engine, and the events that can happen to it, as plain data. */

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

/** The result of a step that has ended. */
export type StepRecord = {
  readonly outcome: Outcome;
  readonly attempts: number;
  readonly reason?: string;
  readonly score?: number;
  /** The decisive checks of the attempt that ended it. */
  readonly checks?: readonly Pick<Check, 'name' | 'status' | 'reason'>[];
};

export type Fault = {
  readonly reason: string;
  readonly advice: 'retry' | 'final';
  /** The picture that should be taken again, if it is one of them. */
  readonly picture?: string;
};

/** The number of attempts with poor pictures so far, in all and for each picture. */
export type Poor = {
  readonly attempts: number;
  readonly pictures: Readonly<Record<string, number>>;
  /** An attempt ended with a question to the end user, which does not count as an attempt. It is asked once. */
  readonly asked?: true;
};

/** The current step waits for the end user, a machine, a resume, a reviewer or a child instance. */
export type Phase = 'user' | 'work' | 'pause' | 'review' | 'child';

export type Current = {
  readonly step: string;
  readonly phase: Phase;
  readonly attempt: number;
  readonly enteredAt: number;
  /** The moment when its time is over. */
  readonly dueAt?: number;
  /** The fault of the previous attempt. */
  readonly fault?: Fault;
  readonly poor?: Poor;
  /** The poor pictures of the previous attempt may be used. */
  readonly mayUseAnyway?: true;
  /** Set while a machine analyses poor pictures that are used: by choice of the end user, or because no attempt remains. */
  readonly anyway?: 'chosen' | 'triesEnded';
  readonly childId?: string;
};

/** The progress of a journey. It holds no personal data. */
export type Flow = {
  readonly status: InstanceStatus;
  readonly current?: Current;
  readonly done: Readonly<Record<string, StepRecord>>;
  readonly decision?: 'PASS' | 'FAIL' | 'REVIEW';
  /** The reasons why a human decides, although steps and rules would let the journey pass. */
  readonly gaps?: readonly Gap[];
  /** The second factor besides document and face, at the time of the decision. */
  readonly secondFactor?: SecondFactor;
  /** A human has decided the review of the decision. */
  readonly reviewed?: true;
  /**
   * The attempts of steps before a reviewer asked for them again. Numbers continue from there, so that a new attempt is never
   * mistaken for an earlier one.
   */
  readonly earlier?: Readonly<Record<string, number>>;
  /** Steps that are suspended while the end user corrects an earlier one. */
  readonly suspended?: Readonly<Record<string, Current>>;
  /** The number of corrections of steps by the end user. */
  readonly corrections?: number;
  /** The steps for which a reviewer asked again, and the reason. The message to the end user is in the data. */
  readonly askedAgain?: { readonly steps: readonly string[]; readonly reason?: string };
  /** Steps with a value that a reviewer corrected. The values are in the data. */
  readonly corrected?: readonly string[];
  /** The result of the rules with the corrected values. A human decides in any case. */
  readonly evaluation?: 'PASS' | 'FAIL' | 'REVIEW';
};

type ByName<T> = Readonly<Record<string, T>>;

/** The data of the end user and the readings of machines, by the keys of the steps. It is stored sealed. */
export type KeptData = {
  readonly forms: ByName<Readonly<Record<string, unknown>>>;
  readonly documents: ByName<Readonly<Record<string, unknown>>>;
  readonly faces: ByName<Readonly<Record<string, unknown>>>;
  readonly pauses: ByName<Readonly<Record<string, string>>>;
};

export type JourneyData = KeptData & {
  /** The message of a reviewer who asked for steps again, by language. */
  readonly message?: ByName<string>;
  /** The values that reviewers corrected, the oldest correction first. */
  readonly corrections?: readonly ValueCorrection[];
};

export type ValueCorrection = {
  readonly step: string;
  readonly fieldName: string;
  /** The former value; empty if the field was not read. */
  readonly before: string;
  readonly value: string;
  readonly comment: string;
  readonly reviewer: string;
  readonly at: number;
};

export const NO_DATA: JourneyData = { forms: {}, documents: {}, faces: {}, pauses: {} };

export type State = { readonly flow: Flow; readonly data: JourneyData; readonly params: ByName<string> };

/** The findings of a machine for an attempt. `data` is added to that of the journey. */
export type Findings = {
  readonly checks: readonly Check[];
  readonly data?: Partial<JourneyData>;
  /** The pictures that should be taken again. */
  readonly pictures?: readonly PictureFault[];
};

export type Trigger =
  /** The end user opens the journey. */
  | { readonly type: 'open' }
  | {
      readonly type: 'submit';
      readonly step: string;
      readonly result: Readonly<Record<string, unknown>>;
      readonly images: readonly string[];
    }
  /** The end user wants the poor pictures of the previous attempt to be used. */
  | { readonly type: 'useAnyway'; readonly step: string }
  /** The end user cannot do the step. */
  | { readonly type: 'unable'; readonly step: string }
  | { readonly type: 'findings'; readonly step: string; readonly attempt: number; readonly findings: Findings }
  /** The machine failed for good. */
  | { readonly type: 'broke'; readonly step: string; readonly attempt: number; readonly reason: string }
  /** Time has passed. */
  | { readonly type: 'tick' }
  /** The time for the whole instance is over. */
  | { readonly type: 'expire' }
  | { readonly type: 'abandon' }
  /** The tenant ends the instance in any phase. */
  | { readonly type: 'cancel' }
  | { readonly type: 'resume'; readonly variables: ByName<string> }
  | { readonly type: 'childEnded'; readonly childId: string; readonly status: FinalStatus }
  | { readonly type: 'approve' }
  | { readonly type: 'reject' }
  | {
      readonly type: 'askAgain';
      readonly steps: readonly string[];
      readonly reason?: string;
      /** The message to the end user, by language. */
      readonly message?: ByName<string>;
    }
  /** The end user corrects an earlier step. */
  | { readonly type: 'doAgain'; readonly step: string }
  /** A reviewer corrects a value that was read from a document. */
  | {
      readonly type: 'correctValue';
      /** The key of the document. */
      readonly document: string;
      readonly fieldName: string;
      readonly value: string;
      /** The value that the reviewer saw. */
      readonly replaces?: string;
      readonly comment: string;
      readonly reviewer: string;
      /** The stored checks, by step. */
      readonly checks: ByName<readonly Check[]>;
    }
  /** A decided journey goes back to the reviewers. */
  | { readonly type: 'reopen' };

/** `freshId` becomes the id of a child instance, if the next step creates one. */
export type Input = Trigger & { readonly now: number; readonly freshId: string };

export type Effect =
  | {
      readonly type: 'event';
      readonly event: string;
      readonly step?: string;
      readonly data?: Readonly<Record<string, unknown>>;
    }
  /** A machine must work on the attempt. */
  | { readonly type: 'work'; readonly step: string; readonly attempt: number }
  /** The next attempt uses these images of an attempt, unless it has its own. */
  | { readonly type: 'carry'; readonly step: string; readonly attempt: number; readonly names: readonly string[] }
  /** Checks to store, whatever the outcome of the step. */
  | {
      readonly type: 'checks';
      readonly step: string;
      readonly attempts: number;
      readonly checks: readonly Check[];
      /** The step has no checks yet. */
      readonly isFirst: boolean;
    }
  /** Checks of these steps are no longer true. */
  | { readonly type: 'forget'; readonly steps: readonly string[] }
  | { readonly type: 'child'; readonly step: string; readonly childId: string }
  | { readonly type: 'webhook'; readonly step: string; readonly name: string };

/** The reason why an input was refused. A refused input changes nothing. */
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
