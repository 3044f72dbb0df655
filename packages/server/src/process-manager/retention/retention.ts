import { api, MAX_DUE_COUNTED, MAX_PURGED_AT_ONCE } from '@grove/contract';
import { type Audit, changedBy } from '../../audit/audit.ts';
import { actor, callerIds } from '../../kernel/actor.ts';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import type { ClockFault } from './compare-clocks.ts';
import { countDue, dueInstances } from './due.repository.ts';
import { deletions, redactions } from './erasures.repository.ts';
import type { Purge } from './purge.ts';

/** Deletes on request what the nightly purge would delete, and shows it beforehand. */
export function retentionHandlers(deps: { purge: Purge; clockFault: ClockFault; audit: Pick<Audit, 'record'> }) {
  return implement(api.retention, {
    async preview({ db, principal, now }) {
      const scope = { environment: principal.environment, now };
      const fault = await deps.clockFault(db);
      const [oldest] = await dueInstances(db, scope, 1);
      return {
        ...(await countDue(db, scope, MAX_DUE_COUNTED)),
        ...(oldest && { oldestCreatedDtm: toDtm(oldest.created_at), oldestExpiringDtm: toDtm(oldest.expiring_at) }),
        ...(fault !== undefined && { clockFault: fault }),
      };
    },

    async run(context) {
      const { db, principal, now, requestId } = context;
      const fault = await deps.clockFault(db);
      if (fault !== undefined) throw new ApiError(100080, { detail: fault });
      const scope = { environment: principal.environment, now };
      const deletion = { by: actor(principal), ...callerIds(principal), requestId };
      const { purged, failure } = await deps.purge(db, { ...scope, limit: MAX_PURGED_AT_ONCE, deletion });
      if (failure) throw failure.reason;
      await db.write((tx) => deps.audit.record(tx, { action: 'retention.run', ...changedBy(context) }));
      return { purged, left: (await countDue(db, scope, MAX_DUE_COUNTED)).due };
    },
  });
}

export function erasureHandlers() {
  return implement(api.erasures, {
    async get({ db, principal }, { params }) {
      const { processInstanceId } = params;
      // A redacted instance may be deleted later; then the record of its deletion counts.
      const row = (await deletions.find(db, processInstanceId)) ?? (await redactions.find(db, processInstanceId));
      if (row?.environment !== principal.environment) throw new ApiError(100081);
      return {
        processInstanceId: row.instance_id,
        processDefnId: row.definition_id,
        environment: row.environment,
        state: row.state,
        reason: row.reason,
        createdDtm: toDtm(row.created_at),
        deletedDtm: toDtm(row.deleted_at),
        deletedBy: row.deleted_by,
        rowsRemoved: row.rows_removed,
        blobsRemoved: row.blobs_removed,
        ...(row.confirmed_at !== null && { confirmedDtm: toDtm(row.confirmed_at) }),
        ...(row.receipt !== null && { receipt: row.receipt }),
      };
    },
  });
}
