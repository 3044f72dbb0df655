import type { TenantReads, TenantTx } from '../../db/db.ts';
import { inList } from '../../db/sql/dialect.ts';
import { query, statement } from '../../db/sql/statement.ts';
import type { LockState, Modality } from './lock-rules.ts';

type LockRow = LockState & { user_id: string; modality: Modality };

const STATE = 'failed_count, lock_count, tries, locked_at, locked_until, disabled_at';
const OF_USER = query<LockRow>()(
  `SELECT user_id, modality, ${STATE} FROM user_locks WHERE tenant_id = :tenant_id AND user_id = :user_id`,
);
const OF_USERS = query<LockRow>()(
  `SELECT user_id, modality, ${STATE} FROM user_locks WHERE tenant_id = :tenant_id AND user_id ${inList(':userIds')}`,
);
const PUT = statement(`INSERT INTO user_locks (tenant_id, user_id, modality, ${STATE})
  VALUES (:tenant_id, :userId, :modality, :failed_count, :lock_count, :tries, :locked_at, :locked_until, :disabled_at)
  ON CONFLICT (tenant_id, user_id, modality) DO UPDATE SET failed_count = excluded.failed_count,
    lock_count = excluded.lock_count, tries = excluded.tries, locked_at = excluded.locked_at,
    locked_until = excluded.locked_until, disabled_at = excluded.disabled_at`);

/** The caller has locked the row of the user, so no other transaction changes this row. */
export const findLock = query<LockState>()(
  `SELECT ${STATE} FROM user_locks WHERE tenant_id = :tenant_id AND user_id = :userId AND modality = :modality`,
).get;

export async function putLock(tx: TenantTx, userId: string, modality: Modality, state: LockState): Promise<void> {
  const { failed_count, lock_count, tries, locked_at, locked_until, disabled_at } = state;
  PUT.send(tx, { userId, modality, failed_count, lock_count, tries, locked_at, locked_until, disabled_at });
}

export const clearLock = statement(
  'DELETE FROM user_locks WHERE tenant_id = :tenant_id AND user_id = :userId AND modality = :modality',
).send;

export const clearLocks = statement('DELETE FROM user_locks WHERE tenant_id = :tenant_id AND user_id = :userId').send;

export type Locks = Partial<Record<Modality, LockState>>;

export async function locksOf(db: TenantReads, userIds: readonly string[]): Promise<ReadonlyMap<string, Locks>> {
  const [only] = userIds;
  const rows =
    userIds.length === 1 ? await OF_USER.all(db, { user_id: only as string }) : await OF_USERS.all(db, { userIds });
  const locks = new Map<string, Locks>();
  for (const { user_id, modality, ...state } of rows) {
    locks.set(user_id, { ...locks.get(user_id), [modality]: state });
  }
  return locks;
}
