import type { ErrorCode } from '@grove/contract';

/**
 * It ran, and the answer is no. Unlike every other error it does not roll back: the count of failures, the record of the
 * attempt and the event are kept. Only `attempt` and `registration` catch it, and answer with the user as it is then.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  /** Whether it counts against the user: a wrong secret does; what was cancelled, timed out or malformed does not. */
  readonly counts: boolean;
  /** What is added to the message, for a developer. Never holds personal data or secrets. */
  readonly told: { readonly detail?: string };

  constructor(code: ErrorCode, { counts, detail }: { counts: boolean; detail?: string | undefined }) {
    super(`refused with ${code}`);
    this.name = 'Refusal';
    this.code = code;
    this.counts = counts;
    this.told = detail === undefined ? {} : { detail };
  }
}

/** Throws a refusal unless the condition holds. */
export function ensure(condition: unknown, code: ErrorCode, options: { counts: boolean }): asserts condition {
  if (!condition) throw new Refusal(code, options);
}
