import type { Audit } from '../../audit/audit.ts';
import type { TenantTx } from '../../db/db.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { addErasure, countRowsOf, type ErasureReason } from './erasures.repository.ts';
import type { FinishErasures } from './finish-erasures.ts';

/** Who deletes, and why. */
export type Deletion = {
  readonly by: string;
  readonly reason: ErasureReason;
  readonly at: number;
  readonly apiKeyId?: string;
  readonly operatorId?: string;
  readonly requestId?: string;
};

type Deleted = { id: string; environment: 'live' | 'test'; definition_id: string; created_at: number; terms: string };

export type BeginErasure = (
  tx: TenantTx,
  row: Deleted,
  blobKeys: readonly string[],
  deletion: Deletion,
) => Promise<void>;

/**
 * Notes, in the transaction that deletes an instance and before its rows go, what is to be gone. From its commit on the
 * key and the rows are gone, and this row knows the blobs until they are.
 */
export function erasureBeginner(deps: {
  jobs: Pick<Jobs, 'enqueue'>;
  finish: JobDefinition<FinishErasures>;
  audit: Pick<Audit, 'record'>;
}): BeginErasure {
  return async (tx, row, blobKeys, { by, reason, at, apiKeyId, operatorId, requestId }) => {
    const { id, environment, definition_id, created_at, terms } = row;
    await addErasure(tx, {
      ...{ instance_id: id, environment, definition_id, state: 'ERASING', reason },
      ...{ created_at, deleted_at: at, deleted_by: by },
      rows_removed: (await countRowsOf(tx, id)) + (JSON.parse(terms) as string[]).length,
      blobs_removed: blobKeys.length,
      blob_keys: JSON.stringify(blobKeys),
      ...{ confirmed_at: null, receipt: null },
    });
    await deps.audit.record(tx, {
      action: reason === 'RETENTION' ? 'instance.purged' : 'instance.deleted',
      ...{ environment, actor: by, at, instanceId: id },
      ...(apiKeyId !== undefined && { apiKeyId }),
      ...(operatorId !== undefined && { operatorId }),
      ...(requestId !== undefined && { requestId }),
    });
    await deps.jobs.enqueue(tx, deps.finish, {});
  };
}
