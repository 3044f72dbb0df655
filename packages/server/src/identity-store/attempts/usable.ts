import type { ErrorCode } from '@grove/contract';
import type { UserRow } from '../users/users.repository.ts';
import { isLocked, isTempLocked, type LockState, type Modality } from './lock-rules.ts';

/** Returns the reason why a user cannot authenticate now, or undefined if it can. Pure. */
export function faultOfStatus(
  { status, temp_lock_at, temp_lock_until }: Pick<UserRow, 'status' | 'temp_lock_at' | 'temp_lock_until'>,
  modality: Modality | undefined,
  now: number,
): ErrorCode | undefined {
  if (status === 'LOCKED') return 2100;
  if (status === 'ACTIVE' && isTempLocked({ from: temp_lock_at, until: temp_lock_until }, now)) return 2100;
  if (status === 'ACTIVE') return undefined;
  return modality === 'FACE' && status === 'DISABLED' ? 2102 : 502;
}

export function faultOfLock(state: LockState | undefined, now: number): ErrorCode | undefined {
  return state && isLocked(state, now) ? 2101 : undefined;
}
