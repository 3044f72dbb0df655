import type { Db } from '../db/db.ts';
import type { Scrub } from '../db/sqlite/scrub.ts';
import type { JobDefinition } from '../jobs/define-job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Clock } from '../kernel/clock.ts';
import type { TenantId } from '../kernel/ids.ts';
import { type Erased, type LogEntriesDeps, logEntries } from './log-entries.ts';
import { catchUp, type Erasable, erasureReplay } from './replay-erasures.ts';
import { erasureNoter, erasureWriter, type NoteErased, writeDownJob } from './write-down.ts';

/**
 * Records erasures outside the database, so that a restored backup cannot undo them, and repeats them after a restore.
 * Features report their erasures, and know how to repeat them.
 */
export type ErasureLog = {
  /** Called before the start, once for each kind. */
  register(erasable: Erasable): void;
  /** Called in the transaction that erases. The entry is written soon after its commit. */
  note: NoteErased;
  /** Writes the entry at once, for receipts that depend on it. It is durable when the promise resolves. */
  writeDown(erased: Erased): Promise<void>;
  /**
   * Called before the server answers requests, because a restored backup may hold erased persons. Rejects with
   * `UnreadableEntries` unless `force` is set.
   */
  prepare(options?: { force?: boolean }): Promise<void>;
  /**
   * Runs every night: writes entries that a job had to give up, and repeats erasures that a restore undid while a
   * server ran.
   */
  tend(signal: AbortSignal): Promise<void>;
  stop(): void;
  readonly jobs: readonly JobDefinition<object>[];
};

export type ErasureLogDeps = LogEntriesDeps & {
  db: Db;
  clock: Clock;
  scrub: Scrub;
  jobs: Pick<Jobs, 'enqueue'>;
  everyTenantId(): AsyncIterable<TenantId>;
  onError(what: string, error: unknown): void;
};

export function openErasureLog(deps: ErasureLogDeps): ErasureLog {
  const { db, clock, scrub, jobs, everyTenantId, onError } = deps;
  const entries = logEntries(deps);
  const erasables: Erasable[] = [];
  const replay = erasureReplay({ db, clock, entries, erasables, everyTenantId });
  const write = erasureWriter({ entries, clock, scrub });
  const job = writeDownJob(write);
  const stopping = new AbortController();
  return {
    register(erasable) {
      if (erasables.some(({ kind }) => kind === erasable.kind))
        throw new Error(`${erasable.kind} is registered already`);
      erasables.push(erasable);
    },
    note: erasureNoter(jobs, job),
    writeDown: (erased) => entries.add(erased, clock.now()),
    prepare: ({ force = false } = {}) => catchUp(replay, { signal: stopping.signal, force, onError }),
    async tend(signal) {
      for await (const tenantId of everyTenantId()) await write(db.of(tenantId), signal);
      await replay(signal);
    },
    stop: () => stopping.abort(),
    jobs: [job],
  };
}
