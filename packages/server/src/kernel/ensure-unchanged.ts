import { toDtm } from './clock.ts';
import { ApiError } from './errors.ts';

/** Ensures that what the caller has read is what is stored, if the caller says what that was. */
export function ensureUnchanged(
  { ifLastUpdatedDtm }: { ifLastUpdatedDtm?: string },
  { last_updated_at, last_updated_by }: { last_updated_at: number; last_updated_by: string | null },
): void {
  if (ifLastUpdatedDtm === undefined || Date.parse(ifLastUpdatedDtm) === last_updated_at) return;
  const at = toDtm(last_updated_at);
  throw new ApiError(100351, { detail: `${last_updated_by ?? 'somebody'} changed it at ${at}` });
}
