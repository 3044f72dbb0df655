import type { TenantReads } from '../../db/db.ts';
import { countInStretches, listInStretches } from '../../db/sql/list-in-stretches.ts';
import type { Environment } from '../../kernel/environment.ts';
import type { Paging } from '../../kernel/pages.ts';
import { lineOf } from '../../kernel/take-turns.ts';
import { type AuthenticationRow, authentications } from './authentications.table.ts';
import type { Modality } from './lock-rules.ts';

const OF_USER = 'WHERE tenant_id = :tenant_id AND user_id = :user_id';
const LIST = authentications.list(authentications.columns, OF_USER);
const COUNT = countInStretches(authentications, OF_USER);
const FILTERED = listInStretches(authentications, OF_USER, { modality: 'AND modality = :modality' });

export const addAuthentication = authentications.insert().send;

/** Ids are ordered by time, so every row that is older than a moment has a smaller id. */
export const removeOldAuthentications = authentications.delete(`WHERE tenant_id = :tenant_id AND id IN (
  SELECT id FROM authentications WHERE tenant_id = :tenant_id AND id < :beforeId ORDER BY id LIMIT :limit)`).run;

/** Removes up to `limit` of the oldest authentications of a user. Resolves to their number. */
export const removeAuthenticationsOf = authentications.delete(`WHERE tenant_id = :tenant_id AND id IN (
  SELECT id FROM authentications ${OF_USER} AND id < :beforeId ORDER BY id LIMIT :limit)`).run;

export const hasMoreAuthenticationsThan = authentications.select(
  ['id'],
  `${OF_USER} ORDER BY id LIMIT 1 OFFSET :count + 0`,
).exists;

export async function pageAuthentications(
  db: TenantReads,
  { userId, modality, environment }: { userId: string; modality: Modality | undefined; environment: Environment },
  paging: Paging,
): Promise<{ rows: AuthenticationRow[]; total: number }> {
  const newestFirst = paging.sorts === 0 ? { ...paging, orderBy: 'id DESC' } : paging;
  const user = { user_id: userId };
  return modality
    ? FILTERED(db, lineOf(db.tenantId, environment), { ...user, modality }, newestFirst)
    : { rows: await LIST.page(db, user, newestFirst), total: await COUNT(db, user) };
}
