import { checkDigit } from './check-digit.ts';
import { type CheckName, type Field, type FormatName, formatOf, type MrzFieldName } from './formats.ts';
import { holds } from './repair.ts';

export type MrzFields = {
  readonly documentCode: string;
  readonly issuer: string;
  readonly documentNumber: string;
  readonly nationality: string;
  /** YYMMDD as printed; unknown parts are fillers. */
  readonly birthDate: string;
  readonly sex: string;
  readonly expiryDate: string;
  readonly surname: string;
  readonly givenNames: string;
  readonly optional: string;
  readonly optional2: string;
};

export type ParsedMrz = {
  readonly format: FormatName;
  readonly lines: readonly string[];
  readonly fields: MrzFields;
  readonly checks: readonly { readonly name: CheckName; readonly passed: boolean }[];
  /** Whether every check digit is correct. */
  readonly valid: boolean;
};

/** Parses the lines of a machine readable zone; undefined if they have no known format. */
export function parseMrz(lines: readonly string[]): ParsedMrz | undefined {
  if (!lines.every((line) => /^[A-Z0-9<]+$/.test(line))) return undefined;
  const format = formatOf(lines);
  if (!format) return undefined;
  const raw = (name: MrzFieldName): string => {
    const field: Field | undefined = format.fields.find((each) => each.name === name);
    return field ? (lines[field.line] as string).slice(field.from, field.to) : '';
  };
  const [surname, givenNames] =
    format.name === 'IDFRA' ? [raw('surname'), raw('givenNames')] : splitNames(raw('names'));
  const long = longNumber(lines, format.name);
  const checks = format.checks.map((check) => ({
    name: check.name,
    passed: check.name === 'documentNumber' && long ? long.passed : holds(lines, check),
  }));
  return {
    format: format.name,
    lines,
    fields: {
      documentCode: trim(raw('documentCode')),
      issuer: trim(raw('issuer')),
      documentNumber: long?.number ?? trim(raw('documentNumber')),
      nationality: trim(raw('nationality')),
      birthDate: raw('birthDate'),
      sex: trim(raw('sex')),
      expiryDate: raw('expiryDate'),
      surname: words(surname),
      givenNames: words(givenNames),
      optional: long?.rest ?? trim(raw('optional')),
      optional2: trim(raw('optional2')),
    },
    checks,
    valid: checks.every(({ passed }) => passed),
  };
}

/**
 * A number of more than nine characters has a filler in the place of its check digit and goes on in the optional data,
 * where its check digit is the last character before a filler (ICAO 9303 part 5, 4.2.2).
 */
function longNumber(
  lines: readonly string[],
  format: FormatName,
): { number: string; rest: string; passed: boolean } | undefined {
  const [head, tail] =
    format === 'TD1'
      ? [lines[0]?.slice(5, 15) ?? '', lines[0]?.slice(15, 30) ?? '']
      : format === 'TD2'
        ? [lines[1]?.slice(0, 10) ?? '', lines[1]?.slice(28, 35) ?? '']
        : ['', ''];
  const match = /^([A-Z0-9]{9})<$/.exec(head);
  const more = /^([A-Z0-9]+)([0-9])(?:<(.*))?$/.exec(tail);
  if (!match || !more) return undefined;
  const number = `${match[1]}${more[1]}`;
  return { number, rest: trim(more[3] ?? ''), passed: checkDigit(number) === more[2] };
}

function splitNames(text: string): [surname: string, givenNames: string] {
  const at = text.indexOf('<<');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 2)];
}

function trim(text: string): string {
  return text.replace(/<+$/, '');
}

function words(text: string): string {
  return text.replace(/<+/g, ' ').trim();
}
