import type { ErasureLog } from '../../erasure-log/erasure-log.ts';
import { REPLAYED_BY } from '../../erasure-log/replay-erasures.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { TellEvents } from '../instances/tell-events.ts';
import type { Drive } from '../runtime/drive.ts';
import { deletedTokens, erasableTokens, tokensOfPerson } from '../tokens/tokens-of-person.ts';
import { erasureBeginner } from './begin-erasure.ts';
import { clockComparison } from './compare-clocks.ts';
import { erasableInstances } from './erase-again.ts';
import { dueEraser } from './erase-due.ts';
import { erasureHandlers } from './erasures.ts';
import { erasureFinisher, type FinishDeps, finishAllErasures, finishErasuresJob } from './finish-erasures.ts';
import { instancesOfPerson } from './instances-of-person.ts';
import { purger } from './purge.ts';
import { purgeJob } from './purge-job.ts';
import { retentionHandlers } from './retention.ts';

/** Retention and erasure, put together. */
export type RetentionDeps = FinishDeps & {
  vault: Pick<Vault, 'destroySubject'>;
  erasureLog: Pick<ErasureLog, 'writeDown' | 'tend'>;
  drive: Pick<Drive, 'apply' | 'lookAt'>;
  tell: TellEvents;
  jobs: Pick<Jobs, 'enqueue'>;
  onError(what: string, error: unknown): void;
};

export function openRetention(deps: RetentionDeps) {
  const { db, clock, jobs, audit, vault, drive, tell, erasureLog, everyTenantId, onError } = deps;
  const finish = erasureFinisher(deps);
  const finishJob = finishErasuresJob(finish);
  const beginErasure = erasureBeginner({ jobs, audit, finish: finishJob });
  const deletion = { vault, drive, tell, beginErasure };
  const purge = purger(dueEraser(deletion));
  const clockFault = clockComparison({ clock, other: () => db.now() });
  const daily = purgeJob({ db, clock, purge, finish, clockFault, erasureLog, everyTenantId });

  const stopping = new AbortController();
  let resuming: Promise<void> = Promise.resolve();
  return {
    jobs: [finishJob, daily],
    erasables: [erasableInstances(deletion), erasableTokens(REPLAYED_BY), deletedTokens()],
    beginErasure,
    finishErasures: finish,
    ofPerson: [instancesOfPerson({ ...deletion, drive }), tokensOfPerson()],
    handlers: { retention: retentionHandlers({ purge, clockFault, audit }), erasures: erasureHandlers() },
    /** Goes on where a server that was killed has left off. */
    start() {
      resuming = finishAllErasures(deps, finish, stopping.signal).catch((error) => {
        if (!stopping.signal.aborted) onError('could not finish erasures; their jobs will try again', error);
      });
    },
    async stop() {
      stopping.abort();
      await resuming;
    },
  };
}
