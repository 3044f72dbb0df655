import type { Audit, AuditedChange } from '../../audit/audit.ts';
import type { TenantTx } from '../../db/db.ts';
import { MAX_IDS_OF_ENTRY } from '../../erasure-log/log-entries.ts';
import type { JobDefinition } from '../../jobs/define-job.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { deletions, type ErasureReason, redactions } from './erasures.repository.ts';
import type { FinishErasures } from './finish-erasures.ts';

/** The caller that deletes or redacts, and the reason. */
export type Deletion = Pick<AuditedChange, 'at' | 'apiKeyId' | 'operatorId' | 'requestId' | 'address'> & {
  readonly by: string;
  readonly reason: ErasureReason;
};

const ACTIONS = {
  REQUEST: 'instance.deleted',
  RETENTION: 'instance.purged',
  REDACTION: 'instance.redacted',
} as const satisfies Record<ErasureReason, string>;

type InstanceKey = { id: string; environment: 'live' | 'test' };

export type BeginErasure = (tx: TenantTx, rows: readonly InstanceKey[], deletion: Deletion) => Promise<void>;

/**
 * Records deletions and redactions in their transaction, before the rows are removed. After its commit the keys and the rows
 * are gone, and these records name the blobs until they are gone, too. A job finishes no more records than one entry of the
 * erasure log holds, so that several servers share the work of a purge.
 */
export function erasureBeginner(deps: {
  jobs: Pick<Jobs, 'enqueue'>;
  finish: JobDefinition<FinishErasures>;
  audit: Pick<Audit, 'recordAll'>;
}): BeginErasure {
  return async (tx, rows, deletion) => {
    const ids = rows.map(({ id }) => id);
    const { by, reason, ...caller } = deletion;
    await (reason === 'REDACTION' ? redactions : deletions).add(tx, ids, { by, reason, at: caller.at });
    const change = { ...caller, action: ACTIONS[reason], actor: by };
    await deps.audit.recordAll(
      tx,
      rows.map(({ id, environment }) => ({ ...change, environment, instanceId: id })),
    );
    for (let from = 0; from < ids.length; from += MAX_IDS_OF_ENTRY) {
      await deps.jobs.enqueue(tx, deps.finish, { ids: ids.slice(from, from + MAX_IDS_OF_ENTRY) });
    }
  };
}
