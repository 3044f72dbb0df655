import type { api, Body } from '@grove/contract';
import { ensure, Refusal } from '../attempts/refusal.ts';
import { Malformed } from './uaf/malformed.ts';
import { type AuthenticationAssertion, readAuthenticationAssertion } from './uaf/read-assertion.ts';
import { readResponse, type UafResponse } from './uaf/read-response.ts';
import { CLIENT_ERROR } from './uaf/registry.ts';

/** How the client's attempt to authenticate ended, read and not yet believed. */
export type ClientAttempt = { response: UafResponse; assertion: AuthenticationAssertion };

type Given = Pick<Body<typeof api.appkeys.authenticate>, 'response' | 'error'>;

const COUNTS_NOT = { counts: false } as const;
/** Time ran out, or the system came between: nobody was found to be somebody else. */
const TIMED_OUT: ReadonlySet<number> = new Set([
  CLIENT_ERROR.WAIT_USER_ACTION,
  CLIENT_ERROR.USER_NOT_RESPONSIVE,
  CLIENT_ERROR.SYSTEM_INTERRUPTED,
]);

/** Refuses whatever is not one authentication response with one assertion. */
export function readAttempt({ response, error }: Given): ClientAttempt {
  ensure(response || error, 1115, COUNTS_NOT);
  if (error) throw failureOf(error, response !== undefined);
  try {
    const read = readResponse(response as Record<string, unknown>);
    ensure(read.kind !== 'NONE', 1092, COUNTS_NOT);
    ensure(read.kind !== 'SEVERAL', 1093, COUNTS_NOT);
    ensure(read.op === 'Auth', 1017, COUNTS_NOT);
    return { response: read, assertion: readAuthenticationAssertion(read.assertion) };
  } catch (fault) {
    if (fault instanceof Malformed) throw new Refusal(1091, COUNTS_NOT);
    throw fault;
  }
}

/** What a UAF client reports when it has no response: an error code of the standard, and perhaps a word about it. */
function failureOf(error: Record<string, unknown>, besideResponse: boolean): Refusal {
  const { errorCode } = error;
  const known =
    Number.isInteger(errorCode) &&
    (errorCode as number) > CLIENT_ERROR.NO_ERROR &&
    (errorCode as number) <= CLIENT_ERROR.MOST;
  if (!known || besideResponse) return new Refusal(1102, COUNTS_NOT);
  if (errorCode === CLIENT_ERROR.USER_CANCELLED) return new Refusal(1105, COUNTS_NOT);
  return new Refusal(1104, { counts: !TIMED_OUT.has(errorCode as number) });
}
