import { type ReadField, validFields } from '../read-values.ts';
import type { State } from '../state.ts';

/**
 * Fills in a form the values that the relying party has set or that a document of this journey has, so that nothing is asked
 * twice (WCAG 2.2, 3.3.7). The end user confirms them. Pure.
 */
type Schema = Readonly<Record<string, unknown>>;

/** The fields of documents by the name of the form's field, without case and punctuation. */
const IN_DOCUMENTS: Readonly<Record<string, readonly string[]>> = {
  firstname: ['First Name'],
  givenname: ['First Name'],
  givennames: ['First Name'],
  lastname: ['Last Name'],
  surname: ['Last Name'],
  familyname: ['Last Name'],
  name: ['Full Name'],
  fullname: ['Full Name'],
  dateofbirth: ['Date Of Birth'],
  birthdate: ['Date Of Birth'],
  birthday: ['Date Of Birth'],
  placeofbirth: ['Place Of Birth'],
  birthplace: ['Place Of Birth'],
  nationality: ['Nationality'],
  documentnumber: ['Document Number'],
  personalnumber: ['Personal Number'],
  address: ['Address'],
};
/** Print has lower case and accents; zone and code have dates in one form. */
const SOURCES = ['visualZoneValue', 'mrzValue', 'barcodeValue'] as const;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

export function knownValues(schema: Schema, { data, params }: Pick<State, 'data' | 'params'>): Record<string, string> {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
  const fields = Object.values(data.documents).flatMap(({ biographicData }) => validFields(biographicData));
  const values: Record<string, string> = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(params, name) ? params[name] : readValue(name, property, fields);
    if (value !== undefined) values[name] = value;
  }
  return values;
}

function readValue(name: string, property: Schema, fields: readonly ReadField[]): string | undefined {
  const folded = name.toLowerCase().replace(/[^a-z]/g, '');
  const fieldNames = Object.hasOwn(IN_DOCUMENTS, folded) ? IN_DOCUMENTS[folded] : undefined;
  if (!fieldNames || property.type !== 'string') return undefined;
  const values = fields
    .filter(({ fieldName }) => fieldNames.includes(String(fieldName)))
    .flatMap(({ values: of }) => SOURCES.map((source) => of?.[source]));
  return values.find((value): value is string => typeof value === 'string' && fits(value, property));
}

/** Whether the form would accept the value. */
function fits(value: string, { format, maxLength, enum: only }: Schema): boolean {
  if (value.trim() === '' || (typeof maxLength === 'number' && [...value].length > maxLength)) return false;
  if (Array.isArray(only)) return only.includes(value);
  return format === undefined || (format === 'date' && DATE.test(value));
}
