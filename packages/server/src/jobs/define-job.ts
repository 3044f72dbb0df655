import type { TenantDb } from '../db/db.ts';
import type { Recurrence } from './next-run.ts';

/** A kind of job: all that whoever enqueues one needs to know. */
export type JobKind<Payload> = {
  /** `<folder>.<what it does>`. It is stored: a new name is a new kind. */
  readonly kind: string;
  /** What it does, for the table of docs/operating.md. */
  readonly does: string;
  /** Which processes run it: those with the role `worker` unless given. */
  readonly role?: 'vision';
  /** How many of this kind a process runs at once, and claims: the others are left to other servers. */
  readonly atOnce?: number;
  /**
   * How long the lease lasts, if another server can take over: so long the job of a killed server waits. A minute unless
   * given. A server that hangs for longer loses the job, so it is short only where doing the work twice does no harm.
   */
  readonly leaseMs?: number;
  readonly maxAttempts: number;
  readonly backoff: Backoff;
  /** After this its signal is aborted and the attempt has failed. A handler that does not heed the signal runs on. */
  readonly timeoutMs: number;
  /** Set if it comes again by itself; several keys are several jobs, which servers may run side by side. */
  readonly recurs?: Recurrence | readonly Recurrence[];
  /** Never set: it ties the type of the payload to the kind. */
  readonly payload?: Payload;
};

/**
 * A kind of job with its handler. Handlers run **at least once**: a worker that dies after the work and before it could say
 * so leaves the job to another, so a handler must be able to find its own work done already.
 */
export type JobDefinition<Payload> = JobKind<Payload> & {
  run(payload: Payload, context: JobContext): Promise<void>;
};

/** The wait before attempt n + 1 is at most `firstMs` doubled n − 1 times, and never more than `mostMs`. */
export type Backoff = { readonly firstMs: number; readonly mostMs: number };

export type JobContext = {
  readonly jobId: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly now: number;
  /** Why nothing should be deleted by the clock now; undefined if it can be trusted. */
  readonly clockFault?: string | undefined;
  /** Aborted when the time is up, when the lease was lost and when the server cannot wait any longer. */
  readonly signal: AbortSignal;
  /**
   * Waits for somebody else's server. The job leaves its place to others meanwhile. If this part of the tenant (an
   * environment, an identity store) has too many that wait, `JobPostponed` is thrown and the job begins again later.
   */
  outside<T>(part: string, work: () => Promise<T>): Promise<T>;
  /** The data of the tenant whose job it is; a job of the installation has none, and asking is a bug. */
  tenant(): TenantDb;
};

/**
 * A failure whose message may be stored and shown to the operator: it holds no secret and nothing of a person. Of any
 * other error only the name is stored; the rest is in the log.
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

/** The job is tried again in a moment, and this attempt does not count. The cause is an outage of what it needs. */
export class JobPostponed extends Error {
  constructor(cause?: unknown) {
    super(cause === undefined ? 'too many jobs of the tenant are at work' : 'what it needs is away', {
      cause,
    });
    this.name = 'JobPostponed';
  }
}

/** Whether the lease was lost or the server stops. Then the job is run again, and this attempt decides nothing. */
export function isTakenAway({ signal }: Pick<JobContext, 'signal'>): boolean {
  return signal.aborted && !(signal.reason instanceof JobError);
}

/** For jobs that remove for good what is older than so many days: a clock that jumped ahead makes everything old. */
export function ensureClock({ clockFault }: Pick<JobContext, 'clockFault'>): void {
  if (clockFault !== undefined) throw new JobError(`nothing was removed: ${clockFault}`);
}

const KIND = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+$/;
const MAX_KIND_LENGTH = 64;
const MAX_ATTEMPTS = 100;
/** The clocks of servers differ, and a server may be busy for a moment. */
const MIN_LEASE_MS = 3000;
/** What a timer can wait for. */
const MAX_MS = 2 ** 31 - 1;

export function defineJob<Payload extends object>(definition: JobDefinition<Payload>): JobDefinition<Payload> {
  defineKind<Payload>(definition);
  return definition;
}

/** A kind whose handler needs something that enqueues it: the handler is added where that is at hand. */
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
