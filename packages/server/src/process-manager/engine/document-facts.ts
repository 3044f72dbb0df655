import { ageAt, readDate } from './dates.ts';
import { listOf, NUMBER, objectOf, TEXT, TIME } from './expressions/shapes.ts';
import { type ReadField, validFields } from './read-values.ts';

/** The facts of a document for conditions, besides the fields as they were read. Pure. */
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

export const DATE_FIELDS: readonly string[] = ['Date Of Birth', 'Date Of Expiry', 'Date Of Issue'];
/** The fields that a reviewer may add where they were not read. */
export const CORRECTABLE_FIELDS: readonly string[] = [...Object.values(TEXTS), ...Object.values(DATES)];

const FIELD_SHAPE = objectOf({
  fieldName: TEXT,
  values: objectOf({ visualZoneValue: TEXT, mrzValue: TEXT, barcodeValue: TEXT, correctedValue: TEXT }),
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
  const fields = validFields(document.biographicData);
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

function readings(fields: readonly ReadField[], fieldName: string): string[] {
  const values = fields.find((field) => field.fieldName === fieldName)?.values ?? {};
  return SOURCES.map((source) => values[source]).filter(
    (value): value is string => typeof value === 'string' && value.trim() !== '',
  );
}
