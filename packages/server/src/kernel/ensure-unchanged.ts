import { toDtm } from './clock.ts';
import { ApiError } from './errors.ts';

/** When something was last changed that is not stored. */
const NEVER = 0;

/** Ensures that what the caller has read is what is stored, if the caller says what that was. */
export function ensureUnchanged(
  { ifLastUpdatedDtm }: { ifLastUpdatedDtm?: string },
  stored: { last_updated_at: number; last_updated_by: string | null } | undefined,
): void {
  if (ifLastUpdatedDtm === undefined || Date.parse(ifLastUpdatedDtm) === (stored?.last_updated_at ?? NEVER)) return;
  const detail = stored
    ? `${stored.last_updated_by ?? 'somebody'} changed it at ${toDtm(stored.last_updated_at)}`
    : 'somebody removed it';
  throw new ApiError(100351, { detail });
}
