import type { api, Body } from '@grove/contract';
import { ensure, Refusal } from '../attempts/refusal.ts';
import { Malformed } from './uaf/malformed.ts';
import { type AuthenticationAssertion, readAuthenticationAssertion } from './uaf/read-assertion.ts';
import { readResponse, type UafResponse } from './uaf/read-response.ts';
import { CLIENT_ERROR } from './uaf/registry.ts';

/** The response of a UAF client, parsed and not yet verified. */
export type ClientAttempt = { response: UafResponse; assertion: AuthenticationAssertion };

type ClientBody = Pick<Body<typeof api.appkeys.authenticate>, 'response' | 'error'>;

const COUNTS_NOT = { counts: false } as const;
/** Errors that say nothing about who the user is: a time-out, or an interruption by the system. */
const TIMED_OUT: ReadonlySet<number> = new Set([
  CLIENT_ERROR.WAIT_USER_ACTION,
  CLIENT_ERROR.USER_NOT_RESPONSIVE,
  CLIENT_ERROR.SYSTEM_INTERRUPTED,
]);

/** Refuses everything that is not exactly one authentication response with one assertion. */
export function readAttempt({ response, error }: ClientBody): ClientAttempt {
  ensure(response || error, 1115, COUNTS_NOT);
  if (error) throw failureOf(error, response !== undefined);
  try {
    const parsed = readResponse(response as Record<string, unknown>);
    ensure(parsed.kind !== 'NONE', 1092, COUNTS_NOT);
    ensure(parsed.kind !== 'SEVERAL', 1093, COUNTS_NOT);
    ensure(parsed.op === 'Auth', 1017, COUNTS_NOT);
    return { response: parsed, assertion: readAuthenticationAssertion(parsed.assertion) };
  } catch (fault) {
    if (fault instanceof Malformed) throw new Refusal(1091, COUNTS_NOT);
    throw fault;
  }
}

/**
 * Converts the error of a UAF client, which has no response then, to a refusal. `errorCode` is a code of the standard.
 */
function failureOf(error: Record<string, unknown>, besideResponse: boolean): Refusal {
  const { errorCode } = error;
  const isKnownCode =
    Number.isInteger(errorCode) &&
    (errorCode as number) > CLIENT_ERROR.NO_ERROR &&
    (errorCode as number) <= CLIENT_ERROR.MOST;
  if (!isKnownCode || besideResponse) return new Refusal(1102, COUNTS_NOT);
  if (errorCode === CLIENT_ERROR.USER_CANCELLED) return new Refusal(1105, COUNTS_NOT);
  return new Refusal(1104, { counts: !TIMED_OUT.has(errorCode as number) });
}
