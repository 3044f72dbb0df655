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
 * What was erased is written down where no backup of the database can undo it, and erased again if one does. Features say
 * what they have erased, and how it is done.
 */
export type ErasureLog = {
  /** Before the start, once for each kind. */
  register(erasable: Erasable): void;
  /** In the transaction that erases; written down soon after its commit. */
  note: NoteErased;
  /** Writes the entry at once; it is durable when the promise resolves, for receipts that depend on it. */
  writeDown(erased: Erased): Promise<void>;
  /**
   * Before anybody is served: what was erased must not be seen again because a backup was put in place. Rejects with
   * `UnreadableEntries` unless it is told to go on without them.
   */
  prepare(options?: { force?: boolean }): Promise<void>;
  /** Every night: writes down what a job had to give up, and looks for what came back while a server ran. */
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
