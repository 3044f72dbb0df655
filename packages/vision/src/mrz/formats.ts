/** The kind of character at a position, so that the reader does not take a letter for a digit. */
export type Kind =
  | 'start'
  | 'code'
  | 'stateStart'
  | 'state'
  | 'names'
  | 'digits'
  | 'any'
  | 'optional'
  | 'sex'
  | 'check';

export type MrzFieldName =
  | 'documentCode'
  | 'issuer'
  | 'documentNumber'
  | 'nationality'
  | 'birthDate'
  | 'sex'
  | 'expiryDate'
  | 'optional'
  | 'optional2'
  | 'surname'
  | 'givenNames'
  | 'names';

export type Span = { readonly line: number; readonly from: number; readonly to: number };
export type Field = Span & { readonly name: MrzFieldName; readonly kind: Kind };
export type CheckName = 'documentNumber' | 'birthDate' | 'expiryDate' | 'optional' | 'composite';
export type Check = {
  readonly name: CheckName;
  readonly over: readonly Span[];
  readonly at: { readonly line: number; readonly position: number };
  /** A filler may replace the digit if everything that it covers is filler. */
  readonly mayBeFiller?: boolean;
};

export const FORMAT_NAMES = ['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB', 'IDFRA'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];
export type Format = {
  readonly name: FormatName;
  readonly lines: number;
  readonly length: number;
  readonly fields: readonly Field[];
  readonly checks: readonly Check[];
};

const span = (line: number, from: number, to: number): Span => ({ line, from, to });
const field = (name: MrzFieldName, kind: Kind, line: number, from: number, to: number): Field => ({
  name,
  kind,
  line,
  from,
  to,
});

/** Documents of three lines of 30 (ICAO 9303 part 5). */
const TD1: Format = {
  name: 'TD1',
  lines: 3,
  length: 30,
  fields: [
    field('documentCode', 'code', 0, 0, 2),
    field('issuer', 'state', 0, 2, 5),
    field('documentNumber', 'any', 0, 5, 14),
    field('optional', 'optional', 0, 15, 30),
    field('birthDate', 'digits', 1, 0, 6),
    field('sex', 'sex', 1, 7, 8),
    field('expiryDate', 'digits', 1, 8, 14),
    field('nationality', 'state', 1, 15, 18),
    field('optional2', 'optional', 1, 18, 29),
    field('names', 'names', 2, 0, 30),
  ],
  checks: [
    { name: 'documentNumber', over: [span(0, 5, 14)], at: { line: 0, position: 14 } },
    { name: 'birthDate', over: [span(1, 0, 6)], at: { line: 1, position: 6 } },
    { name: 'expiryDate', over: [span(1, 8, 14)], at: { line: 1, position: 14 } },
    {
      name: 'composite',
      over: [span(0, 5, 30), span(1, 0, 7), span(1, 8, 15), span(1, 18, 29)],
      at: { line: 1, position: 29 },
    },
  ],
};

/** The two lines that TD2, TD3 and visas have in common. */
function twoLines(length: number): readonly Field[] {
  return [
    field('documentCode', 'code', 0, 0, 2),
    field('issuer', 'state', 0, 2, 5),
    field('names', 'names', 0, 5, length),
    field('documentNumber', 'any', 1, 0, 9),
    field('nationality', 'state', 1, 10, 13),
    field('birthDate', 'digits', 1, 13, 19),
    field('sex', 'sex', 1, 20, 21),
    field('expiryDate', 'digits', 1, 21, 27),
  ];
}

const TWO_LINE_CHECKS: readonly Check[] = [
  { name: 'documentNumber', over: [span(1, 0, 9)], at: { line: 1, position: 9 } },
  { name: 'birthDate', over: [span(1, 13, 19)], at: { line: 1, position: 19 } },
  { name: 'expiryDate', over: [span(1, 21, 27)], at: { line: 1, position: 27 } },
];

/** Two lines of 36 (part 6). */
const TD2: Format = {
  name: 'TD2',
  lines: 2,
  length: 36,
  fields: [...twoLines(36), field('optional', 'optional', 1, 28, 35)],
  checks: [
    ...TWO_LINE_CHECKS,
    { name: 'composite', over: [span(1, 0, 10), span(1, 13, 20), span(1, 21, 35)], at: { line: 1, position: 35 } },
  ],
};

/** Passports: two lines of 44 (part 4). */
const TD3: Format = {
  name: 'TD3',
  lines: 2,
  length: 44,
  fields: [...twoLines(44), field('optional', 'optional', 1, 28, 42)],
  checks: [
    ...TWO_LINE_CHECKS,
    { name: 'optional', over: [span(1, 28, 42)], at: { line: 1, position: 42 }, mayBeFiller: true },
    { name: 'composite', over: [span(1, 0, 10), span(1, 13, 20), span(1, 21, 43)], at: { line: 1, position: 43 } },
  ],
};

/** Visas (part 7): no check digit over the whole. */
const MRVA: Format = {
  name: 'MRVA',
  lines: 2,
  length: 44,
  fields: [...twoLines(44), field('optional', 'optional', 1, 28, 44)],
  checks: TWO_LINE_CHECKS,
};
const MRVB: Format = {
  name: 'MRVB',
  lines: 2,
  length: 36,
  fields: [...twoLines(36), field('optional', 'optional', 1, 28, 36)],
  checks: TWO_LINE_CHECKS,
};

/** The French identity card of 1988 to 2021, which is older than TD2 and has its own order. */
const IDFRA: Format = {
  name: 'IDFRA',
  lines: 2,
  length: 36,
  fields: [
    field('documentCode', 'code', 0, 0, 2),
    field('issuer', 'state', 0, 2, 5),
    field('surname', 'names', 0, 5, 30),
    field('optional', 'optional', 0, 30, 36),
    field('documentNumber', 'any', 1, 0, 12),
    field('givenNames', 'names', 1, 13, 27),
    field('birthDate', 'digits', 1, 27, 33),
    field('sex', 'sex', 1, 34, 35),
  ],
  checks: [
    { name: 'documentNumber', over: [span(1, 0, 12)], at: { line: 1, position: 12 } },
    { name: 'birthDate', over: [span(1, 27, 33)], at: { line: 1, position: 33 } },
    { name: 'composite', over: [span(0, 0, 36), span(1, 0, 35)], at: { line: 1, position: 35 } },
  ],
};

export const FORMATS: Readonly<Record<FormatName, Format>> = { TD1, TD2, TD3, MRVA, MRVB, IDFRA };

/** The kind at every position of a line. */
export function kindsOf(format: Format, line: number): readonly Kind[] {
  const kinds: Kind[] = new Array(format.length).fill('any');
  for (const each of format.fields) {
    if (each.line !== line) continue;
    kinds.fill(each.kind, each.from, each.to);
    if (each.kind === 'code') kinds[each.from] = 'start';
    if (each.kind === 'state') kinds[each.from] = 'stateStart';
  }
  for (const { at } of format.checks) if (at.line === line) kinds[at.position] = 'check';
  return kinds;
}

/** The format of lines with this length and beginning. */
export function formatOf(lines: readonly string[]): Format | undefined {
  const [first = '', second = ''] = lines;
  if (lines.length === 3 && lines.every((line) => line.length === 30)) return TD1;
  if (lines.length !== 2 || first.length !== second.length) return undefined;
  if (first.length === 44) return first.startsWith('V') ? MRVA : TD3;
  if (first.length !== 36) return undefined;
  if (first.startsWith('IDFRA')) return IDFRA;
  return first.startsWith('V') ? MRVB : TD2;
}
