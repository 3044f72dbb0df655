import { api } from '@grove/contract';
import { toDtm } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';
import { implement } from '../../kernel/implement.ts';
import { deletions, redactions } from './erasures.repository.ts';

/** What became of deleted and redacted instances. */
export function erasureHandlers() {
  return implement(api.erasures, {
    async get({ db, principal }, { params }) {
      const { processInstanceId } = params;
      // A redacted instance may be deleted later: then its deletion says everything.
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
