import type { ErrorCode } from '@grove/contract';

/**
 * The result of an authentication or registration that ran and failed. Unlike every other error it does not roll back:
 * the counted failure, the record of the attempt and the event stay. Only `attempt` and `registration` catch it; the
 * response contains the user as it is afterwards.
 */
export class Refusal extends Error {
  readonly code: ErrorCode;
  /**
   * Whether it counts as a failed attempt. A wrong secret counts; an attempt that was cancelled, timed out or malformed
   * does not.
   */
  readonly counts: boolean;
  /** Added to the message for a developer. Never holds personal data or secrets. */
  readonly problem: { readonly detail?: string };

  constructor(code: ErrorCode, { counts, detail }: { counts: boolean; detail?: string | undefined }) {
    super(`refused with ${code}`);
    this.name = 'Refusal';
    this.code = code;
    this.counts = counts;
    this.problem = detail === undefined ? {} : { detail };
  }
}

/** Throws a refusal unless the condition holds. */
export function ensure(condition: unknown, code: ErrorCode, options: { counts: boolean }): asserts condition {
  if (!condition) throw new Refusal(code, options);
}
