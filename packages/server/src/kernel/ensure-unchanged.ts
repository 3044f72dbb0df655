import { toDtm } from './clock.ts';
import { ApiError } from './errors.ts';

/** The last change of an object that is not stored. */
const NEVER = 0;

/** Ensures that nobody changed the object since the caller read it, if the caller says when that version was made. */
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
