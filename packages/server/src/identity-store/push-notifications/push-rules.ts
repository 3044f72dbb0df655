import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';

/** The rules of push notifications, as pure functions. */
export type PushStatus = 'SENT' | 'DELIVERED' | 'ACCEPTED' | 'REJECTED' | 'COMPLETED' | 'EXPIRED' | 'FAILED';
export type PushType = 'PROCESS' | 'GENERIC';

/** How long a notification waits for its user. */
export const LIFE_MS: Readonly<Record<PushType, number>> = { PROCESS: 15 * MINUTE, GENERIC: 24 * HOUR };

/** Limits how often a user is asked. Without a limit, an attacker could ask until the user accepts (push bombing). */
export const MAX_SENDS = 5;
export const SENDS_WITHIN_MS = 10 * MINUTE;

const NEXT: Readonly<Record<PushStatus, readonly PushStatus[]>> = {
  SENT: ['DELIVERED', 'ACCEPTED', 'REJECTED', 'COMPLETED'],
  DELIVERED: ['ACCEPTED', 'REJECTED', 'COMPLETED'],
  ACCEPTED: ['COMPLETED'],
  REJECTED: [],
  COMPLETED: [],
  EXPIRED: [],
  FAILED: [],
};

/** Repeating the current status is allowed and changes nothing. */
export function mayBecome(from: PushStatus, to: PushStatus): boolean {
  return from === to || NEXT[from].includes(to);
}

/** Whether this is the first acceptance. A user may complete what was never said to be accepted. */
export function accepts(from: PushStatus, to: PushStatus): boolean {
  return (to === 'ACCEPTED' || to === 'COMPLETED') && from !== 'ACCEPTED' && from !== 'COMPLETED';
}

export function isOpen(status: PushStatus): boolean {
  return NEXT[status].length > 0;
}

/** Returns EXPIRED for an open notification after its time, even if the stored status is older. */
export function statusAt({ status, expires_at }: { status: PushStatus; expires_at: number }, now: number): PushStatus {
  return isOpen(status) && expires_at <= now ? 'EXPIRED' : status;
}

/** Ensures that the notification belongs to the user, or throws 100034 as if it did not exist. */
export function ofUser<Row extends { user_id: string }>(row: Row | undefined, userId: string): Row {
  if (row?.user_id !== userId) throw new ApiError(100034);
  return row;
}
