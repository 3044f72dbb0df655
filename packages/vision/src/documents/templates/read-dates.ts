import { isDay } from '../dates.ts';
import type { DateOrder } from './template.ts';

export type PrintedDate = { readonly text: string; readonly date: string; readonly from: number; readonly to: number };

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The dates in a line, with day, month and year in the order of the template. Impossible days are left out. */
export function datesOf(text: string, order: DateOrder): PrintedDate[] {
  const dates: PrintedDate[] = [];
  const add = (match: RegExpMatchArray, year: string, month: string, day: string): void => {
    const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    const from = match.index ?? 0;
    if (isDay(date)) dates.push({ text: match[0], date, from, to: from + match[0].length });
  };
  const parts =
    order === 'YMD'
      ? /((?:19|20)\d{2})([/.\- ])(\d{1,2})\2(\d{1,2})(?!\d)/g
      : /(\d{1,2})([/.\- ])(\d{1,2})\2((?:19|20)\d{2})/g;
  for (const match of text.matchAll(parts)) {
    const [, one = '', , two = '', three = ''] = match;
    if (order === 'YMD') add(match, one, two, three);
    else if (order === 'MDY') add(match, three, one, two);
    else add(match, three, two, one);
  }
  for (const match of text.toUpperCase().matchAll(/(\d{1,2})[/.\- ]?([A-Z]{3})[/.\- ]?(\d{4})(?!\d)/g)) {
    const month = MONTHS.indexOf(match[2] as string) + 1;
    if (month > 0) add(match, match[3] as string, String(month), match[1] as string);
  }
  return dates.sort((one, other) => one.from - other.from);
}
