import type { Principal } from './context.ts';
import { ApiError } from './errors.ts';

/** Ensures that a caller sees personal data as it is. `what` says what would show it. */
export function ensureUnmasked({ operator }: Principal, what: string): void {
  if (!operator?.isMasked) return;
  throw new ApiError(100366, { detail: `${what} shows personal data, which the role ${operator.role} sees masked` });
}
