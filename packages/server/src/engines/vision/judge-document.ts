import type { DocumentCheck, DocumentReading } from '@grove/vision/light';
import type { Check, PictureFault } from '../../kernel/check.ts';
import type { DocumentSides } from './document-sides.ts';
import { judgeAuthenticity } from './judge-authenticity.ts';
import { stateCodeOf } from './state-code.ts';
import type { DocumentRequest } from './vision.ts';

/** Turns the readings of the sides of a document into checks. Pure. */

type Request = Pick<
  DocumentRequest,
  | 'accept'
  | 'countries'
  | 'countryCode'
  | 'countryConfirmed'
  | 'expectedCountry'
  | 'documentType'
  | 'anyway'
  | 'allowSpecimens'
>;
type DocumentJudgement = {
  readonly checks: readonly Check[];
  readonly documentType?: string;
  readonly countryCode?: string;
  readonly pictures: readonly PictureFault[];
};

const ENGINE = 'grove-vision';
const TYPES: Readonly<Record<DocumentReading['type'], string | undefined>> = {
  passport: 'PASSPORT',
  identityCard: 'ID_CARD',
  drivingLicence: 'DRIVERS_LICENSE',
  visa: 'OTHER',
  other: 'OTHER',
  unknown: undefined,
};

/** `agreement` is the result of comparing the sides. */
export function judgeDocument(
  sides: DocumentSides,
  request: Request,
  agreement: readonly DocumentCheck[],
): DocumentJudgement {
  const readings = [sides.front, ...(sides.back ? [sides.back] : [])];
  const pictures = pictureFaults(sides);
  const quality = qualityCheck(sides, pictures);
  // If a picture must be taken again, no other check is reported.
  if (quality.status === 'FAILED' && !request.anyway) return { checks: [quality], pictures };
  const consistency = consistencyCheck(agreement, readings);
  const authenticity = judgeAuthenticity(sides, request);
  const unclear = request.anyway ? [] : unclearPictures(sides, consistency, authenticity);
  if (unclear.length > 0) return { checks: [qualityCheck(sides, unclear)], pictures: unclear };
  const type = typeOf(readings);
  const country = countryOf(readings);
  const checks = [
    quality,
    typeCheck(type, request),
    ...countryCheck(country, request),
    ...zoneChecks(readings, type),
    expiryCheck(agreement),
    plausibilityCheck(agreement, readings),
    consistency,
    authenticity,
  ];
  const documentType = type ?? request.documentType;
  const countryCode = country ?? request.countryCode;
  return { checks, pictures, ...(documentType && { documentType }), ...(countryCode && { countryCode }) };
}

function checkOf(name: string, finding: Pick<Check, 'status' | 'reason' | 'advice'>, metaData: object = {}): Check {
  return { name, type: 'document', ...finding, metaData: { engine: ENGINE, ...metaData } };
}

const PASSED = { status: 'PASSED' } as const;
const failed = (reason: string, advice: 'retry' | 'final') => ({ status: 'FAILED', reason, advice }) as const;
const forReview = (reason: string) => ({ status: 'REVIEW', reason, advice: 'final' }) as const;
const notPerformed = (reason: string) => ({ status: 'NOT_PERFORMED', reason, advice: 'final' }) as const;

/** Checks every side, so that an end user who must retake one side learns about the other as well. */
function pictureFaults({ front, back }: DocumentSides): PictureFault[] {
  const sides = Object.entries({ front, ...(back && { back }) });
  const faults = sides.flatMap(([picture, { quality }]) => {
    const { reasons } = quality;
    return reasons.length > 0 ? [{ picture, reasons }] : [];
  });
  if (faults.length > 0) return faults;
  return !back && isBack(front) ? [{ picture: 'front', reasons: ['wrong_side'] }] : [];
}

/**
 * A side without a portrait has no useful content or is the back of a card: a zone of that size (TD1) and a code are on the
 * back (ICAO 9303 part 5, AAMVA). The holder is on the other side.
 */
function isBack({ portrait, mrz, barcode }: DocumentReading): boolean {
  if (portrait) return false;
  return mrz ? mrz.format === 'TD1' : barcode?.licence !== undefined || !barcode;
}

function qualityCheck({ front, back }: DocumentSides, [first, ...others]: readonly PictureFault[]): Check {
  const name = 'documentQuality';
  const [reason] = first?.reasons ?? [];
  if (first && reason) {
    const { measures } = (first.picture === 'back' ? (back ?? front) : front).quality;
    return checkOf(name, failed(reason, 'retry'), { ...first, measures, ...(others.length > 0 && { others }) });
  }
  return checkOf(name, PASSED, { measures: front.quality.measures });
}

const FIELDS_MISSING = 'fields_missing';
/** In all pictures below this sharpness, print was misread. */
const MIN_PRINT_SHARPNESS = 0.042;

/** The sides of which another picture is needed because of what was found on them. A better picture of a copy would not help. */
function unclearPictures(sides: DocumentSides, consistency: Check, authenticity: Check): PictureFault[] {
  const mayBeUnread = consistency.status === 'REVIEW' && authenticity.status !== 'FAILED';
  const unread = mayBeUnread ? unreadPictures(sides, consistency) : [];
  return unread.length > 0 || authenticity.status !== 'PASSED' ? unread : clippedPictures(sides);
}

/** From this brightness on, in all colours, light clips the paper behind a zone. */
const CLIPPED_PAPER = 250;

/**
 * The sides on whose zone no sign of an edit can be seen, because the light clips its paper. If there is a sign all the same,
 * nobody gets the chance to hide it in a second picture.
 */
function clippedPictures({ front, back }: DocumentSides): PictureFault[] {
  return Object.entries({ front, ...(back && { back }) }).flatMap(([picture, { quality }]) =>
    (quality.measures?.zoneBrightness ?? 0) >= CLIPPED_PAPER ? [{ picture, reasons: ['glare'] }] : [],
  );
}

/**
 * The sides of which another picture is better than a human's guess: one whose print is too blurred to contradict a zone,
 * and the front if fields of the zone were not found in print, because of a reflection, a finger or the distance.
 */
function unreadPictures({ front, back }: DocumentSides, consistency: Check): PictureFault[] {
  const blurred = Object.entries({ front, ...(back && { back }) }).flatMap(([picture, { quality }]) => {
    const { sharpness = MIN_PRINT_SHARPNESS } = quality.measures ?? {};
    return sharpness < MIN_PRINT_SHARPNESS ? [{ picture, reasons: ['blurred'] }] : [];
  });
  if (blurred.length > 0 || consistency.reason !== FIELDS_MISSING) return blurred;
  return [{ picture: 'front', reasons: [FIELDS_MISSING] }];
}

/** A zone or a code tells the type best; print counts only where there is neither. */
function typeOf(readings: readonly DocumentReading[]): string | undefined {
  const byMachine = readings.find(({ mrz, barcode }) => mrz || barcode?.licence);
  const types = [byMachine, ...readings].flatMap((reading) => (reading ? (TYPES[reading.type] ?? []) : []));
  return types[0];
}

function typeCheck(type: string | undefined, { accept }: Request): Check {
  if (type === undefined) return checkOf('documentType', notPerformed('type_unknown'));
  return checkOf('documentType', accept.includes(type) ? PASSED : failed('type_not_accepted', 'retry'));
}

function countryOf(readings: readonly DocumentReading[]): string | undefined {
  const issuer = readings.find(({ mrz }) => mrz)?.mrz?.fields.issuer;
  const licence = readings.find(({ barcode }) => barcode?.licence)?.barcode?.licence;
  const printed = readings.find(({ visual }) => visual?.template)?.visual?.template;
  const country = issuer || licence?.country || printed?.country;
  return country ? stateCodeOf(country) : undefined;
}

const COUNTRY_DIFFERS = 'country_differs';

/**
 * Only the tenant refuses a country. If the document is of another country than the end user chose, the end user is asked
 * once which is right; if the end user insists, a human decides.
 */
function countryCheck(country: string | undefined, request: Request): Check[] {
  const { countries, expectedCountry, countryCode: chosenCountry, countryConfirmed } = request;
  const accepted = countries ?? (expectedCountry === undefined ? undefined : [expectedCountry]);
  if (!accepted && chosenCountry === undefined) return [];
  const name = 'documentCountry';
  if (country === undefined) return [checkOf(name, notPerformed('country_unknown'))];
  if (accepted && !accepted.includes(country)) return [checkOf(name, failed('country_not_accepted', 'retry'))];
  if (chosenCountry === undefined || chosenCountry === country) return [checkOf(name, PASSED)];
  return [checkOf(name, countryConfirmed ? forReview(COUNTRY_DIFFERS) : failed(COUNTRY_DIFFERS, 'retry'))];
}

/** From this confidence on, a zone was read correctly: a wrong check digit is wrong in print. */
const LEGIBLE = 0.6;
/**
 * A character under a check digit is corrected only to one to which the reader gave at least this confidence; otherwise a
 * human decides.
 */
const MIN_REPAIR_CONFIDENCE = 0.2;
/** The reader is almost always sure of the digits of the number, unless one digit was written over another (forgery). */
const MIN_NUMBER_DIGIT_CONFIDENCE = 0.95;

/** Checks the machine-readable parts: a zone, a code, or on some cards neither. */
function zoneChecks(readings: readonly DocumentReading[], type: string | undefined): Check[] {
  const mrz = readings.find((reading) => reading.mrz)?.mrz;
  const barcode = readings.find((reading) => reading.barcode)?.barcode;
  const checks: Check[] = [];
  if (mrz) {
    const { format, confidence, repairs, models } = mrz;
    const wrong = mrz.checks.flatMap(({ name, passed }) => (passed ? [] : [name]));
    const unknown = readings
      .flatMap((reading) => reading.checks)
      .filter(({ name, result }) => /^mrz\.(issuer|nationality)$/.test(name) && result === 'failed');
    const unsure = repairs.filter(
      ({ checked, isNumberDigit, confidence: sureness }) =>
        checked && sureness < (isNumberDigit ? MIN_NUMBER_DIGIT_CONFIDENCE : MIN_REPAIR_CONFIDENCE),
    );
    const metaData = { format, confidence, repairs: repairs.length, unsureRepairs: unsure.length, wrong, models };
    const finding =
      wrong.length > 0
        ? failed(confidence >= LEGIBLE ? 'check_digits' : 'mrz_check_digit', 'retry')
        : unknown.length > 0
          ? forReview('mrz_state_unknown')
          : unsure.length > 0
            ? forReview('mrz_repaired')
            : PASSED;
    checks.push(checkOf('documentMrz', finding, metaData));
  } else if (type === 'PASSPORT') {
    checks.push(checkOf('documentMrz', failed('mrz_missing', 'retry')));
  } else if (!barcode) {
    checks.push(checkOf('documentMrz', notPerformed('mrz_missing')));
  }
  if (barcode) {
    checks.push(
      checkOf('documentBarcode', barcode.licence ? PASSED : forReview('barcode_unknown'), { models: [barcode.model] }),
    );
  }
  return checks;
}

function resultsOf(checks: readonly DocumentCheck[], pattern: RegExp): DocumentCheck[] {
  return checks.filter(({ name }) => pattern.test(name));
}

function expiryCheck(agreement: readonly DocumentCheck[]): Check {
  const [expiryResult] = resultsOf(agreement, /^notExpired$/);
  if (expiryResult?.result === 'passed') return checkOf('documentExpiry', PASSED);
  return checkOf(
    'documentExpiry',
    expiryResult?.result === 'failed' ? failed('expired', 'retry') : notPerformed('expiry_unknown'),
  );
}

/** Impossible dates are a misreading if their check digits are wrong; otherwise the document itself has them. */
function plausibilityCheck(agreement: readonly DocumentCheck[], readings: readonly DocumentReading[]): Check {
  const results = resultsOf(agreement, /^plausible\./);
  const wrong = results.filter(({ result }) => result === 'failed').map(({ name }) => name);
  const sure = readings.some(({ mrz, barcode }) => mrz?.valid || barcode?.licence);
  if (wrong.length > 0)
    return checkOf('documentPlausibility', failed('implausible_dates', sure ? 'final' : 'retry'), { wrong });
  const anyPassed = results.some(({ result }) => result === 'passed');
  return checkOf('documentPlausibility', anyPassed ? PASSED : notPerformed('dates_unknown'));
}

/** Compares print, zone and code. Print is sometimes misread, so a human decides about a difference. */
function consistencyCheck(agreement: readonly DocumentCheck[], readings: readonly DocumentReading[]): Check {
  const results = resultsOf(agreement, /^(visual|barcode)\./);
  const namesWith = (result: DocumentCheck['result']) =>
    results.filter((each) => each.result === result).map(({ name }) => name);
  const [differ, agree] = [namesWith('failed'), namesWith('passed')];
  const metaData = { differ, agree };
  if (differ.length > 0) {
    return checkOf(
      'documentConsistency',
      forReview(differ.some((name) => name.endsWith('.mrz')) ? 'mrz_mismatch' : 'barcode_mismatch'),
      metaData,
    );
  }
  const missing = missingFields(results, readings);
  if (agree.length > 0 && isAnyHidden(missing)) {
    const names = missing.map(({ name }) => name);
    return checkOf('documentConsistency', forReview(FIELDS_MISSING), { ...metaData, missing: names });
  }
  return checkOf('documentConsistency', agree.length > 0 ? PASSED : notPerformed('nothing_to_compare'), metaData);
}

/** Whether a field of the zone was not found in print: a reflection, a finger or a changed digit hides it. */
function isAnyHidden(missing: readonly DocumentCheck[]): boolean {
  // A date with month and year counts as read. A year alone does not: the rest may be under a finger.
  return missing.some(({ partRead }) => partRead !== 'year');
}

/**
 * The fields of a valid zone that were not found in print. Visas print only some of them, and without a read print nothing
 * can be missing. A field that is empty in the zone, such as the given names of a person with one name, is not missing.
 */
function missingFields(results: readonly DocumentCheck[], readings: readonly DocumentReading[]): DocumentCheck[] {
  const mrz = readings.find((reading) => reading.mrz?.valid)?.mrz;
  if (!mrz || mrz.format === 'MRVA' || mrz.format === 'MRVB' || !readings.some(({ visual }) => visual)) return [];
  const isEmpty = (name: string): boolean => {
    const field = name.split('.')[1] as keyof typeof mrz.fields;
    return mrz.fields[field] === '';
  };
  return results.filter(
    ({ name, result }) => result === 'not_performed' && /^visual\..*\.mrz$/.test(name) && !isEmpty(name),
  );
}
