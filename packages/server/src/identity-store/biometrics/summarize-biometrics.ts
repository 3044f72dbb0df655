import type { TenantReads } from '../../db/db.ts';
import { toDtm } from '../../kernel/clock.ts';
import type { SummaryInfo } from '../users/user-view.ts';
import { biometricsOf } from './biometrics.repository.ts';

/** Returns the faces of users for their `summaryInfo`: only that a face exists, never its template. */
export async function summarizeBiometrics(
  db: TenantReads,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, SummaryInfo['biometrics']>> {
  const summaries = new Map<string, SummaryInfo['biometrics']>();
  for (const { user_id, type, status, last_updated_at } of await biometricsOf(db, userIds)) {
    const those = summaries.get(user_id) ?? [];
    those.push({ type, status, lastUpdatedDtm: toDtm(last_updated_at) });
    summaries.set(user_id, those);
  }
  return summaries;
}
