/**
 * Traces, if they are switched on; only then the library behind this interface is loaded. Spans hold names, request ids
 * and statuses, never a URL with its query or personal data.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanOptions = {
  kind?: 'server' | 'client' | 'consumer' | 'internal';
  /** The W3C `traceparent` of the parent; the current span by default. */
  parent?: string | undefined;
  attributes?: Attributes;
};

export type Span = {
  /** Spans that begin in `work` are children of this one. */
  run<T>(work: () => T): T;
  end(outcome?: { name?: string; attributes?: Attributes; failed?: boolean }): void;
};

export type Tracing = {
  begin(name: string, options?: SpanOptions): Span;
  /** The W3C `traceparent` of the current span. */
  traceparent(): string | undefined;
  /** Binds a callback to the current span. */
  bind<Work extends (...input: never[]) => unknown>(work: Work): Work;
  /** Sends the spans that were not sent yet. */
  stop(): Promise<void>;
};

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
