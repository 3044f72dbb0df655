import type { Tracing } from '../kernel/tracing.ts';

/** The member of the payload with the trace of a job, if traces are on. */
const MEMBER = '_traceparent';

export function withTrace(payload: object, tracing: Tracing | undefined): object {
  const trace = tracing?.traceparent();
  return trace === undefined ? payload : { ...payload, [MEMBER]: trace };
}

export function parsePayload(text: string): { payload: object; trace: string | undefined } {
  const { [MEMBER]: trace, ...payload } = JSON.parse(text) as Record<string, unknown>;
  return { payload, trace: typeof trace === 'string' ? trace : undefined };
}
