import {
  type Change,
  type OfTenant,
  sql,
  type TenantReads,
  type TenantTx,
  unprepared,
  type Value,
} from '../../db/db.ts';
import type { Paging } from '../../kernel/pages.ts';
import type { Modality } from './lock-rules.ts';

/** What became of each attempt of a user. */
export type AuthenticationRow = {
  id: string;
  user_id: string;
  modality: Modality;
  succeeded: number;
  code: number | null;
  rp_id: string | null;
  created_at: number;
};

export const SORTABLE = { id: 'id', createdDtm: 'id' } as const;

const COLUMNS = 'id, user_id, modality, succeeded, code, rp_id, created_at';
const ADD = sql(`INSERT INTO authentications (tenant_id, ${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`);
const REMOVE_OLD = sql(`DELETE FROM authentications WHERE tenant_id = $1 AND id IN (
    SELECT id FROM authentications WHERE tenant_id = $1 AND id < $2 ORDER BY id LIMIT $3)`);

export function addedAuthentication({ tenantId }: OfTenant, row: AuthenticationRow): Change {
  const { id, user_id, modality, succeeded, code, rp_id, created_at } = row;
  return { statement: ADD, values: [tenantId, id, user_id, modality, succeeded, code, rp_id, created_at] };
}

/** Ids are in the order of time, so whatever is older than a moment has a smaller id. */
export function removeOldAuthentications(tx: TenantTx, beforeId: string, limit: number): Promise<number> {
  return tx.run(REMOVE_OLD, [tx.tenantId, beforeId, limit]);
}

export async function pageAuthentications(
  db: TenantReads,
  { userId, modality }: { userId: string; modality: Modality | undefined },
  { orderBy, size, offset, sorts }: Paging,
): Promise<{ rows: AuthenticationRow[]; total: number }> {
  const values: Value[] = [db.tenantId, userId, ...(modality ? [modality] : [])];
  const where = `tenant_id = $1 AND user_id = $2${modality ? ' AND modality = $3' : ''}`;
  const counted = await db.get<{ total: number }>(
    unprepared(`SELECT count(*) AS total FROM authentications WHERE ${where}`),
    values,
  );
  const page = unprepared(`SELECT ${COLUMNS} FROM authentications WHERE ${where}
    ORDER BY ${sorts === 0 ? 'id DESC' : orderBy} LIMIT $${values.length + 1} + 0 OFFSET $${values.length + 2} + 0`);
  return { total: counted?.total ?? 0, rows: await db.all<AuthenticationRow>(page, [...values, size, offset]) };
}
