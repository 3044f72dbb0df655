import { datesIn } from '@grove/vision/light';
import type { Check } from '../../../kernel/check.ts';
import { stateCodeOf } from '../state-code.ts';
import { compareNames, type DocumentName, type Likeness, type NameLikeness } from './compare-names.ts';

/**
 * Judges whether the document belongs to the expected person: compares the parameters of the instance with the fields that
 * were read. The check names the fields that differ and never their values. Pure.
 */
export const APPLICANT_MATCH = 'applicantMatch';

/** The parameters that are compared. All others are the relying party's own. */
export const APPLICANT_PARAMETERS = [
  'firstName',
  'lastName',
  'dateOfBirth',
  'documentNumber',
  'nationality',
  'countryCode',
] as const;

type FieldName = 'firstName' | 'lastName' | 'dateOfBirth' | 'documentNumber' | 'nationality' | 'countryCode';
type Outcome = Likeness | 'notRead';
type Fields = Partial<Record<FieldName, Outcome>>;
type Params = Readonly<Record<string, string>>;

type Values = { readonly visualZoneValue?: unknown; readonly mrzValue?: unknown; readonly barcodeValue?: unknown };
export type ReadDocument = {
  readonly documentType?: string;
  readonly biographicData?: readonly { readonly fieldName: string; readonly values: Values }[];
};

const CHECK = { name: APPLICANT_MATCH, type: 'document' } as const;

/**
 * Adds the check of the applicant to the checks of a document, if the parameters name a person. If another photograph is
 * needed anyway, this check does not prevent it.
 */
export function withApplicantMatch(
  checks: readonly Check[],
  { params, document, engine }: { params: Params; document: ReadDocument; engine: string },
): readonly Check[] {
  const failed = checks.filter(({ status }) => status === 'FAILED');
  const isUnread = (document.biographicData ?? []).length === 0;
  if (checks.some(({ name }) => name === APPLICANT_MATCH) || (isUnread && failed.length > 0)) return checks;
  const applicantCheck = judgeApplicant(params, document);
  if (!applicantCheck) return checks;
  const isRetry = failed.length > 0 && failed.every(({ advice }) => advice === 'retry');
  return [
    ...checks,
    { ...applicantCheck, ...(isRetry && { advice: 'retry' }), metaData: { engine, ...applicantCheck.metaData } },
  ];
}

/** Undefined if the parameters name nobody. */
export function judgeApplicant(params: Params, document: ReadDocument): Check | undefined {
  const expected = expectedOf(params);
  if (Object.keys(expected).length === 0) return undefined;
  const fields: Fields = {
    ...judgeNames(expected, document),
    ...(expected.dateOfBirth !== undefined && { dateOfBirth: judgeDate(expected.dateOfBirth, document) }),
    ...(expected.documentNumber !== undefined && { documentNumber: judgeNumber(expected.documentNumber, document) }),
    ...judgeStates(expected, document),
  };
  // Millions of people share a state: it can contradict a person, but it cannot identify one.
  const namesNobody = (name: string) => STATES.includes(name as FieldName) && fields[name as FieldName] === 'agrees';
  if (Object.keys(fields).every(namesNobody)) return undefined;
  return { ...CHECK, ...verdictOf(fields), metaData: { fields } };
}

function expectedOf(params: Params): Partial<Record<FieldName, string>> {
  const entries = APPLICANT_PARAMETERS.flatMap((name) => {
    const value = Object.hasOwn(params, name) ? (params[name] ?? '').trim() : '';
    return value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

const STATES: readonly FieldName[] = ['nationality', 'countryCode'];

function verdictOf(fields: Fields): Pick<Check, 'status' | 'reason' | 'advice'> {
  const of = (outcome: Outcome) => namesWith(fields, outcome);
  const [differ, similar] = [of('differs'), of('similar')];
  if (differ.length > 0) {
    return {
      status: isForHuman(fields, differ) ? 'REVIEW' : 'FAILED',
      reason: reasonOf(differ, 'differs'),
      advice: 'final',
    };
  }
  const open = [...of('notRead'), ...of('notComparable')];
  if (Object.values(fields).every((outcome) => outcome === 'notRead')) {
    return { status: 'NOT_PERFORMED', reason: 'applicant_not_read', advice: 'final' };
  }
  if (similar.length > 0) return { status: 'REVIEW', reason: reasonOf(similar, 'similar'), advice: 'final' };
  if (open.length > 0) return { status: 'REVIEW', reason: reasonOf(open, 'not_compared'), advice: 'final' };
  return { status: 'PASSED' };
}

function namesWith(fields: Fields, outcome: Outcome): FieldName[] {
  return (Object.keys(fields) as FieldName[]).filter((name) => fields[name] === outcome);
}

/**
 * People marry, renew documents and have two nationalities, so a human decides about one difference beside an equal birth
 * date or document number. Another birth date, or another name without such a match, means another person.
 */
function isForHuman(fields: Fields, differ: readonly FieldName[]): boolean {
  const [one, ...others] = differ.filter((name) => !STATES.includes(name));
  if (one === undefined) return true;
  if (others.length > 0 || one === 'dateOfBirth') return false;
  const names = [fields.firstName, fields.lastName];
  if (one === 'documentNumber') return names.includes('agrees') && fields.dateOfBirth === 'agrees';
  return fields.dateOfBirth === 'agrees' || fields.documentNumber === 'agrees';
}

const WORDS: Readonly<Record<FieldName, string>> = {
  firstName: 'first_name',
  lastName: 'last_name',
  dateOfBirth: 'date_of_birth',
  documentNumber: 'document_number',
  nationality: 'nationality',
  countryCode: 'country',
};

function reasonOf(names: readonly FieldName[], what: string): string {
  const bothNames = names.includes('firstName') && names.includes('lastName');
  return `${bothNames ? 'name' : WORDS[names[0] as FieldName]}_${what}`;
}

type Source = keyof Values;

function textOf({ biographicData = [] }: ReadDocument, fieldName: string, source: Source): string {
  const value = biographicData.find((field) => field.fieldName === fieldName)?.values[source];
  return typeof value === 'string' ? value.trim() : '';
}

/** Zone and code are read more reliably than print, so print counts only where there is neither. */
const MACHINE_SOURCES: readonly Source[] = ['mrzValue', 'barcodeValue'];

function judgeNames(expected: { firstName?: string; lastName?: string }, document: ReadDocument): Fields {
  const { firstName, lastName } = expected;
  const expectedNames = { ...(firstName !== undefined && { firstName }), ...(lastName !== undefined && { lastName }) };
  if (Object.keys(expectedNames).length === 0) return {};
  const byMachine = MACHINE_SOURCES.map((source) => nameIn(document, source)).find((name) => name !== undefined);
  const inPrint = nameIn(document, 'visualZoneValue');
  const [machine, print] = [byMachine, inPrint].map((name) => name && compareNames(expectedNames, name));
  if (!machine) return print ?? Object.fromEntries(Object.keys(expectedNames).map((name) => [name, 'notRead']));
  // If print agrees and the zone does not, one of them was misread or forged.
  return Object.fromEntries(
    Object.entries(machine).map(([name, likeness]) => {
      const agreesInPrint = print?.[name as keyof NameLikeness] === 'agrees';
      return [name, likeness === 'differs' && agreesInPrint ? 'similar' : likeness];
    }),
  );
}

/** The characters for both names and the two fillers between them, in the zone of a passport and of a card. */
const PASSPORT_NAMES = 39;
const CARD_NAMES = 30;

function nameIn(document: ReadDocument, source: Source): DocumentName | undefined {
  const givenNames = textOf(document, 'First Name', source);
  const surname = textOf(document, 'Last Name', source);
  if (givenNames !== '' || surname !== '') {
    const room = document.documentType === 'PASSPORT' ? PASSPORT_NAMES : CARD_NAMES;
    return {
      givenNames,
      surname,
      isTruncated: source === 'mrzValue' && givenNames.length + surname.length + 2 >= room - 1,
    };
  }
  const full = textOf(document, 'Full Name', source);
  return full === '' ? undefined : { givenNames: '', surname: '', full };
}

const ISO_DATE = /^\d{4}-\d{2}-\d{2}$/;

function judgeDate(expected: string, document: ReadDocument): Outcome {
  if (!ISO_DATE.test(expected)) return 'notComparable';
  const byMachine = MACHINE_SOURCES.map((source) => textOf(document, 'Date Of Birth', source)).find(Boolean);
  const dates = datesIn(byMachine ?? textOf(document, 'Date Of Birth', 'visualZoneValue'));
  if (dates.length === 0) return 'notRead';
  if (dates.includes(expected)) return 'agrees';
  const [year, month, day] = expected.split('-');
  return dates.includes(`${year}-${day}-${month}`) ? 'similar' : 'differs';
}

function judgeNumber(expected: string, document: ReadDocument): Outcome {
  const readNumber = [...MACHINE_SOURCES, 'visualZoneValue' as const]
    .map((source) => plainNumber(textOf(document, 'Document Number', source)))
    .find(Boolean);
  if (!readNumber) return 'notRead';
  const expectedNumber = plainNumber(expected);
  if (expectedNumber === readNumber) return 'agrees';
  return lookAlike(expectedNumber) === lookAlike(readNumber) ? 'similar' : 'differs';
}

function plainNumber(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

function lookAlike(number: string): string {
  return number.replaceAll('O', '0').replaceAll('I', '1').replaceAll('B', '8').replaceAll('S', '5');
}

const STATE_FIELDS = { nationality: 'Nationality', countryCode: 'Issuing State' } as const;

/** Compares only codes of three letters with each other: the names of states depend on the language. */
function judgeStates(expected: Partial<Record<FieldName, string>>, document: ReadDocument): Fields {
  const outcomes = Object.entries(STATE_FIELDS).flatMap(([name, fieldName]) => {
    const expectedValue = expected[name as FieldName];
    const readCode = [...MACHINE_SOURCES, 'visualZoneValue' as const]
      .map((source) => stateCodeOf(textOf(document, fieldName, source)))
      .find((code) => code !== undefined);
    const code = expectedValue === undefined ? undefined : stateCodeOf(expectedValue);
    return code === undefined || readCode === undefined ? [] : [[name, code === readCode ? 'agrees' : 'differs']];
  });
  return Object.fromEntries(outcomes);
}
