/** Time comes from the context, so that tests own it. Milliseconds since 1970, UTC. */
export type Clock = {
  now(): number;
  /** Why nothing should be deleted by this clock; undefined if it can be trusted. */
  fault?(): string | undefined;
};

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

/** How far two clocks may differ before nothing is deleted by them. */
export const MOST_APART_MS = 5 * MINUTE;

/** The clock of the system. Its fault comes from the monotonic clock, which does not move when somebody sets the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  fault() {
    const apart = Math.abs(performance.timeOrigin + performance.now() - Date.now());
    if (apart <= MOST_APART_MS) return undefined;
    return `the clock of the server was moved by ${Math.round(apart / MINUTE)} minutes since its start`;
  },
};

export const DAY = 24 * HOUR;

/** Days since the beginning of 1970, UTC. */
export function dayOf(epochMs: number): number {
  return Math.floor(epochMs / DAY);
}

/** The beginning of the month in which a moment lies, or of one after it, UTC. */
export function startOfMonth(epochMs: number, later = 0): number {
  const date = new Date(epochMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later);
}

const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const MAX_DATES = 400;
const dates = new Map<number, string>();

/** ISO 8601, UTC, milliseconds, `Z`. A list shows dozens of times of a few days, so the dates are cached. */
export function toDtm(epochMs: number): string {
  const day = dayOf(epochMs);
  const date = dates.get(day) ?? newDate(day);
  const ms = epochMs - day * DAY;
  const hours = TWO_DIGITS[Math.floor(ms / HOUR)];
  const minutes = TWO_DIGITS[Math.floor(ms / MINUTE) % 60];
  const seconds = TWO_DIGITS[Math.floor(ms / SECOND) % 60];
  return `${date}${hours}:${minutes}:${seconds}.${String(ms % SECOND).padStart(3, '0')}Z`;
}

function newDate(day: number): string {
  if (dates.size >= MAX_DATES) dates.clear();
  const date = new Date(day * DAY).toISOString().slice(0, -13);
  dates.set(day, date);
  return date;
}

/** The moment that a validated RFC 3339 date-time names. */
export function fromDtm(dtm: string): number {
  return Date.parse(dtm);
}

const UNITS = {
  years: 365 * DAY,
  months: 30 * DAY,
  weeks: 7 * DAY,
  days: DAY,
  hours: HOUR,
  minutes: MINUTE,
  seconds: SECOND,
};
const DURATION =
  /^P(?:(?<years>\d+)Y)?(?:(?<months>\d+)M)?(?:(?<weeks>\d+)W)?(?:(?<days>\d+)D)?(?:T(?:(?<hours>\d+)H)?(?:(?<minutes>\d+)M)?(?:(?<seconds>\d+(?:\.\d+)?)S)?)?$/;

const MAX_DURATIONS = 400;
const durations = new Map<string, number>();

/**
 * The milliseconds of a validated ISO 8601 duration. A month has 30 days and a year 365, which is exact enough for the
 * short times here. Results are cached, because every instance reads the durations of its definition and its token.
 */
export function fromDuration(duration: string): number {
  return durations.get(duration) ?? newDuration(duration);
}

function newDuration(duration: string): number {
  if (durations.size >= MAX_DURATIONS) durations.clear();
  const parts = DURATION.exec(duration)?.groups ?? {};
  const total = Object.entries(UNITS).reduce((sum, [unit, ms]) => sum + Number(parts[unit] ?? 0) * ms, 0);
  // A much longer one would end at a moment that Date cannot represent.
  const ms = Math.min(Math.round(total), MAX_DURATION_MS);
  durations.set(duration, ms);
  return ms;
}

const MAX_DURATION_MS = 100 * 365 * DAY;
