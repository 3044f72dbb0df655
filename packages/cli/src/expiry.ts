import { UsageError } from './failure.ts';

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** Converts `8h`, `30d`, `2030-01-31` or `2030-01-31T12:00:00Z` to the date-time of the API. */
export function expiryFrom(text: string, now: number): string {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(now + Number(count) * UNITS[unit as keyof typeof UNITS]).toISOString();
  const at = DATE.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new UsageError(
      '--expires takes a time from now such as 45m, 8h or 30d, or a moment such as 2030-01-31T12:00:00Z',
    );
  }
  return new Date(at).toISOString();
}
