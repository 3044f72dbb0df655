/**
 * Traces, for whoever has switched them on. The rest of the server knows this door alone; what stands behind it is loaded
 * only then. Spans hold names, ids of requests and statuses, never an address with its query nor anything of a person.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanOptions = {
  kind?: 'server' | 'client' | 'consumer' | 'internal';
  /** The W3C `traceparent` that it belongs to; the span that is current unless given. */
  parent?: string | undefined;
  attributes?: Attributes;
};

export type Span = {
  /** Whatever begins in here has this span above it. */
  run<T>(work: () => T): T;
  end(outcome?: { name?: string; attributes?: Attributes; failed?: boolean }): void;
};

export type Tracing = {
  begin(name: string, options?: SpanOptions): Span;
  /** The W3C `traceparent` of the current span. */
  traceparent(): string | undefined;
  /** The same function, with the span that is current now. For what is called later by somebody else. */
  bind<Work extends (...input: never[]) => unknown>(work: Work): Work;
  /** Sends what was gathered. */
  stop(): Promise<void>;
};

/** A promise within a span. It fails if the work does. */
export async function inSpan<T>(
  tracing: Tracing | undefined,
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
): Promise<T> {
  if (!tracing) return work();
  const span = tracing.begin(name, options);
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end({ failed: true });
    throw error;
  }
}
