import { type AuthenticitySignal, type DocumentReading, isSpecimenZone } from '@grove/vision/light';
import type { Check } from '../../kernel/check.ts';
import type { DocumentSides } from './document-sides.ts';

/**
 * Whether anything shows that what was photographed is no genuine document. The best answer is that no signs were
 * found: a good forgery shows none, so it counts for definitions of `basic` assurance and for no other. Pure.
 */
export type AuthenticityRequest = { readonly allowSpecimens?: boolean };

const NAME = 'documentAuthenticity';
/** What no photograph shows, so that whoever reads the result does not take it for assessed. */
const NOT_ASSESSED = ['holograms', 'optically variable ink', 'relief and watermarks', 'chip'] as const;
/** The number of issuer that our own example licences have; no state has it. */
const EXAMPLE_ISSUER = '636999';
/** What is printed across examples, and the state of ICAO's examples. */
const SPECIMEN_WORDS = /^(SPECIMEN|SPECIMENSPECIMEN|MUSTER|ESPECIMEN|SPECIMENO|UTOPIA.*)$/;
/** What issuers put in the place of a name on their examples, and nobody is called. */
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
  // The backs of many cards are black on white.
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

/** Signs that have innocent causes as well, so that a human looks. Weak ones count together. */
function reviewReason(readings: readonly DocumentReading[]): string | undefined {
  const some = (...names: AuthenticitySignal['name'][]): boolean =>
    readings.some((reading) => names.some((name) => isSign(reading, name)));
  if (some('gridPeak', 'gridShared', 'colourBands') || readings.some(hasGridBesideZone)) return 'screen_or_print';
  if (some('sensorNoise')) return 'no_sensor_noise';
  if (some('cutBorder', 'portraitSave', 'portraitSharpness', 'zoneCopies')) return 'edited_picture';
  if (some('zoneStrokes', 'zoneColour', 'zonePaper')) return 'zone_overwritten';
  const zone = readings.find(({ mrz }) => mrz)?.mrz;
  if (readings.some((reading) => hasStuckPortrait(reading, reading.mrz ?? zone))) return 'pasted_portrait';
  const weak = readings.some((reading) => weightOf(reading.authenticity) >= ENOUGH_WEAK);
  return weak ? 'several_weak_signs' : undefined;
}

/**
 * Visas and licences are printed in fine patterns that repeat. Passports and cards with a zone have none that come near
 * the bound, so beside their zones less is a sign.
 */
function hasGridBesideZone({ authenticity, mrz }: DocumentReading): boolean {
  if (!mrz || mrz.format === 'MRVA' || mrz.format === 'MRVB') return false;
  return nearnessOf(authenticity, 'gridPeak') >= GRID_BESIDE_ZONE;
}

const GRID_BESIDE_ZONE = 0.83;

/**
 * Edges all around the portrait. On documents with a zone the portrait is mostly printed into the page and fades into it,
 * so there hard edges are enough, or edges with few gaps, or four lines without a gap: beside the zone however faint, on
 * the other side of a card if they are more than faint. Licences, visas and some passports have portraits with edges:
 * there they count with another noise, or if none is as hard. A visa has a photograph of its own noise.
 */
function hasStuckPortrait({ authenticity, mrz: ownZone }: DocumentReading, mrz = ownZone): boolean {
  const edges = nearnessOf(authenticity, 'portraitEdges');
  const fades = mrz !== undefined && !FRAMED_PORTRAITS.has(mrz.format) && !FRAMED_PORTRAITS.has(styleOf(mrz));
  if (fades) {
    const frame = nearnessOf(authenticity, 'portraitFrame');
    const isHard = edges >= HARD_EVEN_WITH_GAPS || (edges >= 1 && frame >= FEW_GAPS);
    return isHard || (frame >= 1 && (ownZone !== undefined || edges >= MORE_THAN_FAINT));
  }
  const isVisa = mrz?.format === 'MRVA' || mrz?.format === 'MRVB';
  return edges >= HARDER || (!isVisa && edges >= 1 && nearnessOf(authenticity, 'portraitNoise') >= 1);
}

/** Shares of the bounds of `portraitEdges` and `portraitFrame`. */
const HARD_EVEN_WITH_GAPS = 1.37;
const FEW_GAPS = 0.922;
const MORE_THAN_FAINT = 0.548;

const styleOf = ({ format, fields }: NonNullable<DocumentReading['mrz']>) => `${format} ${fields.issuer}`;

/** Documents with a zone whose genuine portraits are rectangles with hard edges, as the issuers' specimens show them. */
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

/** How much harder than their bound edges are that no genuine licence had. */
const HARDER = 2.2;
/** So much of the bounds in all is as good as a sign. Beside a zone, a grid that comes near enough is one by itself. */
const ENOUGH_WEAK = 2.85;

/** How near the portrait's signals and the grid are to their bounds, added up; each counts up to one. */
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
