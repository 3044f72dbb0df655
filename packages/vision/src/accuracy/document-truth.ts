import { type MrzFields, parseMrz } from '../mrz/parse-mrz.ts';

/** The nine fields of every machine readable zone. */
export const TRUTH_FIELDS = [
  'documentCode',
  'issuer',
  'documentNumber',
  'nationality',
  'birthDate',
  'sex',
  'expiryDate',
  'surname',
  'givenNames',
] as const;
export type TruthField = (typeof TRUTH_FIELDS)[number];

/** The known content of a file; without fields, it shows no zone. */
export type DocumentTruth = { readonly file: string; readonly fields?: Readonly<Partial<Record<TruthField, string>>> };

/** The names that data sets give to our fields, in lower case without marks. */
const NAMES: Readonly<Record<TruthField, readonly string[]>> = {
  documentCode: ['documentcode', 'type', 'documenttype', 'code', 'mrzcode'],
  issuer: ['issuer', 'country', 'issuingcountry', 'issuercode', 'issuingstate', 'countrycode'],
  documentNumber: ['documentnumber', 'number', 'passportnumber', 'idnumber'],
  nationality: ['nationality', 'nationalitycode'],
  birthDate: ['birthdate', 'dateofbirth', 'dob'],
  sex: ['sex', 'gender'],
  expiryDate: ['expirydate', 'expirationdate', 'dateofexpiry', 'expiry'],
  surname: ['surname', 'lastname', 'familyname'],
  givenNames: ['givennames', 'names', 'givenname', 'firstname', 'forenames'],
};
const FILES = ['file', 'filename', 'image', 'path'];
const ZONES = ['mrz', 'lines', 'mrzlines', 'mrztext', 'rawtext', 'text'];

/**
 * Reads the truth of a set: an object by file name or a list with file names, each with the lines of the zone or with
 * fields under one of their usual names. A zone of `null` says that the file has none.
 */
export function readDocumentTruth(json: unknown): DocumentTruth[] {
  if (Array.isArray(json)) return json.map((each) => entry(keyed(each)));
  return Object.entries(json as Record<string, unknown>).map(([file, value]) => ({ ...entry(keyed(value)), file }));
}

function keyed(value: unknown): Map<string, unknown> {
  const plain =
    Array.isArray(value) || typeof value === 'string' ? { mrz: value } : (value as Record<string, unknown> | null);
  return new Map(
    Object.entries(plain ?? { mrz: null }).map(([key, each]) => [key.toLowerCase().replace(/[^a-z]/g, ''), each]),
  );
}

function entry(values: ReadonlyMap<string, unknown>): DocumentTruth {
  const first = (names: readonly string[]): unknown =>
    names.map((name) => values.get(name)).find((each) => each !== undefined);
  const file = String(first(FILES) ?? '');
  const zone = first(ZONES);
  if (zone === null) return { file };
  const lines =
    typeof zone === 'string' ? zone.trim().split(/\s+/) : Array.isArray(zone) ? zone.map(String) : undefined;
  const parsed = lines && parseMrz(lines);
  if (lines && !parsed) throw new Error(`the zone of ${file || 'a file'} has no known format: ${lines.join(' ')}`);
  const fields: Partial<Record<TruthField, string>> = {};
  for (const name of TRUTH_FIELDS) {
    const value = first(NAMES[name]) ?? parsed?.fields[name];
    if (typeof value === 'string') fields[name] = sameForm(name, value);
  }
  return Object.keys(fields).length === 0 ? { file } : { file, fields };
}

/** The fields that were read, in the form in which they are compared. */
export function comparable(fields: MrzFields | undefined): Readonly<Record<TruthField, string>> | undefined {
  if (!fields) return undefined;
  return Object.fromEntries(TRUTH_FIELDS.map((name) => [name, sameForm(name, fields[name])])) as Record<
    TruthField,
    string
  >;
}

/** Normalises values: fillers are spaces, dates have six digits, an unknown sex is empty. */
function sameForm(name: TruthField, value: string): string {
  const text = value.toUpperCase().replaceAll('<', ' ').replace(/\s+/g, ' ').trim();
  if (name === 'birthDate' || name === 'expiryDate') {
    const digits = text.replace(/[^0-9]/g, '');
    return digits.length === 8 ? digits.slice(2) : digits;
  }
  if (name === 'sex') return /^[MF]/.test(text) ? (text[0] as string) : '';
  return text;
}
