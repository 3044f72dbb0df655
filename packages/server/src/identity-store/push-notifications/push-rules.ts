import { HOUR, MINUTE } from '../../kernel/clock.ts';
import { ApiError } from '../../kernel/errors.ts';

/** The rules of push notifications, as pure functions. */
export type PushStatus = 'SENT' | 'DELIVERED' | 'ACCEPTED' | 'REJECTED' | 'COMPLETED' | 'EXPIRED' | 'FAILED';
export type PushType = 'PROCESS' | 'GENERIC';

/** How long one waits for its user. */
export const LIFE_MS: Readonly<Record<PushType, number>> = { PROCESS: 15 * MINUTE, GENERIC: 24 * HOUR };

/** Whoever is asked again and again says yes in the end, so nobody is asked more often than this. */
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

/** To say the same again changes nothing and does no harm. */
export function mayBecome(from: PushStatus, to: PushStatus): boolean {
  return from === to || NEXT[from].includes(to);
}

/** Who says yes must name the number, if there is one. To say it again, or to say no, takes none. */
export function needsNumber(from: PushStatus, to: PushStatus): boolean {
  return (to === 'ACCEPTED' || to === 'COMPLETED') && from !== 'ACCEPTED' && from !== 'COMPLETED';
}

export function isOpen(status: PushStatus): boolean {
  return NEXT[status].length > 0;
}

/** One whose time is over has expired, whether or not anybody has noticed yet. */
export function statusAt({ status, expires_at }: { status: PushStatus; expires_at: number }, now: number): PushStatus {
  return isOpen(status) && expires_at <= now ? 'EXPIRED' : status;
}

/** One of another user is none of this one's: 100034. */
export function ofUser<Row extends { user_id: string }>(row: Row | undefined, userId: string): Row {
  if (row?.user_id !== userId) throw new ApiError(100034);
  return row;
}
