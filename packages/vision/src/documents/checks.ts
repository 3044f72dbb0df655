import type { Licence } from '../barcodes/parse-aamva.ts';
import type { MrzFinding } from '../mrz/mrz-finding.ts';
import { STATES, UNUSUAL_STATES } from '../mrz/states.ts';
import { transliterate } from '../mrz/transliterate.ts';
import { UNSURE } from '../ocr/rivals.ts';
import { datesIn, fullDate, isDay, printedDates, showsDayOf, showsYearOf, yearsBetween } from './dates.ts';
import { compareName, type NameAgreement, namesIn, sameName } from './names.ts';
import type { VisualFieldName, VisualLine, VisualZone } from './visual-zone.ts';

export type CheckResult = 'passed' | 'failed' | 'not_performed';
export type DocumentCheck = {
  readonly name: string;
  readonly result: CheckResult;
  readonly reason: string;
  /** The part of a date that was read and agrees: its month with the year, or with the day alone. */
  readonly partRead?: 'year' | 'day';
};

const MAX_AGE_YEARS = 120;
const MAX_VALID_YEARS = 16;

/** The fields that sources are compared by; dates are YYYY-MM-DD. */
export type Facts = {
  readonly documentNumber: string;
  readonly surname: string;
  readonly givenNames: string;
  readonly birthDate: string;
  readonly expiryDate: string;
};

export function factsOfMrz({ fields }: MrzFinding, today: string): Facts {
  return {
    documentNumber: fields.documentNumber,
    surname: fields.surname,
    givenNames: fields.givenNames,
    // The zone alone decides the year. If print says a century earlier, a human decides, or children would become old.
    birthDate: fullDate(fields.birthDate, 'birth', today) ?? '',
    expiryDate: fullDate(fields.expiryDate, 'expiry', today) ?? '',
  };
}

export function factsOfLicence({ documentNumber, surname, givenNames, birthDate, expiryDate }: Licence): Facts {
  return { documentNumber, surname, givenNames, birthDate, expiryDate };
}

/** Facts from labelled print alone. A date that can be read in two ways has the day first. */
export function factsOfVisual({ fields }: VisualZone): Facts {
  const text = (name: VisualFieldName): string => fields.find((field) => field.name === name)?.value ?? '';
  const date = (name: VisualFieldName): string =>
    fields.find((field) => field.name === name)?.date ?? datesIn(text(name))[0] ?? '';
  return {
    documentNumber: text('documentNumber'),
    surname: text('surname'),
    givenNames: text('givenNames'),
    birthDate: date('birthDate'),
    expiryDate: date('expiryDate'),
  };
}

/** Passports print the dates of birth, issue and expiry alone (ICAO 9303 part 4); visas and cards print others as well. */
export function hasFewDates(mrz: MrzFinding | undefined): boolean {
  return mrz?.format === 'TD3';
}

function check(name: string, ok: boolean | undefined, reason: string): DocumentCheck {
  return { name, result: ok === undefined ? 'not_performed' : ok ? 'passed' : 'failed', reason };
}

/** Checks the check digits and the states of a zone. */
export function mrzChecks(mrz: MrzFinding): DocumentCheck[] {
  const isKnownState = (state: string): boolean => STATES.has(state.padEnd(3, '<')) || UNUSUAL_STATES.has(state);
  return [
    ...mrz.checks.map(({ name, passed }) => check(`mrz.checkDigit.${name}`, passed, `check digit over ${name}`)),
    check('mrz.issuer', isKnownState(mrz.fields.issuer), 'the issuer is a code of ICAO 9303 part 3'),
    check(
      'mrz.nationality',
      mrz.fields.nationality === '' ? undefined : isKnownState(mrz.fields.nationality),
      'the nationality is a code of ICAO 9303 part 3',
    ),
  ];
}

/** Checks whether the dates are possible on this day. */
export function dateChecks({ birthDate, expiryDate }: Facts, today: string): DocumentCheck[] {
  const age = isDay(birthDate) ? yearsBetween(birthDate, today) : undefined;
  const left = isDay(expiryDate) ? yearsBetween(today, expiryDate) : undefined;
  return [
    check('notExpired', left === undefined ? undefined : expiryDate >= today, 'valid through its date of expiry'),
    check(
      'plausible.birthDate',
      age === undefined ? undefined : age >= 0 && age <= MAX_AGE_YEARS,
      'born in the past, not more than 120 years ago',
    ),
    check(
      'plausible.expiryDate',
      left === undefined ? undefined : left <= MAX_VALID_YEARS,
      'not valid for more than 16 years ahead',
    ),
    check(
      'plausible.order',
      age === undefined || left === undefined ? undefined : birthDate < expiryDate,
      'expires after the birth of its holder',
    ),
  ];
}

/**
 * Compares print with the zone or barcode. A labelled value that differs is a failure; a value anywhere in print is a
 * match; an unread value is neither. `fewDates` means that the document prints no dates but those of birth, issue and
 * expiry, so that another date in print is a changed one.
 */
export function visualChecks(
  facts: Facts,
  zone: VisualZone,
  source: 'mrz' | 'barcode',
  { fewDates = false }: { readonly fewDates?: boolean } = {},
): DocumentCheck[] {
  const labelled = (name: VisualFieldName): string | undefined =>
    zone.fields.find((field) => field.name === name)?.value;
  const pairs = splitValues(zone.lines, 2);
  const values: readonly PrintedValue[] = [...zone.lines, ...pairs, ...splitValues(zone.lines, 3)];
  const texts = values.map(({ text }) => text);
  const isDateChanged = fewDates && hasOtherDates([...zone.lines, ...pairs.filter(isWhole)], facts);
  const compare = (
    name: VisualFieldName,
    expected: string,
    isSame: boolean,
    readable: (text: string) => boolean,
    isChanged = false,
  ): DocumentCheck => {
    const value = labelled(name);
    const isClear = value !== undefined && readable(value) && !values.some((each) => mayShow(each, expected, value));
    const differs = isClear || isChanged;
    const agrees = expected === '' ? undefined : isSame ? true : differs ? false : undefined;
    const shows = (isPart: typeof showsYearOf): boolean => texts.some((text) => isPart(expected, text));
    const partRead =
      agrees !== undefined ? undefined : shows(showsYearOf) ? 'year' : shows(showsDayOf) ? 'day' : undefined;
    return {
      ...check(
        `visual.${name}.${source}`,
        agrees,
        `the visual zone against the ${source === 'mrz' ? 'machine readable zone' : 'barcode'}`,
      ),
      ...(partRead && { partRead }),
    };
  };
  const full = [facts.surname, facts.givenNames].filter(Boolean);
  const fullNames = full.length === 2 ? [full.join(' '), full.toReversed().join(' ')] : [];
  const compareNames = (name: 'surname' | 'givenNames'): DocumentCheck => {
    const agreements = new Set(zone.lines.flatMap((line) => agreementsOf(line, facts[name], fullNames)));
    const isReadable = (text: string): boolean => transliterate(text).length > 2;
    return compare(name, facts[name], agreements.has('same'), isReadable, agreements.has('changed'));
  };
  const sameNumber = (text: string): boolean =>
    alike(text.toUpperCase().replace(/[^A-Z0-9]/g, ''), facts.documentNumber);
  const sameDate =
    (date: string) =>
    (text: string): boolean =>
      datesIn(text).includes(date);
  const hasDate = (text: string): boolean => datesIn(text).length > 0;
  return [
    compare(
      'documentNumber',
      facts.documentNumber,
      texts.some(sameNumber),
      (text) => /\d{5}/.test(text.replace(/\s/g, '')) && !isPartOf(text, facts.documentNumber),
      zone.lines.some((line) => isNearly(line, facts.documentNumber)),
    ),
    compare('birthDate', facts.birthDate, texts.some(sameDate(facts.birthDate)), hasDate, isDateChanged),
    compare('expiryDate', facts.expiryDate, texts.some(sameDate(facts.expiryDate)), hasDate, isDateChanged),
    compareNames('surname'),
    compareNames('givenNames'),
  ];
}

/** The agreements of each line with each name. All lines are compared again after each further one that is read. */
const agreementsOfLines = new WeakMap<VisualLine, Map<string, readonly NameAgreement[]>>();

function agreementsOf(line: VisualLine, name: string, fullNames: readonly string[]): readonly NameAgreement[] {
  const agreementsByName = agreementsOfLines.get(line) ?? new Map<string, readonly NameAgreement[]>();
  agreementsOfLines.set(line, agreementsByName);
  const key = [name, ...fullNames].join('\n');
  const agreements = agreementsByName.get(key) ?? [
    ...namesIn(line).map((each) => compareName(each, name)),
    ...fullNames.map((each) => compareName(line, each)),
  ];
  agreementsByName.set(key, agreements);
  return agreements;
}

type PrintedValue = Pick<VisualLine, 'text' | 'rivals'>;

/** Joins this many neighbours in a row into one value, because the reader splits a date at a wide space. */
function splitValues(lines: readonly VisualLine[], count: number): PrintedValue[] {
  const besideOf = (one: VisualLine): VisualLine[] =>
    lines.filter((other) => {
      const overlap = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
      const gap = other.x - one.x - one.width;
      const maxSpace = /^(19|20)\d{2}$/.test(other.text) ? MAX_SPACE_BEFORE_YEAR : MAX_SPACE;
      const isBeside =
        overlap > 0.5 * Math.min(one.height, other.height) && Math.abs(gap) < maxSpace && other.x > one.x;
      return isBeside && /\d/.test(one.text) && /\d/.test(other.text);
    });
  let rows: VisualLine[][] = lines.map((line) => [line]);
  for (let more = 1; more < count; more += 1) {
    rows = rows.flatMap((row) => besideOf(row.at(-1) as VisualLine).map((next) => [...row, next])).slice(0, MAX_ROWS);
  }
  return rows.map((row) => ({
    text: row.map(({ text }) => text).join(' '),
    rivals: row.flatMap(({ text, rivals }, i) => [...(i > 0 ? [''] : []), ...(rivals ?? Array.from(text, () => ''))]),
  }));
}

/** Whether a printed date equals the expected one except for a digit of which the reader was unsure. */
function mayShow({ text, rivals = [] }: PrintedValue, expected: string, value = text): boolean {
  if (!isDay(expected) || !text.includes(value) || datesIn(text).length === 0) return false;
  const characters = Array.from(text);
  return characters.some((character, at) => {
    const others = rivals[at] ?? '';
    if (!/\d/.test(character) || others === '') return false;
    const digits = others.includes(UNSURE) ? DIGITS : others.replace(/\D/g, '');
    return [...digits].some((digit) => datesIn(characters.with(at, digit).join('')).includes(expected));
  });
}

const DIGITS = '0123456789';

/** A document with more neighbours than this is a page of numbers. */
const MAX_ROWS = 60;

/**
 * Whether no digit was lost between two boxes: 21.1 1971 may be the rest of 21.12.1971. A day before a month's name may
 * have one digit.
 */
function isWhole({ text }: PrintedValue): boolean {
  return /[A-Za-z]{3}/.test(text) || !/(?<!\d)\d(?!\d)/.test(text);
}

/** The maximum width of a space within a value, in shares of the width. */
const MAX_SPACE = 0.04;
const MAX_SPACE_BEFORE_YEAR = 0.1;

/**
 * Whether print shows a date that is none of birth, issue and expiry: one that cannot be a date of issue, or a second
 * one beside it. Dates that may be misread do not count.
 */
function hasOtherDates(values: readonly PrintedValue[], { birthDate, expiryDate }: Facts): boolean {
  if (birthDate === '' || expiryDate === '') return false;
  const others = values
    .filter((value) => !mayShow(value, birthDate) && !mayShow(value, expiryDate))
    .flatMap(({ text }) => printedDates(text))
    .filter((days) => !days.includes(birthDate) && !days.includes(expiryDate) && !isCutShort(days));
  const isIssue = (day: string): boolean => {
    return day > birthDate && day < expiryDate && yearsBetween(day, expiryDate) <= MAX_VALID_YEARS;
  };
  const issues = others.map((days) => days.filter(isIssue));
  const [first] = issues;
  if (first === undefined) return false;
  return issues.some((days) => !days.some((day) => first.includes(day)));
}

/** 8 AUG 20 is 2020, or the beginning of a year in four digits. */
function isCutShort(days: readonly string[]): boolean {
  return days.some((day) => day.startsWith('1919') || day.startsWith('1920')) && days.length > 1;
}

/** The fields of a zone or barcode that print does not confirm yet. */
export function unconfirmedIn(facts: Facts, lines: VisualZone['lines']): (keyof Facts)[] {
  return visualChecks(facts, { lines, fields: [], models: [] }, 'mrz').flatMap(({ name, result }) => {
    const field = name.split('.')[1] as keyof Facts;
    return result === 'passed' || facts[field] === '' ? [] : [field];
  });
}

/** Checks that zone and barcode of one card agree. */
export function sourceChecks(mrz: Facts, barcode: Facts): DocumentCheck[] {
  const names = Object.keys(mrz) as (keyof Facts)[];
  return names.map((name) => {
    const [one, other] = [mrz[name], barcode[name]];
    const dated = name.endsWith('Date');
    const agrees =
      one === '' || other === ''
        ? undefined
        : dated || name === 'documentNumber'
          ? one === other
          : sameName(one, other);
    return check(`barcode.${name}.mrz`, agrees, 'the barcode against the machine readable zone');
  });
}

/** 0 and O, 1 and I, 5 and S, 8 and B look the same in print. */
function foldLookAlikes(value: string): string {
  return value.replace(/[OQD]/g, '0').replace(/I/g, '1').replace(/S/g, '5').replace(/B/g, '8').replace(/Z/g, '2');
}

function alike(text: string, number: string): boolean {
  return text.length >= number.length && foldLookAlikes(text).includes(foldLookAlikes(number));
}

/** Whether the reader has cut a number in two, or lost an end of it: then it shows neither this number nor another one. */
function isPartOf(text: string, number: string): boolean {
  const part = foldLookAlikes(text.toUpperCase().replace(/[^A-Z0-9]/g, ''));
  return part.length < number.length && foldLookAlikes(number).includes(part);
}

/** Shorter numbers resemble others by chance. */
const MIN_NUMBER = 7;
/** A number with this many different digits is a changed number; with more, it is another number. */
const MAX_CHANGED = 2;
/** Print that the reader is less sure of may be misread. */
const SURE = 0.9;

/** Whether a word differs from the number in a digit or two: then it is that number, changed, whatever its label. */
function isNearly({ text, confidence }: VisualLine, number: string): boolean {
  if (number.length < MIN_NUMBER || confidence < SURE) return false;
  const expected = foldLookAlikes(number);
  return text.split(/\s+/).some((part) => {
    const word = foldLookAlikes(part.toUpperCase().replace(/[^A-Z0-9]/g, ''));
    if (word.length !== expected.length) return false;
    const changed = [...word].flatMap((character, at) =>
      character === expected[at] ? [] : [character + expected[at]],
    );
    return changed.length > 0 && changed.length <= MAX_CHANGED && changed.every((pair) => /^\d\d$/.test(pair));
  });
}
