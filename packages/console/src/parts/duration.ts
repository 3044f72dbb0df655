const MINUTE = 60;
const HOUR = 3600;

/** A length of time in one unit, in words of the language; a dash if it is not known. */
export function durationText(seconds: number | undefined, language: string): string {
  if (seconds === undefined) return '–';
  const text = (amount: number, unit: string) =>
    new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 0 }).format(amount);
  if (seconds < 2 * MINUTE) return text(seconds, 'second');
  return seconds < 2 * HOUR ? text(seconds / MINUTE, 'minute') : text(seconds / HOUR, 'hour');
}
