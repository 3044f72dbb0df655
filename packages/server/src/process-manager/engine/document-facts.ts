import { ageAt, readDate } from './dates.ts';
import { listOf, NUMBER, objectOf, TEXT, TIME } from './expressions/shapes.ts';

/** What conditions may ask of a document, besides the fields as they were read. Pure. */
type Field = { readonly fieldName?: unknown; readonly values?: Readonly<Record<string, unknown>> };
type Document = Readonly<Record<string, unknown>>;

/** The machine-readable zones have check digits, and write dates in one way. */
const SOURCES = ['mrzValue', 'barcodeValue', 'visualZoneValue'] as const;

const TEXTS = {
  givenNames: 'First Name',
  surname: 'Last Name',
  documentNumber: 'Document Number',
  nationality: 'Nationality',
} as const;

const DATES = { dateOfBirth: 'Date Of Birth', expires: 'Date Of Expiry' } as const;

const FIELD_SHAPE = objectOf({
  fieldName: TEXT,
  values: objectOf({ visualZoneValue: TEXT, mrzValue: TEXT, barcodeValue: TEXT }),
});

export const DOCUMENT_SHAPE = objectOf({
  documentType: TEXT,
  countryCode: TEXT,
  givenNames: TEXT,
  surname: TEXT,
  documentNumber: TEXT,
  nationality: TEXT,
  dateOfBirth: TIME,
  expires: TIME,
  age: NUMBER,
  biographicData: listOf(FIELD_SHAPE),
  images: listOf(TEXT),
  hints: objectOf({}, { open: true }),
});

/** The document with its named fields. A field that was not read, or a date that is not a day of the calendar, is absent. */
export function documentFacts(document: Document, now: number): Record<string, unknown> {
  const fields = Array.isArray(document.biographicData) ? (document.biographicData as readonly Field[]) : [];
  const facts: Record<string, unknown> = { ...document };
  for (const [name, fieldName] of Object.entries(TEXTS)) {
    const [text] = readings(fields, fieldName);
    if (text !== undefined) facts[name] = text;
  }
  for (const [name, fieldName] of Object.entries(DATES)) {
    const date = readings(fields, fieldName)
      .map(readDate)
      .find((each) => each !== undefined);
    if (date !== undefined) facts[name] = date;
  }
  if (facts.dateOfBirth instanceof Date) facts.age = BigInt(ageAt(new Date(now), facts.dateOfBirth));
  return facts;
}

function readings(fields: readonly Field[], fieldName: string): string[] {
  const values = fields.find((field) => field.fieldName === fieldName)?.values ?? {};
  return SOURCES.map((source) => values[source]).filter(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
}
