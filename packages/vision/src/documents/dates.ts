/** Dates are YYYY-MM-DD. */
const DAY_MS = 86_400_000;
/** Documents are valid for ten years, some for fifteen; a date further ahead belongs to the last century. */
const MAX_YEARS_AHEAD = 50;

/** The full date of six digits in a zone, on a given day; undefined if a part is unknown or there is no such day. */
export function fullDate(short: string, kind: 'birth' | 'expiry', today: string): string | undefined {
  if (!/^\d{6}$/.test(short)) return undefined;
  const rest = `-${short.slice(2, 4)}-${short.slice(4, 6)}`;
  const year = Number(short.slice(0, 2));
  const date = `${2000 + year}${rest}`;
  const last = kind === 'birth' ? today : `${Number(today.slice(0, 4)) + MAX_YEARS_AHEAD}${today.slice(4)}`;
  const likelyDate = date > last ? `${1900 + year}${rest}` : date;
  return isDay(likelyDate) ? likelyDate : undefined;
}

export function isDay(date: string): boolean {
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === date;
}

export function yearsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / (365.2425 * DAY_MS);
}

const MONTHS: Readonly<Record<string, number>> = {
  JAN: 1, JANV: 1, FEB: 2, FEV: 2, FEVR: 2, MAR: 3, MARS: 3, MRZ: 3, APR: 4, AVR: 4, MAY: 5, MAI: 5, MEI: 5, JUN: 6, JUIN: 6,
  JUL: 7, JUIL: 7, AUG: 8, AOU: 8, AOUT: 8, SEP: 9, SEPT: 9, OCT: 10, OKT: 10, NOV: 11, DEC: 12, DEZ: 12,
}; // biome-ignore format: a table of months reads better in rows

/** Months whose O the reader takes for a zero, as in 260CT 2030. */
const MONTHS_WITH_ZERO = /0[CK]T|N0V|A0U/g;

/** The dates that a line of print may mean, day first or year first, months in digits or by name. */
export function datesIn(text: string): string[] {
  return [...new Set(printedDates(text).flat())];
}

/** Each date of a line of print, as the days that it may mean. */
export function printedDates(text: string): string[][] {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
  const dates: string[][] = [];
  // The reader scatters spaces between letters, and reads the mark between two languages as a letter or a digit.
  for (const [, day = '', name = '', , other = '', year = ''] of plain
    .replaceAll(' ', '')
    .replace(MONTHS_WITH_ZERO, (name) => name.replace('0', 'O'))
    .matchAll(/(\d{1,2})[.-]*([A-Z]{3,9}?)([/|7-]{0,2}([A-Z0]{3,9}))?[.-]*(\d{4}|\d{2})(?!\d)/g)) {
    const month = monthOf(name) ?? monthOf(other);
    if (month) dates.push(daysOf(year, [[month, day]]));
  }
  for (const [, first = '', second = '', year = ''] of plain.matchAll(
    /(?<!\d)(\d{1,2})[ ./-](\d{1,2})[ ./-](\d{4}|\d{2})(?!\d)/g,
  )) {
    dates.push(
      daysOf(year, [
        [second, first],
        [first, second],
      ]),
    );
  }
  for (const [, year = '', month = '', day = ''] of plain.matchAll(
    /(?<!\d)(\d{4})[ ./-](\d{1,2})[ ./-](\d{1,2})(?!\d)/g,
  )) {
    dates.push(daysOf(year, [[month, day]]));
  }
  for (const [, day = '', month = '', year = ''] of plain.matchAll(/(?<!\d)(\d{2})(\d{2})(\d{4})(?!\d)/g)) {
    dates.push(daysOf(year, [[month, day]]));
  }
  for (const pattern of WITH_ONE_MARK) {
    for (const { groups: { year = '', month = '', day = '' } = {} } of plain.matchAll(pattern)) {
      dates.push(daysOf(year, [[month, day]]));
    }
  }
  return dates.filter((days) => days.length > 0);
}

/** The reader sometimes loses one of the two marks in a date: 1960-0208, 06.092016. */
const WITH_ONE_MARK: readonly RegExp[] = [
  /(?<!\d)(?<year>(?:19|20)\d{2})[./-](?<month>\d{2})(?<day>\d{2})(?!\d)/g,
  /(?<!\d)(?<year>(?:19|20)\d{2})(?<month>\d{2})[./-](?<day>\d{2})(?!\d)/g,
  /(?<!\d)(?<day>\d{2})[./-](?<month>\d{2})(?<year>(?:19|20)\d{2})(?!\d)/g,
  /(?<!\d)(?<day>\d{2})(?<month>\d{2})[./-](?<year>(?:19|20)\d{2})(?!\d)/g,
];

/** Whether print shows the month and year of a date, and no whole date. An unreadable year may be any year. */
export function showsYearOf(date: string, text: string): boolean {
  return showsPart(date, text, ({ year, month, monthName }) => [
    `${monthName}[./-]*(?:${year}|${year.slice(2)})(?!\\d)`,
    `(?<![\\d./-])${month}[./-]${year}(?!\\d)`,
  ]);
}

/** Whether print shows the day and month of a date, and no year, which may follow. */
export function showsDayOf(date: string, text: string): boolean {
  return showsPart(date, text, ({ day, month, monthName }) => [
    `(?<!\\d)0?${Number(day)}[./-]*${monthName}`,
    `(?<!\\d)${day}[./-]${month}(?![\\d./-]*\\d)`,
  ]);
}

type DateParts = { readonly year: string; readonly month: string; readonly day: string; readonly monthName: string };

function showsPart(date: string, text: string, patternsOf: (parts: DateParts) => readonly string[]): boolean {
  if (!isDay(date) || datesIn(text).length > 0) return false;
  const plain = text
    .normalize('NFD')
    .replace(/[\p{M}\s]/gu, '')
    .toUpperCase()
    .replace(MONTHS_WITH_ZERO, (name) => name.replace('0', 'O'));
  const [year = '', month = '', day = ''] = date.split('-');
  const names = Object.keys(MONTHS).filter((name) => MONTHS[name] === Number(month));
  const patterns = patternsOf({ year, month, day, monthName: `(?:${names.join('|')})` });
  return patterns.some((pattern) => new RegExp(pattern).test(plain));
}

function monthOf(name: string): number | undefined {
  return MONTHS[name] ?? MONTHS[name.slice(0, 3)];
}

/** Two digits of a year may mean either century. */
function daysOf(year: string, readings: readonly (readonly [month: number | string, day: string])[]): string[] {
  const years = year.length === 2 ? [`19${year}`, `20${year}`] : [year];
  const days = years.flatMap((each) =>
    readings.map(([month, day]) => `${each}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`),
  );
  return [...new Set(days.filter(isDay))];
}
