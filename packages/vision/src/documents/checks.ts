import type { Licence } from '../barcodes/parse-aamva.ts';
import type { MrzFinding } from '../mrz/mrz-finding.ts';
import { STATES, UNUSUAL_STATES } from '../mrz/states.ts';
import { transliterate, transliterations } from '../mrz/transliterate.ts';
import { datesIn, fullDate, isDay, yearsBetween } from './dates.ts';
import type { VisualFieldName, VisualZone } from './visual-zone.ts';

export type CheckResult = 'passed' | 'failed' | 'not_performed';
export type DocumentCheck = { readonly name: string; readonly result: CheckResult; readonly reason: string };

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
    birthDate: fullDate(fields.birthDate, 'birth', today) ?? '',
    expiryDate: fullDate(fields.expiryDate, 'expiry', today) ?? '',
  };
}

export function factsOfLicence({ documentNumber, surname, givenNames, birthDate, expiryDate }: Licence): Facts {
  return { documentNumber, surname, givenNames, birthDate, expiryDate };
}

/** Labelled print alone. Where a date can be read in two ways, the day stands first. */
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

function check(name: string, ok: boolean | undefined, reason: string): DocumentCheck {
  return { name, result: ok === undefined ? 'not_performed' : ok ? 'passed' : 'failed', reason };
}

/** Check digits and states of a zone. */
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

/** Whether the dates can be true on a day. */
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
 * Compares what the visual zone says with the zone or barcode. A labelled value that differs is a failure; a value that
 * stands anywhere in print is a match; what could not be read says nothing.
 */
export function visualChecks(facts: Facts, zone: VisualZone, source: 'mrz' | 'barcode'): DocumentCheck[] {
  const labelled = (name: VisualFieldName): string | undefined =>
    zone.fields.find((field) => field.name === name)?.value;
  const texts = zone.lines.map(({ text }) => text);
  const compare = (
    name: VisualFieldName,
    expected: string,
    same: (text: string) => boolean,
    readable: (text: string) => boolean,
    isOther: (text: string) => boolean = () => false,
  ): DocumentCheck => {
    const value = labelled(name);
    const differs = (value !== undefined && readable(value)) || texts.some(isOther);
    const agrees = expected === '' ? undefined : texts.some(same) ? true : differs ? false : undefined;
    return check(
      `visual.${name}.${source}`,
      agrees,
      `the visual zone against the ${source === 'mrz' ? 'machine readable zone' : 'barcode'}`,
    );
  };
  const full = [facts.surname, facts.givenNames].filter(Boolean);
  const isName = (text: string, name: string): boolean => namesIn(text).some((each) => sameName(each, name));
  const isFullName = (text: string): boolean =>
    full.length === 2 && (sameName(text, full.join(' ')) || sameName(text, [...full].reverse().join(' ')));
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
      sameNumber,
      (text) => /\d{5}/.test(text.replace(/\s/g, '')),
      (text) => isNearly(text, facts.documentNumber),
    ),
    compare('birthDate', facts.birthDate, sameDate(facts.birthDate), hasDate),
    compare('expiryDate', facts.expiryDate, sameDate(facts.expiryDate), hasDate),
    compare(
      'surname',
      facts.surname,
      (text) => isName(text, facts.surname) || isFullName(text),
      (text) => transliterate(text).length > 2,
    ),
    compare(
      'givenNames',
      facts.givenNames,
      (text) => isName(text, facts.givenNames) || isFullName(text),
      (text) => transliterate(text).length > 2,
    ),
  ];
}

/** A line of print may hold both names with a comma between, or one name in two spellings. */
function namesIn(text: string): string[] {
  const parts = text.split(/[,/]/).map((part) => part.trim());
  return parts.length > 1 ? [text, ...parts] : [text];
}

/** The fields of a zone or barcode that print does not say yet. */
export function unconfirmedIn(facts: Facts, lines: VisualZone['lines']): (keyof Facts)[] {
  return visualChecks(facts, { lines, fields: [], models: [] }, 'mrz').flatMap(({ name, result }) => {
    const field = name.split('.')[1] as keyof Facts;
    return result === 'passed' || facts[field] === '' ? [] : [field];
  });
}

/** Zone and barcode of one card must say the same. */
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

/** Shorter numbers resemble others by chance. */
const MIN_NUMBER = 7;
/** A number with so many other characters is the same number after a change; with more, it is another number. */
const MAX_CHANGED = 2;

/** A word as long as the number in which a character or two differ is that number, changed, whatever its label. */
function isNearly(text: string, number: string): boolean {
  if (number.length < MIN_NUMBER) return false;
  const expected = foldLookAlikes(number);
  return text.split(/\s+/).some((part) => {
    const word = foldLookAlikes(part.toUpperCase().replace(/[^A-Z0-9]/g, ''));
    if (word.length !== expected.length) return false;
    const changed = [...word].filter((character, at) => character !== expected[at]).length;
    return changed > 0 && changed <= MAX_CHANGED;
  });
}

/** The same name in another spelling, give or take a letter in six that was misread or cut off. */
export function sameName(print: string, zone: string): boolean {
  const expected = transliterate(zone).replaceAll(' ', '');
  return transliterations(print).some((each) => {
    const text = each.replaceAll(' ', '');
    const allowed = Math.floor(expected.length / 6) + (/[^\x20-\x7e]/.test(print) ? 1 : 0);
    const apart = Math.min(editDistance(text, expected), editDistance(bareLetters(text), bareLetters(expected)));
    return expected.length > 0 && apart <= allowed;
  });
}

/** The reader of print loses accents, so what a zone spells with two letters, Ø as OE, is compared with one: O. */
function bareLetters(name: string): string {
  return name.replace(/([AOU])E|AA/g, (pair) => pair[0] as string);
}

export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] as number) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[other.length] as number;
}
