import { fromDuration, HOUR, MOST_APART_MS } from '../../kernel/clock.ts';
import type { StoreConfiguration } from '../stores/store-rules.ts';

/**
 * The rules of locks: when a modality is locked, and for how long. Pure functions. An attacker who guesses can cause a
 * growing delay for the user in this one modality, and nothing else. Only 100 consecutive failures (NIST SP 800-63B-4)
 * disable the modality, because nobody mistypes so often. The other modalities still work then.
 */
export const MODALITIES = ['FACE', 'PASSKEY', 'APPKEY', 'TOTP'] as const;
export type Modality = (typeof MODALITIES)[number];

export type LockState = {
  /** Failures and temporary locks since the last success. */
  failed_count: number;
  lock_count: number;
  /** Failures since the last temporary lock. */
  tries: number;
  /** Null if an earlier release set the lock. */
  locked_at: number | null;
  locked_until: number | null;
  disabled_at: number | null;
};

export const NO_FAILURES: LockState = {
  failed_count: 0,
  lock_count: 0,
  tries: 0,
  locked_at: null,
  locked_until: null,
  disabled_at: null,
};

export type LockLimits = {
  readonly maxFailedAttempts: number;
  readonly tempLockMs: number;
  /** The number of times that the delay doubles. */
  readonly maxTempLocks: number;
};

/** Consecutive failures after which the modality is disabled. */
export const DISABLED_FROM = 100;
/** A doubled delay never exceeds this. A longer configured delay stays as configured. */
const LONGEST_GROWN_MS = 24 * HOUR;
const DEFAULTS = { maxFailedAttempts: 5, tempLockDuration: 'PT5M', maxTempLocks: 3 } as const;

export function lockLimitsOf({ lockConfiguration = {} }: StoreConfiguration, modality: Modality): LockLimits {
  const { modalities, ...common } = lockConfiguration;
  const { maxFailedAttempts, tempLockDuration, maxTempLocks } = { ...DEFAULTS, ...common, ...modalities?.[modality] };
  return { maxFailedAttempts, tempLockMs: fromDuration(tempLockDuration), maxTempLocks };
}

export function isLocked({ locked_at, locked_until, disabled_at }: LockState, now: number): boolean {
  return disabled_at !== null || isTempLocked({ from: locked_at, until: locked_until }, now);
}

/** A lock that starts in the future was set while a clock was ahead. It would last too long, so it is ignored. */
export function isTempLocked({ from, until }: { from: number | null; until: number | null }, now: number): boolean {
  return until !== null && until > now && (from === null || from <= now + MOST_APART_MS);
}

export type AfterFailure = { readonly state: LockState; readonly became?: 'LOCKED' | 'DISABLED' };

export function afterFailure(before: LockState, limits: LockLimits, now: number): AfterFailure {
  const failed_count = before.failed_count + 1;
  const tries = before.tries + 1;
  const countedFailure = { ...before, failed_count, tries, locked_at: null, locked_until: null };
  if (failed_count >= DISABLED_FROM) return { state: { ...countedFailure, disabled_at: now }, became: 'DISABLED' };
  if (tries < limits.maxFailedAttempts) return { state: countedFailure };
  const locked_until = now + lockMs(limits, before.lock_count);
  const state = { ...countedFailure, tries: 0, lock_count: before.lock_count + 1, locked_at: now, locked_until };
  return { state, became: 'LOCKED' };
}

/** The first lock lasts as long as configured. Each later one lasts twice as long, up to `maxTempLocks` doublings. */
function lockMs({ tempLockMs, maxTempLocks }: LockLimits, lockCount: number): number {
  const longest = Math.max(tempLockMs, LONGEST_GROWN_MS);
  // A power of two that is too large for a number is Infinity, so the minimum is still `longest`.
  return Math.min(tempLockMs * 2 ** Math.min(lockCount, maxTempLocks), longest);
}
