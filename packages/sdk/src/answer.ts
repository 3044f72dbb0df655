import { GroveConnectionError, GroveError, type InputFault, isRecord } from './errors.ts';
import type { Answer, Outcome } from './exchange.ts';
import type { Route } from './route.ts';
import type { Binary, Redirect } from './types.ts';

/** Returns the result of a call, or throws the typed error. Fields unknown to this version are left unchanged. */
export function resultOf(operation: string, route: Route, outcome: Outcome): unknown {
  if ('fault' in outcome) throw new GroveConnectionError({ operation, ...outcome });
  const { status, headers, bytes } = outcome;
  if (status === 307 && route.status === 307) {
    const location = headers.get('location') ?? '';
    const processInstanceId = URL.canParse(location) ? new URL(location).searchParams.get('pi') : null;
    if (processInstanceId !== null) return { location, processInstanceId } satisfies Redirect;
  }
  if (status < 200 || status > 299) throw errorFrom(operation, outcome);
  if (status === 204 || (route.empty && bytes.length === 0)) return undefined;
  if (route.produces !== undefined) {
    return { contentType: headers.get('content-type') ?? route.produces, bytes } satisfies Binary;
  }
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // The message of the parser quotes the text of the answer, which may hold a token, so it is not passed on.
    throw errorFrom(operation, outcome, 'The answer is not JSON; does baseUrl point to a Grove server?');
  }
}

function errorFrom(operation: string, answer: Answer, message?: string): GroveError {
  const { status, requestId, retryAfterSeconds } = answer;
  const problem = answer.problem ?? {};
  return new GroveError({
    operation,
    status,
    message: message ?? text(problem.message) ?? fallbackMessage(status),
    code: typeof problem.code === 'number' ? problem.code : undefined,
    requestId: text(problem.requestId) ?? requestId,
    errors: Array.isArray(problem.errors) ? problem.errors.filter(isInputFault) : [],
    retryAfterSeconds,
    user: problem.user,
  });
}

function fallbackMessage(status: number): string {
  // In a browser, a redirect that is not followed has the status 0.
  if (status === 0 || (status >= 300 && status < 400))
    return 'The server answered with a redirect, which is not followed';
  return `The server answered ${status} without saying why`;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function isInputFault(value: unknown): value is InputFault {
  return isRecord(value) && typeof value.pointer === 'string' && typeof value.message === 'string';
}
