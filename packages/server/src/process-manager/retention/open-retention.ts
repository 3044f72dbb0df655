import type { Audit } from '../../audit/audit.ts';
import type { ErasureLog } from '../../erasure-log/erasure-log.ts';
import { REPLAYED_BY } from '../../erasure-log/replay-erasures.ts';
import type { Platform } from '../../kernel/feature.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { NotifyEvents } from '../instances/notify-events.ts';
import type { Drive } from '../runtime/drive.ts';
import { deletedTokens, erasableTokens, tokensOfPerson } from '../tokens/tokens-of-person.ts';
import { erasureBeginner } from './begin-erasure.ts';
import { clockComparison } from './compare-clocks.ts';
import { erasableInstances } from './delete-instance.ts';
import { erasureFinisher, type FinishDeps, finishAllErasures, finishErasuresJob } from './finish-erasures.ts';
import { instancesOfPerson } from './instances-of-person.ts';
import { purger } from './purge.ts';
import { purgeInstancesJob, purgeJob } from './purge-job.ts';
import { redactedInstances } from './redact-instance.ts';
import { erasureHandlers, retentionHandlers } from './retention.ts';

export type RetentionDeps = FinishDeps &
  Pick<Platform, 'jobs' | 'onError'> & {
    vault: Pick<Vault, 'destroySubjects'>;
    erasureLog: Pick<ErasureLog, 'writeDown' | 'tend'>;
    audit: Pick<Audit, 'record' | 'recordAll'>;
    drive: Pick<Drive, 'apply' | 'lookAt'>;
    notifyEvents: NotifyEvents;
    /** The days after which tombstones and receipts of deleted instances are removed. */
    receiptsDays: number;
  };

/** Instances that are deleted in one transaction. SQLite has one writer, and the others wait for it. */
const BATCH = 100;
const BATCH_OF_ONE_WRITER = 16;

export function openRetention(deps: RetentionDeps) {
  const { db, clock, jobs, audit, vault, drive, notifyEvents, erasureLog, everyTenantId, onError } = deps;
  const finisher = erasureFinisher(deps);
  const finishJob = finishErasuresJob(finisher, db);
  const beginErasure = erasureBeginner({ jobs, audit, finish: finishJob });
  const deletion = { vault, drive, notifyEvents, beginErasure };
  const purge = purger(deletion, { batch: db.isSingleServer ? BATCH_OF_ONE_WRITER : BATCH });
  const clockFault = clockComparison({ clock, other: () => db.now() });
  const purging = {
    db,
    clock,
    purge,
    finisher,
    clockFault,
    erasureLog,
    everyTenantId,
    receiptsDays: deps.receiptsDays,
  };

  const stopping = new AbortController();
  let resuming: Promise<void> = Promise.resolve();
  return {
    jobs: [finishJob, purgeInstancesJob(purging), purgeJob(purging)],
    erasables: [erasableInstances(deletion), redactedInstances(deletion), erasableTokens(REPLAYED_BY), deletedTokens()],
    beginErasure,
    finishErasures: finisher.all,
    ofPerson: [instancesOfPerson({ ...deletion, drive }), tokensOfPerson()],
    handlers: { retention: retentionHandlers({ purge, clockFault, audit }), erasures: erasureHandlers() },
    /** Continues the work of a killed server. */
    start() {
      resuming = finishAllErasures(deps, finisher.all, stopping.signal).catch((error) => {
        if (!stopping.signal.aborted) onError('could not finish erasures; their jobs will try again', error);
      });
    },
    async stop() {
      stopping.abort();
      await resuming;
    },
  };
}
