import { type ErrorCode, refusalCodes } from '@grove/contract';
import { ApiError } from '../../kernel/errors.ts';
import type { ActResult, RefusedAct } from '../../process-manager/engine/steps/identity-acts.ts';

/** Translates a refusal of the store for a step of a journey. */

/** Another attempt cannot succeed: the user may not authenticate in this way, or has nothing to authenticate with. */
const FINAL: readonly ErrorCode[] = [502, 2100, 2101, 2102, 2103, 20122, 100031, 100038, 100053, 100094];
/** Codes that the end user did not cause and cannot resolve. */
const NOBODYS_FAULT: readonly ErrorCode[] = [100027, 100028, 100029, 100030, 100082, 100083];
/** The session has expired or was never started. */
export const SESSION_GONE = { code: 100035, status: 'FAILED', advice: 'retry' } as const satisfies RefusedAct;

/** Undefined for an error that is not a refusal: then the transaction rolls back. */
export function judgeRefusal(code: ErrorCode): RefusedAct | undefined {
  if (NOBODYS_FAULT.includes(code)) return { code, status: 'NOT_PERFORMED', advice: 'final' };
  if (FINAL.includes(code)) return { code, status: 'FAILED', advice: 'final' };
  return code === SESSION_GONE.code || Object.hasOwn(refusalCodes, code)
    ? { code, status: 'FAILED', advice: 'retry' }
    : undefined;
}

/** Runs the act; a refusal of the store becomes a result. */
export async function attemptAct<T>(act: () => Promise<T>): Promise<ActResult<T>> {
  try {
    return { done: await act() };
  } catch (error) {
    const refusal = error instanceof ApiError ? judgeRefusal(error.code) : undefined;
    if (!refusal) throw error;
    return { refusal };
  }
}
