import type { TenantReads } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { integer, optional, table, text } from '../../db/sql/table.ts';
import type { LockState, Modality } from './lock-rules.ts';

const locks = table('user_locks', {
  tenant_id: text(),
  user_id: text(),
  modality: text<Modality>(),
  failed_count: integer(),
  lock_count: integer(),
  tries: integer(),
  locked_at: optional(integer()),
  locked_until: optional(integer()),
  disabled_at: optional(integer()),
});
const { columns } = locks;
const STATE = columns.filter((name) => name !== 'user_id' && name !== 'modality');
const OF_MODALITY = 'WHERE tenant_id = :tenant_id AND user_id = :userId AND modality = :modality';
const OF_USER = locks.select(columns, 'WHERE tenant_id = :tenant_id AND user_id = :user_id');
const OF_USERS = locks.select(columns, `WHERE tenant_id = :tenant_id AND user_id ${inList(':userIds')}`);

/** The caller has locked the row of the user, so no other transaction changes this row. */
export const findLock = locks.select(STATE, OF_MODALITY).get;

export const putLock = locks.upsert(['tenant_id', 'user_id', 'modality']).send;

export const clearLock = locks.delete(OF_MODALITY).send;

export const clearLocks = locks.delete('WHERE tenant_id = :tenant_id AND user_id = :userId').send;

export type Locks = Partial<Record<Modality, LockState>>;

export async function locksOf(db: TenantReads, userIds: readonly string[]): Promise<ReadonlyMap<string, Locks>> {
  const [only] = userIds;
  const rows =
    userIds.length === 1 ? await OF_USER.all(db, { user_id: only as string }) : await OF_USERS.all(db, { userIds });
  const byUser = new Map<string, Locks>();
  for (const { user_id, modality, ...state } of rows) {
    byUser.set(user_id, { ...byUser.get(user_id), [modality]: state });
  }
  return byUser;
}
