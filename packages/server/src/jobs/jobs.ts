import type { Db, TenantTx } from '../db/db.ts';
import { type Clock, MINUTE } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { QueueLog } from '../leases/log.ts';
import { openRepeated } from '../leases/repeated.ts';
import { openWorker } from '../leases/worker.ts';
import type { JobDefinition, JobKind } from './define-job.ts';
import type { JobsOptions } from './job-queue.ts';
import { jobQueue } from './job-queue.ts';
import { addJob, addScheduledJob, isSoonEnough, scheduledJobsOf } from './jobs.repository.ts';
import { assertSchedule, nextRun, type Schedule } from './next-run.ts';
import { countJobs } from './operate.repository.ts';
import { type JobOperations, operations } from './operate.ts';
import { withTrace } from './trace-of-job.ts';

/**
 * The durable queue. A job is added in the transaction of the change that needs it, so both are stored or neither. Any
 * server on the database runs it, at least once.
 */
export type Jobs = JobOperations & {
  /** Called before the start, once for each kind. */
  register(definition: JobDefinition<object>): void;
  /** All registered kinds, for the documentation. */
  kinds(): JobSummary[];
  /** Keeps one pending job for the kind and key, however many servers there are. The kind must be registered. */
  schedule(schedule: Schedule): void;
  /**
   * Adds a job in the caller's transaction. Resolves to false if a job of this kind with this unique key is pending or
   * running; a running one may have begun before the caller's change.
   */
  enqueue<Payload extends object>(
    tx: TenantTx,
    definition: JobKind<Payload>,
    payload: Payload,
    options?: { runAt?: number; uniqueKey?: string },
  ): Promise<boolean>;
  start(): void;
  /** Gives back the jobs that have not begun, and waits some seconds for the running ones. */
  stop(): Promise<void>;
  /** Runs due jobs until none is left. It may be called while the queue runs. */
  runDue(): Promise<number>;
  /** Called every minute: adds missing jobs of schedules, and warns of unknown kinds. */
  tend(): Promise<void>;
  /** Called three times in the length of a lease. */
  extendLeases(): Promise<void>;
};

export type JobSummary = { readonly kind: string; readonly does: string; readonly schedule: Schedule | undefined };

/** A payload holds ids and no personal data, because the table belongs to no tenant. */
export const MAX_PAYLOAD_BYTES = 64 * 1024;
const MAX_UNIQUE_KEY_LENGTH = 200;
const MAX_SCHEDULES = 100;

const TEND_EVERY_MS = MINUTE;

export function openJobs(options: JobsOptions): Jobs {
  const { db, clock, log, random = Math.random } = options;
  const definitions = new Map<string, JobDefinition<object>>();
  const schedules = openSchedules(db, clock, definitions);
  const { ring, ...worker } = openWorker(
    options,
    jobQueue({
      ...options,
      random,
      definitions,
      scheduleNext: (tx, job) => schedules.addNext(tx, job.kind, job.unique_key),
    }),
  );
  const warnOfUnknown = unknownKinds(db, definitions, log);
  const repeated = openRepeated(log);
  const tend = async () => {
    await schedules.ensure();
    await warnOfUnknown();
  };

  return {
    ...operations(db, clock, ring),
    register(definition) {
      if (definitions.has(definition.kind)) throw new Error(`the job ${definition.kind} is already registered`);
      definitions.set(definition.kind, definition);
      for (const recurs of [definition.recurs ?? []].flat()) schedules.add({ kind: definition.kind, ...recurs });
    },
    kinds: () =>
      Array.from(definitions.values(), ({ kind, does }) => ({ kind, does, schedule: schedules.of(kind) })).sort(
        (one, other) => (one.kind < other.kind ? -1 : 1),
      ),
    schedule: schedules.add,
    async enqueue(tx, { kind, maxAttempts }, payload, { runAt, uniqueKey } = {}) {
      const now = clock.now();
      const isAdded = await addJob(tx, {
        id: newId(now),
        owner_tenant_id: tx.tenantId,
        kind,
        payload: payloadText(kind, withTrace(payload, options.tracing)),
        unique_key: uniqueKey === undefined ? null : storedKey(tx.tenantId, uniqueKey),
        run_at: runAt ?? now,
        max_attempts: maxAttempts,
        created_at: now,
      });
      if (isAdded) tx.afterCommit(ring);
      return isAdded;
    },
    start() {
      repeated.start(TEND_EVERY_MS, tend, 'could not update schedules');
      worker.start();
    },
    async stop() {
      await worker.stop();
      await repeated.stop();
    },
    runDue: worker.runDue,
    tend,
    extendLeases: worker.extendLeases,
  };
}

function openSchedules(db: Db, clock: Clock, definitions: ReadonlyMap<string, JobDefinition<object>>) {
  const all = new Map<string, Schedule>();
  let list: ReturnType<typeof scheduledJobsOf> | undefined;
  const nameOf = (kind: string, storedKey: string) => `${kind} ${storedKey}`;
  const newRow = (schedule: Schedule) => {
    const { kind, key } = schedule;
    const now = clock.now();
    return {
      id: newId(now),
      owner_tenant_id: null,
      kind,
      payload: '{}',
      unique_key: storedKey('', key),
      run_at: nextRun(schedule, now),
      max_attempts: definitions.get(kind)?.maxAttempts ?? 1,
      created_at: now,
    };
  };
  return {
    of: (kind: string) => [...all.values()].find((each) => each.kind === kind),
    add(schedule: Schedule) {
      assertSchedule(schedule);
      const { kind, key } = schedule;
      const name = nameOf(kind, storedKey('', key));
      if (!definitions.has(kind)) throw new Error(`there is no job ${kind} to schedule`);
      if (all.has(name)) throw new Error(`the schedule ${key} of ${kind} already exists`);
      if (all.size >= MAX_SCHEDULES) throw new Error(`there are more than ${MAX_SCHEDULES} schedules`);
      all.set(name, schedule);
      list = undefined;
    },
    async addNext(tx: Parameters<typeof addScheduledJob>[0], kind: string, key: string | null) {
      const schedule = key === null ? undefined : all.get(nameOf(kind, key));
      if (schedule) await addScheduledJob(tx, newRow(schedule));
    },
    async ensure() {
      list ??= scheduledJobsOf([...new Set([...all.values()].map(({ kind }) => kind))]);
      const storedJobs = await list(db.system);
      const byName = new Map(storedJobs.map((job) => [nameOf(job.kind, job.unique_key ?? ''), job]));
      const rows = [...all].map(([name, schedule]) => ({ name, row: newRow(schedule) }));
      const missing = rows.filter(({ name, row }) => !isSoonEnough(byName.get(name), row));
      // One transaction for each row: to lock several rows at once could deadlock with jobs that end.
      for (const { row } of missing) await db.system.write((tx) => addScheduledJob(tx, row));
    },
  };
}

/** Warns once of jobs of unknown kinds. They stay, because a release that knows them may still run or return. */
function unknownKinds(db: Db, definitions: ReadonlyMap<string, unknown>, log: QueueLog): () => Promise<void> {
  const warned = new Set<string>();
  return async () => {
    for (const { kind, state, count } of await countJobs(db.system)) {
      if (state !== 'READY' || definitions.has(kind) || warned.has(kind)) continue;
      warned.add(kind);
      log.warn({ kind, count }, 'found jobs of a kind that this release does not know; they are kept');
    }
  };
}

/** Each tenant has its own keys. The id of a tenant is not empty and has no slash. */
function storedKey(tenantId: string, key: string): string {
  if (key.length > MAX_UNIQUE_KEY_LENGTH)
    throw new Error(`a unique key has at most ${MAX_UNIQUE_KEY_LENGTH} characters`);
  return `${tenantId}/${key}`;
}

function payloadText(kind: string, payload: object): string {
  const text = JSON.stringify(payload);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_PAYLOAD_BYTES) {
    throw new Error(`the payload of a job ${kind} has ${bytes} bytes; ${MAX_PAYLOAD_BYTES} are allowed`);
  }
  return text;
}
