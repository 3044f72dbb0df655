import type { Jobs } from '../../jobs/jobs.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { Drive } from '../engine/drive.ts';
import type { TellEvents } from '../instances/tell-events.ts';
import { erasureBeginner } from './begin-erasure.ts';
import { clockComparison, otherClock } from './compare-clocks.ts';
import { dueEraser } from './erase-due.ts';
import { type ErasureLogDeps, erasureLog } from './erasure-log.ts';
import { erasureHandlers } from './erasures.ts';
import { erasureFinisher, type FinishDeps, finishAllErasures, finishErasuresJob } from './finish-erasures.ts';
import { purger } from './purge.ts';
import { PURGE_DAILY_AT, purgeJob } from './purge-job.ts';
import { againEraser, catchUp, erasureReplay } from './replay-erasures.ts';
import { retentionHandlers } from './retention.ts';

/** Retention and erasure, put together. */
export type RetentionDeps = Omit<FinishDeps, 'log'> & {
  vault: Pick<Vault, 'destroySubject' | 'sealOutside' | 'openOutside'>;
  /** Where it is written down what was erased. */
  erased: ErasureLogDeps['entries'];
  drive: Pick<Drive, 'apply'>;
  tell: TellEvents;
  jobs: Jobs;
  onError(what: string, error: unknown): void;
};

export function openRetention(deps: RetentionDeps) {
  const { db, clock, jobs, audit, vault, drive, tell, everyTenantId, onError } = deps;
  const log = erasureLog({ entries: deps.erased, vault, onError });
  const finish = erasureFinisher({ ...deps, log });
  const finishJob = finishErasuresJob(finish);
  const beginErasure = erasureBeginner({ jobs, audit, finish: finishJob });
  const deletion = { vault, drive, tell, beginErasure };
  const purge = purger(dueEraser(deletion));
  const replay = erasureReplay({ db, clock, log, everyTenantId, eraseAgain: againEraser(deletion) });
  const clockFault = clockComparison({ clock, other: otherClock(db) });
  const daily = purgeJob({ db, clock, purge, finish, clockFault, replay, everyTenantId });
  jobs.register(finishJob);
  jobs.register(daily);
  jobs.schedule({ kind: daily.kind, dailyAt: PURGE_DAILY_AT, key: 'daily' });

  const stopping = new AbortController();
  let resuming: Promise<void> = Promise.resolve();
  return {
    beginErasure,
    handlers: { retention: retentionHandlers({ purge, clockFault, audit }), erasures: erasureHandlers() },
    /** Before anybody is served: what was erased must not be seen again because a backup was put in place. */
    prepare: () => catchUp(replay, stopping.signal, onError),
    /** Goes on where a server that was killed has left off. */
    start() {
      resuming = finishAllErasures(deps, finish, stopping.signal).catch((error) => {
        if (!stopping.signal.aborted) onError('erasures could not be finished; their jobs will try again', error);
      });
    },
    async stop() {
      stopping.abort();
      await resuming;
    },
  };
}
