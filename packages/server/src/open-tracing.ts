import type { Context, Span as OtelSpan } from '@opentelemetry/api';
import { type Config, ConfigError } from './config.ts';
import type { Db, TenantDb } from './db/db.ts';
import type { Outbound } from './engines/outbound/outbound.ts';
import type { TenantId } from './kernel/ids.ts';
import type { SpanOptions, Tracing } from './kernel/tracing.ts';

/** OpenTelemetry over OTLP, loaded only if the operator has configured an address for traces. */
export async function openTracing(
  { traces }: Pick<Config, 'traces'>,
  version: string,
  onError: (error: Error) => void,
): Promise<Tracing | undefined> {
  if (!traces) return undefined;
  const [api, { AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, trace, resources, otlp] =
    await loadPackages();
  api.diag.setLogger({
    verbose: () => undefined,
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (message, ...details) => onError(new Error([message, ...details].map(String).join(' ').slice(0, 500))),
  });
  // A separate context manager instead of the global one, because in tests several applications run in one process.
  const manager = new AsyncLocalStorageContextManager().enable();
  const propagator = new W3CTraceContextPropagator();
  const provider = new trace.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'grove', 'service.version': version }),
    sampler: new trace.ParentBasedSampler({ root: new trace.TraceIdRatioBasedSampler(traces.ratio) }),
    spanProcessors: [
      new trace.BatchSpanProcessor({
        exporter: new otlp.OTLPTraceExporter({ url: traces.url, headers: traces.headers }),
      }),
    ],
  });
  const tracer = provider.getTracer('grove', version);
  const kinds = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    consumer: api.SpanKind.CONSUMER,
    internal: api.SpanKind.INTERNAL,
  } as const;
  const getter = {
    get: (carrier: { traceparent: string }, key: string) => (key === 'traceparent' ? carrier.traceparent : undefined),
    keys: () => ['traceparent'],
  };
  const above = (parent: string | undefined): Context =>
    parent === undefined ? manager.active() : propagator.extract(api.ROOT_CONTEXT, { traceparent: parent }, getter);
  return {
    begin(name, { kind = 'internal', parent, attributes = {} }: SpanOptions = {}) {
      const context = above(parent);
      const span: OtelSpan = tracer.startSpan(name, { kind: kinds[kind], attributes: { ...attributes } }, context);
      return {
        run: (work) => manager.with(api.trace.setSpan(context, span), work),
        end({ name: final, attributes: more = {}, failed = false } = {}) {
          if (final !== undefined) span.updateName(final);
          span.setAttributes({ ...more });
          if (failed) span.setStatus({ code: api.SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    traceparent() {
      const carrier: { traceparent?: string } = {};
      propagator.inject(manager.active(), carrier, {
        set: (into, key, value) => {
          if (key === 'traceparent') into.traceparent = value;
        },
      });
      return carrier.traceparent;
    },
    bind: (work) => manager.bind(manager.active(), work),
    stop: () => provider.shutdown(),
  };
}

/**
 * The packages are optional in a release. If traces are configured without them, the start fails, because nobody would
 * notice missing traces.
 */
async function loadPackages() {
  try {
    return await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigError([
      'GROVE_OTLP_URL is set, but the packages of OpenTelemetry are not installed: install without --omit=optional, or unset it',
    ]);
  }
}

/** A transaction may run in a group that another request began. It keeps the span of its own request. */
export function tracedDb(db: Db, tracing: Tracing | undefined): Db {
  if (!tracing) return db;
  const traced = <Handles extends Pick<Db, 'of'>>(handles: Handles): Handles => ({
    ...handles,
    of(tenantId: TenantId) {
      const handle = handles.of(tenantId);
      return { ...handle, write: (work, options) => handle.write(tracing.bind(work), options) } satisfies TenantDb;
    },
  });
  return { ...traced(db), aside: traced(db.aside) };
}

/** Adds the trace to every request to a server outside, unless the request already has one. */
export function tracedOutbound(outbound: Outbound, tracing: Tracing | undefined): Outbound {
  if (!tracing) return outbound;
  return {
    ...outbound,
    async send(request) {
      const span = tracing.begin('outbound', { kind: 'client', attributes: { 'http.request.method': request.method } });
      return span.run(async () => {
        const traceparent = tracing.traceparent();
        const answer = await outbound.send({
          ...request,
          headers: { ...(traceparent !== undefined && { traceparent }), ...request.headers },
        });
        const { status, fault } = answer;
        span.end({
          attributes: status === undefined ? { 'error.type': fault ?? '' } : { 'http.response.status_code': status },
          failed: status === undefined || status >= 400,
        });
        return answer;
      });
    },
  };
}
