import type { Context } from '../../kernel/context.ts';
import { ApiError } from '../../kernel/errors.ts';

/** Ensures that the caller may see an instance: one of the other environment is treated as missing. */
export function ensureVisible<R extends { environment: string }>(
  { principal }: Pick<Context, 'principal'>,
  row: R | undefined,
): R {
  if (row?.environment !== principal.environment) throw new ApiError(100022);
  return row;
}

/** Ensures that the personal data of an instance was not redacted. */
export function ensureUnredacted<R extends { redacted_at: number | null }>(row: R): R {
  if (row.redacted_at !== null) throw new ApiError(100364);
  return row;
}
