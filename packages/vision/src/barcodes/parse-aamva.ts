export type Licence = {
  readonly issuerNumber: string;
  readonly version: number;
  readonly documentNumber: string;
  readonly surname: string;
  readonly givenNames: string;
  /** Dates are YYYY-MM-DD, empty when they cannot be read. */
  readonly birthDate: string;
  readonly issueDate: string;
  readonly expiryDate: string;
  readonly sex: '' | 'F' | 'M' | 'X';
  readonly street: string;
  readonly town: string;
  readonly region: string;
  readonly postcode: string;
  readonly country: string;
  /** Every element unchanged, by its three letters. */
  readonly elements: Readonly<Record<string, string>>;
};

const MAX_ELEMENTS = 200;
const SEXES: Readonly<Record<string, Licence['sex']>> = { '1': 'M', M: 'M', '2': 'F', F: 'F', '9': 'X', X: 'X' };

/** Parses the barcode of a North American licence (AAMVA card design standard, versions 1 to 10). */
export function parseAamva(text: string): Licence | undefined {
  // Some states leave out the compliance mark or write other line ends; the letters ANSI or AAMVA are always there.
  const header = /(?:ANSI |AAMVA)(\d{6})(\d{2})/.exec(text);
  if (!header) return undefined;
  const start = text.search(/(?:DL|ID)(?=D[A-Z]{2})/);
  if (start < 0) return undefined;
  const elements = elementsIn(text.slice(start + 2));
  const get = (...ids: string[]): string => ids.map((id) => elements[id]).find((value) => value) ?? '';
  const country = get('DCG');
  const version = Number(header[2]);
  const date = (value: string): string => readDate(value, version === 1 || country === 'CAN');
  const [surname, givenNames] = namesOf(elements);
  return {
    issuerNumber: header[1] as string,
    version,
    documentNumber: get('DAQ'),
    surname,
    givenNames,
    birthDate: date(get('DBB')),
    issueDate: date(get('DBD')),
    expiryDate: date(get('DBA')),
    sex: SEXES[get('DBC')] ?? '',
    street: [get('DAG'), get('DAH')].filter(Boolean).join(', '),
    town: get('DAI'),
    region: get('DAJ'),
    postcode: get('DAK')
      .replace(/^(\d{5})0000$/, '$1')
      .replace(/^(\d{5})(\d{4})$/, '$1-$2'),
    country,
    elements,
  };
}

function elementsIn(text: string): Record<string, string> {
  const elements: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const piece of text.split(/[\n\r]+/).slice(0, MAX_ELEMENTS)) {
    const match = /^(?:DL|ID|Z[A-Z])?([DZ][A-Z]{2})(.*)$/.exec(piece);
    if (match?.[1] && !(match[1] in elements)) elements[match[1]] = (match[2] ?? '').trim();
  }
  return elements;
}

/** Newer cards name each part; the first version has all in one element, surname first. */
function namesOf(elements: Readonly<Record<string, string>>): [surname: string, givenNames: string] {
  const elementValue = (id: string): string => (/^(NONE|UNAVL)$/.test(elements[id] ?? '') ? '' : (elements[id] ?? ''));
  const surname = elementValue('DCS') || elementValue('DAB');
  const givenNames = [elementValue('DAC') || elementValue('DCT').replaceAll(',', ' '), elementValue('DAD')]
    .filter(Boolean)
    .join(' ');
  if (surname || givenNames) return [surname, givenNames];
  const [last = '', ...rest] = elementValue('DAA').split(',');
  return [last.trim(), rest.join(' ').trim()];
}

function readDate(text: string, yearFirst: boolean): string {
  if (!/^\d{8}$/.test(text)) return '';
  const [year, month, day] =
    yearFirst && /^(19|20)/.test(text)
      ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)]
      : [text.slice(4), text.slice(0, 2), text.slice(2, 4)];
  const date = `${year}-${month}-${day}`;
  return Number.isNaN(Date.parse(date)) ? '' : date;
}
