import { type DocumentReading, fullDate } from '@grove/vision/light';
import type { BiographicField } from './vision.ts';

type Values = { visualZoneValue?: string; mrzValue?: string; barcodeValue?: string };
type Mrz = NonNullable<DocumentReading['mrz']>;
type Licence = NonNullable<NonNullable<DocumentReading['barcode']>['licence']>;
type VisualName = NonNullable<DocumentReading['visual']>['fields'][number]['name'];

type Row = {
  readonly fieldName: string;
  readonly visual?: VisualName;
  mrz?(zone: Mrz, today: string): string | undefined;
  barcode?(licence: Licence): string;
};

/** The fields of the result, and how to read each from the three sources. */
const ROWS: readonly Row[] = [
  {
    fieldName: 'First Name',
    visual: 'givenNames',
    mrz: ({ fields }) => fields.givenNames,
    barcode: (l) => l.givenNames,
  },
  { fieldName: 'Last Name', visual: 'surname', mrz: ({ fields }) => fields.surname, barcode: (l) => l.surname },
  { fieldName: 'Full Name', visual: 'name' },
  {
    fieldName: 'Document Number',
    visual: 'documentNumber',
    mrz: ({ fields }) => fields.documentNumber,
    barcode: (l) => l.documentNumber,
  },
  { fieldName: 'Nationality', visual: 'nationality', mrz: ({ fields }) => fields.nationality },
  { fieldName: 'Issuing State', mrz: ({ fields }) => fields.issuer, barcode: (l) => l.country },
  {
    fieldName: 'Date Of Birth',
    visual: 'birthDate',
    mrz: ({ fields }, today) => fullDate(fields.birthDate, 'birth', today),
    barcode: (l) => l.birthDate,
  },
  { fieldName: 'Place Of Birth', visual: 'birthPlace' },
  { fieldName: 'Sex', visual: 'sex', mrz: ({ fields }) => fields.sex, barcode: (l) => l.sex },
  { fieldName: 'Date Of Issue', visual: 'issueDate', barcode: (l) => l.issueDate },
  {
    fieldName: 'Date Of Expiry',
    visual: 'expiryDate',
    mrz: ({ fields }, today) => fullDate(fields.expiryDate, 'expiry', today),
    barcode: (l) => l.expiryDate,
  },
  { fieldName: 'Authority', visual: 'authority' },
  { fieldName: 'Personal Number', visual: 'personalNumber' },
  {
    fieldName: 'Address',
    visual: 'address',
    barcode: (l) => [l.street, l.town, l.region, l.postcode].filter(Boolean).join(', '),
  },
];

const MAX_VALUE_LENGTH = 200;

/** The fields of a document, with a value for each source: print as it is printed, dates of zone and code as ISO dates. */
export function readBiographicData(sides: readonly DocumentReading[], today: string): BiographicField[] {
  const mrz = sides.find((side) => side.mrz)?.mrz;
  const licence = sides.find((side) => side.barcode?.licence)?.barcode?.licence;
  const print = sides.flatMap(({ visual }) => visual?.fields ?? []);
  // If a template knows the order of the parts of a date, the field has the date in one form.
  const printed = (fieldName: VisualName): string | undefined => {
    const field = print.find(({ name }) => name === fieldName);
    return field?.date ?? field?.value;
  };
  // Reading stops when print confirms the zone, before the label is found; then the value of the zone counts for both.
  const checks = sides.flatMap((side) => side.checks);
  const isConfirmed = (fieldName: VisualName) =>
    checks.some(({ name, result }) => name === `visual.${fieldName}.mrz` && result === 'passed');
  return ROWS.flatMap((row) => {
    const inZone = mrz && row.mrz?.(mrz, today);
    const values: Values = {
      ...value(
        'visualZoneValue',
        row.visual && (printed(row.visual) ?? (isConfirmed(row.visual) ? inZone : undefined)),
      ),
      ...value('mrzValue', inZone),
      ...value('barcodeValue', licence && row.barcode?.(licence)),
    };
    return Object.keys(values).length > 0 ? [{ fieldName: row.fieldName, values }] : [];
  });
}

function value(source: keyof Values, text: string | undefined): Values {
  return text ? { [source]: text.slice(0, MAX_VALUE_LENGTH) } : {};
}
