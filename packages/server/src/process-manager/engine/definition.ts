import type { AssuranceLevel } from './assurance-level.ts';

/** A process definition as the engine sees it: checked, with every default written out. */
export type Definition = {
  readonly name: string;
  readonly description?: string;
  readonly processDefinitionType: 'VERIFICATION' | 'AUTHENTICATION';
  /** What an automatic acceptance needs; absent in definitions that were stored before there were levels. */
  readonly assurance?: AssuranceLevel;
  /** Two different people have to come to the same verdict in a review. */
  readonly fourEyes?: boolean;
  readonly retentionDays: number;
  readonly theme: string;
  /** ISO 8601. */
  readonly maxDuration: string;
  readonly attributes: { readonly searchable: readonly string[] };
  readonly steps: readonly Step[];
};

/** What every step has; the rest is its type's. */
export type Step = {
  readonly id: string;
  readonly type: string;
  /** A CEL expression; the step is passed over if it is false. */
  readonly when?: string;
  /** Where to go afterwards, if not to the step below. Always further down. */
  readonly next?: string;
  /** Where to go if it failed: a step further down, or `end`. Without it the failure is left to the decision. */
  readonly onFail?: string;
  /** How long the end user may take, ISO 8601; steps of the end user alone have it. */
  readonly timeout?: string;
  readonly maxAttempts?: number;
  /** The name under which what it gathers is kept. */
  readonly key?: string;
  readonly [setting: string]: unknown;
};

/** In `onFail`: the journey is over and has failed. */
export const END = 'end';
