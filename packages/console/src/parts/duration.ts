const MINUTE = 60;
const HOUR = 3600;

/** Formats a duration in one unit; a dash if it is unknown. */
export function durationText(seconds: number | undefined, language: string): string {
  if (seconds === undefined) return '–';
  const text = (amount: number, unit: string) =>
    new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 0 }).format(amount);
  if (seconds < 2 * MINUTE) return text(seconds, 'second');
  return seconds < 2 * HOUR ? text(seconds / MINUTE, 'minute') : text(seconds / HOUR, 'hour');
}
