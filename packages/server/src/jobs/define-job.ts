import type { TenantDb } from '../db/db.ts';
import type { Recurrence } from './next-run.ts';

/** A kind of job: everything that is needed to enqueue one. */
export type JobKind<Payload> = {
  /** `<folder>.<what it does>`. It is stored: a new name is a new kind. */
  readonly kind: string;
  /** Describes the work, for the table of docs/operating.md. */
  readonly does: string;
  /** The role of the processes that run it; `worker` by default. */
  readonly role?: 'vision';
  /** The number of jobs of this kind that a process claims and runs at once; the others are left to other servers. */
  readonly atOnce?: number;
  /**
   * The length of the lease, if another server can take over; a minute by default. The job of a killed server waits that
   * long. A server that hangs for longer loses the job, so a short lease is only for work that can be done twice.
   */
  readonly leaseMs?: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** The time after which the signal is aborted and the attempt fails. A handler that ignores the signal continues. */
  readonly timeoutMs: number;
  /** Set if the job recurs; several keys make several jobs, which servers may run in parallel. */
  readonly recurs?: Recurrence | readonly Recurrence[];
  /** Never set: it ties the type of the payload to the kind. */
  readonly payload?: Payload;
};

/**
 * A kind of job with its handler. Handlers run **at least once**: if a worker dies after the work and before it recorded the
 * result, another worker runs the job again. So a handler must accept that its work is already done.
 */
export type JobDefinition<Payload> = JobKind<Payload> & {
  run(payload: Payload, context: JobContext): Promise<void>;
};

/** The wait before attempt n + 1 is at most `firstMs` doubled n − 1 times, and never more than `mostMs`. */
export type Backoff = { readonly firstMs: number; readonly mostMs: number };

export type JobContext = {
  readonly jobId: string;
  /** The number of the attempt; the first is 1. */
  readonly attempt: number;
  readonly now: number;
  /** The reason why nothing should be deleted by the clock; undefined if the clock can be trusted. */
  readonly clockFault?: string | undefined;
  /** Aborted after the time limit, when the lease was lost and when the server cannot wait any longer. */
  readonly signal: AbortSignal;
  /**
   * Waits for a server outside. The job leaves its place to others meanwhile. If too many jobs of this part of the tenant (an
   * environment, an identity store) wait, it throws `JobPostponed`, and the job begins again later.
   */
  outside<T>(part: string, work: () => Promise<T>): Promise<T>;
  /** The database handle of the tenant of the job. To call it in a job of the installation is a bug. */
  tenant(): TenantDb;
};

/**
 * A failure whose message may be stored and shown to the operator: it holds no secrets and no personal data. Of any other
 * error only the name is stored; the rest is in the log.
 */
export class JobError extends Error {
  /** False if trying again cannot help: the job is dead at once. */
  readonly retry: boolean;

  constructor(message: string, { retry = true, cause }: { retry?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'JobError';
    this.retry = retry;
  }
}

/** The job is retried soon, and this attempt does not count. The cause is an outage of something that it needs. */
export class JobPostponed extends Error {
  constructor(cause?: unknown) {
    super(
      cause === undefined ? 'too many jobs of the tenant are at work' : 'something that the job needs is unavailable',
      {
        cause,
      },
    );
    this.name = 'JobPostponed';
  }
}

/** Whether the lease was lost or the server stops. The job then runs again, so this attempt must not decide anything. */
export function isTakenAway({ signal }: Pick<JobContext, 'signal'>): boolean {
  return signal.aborted && !(signal.reason instanceof JobError);
}

/** Ensures that a job does not remove old data by a wrong clock: a clock that jumped ahead makes everything old. */
export function ensureClock({ clockFault }: Pick<JobContext, 'clockFault'>): void {
  if (clockFault !== undefined) throw new JobError(`nothing was removed: ${clockFault}`);
}

const KIND = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/;
const MAX_KIND_LENGTH = 64;
const MAX_ATTEMPTS = 100;
/** The clocks of servers differ, and a server may be busy for a moment. */
const MIN_LEASE_MS = 3000;
/** The longest time of a timer. */
const MAX_MS = 2 ** 31 - 1;

export function defineJob<Payload extends object>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  defineKind<Payload>(definition);
  return definition;
}

/** Defines a kind whose handler is added later, because the handler depends on something that enqueues such jobs. */
export function defineKind<Payload extends object>(definition: JobKind<Payload>): JobKind<Payload> {
  const { kind, maxAttempts, backoff, timeoutMs, leaseMs = MIN_LEASE_MS } = definition;
  const wrong = (what: string) => new Error(`job ${JSON.stringify(kind)}: ${what}`);
  if (!KIND.test(kind) || kind.length > MAX_KIND_LENGTH) throw wrong('a kind is <folder>.<what-it-does>');
  if (!isWhole(maxAttempts, MAX_ATTEMPTS)) throw wrong(`maxAttempts must be from 1 to ${MAX_ATTEMPTS}`);
  if (!isWhole(leaseMs, MAX_MS) || leaseMs < MIN_LEASE_MS) throw wrong(`leaseMs must be at least ${MIN_LEASE_MS}`);
  if (!isWhole(timeoutMs, MAX_MS)) throw wrong('timeoutMs must be a time that a timer can wait for');
  if (!isWhole(backoff.firstMs, MAX_MS) || !isWhole(backoff.mostMs, MAX_MS) || backoff.mostMs < backoff.firstMs) {
    throw wrong('backoff must grow from firstMs to mostMs');
  }
  return definition;
}

function isWhole(value: number, most: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= most;
}
