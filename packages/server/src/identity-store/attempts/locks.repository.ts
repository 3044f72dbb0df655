import { sql, type TenantReads, type TenantTx } from '../../db/db.ts';
import { inJson } from '../../db/sql/dialect.ts';
import type { LockState, Modality } from './lock-rules.ts';

type LockRow = LockState & { user_id: string; modality: Modality };

const STATE = 'failed_count, lock_count, tries, locked_until, disabled_at';
const ONE = sql(`SELECT ${STATE} FROM user_locks WHERE tenant_id = $1 AND user_id = $2 AND modality = $3`);
const OF_USER = sql(`SELECT user_id, modality, ${STATE} FROM user_locks WHERE tenant_id = $1 AND user_id = $2`);
const OF_USERS = sql(
  `SELECT user_id, modality, ${STATE} FROM user_locks WHERE tenant_id = $1 AND user_id ${inJson('$2')}`,
);
const PUT = sql(`INSERT INTO user_locks (tenant_id, user_id, modality, ${STATE}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (tenant_id, user_id, modality) DO UPDATE SET failed_count = excluded.failed_count,
    lock_count = excluded.lock_count, tries = excluded.tries, locked_until = excluded.locked_until,
    disabled_at = excluded.disabled_at`);
const CLEAR = sql('DELETE FROM user_locks WHERE tenant_id = $1 AND user_id = $2 AND modality = $3');
const CLEAR_ALL = sql('DELETE FROM user_locks WHERE tenant_id = $1 AND user_id = $2');

/** The row of the user is locked by the caller, so nobody changes this one in the meantime. */
export function findLock(tx: TenantTx, userId: string, modality: Modality): Promise<LockState | undefined> {
  return tx.get<LockState>(ONE, [tx.tenantId, userId, modality]);
}

export async function putLock(tx: TenantTx, userId: string, modality: Modality, state: LockState): Promise<void> {
  const { failed_count, lock_count, tries, locked_until, disabled_at } = state;
  await tx.run(PUT, [tx.tenantId, userId, modality, failed_count, lock_count, tries, locked_until, disabled_at]);
}

export async function clearLock(tx: TenantTx, userId: string, modality: Modality): Promise<void> {
  await tx.run(CLEAR, [tx.tenantId, userId, modality]);
}

export async function clearLocks(tx: TenantTx, userId: string): Promise<void> {
  await tx.run(CLEAR_ALL, [tx.tenantId, userId]);
}

export type Locks = Partial<Record<Modality, LockState>>;

export async function locksOf(db: TenantReads, userIds: readonly string[]): Promise<ReadonlyMap<string, Locks>> {
  const [only] = userIds;
  const rows =
    userIds.length === 1
      ? await db.all<LockRow>(OF_USER, [db.tenantId, only as string])
      : await db.all<LockRow>(OF_USERS, [db.tenantId, JSON.stringify(userIds)]);
  const locks = new Map<string, Locks>();
  for (const { user_id, modality, ...state } of rows) {
    locks.set(user_id, { ...locks.get(user_id), [modality]: state });
  }
  return locks;
}
