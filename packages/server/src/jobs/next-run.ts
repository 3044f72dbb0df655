import { DAY, HOUR, MINUTE } from '../kernel/clock.ts';

/** A recurring job: at an interval, or daily at a time of day in UTC. `key` distinguishes the schedules of a kind. */
export type Schedule = { readonly kind: string } & Recurrence;
export type Recurrence = { readonly key: string } & ({ readonly everyMs: number } | { readonly dailyAt: string });

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;
const LEAST_EVERY_MS = 1000;

/**
 * The first moment after `now` on a grid that begins in 1970, so that every server computes the same moment and a restart
 * does not postpone it.
 */
export function nextRun(schedule: Schedule, now: number): number {
  const [everyMs, offset] = 'everyMs' in schedule ? [schedule.everyMs, 0] : [DAY, timeOfDay(schedule.dailyAt)];
  return (Math.floor((now - offset) / everyMs) + 1) * everyMs + offset;
}

export function assertSchedule(schedule: Schedule): void {
  if ('dailyAt' in schedule) timeOfDay(schedule.dailyAt);
  else if (!Number.isInteger(schedule.everyMs) || schedule.everyMs < LEAST_EVERY_MS) {
    throw new Error(`schedule of ${schedule.kind}: everyMs must be a whole number of at least ${LEAST_EVERY_MS}`);
  }
}

function timeOfDay(text: string): number {
  const [, hours, minutes] = TIME_OF_DAY.exec(text) ?? [];
  if (hours === undefined) throw new Error(`not a time of day: ${JSON.stringify(text)}`);
  return Number(hours) * HOUR + Number(minutes) * MINUTE;
}
