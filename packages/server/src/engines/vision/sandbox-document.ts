import {
  type AuthenticitySignalName,
  type DocumentCheck,
  type DocumentReading,
  latinSpellings,
} from '@grove/vision/light';
import type { DocumentSides } from './document-sides.ts';
import type { BiographicField } from './vision.ts';

/**
 * Makes up the reading of a document for the sandbox. The code that judges live readings judges it as well, so that the
 * sandbox has the same checks, in the same shape. Pure.
 */
export type SandboxDocument = {
  readonly documentType: string;
  readonly countryCode: string;
  readonly expired: boolean;
  /** The reason why the photograph of a side is not good enough. */
  readonly faults: { readonly front?: string; readonly back?: string };
  readonly hasBack: boolean;
};

type ReadingType = DocumentReading['type'];
type QualityMeasures = NonNullable<DocumentReading['quality']['measures']>;

const READING_TYPES: Readonly<Record<string, ReadingType>> = {
  PASSPORT: 'passport',
  ID_CARD: 'identityCard',
  DRIVERS_LICENSE: 'drivingLicence',
  // All other documents are treated as visas, which have a zone.
  OTHER: 'visa',
};
const FORMATS = { passport: 'TD3', identityCard: 'TD1', visa: 'MRVA' } as const;
const ENGINE = { name: 'sandbox', version: '1' };
const CONFIDENCE = 0.97;

export function isKnownType(documentType: string): boolean {
  return Object.hasOwn(READING_TYPES, documentType);
}

export function sandboxSides(document: SandboxDocument): DocumentSides {
  const { documentType, faults, hasBack } = document;
  const type = READING_TYPES[documentType] ?? 'other';
  const portrait = { jpeg: new Uint8Array(), box: { x: 0, y: 0, width: 1, height: 1 } };
  const machineParts = forMachines(type, document);
  const front = side(type, faults.front, machineParts.mrz && { zoneBrightness: ZONE_BRIGHTNESS });
  return {
    front: { ...front, portrait, ...machineParts },
    ...(hasBack && { back: side(type, faults.back) }),
  };
}

const ZONE_BRIGHTNESS = 200;
const MEASURES: QualityMeasures = { brightness: 200, glareShare: 0, sharpness: 0.2, side: 1600 };
/** The authenticity signals, none of which is a sign of a forgery. */
const SIGNALS: Readonly<Record<AuthenticitySignalName, { value: number; bound: number }>> = {
  ownColour: { value: 9, bound: 2.3 },
  gridPeak: { value: 1, bound: 4.7 },
  gridShared: { value: 1, bound: 3.6 },
  colourBands: { value: 1, bound: 2.5 },
  sensorNoise: { value: 1, bound: 0.01 },
  portraitEdges: { value: 5, bound: 36.5 },
  portraitFrame: { value: 0.4, bound: 0.867 },
  portraitNoise: { value: 0.1, bound: 0.5 },
  portraitSave: { value: -900, bound: 10 },
  portraitSharpness: { value: -0.02, bound: 0.05 },
  cutBorder: { value: 0, bound: 0.1 },
  zoneStrokes: { value: 0.05, bound: 0.26 },
  zoneColour: { value: 0.02, bound: 0.13 },
  zoneCopies: { value: 0.2, bound: 0.1 },
  zonePaper: { value: 0.4, bound: 1.35 },
  zoneSave: { value: -80, bound: 8 },
};

function side(
  type: ReadingType,
  fault: string | undefined,
  zoneMeasures: Pick<QualityMeasures, 'zoneBrightness'> = {},
): DocumentReading {
  const reasons = (fault === undefined ? [] : [fault]) as DocumentReading['quality']['reasons'];
  const authenticity = Object.entries(SIGNALS).map(([name, signal]) => ({
    name: name as AuthenticitySignalName,
    ...signal,
    isSign: false,
  }));
  return { type, quality: { reasons, measures: { ...MEASURES, ...zoneMeasures } }, checks: [], authenticity };
}

const NO_FIELDS = {
  documentNumber: '',
  nationality: '',
  birthDate: '',
  sex: '',
  expiryDate: '',
  surname: '',
  givenNames: '',
  optional: '',
  optional2: '',
};
const NO_LICENCE = {
  issuerNumber: '',
  version: 0,
  documentNumber: '',
  surname: '',
  givenNames: '',
  birthDate: '',
  issueDate: '',
  expiryDate: '',
  sex: '' as const,
  street: '',
  town: '',
  region: '',
  postcode: '',
  elements: {},
};

/** A zone, or the code of a licence as in the USA and Canada. `sandboxFields` makes its fields. */
function forMachines(
  type: ReadingType,
  { countryCode: issuer }: SandboxDocument,
): Pick<DocumentReading, 'mrz' | 'barcode'> {
  if (type === 'drivingLicence') {
    return { barcode: { text: '', licence: { ...NO_LICENCE, country: issuer }, model: ENGINE } };
  }
  const format = type in FORMATS ? FORMATS[type as keyof typeof FORMATS] : 'MRVA';
  const fields = { ...NO_FIELDS, documentCode: '', issuer };
  const provenance = { repairs: [], confidence: CONFIDENCE, quads: [], models: [ENGINE] };
  return { mrz: { format, lines: [], fields, checks: [], valid: true, ...provenance } };
}

const COMPARED = ['documentNumber', 'surname', 'givenNames', 'birthDate', 'expiryDate'];

/** The comparison of print, zone and code: they agree. */
export function sandboxAgreement({ documentType, expired }: SandboxDocument): DocumentCheck[] {
  const source = sourceOf(documentType) === 'mrzValue' ? 'mrz' : 'barcode';
  const passed = (name: string) => ({ name, result: 'passed', reason: 'sandbox' }) as const;
  return [
    { name: 'notExpired', result: expired ? 'failed' : 'passed', reason: 'sandbox' },
    passed('plausible.birthDate'),
    ...COMPARED.map((name) => passed(`visual.${name}.${source}`)),
  ];
}

function sourceOf(documentType: string): 'mrzValue' | 'barcodeValue' {
  return documentType === 'DRIVERS_LICENSE' ? 'barcodeValue' : 'mrzValue';
}

const NAMES = ['First Name', 'Last Name'];
/** The other fields that machines can read. */
const BY_MACHINE = {
  mrzValue: ['Document Number', 'Nationality', 'Issuing State', 'Date Of Birth', 'Sex', 'Date Of Expiry'],
  barcodeValue: ['Document Number', 'Issuing State', 'Date Of Birth', 'Sex', 'Date Of Issue', 'Date Of Expiry'],
};
/** Fields whose print is not read if a zone or a code has them. */
const NOT_IN_PRINT = ['Issuing State', 'Nationality', 'Sex'];
const MAX_FIELDS = 50;
const MAX_VALUE_LENGTH = 200;

/** The fields as in live journeys: the print, and the value of the zone or code. */
export function sandboxFields(fields: Readonly<Record<string, unknown>>, documentType: string): BiographicField[] {
  const source = sourceOf(documentType);
  const texts = Object.entries(fields)
    .slice(0, MAX_FIELDS)
    .map(([fieldName, value]) => [fieldName, textOf(value).slice(0, MAX_VALUE_LENGTH)] as const);
  const hasLatinNames = texts.every(([fieldName, text]) => !NAMES.includes(fieldName) || inZone(text) !== undefined);
  return texts.map(([fieldName, text]) => {
    const isName = NAMES.includes(fieldName);
    const isByMachine = isName
      ? hasLatinNames
      : BY_MACHINE[source].includes(fieldName) && isMachineText(fieldName, text);
    const isPrinted = !isByMachine || !NOT_IN_PRINT.includes(fieldName);
    const machine = isByMachine && { [source]: isName ? inZone(text) : text };
    return { fieldName, values: { ...(isPrinted && { visualZoneValue: inPrint(text) }), ...machine } };
  });
}

/** A stand-in may hold any value: values other than text become JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const ISO_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Zone and code have dates in one form only. */
function isMachineText(fieldName: string, text: string): boolean {
  return !fieldName.startsWith('Date') || ISO_DATE.test(text);
}

function inPrint(text: string): string {
  const [, year, month, day] = ISO_DATE.exec(text) ?? [];
  const name = MONTHS[Number(month) - 1];
  return name ? `${day} ${name} ${year}` : text;
}

/** Undefined for a name in a script that has no Latin spelling. */
function inZone(name: string): string | undefined {
  const words = name.split(/[\s-]+/).filter(Boolean);
  const spellings = words.map((word) => latinSpellings(word)[0]);
  return spellings.includes(undefined) ? undefined : spellings.join(' ').slice(0, MAX_VALUE_LENGTH);
}
