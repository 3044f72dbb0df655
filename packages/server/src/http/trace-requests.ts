import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Tracing } from '../kernel/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set only if tracing is on. */
    span?: Span;
  }
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Makes a span for each request, as a child of the caller's. It gets its name when the operation is known. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers;
    const parent = typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
    const attributes = { 'http.request.method': request.method, 'grove.request_id': request.id };
    request.span = tracing.begin('request', { kind: 'server', parent, attributes });
    request.span.run(done);
  });
}

/** The end of a span has neither the address nor the body, because they may contain personal data. */
export function endOfSpan(request: FastifyRequest, operation: string, status: number) {
  const tenantId = (request.principal ?? request.journey)?.tenantId;
  return {
    name: operation,
    attributes: { 'http.response.status_code': status, ...(tenantId !== undefined && { 'grove.tenant': tenantId }) },
    failed: status >= 500,
  };
}
