/** The part of the log that a queue writes to. */
export type QueueLog = Record<'info' | 'warn' | 'error', (details: object, text: string) => void>;

export type OutageLog = { failed(error: unknown): void; worked(): void };

/**
 * Logs the first failure of work that is repeated, and `end`, if given, when it works again: a database that is away for an
 * hour is one event.
 */
export function outageLog(log: QueueLog, { fault, end }: { fault: string; end?: string }): OutageLog {
  let isFailing = false;
  return {
    failed(error) {
      if (!isFailing) log.error({ err: error }, fault);
      isFailing = true;
    },
    worked() {
      if (isFailing && end !== undefined) log.info({}, end);
      isFailing = false;
    },
  };
}
