import { type AuthenticitySignal, type DocumentReading, isSpecimenZone } from '@grove/vision/light';
import type { Check } from '../../kernel/check.ts';
import type { DocumentSides } from './document-sides.ts';

/**
 * Judges whether a photograph shows signs that the document is not genuine. The best result is that no signs were found. A
 * good forgery shows none, so the check counts only for definitions of `basic` assurance. Pure.
 */
export type AuthenticityRequest = { readonly allowSpecimens?: boolean };

const NAME = 'documentAuthenticity';
/** Features that no photograph shows. The result lists them, so that nobody believes that they were assessed. */
const NOT_ASSESSED = ['holograms', 'optically variable ink', 'relief and watermarks', 'chip'] as const;
/** The issuer number of our own example licences; no state has it. */
const EXAMPLE_ISSUER = '636999';
/** Words that are printed across specimens, and the state of ICAO's specimens. */
const SPECIMEN_WORDS = /^(SPECIMEN|SPECIMENSPECIMEN|MUSTER|ESPECIMEN|SPECIMENO|UTOPIA.*)$/;
/** Names that issuers print on their specimens and that no person has. */
const SPECIMEN_NAMES = /(^| )(E?SPECIMENS?|ESPECIME|MUSTERMANN|MUSTERFRAU|VZOR|WZOR|PARAUDZINS|ZHENGJIAN YANGBEN)( |$)/;

export function judgeAuthenticity(
  { front, back }: DocumentSides,
  { allowSpecimens = false }: AuthenticityRequest,
): Check {
  const sides = { front, ...(back && { back }) };
  const readings = Object.values(sides);
  const signals = Object.fromEntries(
    Object.entries(sides).map(([side, { authenticity }]) => [side, [...authenticity]]),
  );
  const isSpecimen = readings.some(showsSpecimen);
  const metaData = {
    engine: 'grove-vision',
    signals,
    notAssessed: NOT_ASSESSED,
    countsFor: ['basic'],
    ...(isSpecimen && { specimen: true }),
  };
  const checkOf = (finding: Pick<Check, 'status' | 'reason' | 'advice'>): Check => ({
    name: NAME,
    type: 'document',
    ...finding,
    metaData,
  });
  if (isSpecimen && !allowSpecimens) return checkOf({ status: 'FAILED', reason: 'specimen', advice: 'retry' });
  // Only the front is judged, because the backs of many cards are black on white.
  if (isSign(front, 'ownColour') && front.portrait) {
    return checkOf({ status: 'FAILED', reason: 'photocopy', advice: 'retry' });
  }
  const reason =
    reviewReason(readings) ?? (readings.some(({ portrait }) => portrait) ? undefined : 'no_face_on_document');
  if (reason) return checkOf({ status: 'REVIEW', reason, advice: 'final' });
  if (front.authenticity.length === 0) {
    return checkOf({ status: 'NOT_PERFORMED', reason: 'nothing_to_measure', advice: 'final' });
  }
  return checkOf({ status: 'PASSED', reason: 'no_signs_found' });
}

/** Signs that can have innocent causes as well, so that a human decides. Weak ones are added up. */
function reviewReason(readings: readonly DocumentReading[]): string | undefined {
  const some = (...names: AuthenticitySignal['name'][]): boolean =>
    readings.some((reading) => names.some((name) => isSign(reading, name)));
  if (some('gridPeak', 'gridShared', 'colourBands') || readings.some(hasGridBesideZone)) return 'screen_or_print';
  if (some('sensorNoise')) return 'no_sensor_noise';
  if (some('cutBorder', 'portraitSave', 'portraitSharpness', 'zoneCopies', 'zoneSave')) return 'edited_picture';
  if (some('zoneStrokes', 'zoneColour', 'zonePaper')) return 'zone_overwritten';
  const zone = readings.find(({ mrz }) => mrz)?.mrz;
  if (readings.some((reading) => hasStuckPortrait(reading, zone))) return 'pasted_portrait';
  const weak = readings.some((reading) => weightOf(reading.authenticity) >= ENOUGH_WEAK);
  return weak ? 'several_weak_signs' : undefined;
}

/**
 * Visas and licences are printed in fine patterns that repeat. The patterns of passports and cards with a zone stay far below
 * the bound, so for these a lower value is already a sign.
 */
function hasGridBesideZone({ authenticity, mrz }: DocumentReading): boolean {
  if (!mrz || isVisa(mrz)) return false;
  return nearnessOf(authenticity, 'gridPeak') >= GRID_BESIDE_ZONE;
}

const GRID_BESIDE_ZONE = 0.83;

/**
 * Judges the edges around the portrait. On most documents with a zone the portrait is printed into the page and fades into
 * it, so one of these is enough: very hard edges, edges with few gaps, or four lines without a gap, however faint beside the
 * zone but more than faint on the other side of a card. Licences, visas and some passports have portraits with edges: there the
 * noise of the portrait must differ as well, or the edges must be harder than any genuine ones. The photograph on a visa
 * always has its own noise.
 */
function hasStuckPortrait({ authenticity, mrz: ownZone }: DocumentReading, zone: DocumentReading['mrz']): boolean {
  const mrz = ownZone ?? zone;
  const edges = nearnessOf(authenticity, 'portraitEdges');
  const fades = mrz !== undefined && !FRAMED_PORTRAITS.has(mrz.format) && !FRAMED_PORTRAITS.has(styleOf(mrz));
  if (fades) {
    const frame = nearnessOf(authenticity, 'portraitFrame');
    const isHard = edges >= HARDER || (edges >= 1 && frame >= FEW_GAPS);
    return isHard || (frame >= 1 && (ownZone !== undefined || edges >= MORE_THAN_FAINT));
  }
  const mayHaveOtherNoise = mrz !== undefined && isVisa(mrz);
  return edges >= HARDER || (!mayHaveOtherNoise && edges >= 1 && nearnessOf(authenticity, 'portraitNoise') >= 1);
}

/** Shares of the bounds of `portraitEdges` and `portraitFrame`. */
const FEW_GAPS = 0.922;
const MORE_THAN_FAINT = 0.548;

const isVisa = ({ format }: NonNullable<DocumentReading['mrz']>) => format === 'MRVA' || format === 'MRVB';
const styleOf = ({ format, fields }: NonNullable<DocumentReading['mrz']>) => `${format} ${fields.issuer}`;

/** Documents with a zone whose genuine portraits are rectangles with hard edges, according to the issuers' specimens. */
const FRAMED_PORTRAITS: ReadonlySet<string> = new Set([
  'MRVA',
  'MRVB',
  'TD1 CHE',
  'TD1 D',
  'TD1 USA',
  'TD3 CZE',
  'TD3 EST',
  'TD3 FRA',
  'TD3 TWN',
  'TD3 UKR',
]);

/** The multiple of their bound that the edges of no genuine licence reached, nor those of portraits with gaps in them. */
const HARDER = 2.2;
/** The sum of the shares of the bounds that counts as a sign. */
const ENOUGH_WEAK = 2.85;

/** The sum of the shares of the bounds that the portrait's signals and the grid reach; each counts up to one. */
function weightOf(signals: readonly AuthenticitySignal[]): number {
  const names = ['portraitEdges', 'portraitNoise', 'gridPeak'] as const;
  return names.reduce((sum, name) => sum + Math.min(1, nearnessOf(signals, name)), 0);
}

/** The value as a share of its bound. */
function nearnessOf(signals: readonly AuthenticitySignal[], name: AuthenticitySignal['name']): number {
  const { value = 0, bound } = signalOf(signals, name) ?? { bound: 1 };
  return value / bound;
}

function signalOf(signals: readonly AuthenticitySignal[], name: AuthenticitySignal['name']) {
  return signals.find((signal) => signal.name === name);
}

function isSign({ authenticity }: DocumentReading, name: AuthenticitySignal['name']): boolean {
  return signalOf(authenticity, name)?.isSign === true;
}

function showsSpecimen({ mrz, barcode, visual }: DocumentReading): boolean {
  if (mrz && (isSpecimenZone(mrz.fields) || SPECIMEN_NAMES.test(`${mrz.fields.surname} ${mrz.fields.givenNames}`))) {
    return true;
  }
  if (barcode?.licence?.issuerNumber === EXAMPLE_ISSUER) return true;
  return (visual?.lines ?? []).some(({ text }) =>
    SPECIMEN_WORDS.test(
      text
        .normalize('NFD')
        .toUpperCase()
        .replace(/[^A-Z]/g, ''),
    ),
  );
}
