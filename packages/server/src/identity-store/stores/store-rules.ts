import type { api, Body } from '@grove/contract';
import { fromDuration, HOUR, SECOND } from '../../kernel/clock.ts';
import { type FieldFault, invalidInput } from '../../kernel/errors.ts';

/** The rules of a store's configuration, as pure functions. */
export type StoreConfiguration = NonNullable<Body<typeof api.stores.create>['configuration']>;

export const MAX_TEMP_LOCK_MS = 30 * 24 * HOUR;
export const MIN_TEMP_LOCK_MS = SECOND;

/** Throws if a setting is not valid. */
export function checkConfiguration({ lockConfiguration, ...settings }: StoreConfiguration): void {
  const faults = [
    localeFault(settings.defaultLocale, '/configuration/defaultLocale'),
    timeZoneFault(settings.defaultTimeZone, '/configuration/defaultTimeZone'),
    settings.defaultUserStatus === 'TEMP_LOCKED'
      ? { pointer: '/configuration/defaultUserStatus', message: 'must not be TEMP_LOCKED, which expires' }
      : undefined,
    tempLockFault(lockConfiguration?.tempLockDuration, '/configuration/lockConfiguration/tempLockDuration'),
    ...Object.entries(lockConfiguration?.modalities ?? {}).map(([modality, limits]) =>
      tempLockFault(
        limits?.tempLockDuration,
        `/configuration/lockConfiguration/modalities/${modality}/tempLockDuration`,
      ),
    ),
  ].filter((fault) => fault !== undefined);
  if (faults.length > 0) throw invalidInput(...faults);
}

export function localeFault(locale: string | undefined, pointer: string): FieldFault | undefined {
  if (locale === undefined || isLocale(locale)) return undefined;
  return { pointer, message: 'must be a language tag of BCP 47, such as en-GB' };
}

export function timeZoneFault(timeZone: string | undefined, pointer: string): FieldFault | undefined {
  if (timeZone === undefined || isTimeZone(timeZone)) return undefined;
  return { pointer, message: 'must be the name of a time zone, such as Europe/Dublin' };
}

function tempLockFault(duration: string | undefined, pointer: string): FieldFault | undefined {
  if (duration === undefined) return undefined;
  const ms = fromDuration(duration);
  if (ms >= MIN_TEMP_LOCK_MS && ms <= MAX_TEMP_LOCK_MS) return undefined;
  return { pointer, message: 'must be from PT1S to P30D; to lock a user for longer, set the status LOCKED' };
}

function isLocale(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length === 1;
  } catch {
    return false;
  }
}

function isTimeZone(timeZone: string): boolean {
  // A fixed offset is not a time zone: it has no daylight saving time.
  if (/^[+-]/.test(timeZone)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Settings of the input replace the earlier ones; all others stay. */
export function mergeConfiguration(before: StoreConfiguration, change: StoreConfiguration): StoreConfiguration {
  return { ...before, ...change };
}
