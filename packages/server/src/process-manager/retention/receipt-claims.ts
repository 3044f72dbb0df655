import { SECOND, toDtm } from '../../kernel/clock.ts';
import type { ErasureRow } from './erasures.repository.ts';

type Confirmed = { tenantId: string; at: number; deps: { baseUrlOf(tenantId: string): string } };

/** What a receipt says: which instance went, when, by whom and why, how much it was, and when all of it was gone. */
export function receiptClaims(row: ErasureRow, { tenantId, at, deps }: Confirmed) {
  return {
    iss: deps.baseUrlOf(tenantId),
    aud: tenantId,
    sub: row.instance_id,
    iat: Math.floor(at / SECOND),
    processDefnId: row.definition_id,
    environment: row.environment,
    reason: row.reason,
    createdDtm: toDtm(row.created_at),
    deletedDtm: toDtm(row.deleted_at),
    deletedBy: row.deleted_by,
    rowsRemoved: row.rows_removed,
    blobsRemoved: row.blobs_removed,
    confirmedDtm: toDtm(at),
  };
}
