import type { AssuranceLevel } from './assurance-level.ts';

/** A process definition for the engine: checked, with all defaults. */
export type Definition = {
  readonly name: string;
  readonly description?: string;
  readonly processDefinitionType: 'VERIFICATION' | 'AUTHENTICATION';
  /** The requirements of an automatic acceptance; absent in definitions that are older than levels. */
  readonly assurance?: AssuranceLevel;
  /** Two different people must reach the same verdict in a review. */
  readonly fourEyes?: boolean;
  readonly retentionDays: number;
  readonly theme: string;
  /** ISO 8601. */
  readonly maxDuration: string;
  readonly attributes: { readonly searchable: readonly string[] };
  readonly steps: readonly Step[];
};

/** The members of every step; the others belong to its type. */
export type Step = {
  readonly id: string;
  readonly type: string;
  /** A CEL expression; the step is skipped if it is false. */
  readonly when?: string;
  /** The next step, if it is not the one below. It is always further down. */
  readonly next?: string;
  /** The next step after a failure: one further down, or `end`. Without it, the decision takes the failure into account. */
  readonly onFail?: string;
  /** The time limit for the end user, ISO 8601. Only steps of the end user have it. */
  readonly timeout?: string;
  readonly maxAttempts?: number;
  /** The name under which its data is stored. */
  readonly key?: string;
  readonly [setting: string]: unknown;
};

/** In `onFail`: the journey ends as failed. */
export const END = 'end';
