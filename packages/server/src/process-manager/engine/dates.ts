/** Dates of documents and forms, `YYYY-MM-DD`, and the years between them, in UTC. */
const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** The beginning of a day; undefined for a text that is not a day of the calendar. */
export function readDate(text: string): Date | undefined {
  const [, year, month, day] = ISO_DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? date : undefined;
}

/**
 * The age of a person at a moment: the number of birthdays since the birth. In a year without a 29th of February, a person
 * who was born on that day becomes a year older on the 1st of March. Negative before the birth.
 */
export function ageAt(moment: Date, born: Date): number {
  const years = moment.getUTCFullYear() - born.getUTCFullYear();
  const months = moment.getUTCMonth() - born.getUTCMonth();
  const isBefore = months < 0 || (months === 0 && moment.getUTCDate() < born.getUTCDate());
  return isBefore ? years - 1 : years;
}
