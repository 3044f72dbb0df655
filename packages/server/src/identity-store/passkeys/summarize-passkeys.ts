import type { TenantReads } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { SummaryInfo } from '../users/user-view.ts';
import { MAX_PASSKEYS_PER_USER } from './passkey-policies.ts';
import { type PasskeySummaryRow, summaryRows } from './passkeys.repository.ts';

export type PasskeySummary = SummaryInfo['passkeys'][number];

/** Returns the passkeys of users for their `summaryInfo`. */
export async function summarizePasskeys(
  db: TenantReads,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, PasskeySummary[]>> {
  const summaries = new Map<string, PasskeySummary[]>();
  for (const row of await summaryRows(db, userIds, MAX_PASSKEYS_PER_USER)) {
    const those = summaries.get(row.user_id);
    if (those) those.push(toSummary(row));
    else summaries.set(row.user_id, [toSummary(row)]);
  }
  return summaries;
}

export function toSummary(row: PasskeySummaryRow): PasskeySummary {
  return {
    id: row.id,
    rpId: row.rp_id,
    credentialId: row.credential_id,
    status: row.status,
    createdDtm: toDtm(row.created_at),
    ...(row.last_used_at !== null && { lastUsedDtm: toDtm(row.last_used_at) }),
  };
}
