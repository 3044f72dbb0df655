import { inSpan, type Tracing } from '../kernel/tracing.ts';
import { STOPPED } from '../leases/worker.ts';
import { type JobContext, type JobDefinition, JobError, JobPostponed } from './define-job.ts';
import { parsePayload } from './trace-of-job.ts';

/** The result of an attempt. `stopped` means unknown, because the server could not wait for it; it does not count. */
export type Outcome =
  | { result: 'done' }
  | { result: 'stopped' }
  /** The tenant is suspended: the job waits, and the attempt does not count. */
  | { result: 'paused' }
  /**
   * Too many jobs of the tenant wait for servers outside, or something that the job needs is unavailable: it is retried soon,
   * and the attempt does not count.
   */
  | { result: 'postponed'; cause?: unknown }
  | { result: 'failed'; error: string; retry: boolean; cause: unknown };

const MAX_ERROR_LENGTH = 200;

/** Runs a handler until it ends or its time is over; never throws. */
export async function runJob(
  definition: JobDefinition<object>,
  payload: string,
  {
    abort,
    tracing,
    ...context
  }: Omit<JobContext, 'signal'> & { abort: AbortController; tracing?: Tracing | undefined },
): Promise<Outcome> {
  const { timeoutMs } = definition;
  const { signal } = abort;
  const cutOff = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const timer = setTimeout(() => abort.abort(new JobError(`cut off after ${timeoutMs} ms`)), timeoutMs);
  try {
    const run = async () => {
      const { payload: input, trace } = parsePayload(payload);
      const options = { kind: 'consumer', parent: trace, attributes: { 'grove.attempt': context.attempt } } as const;
      await inSpan(tracing, `job ${definition.kind}`, options, () =>
        definition.run(input as never, { ...context, signal }),
      );
    };
    await Promise.race([run(), cutOff]);
    return { result: 'done' };
  } catch (error) {
    if (error === STOPPED) return { result: 'stopped' };
    if (error instanceof JobPostponed) return { result: 'postponed', cause: error.cause };
    return {
      result: 'failed',
      error: safeMessage(error),
      retry: !(error instanceof JobError) || error.retry,
      cause: error,
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Ensures that the message of another error, which may hold a password or a name, is not stored. */
function safeMessage(error: unknown): string {
  if (error instanceof JobError) return error.message.slice(0, MAX_ERROR_LENGTH);
  return error instanceof Error ? error.name.slice(0, MAX_ERROR_LENGTH) : typeof error;
}
