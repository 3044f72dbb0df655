import sharp from 'sharp';
import { type AuthenticitySignal, measureAuthenticity } from '../authenticity/authenticity.ts';
import { jpegTable } from '../authenticity/jpeg-table.ts';
import type { ZoneLine } from '../authenticity/zone-strip.ts';
import { type Licence, parseAamva } from '../barcodes/parse-aamva.ts';
import { BARCODE_READER, readPdf417 } from '../barcodes/read-barcode.ts';
import { centreOf, distance, type Point, type Quad } from '../images/geometry.ts';
import { decodeImage, type Raster } from '../images/raster.ts';
import type { MrzFinding } from '../mrz/mrz-finding.ts';
import { type MrzReport, readMrz } from '../mrz/read-mrz.ts';
import { nativeCall } from '../native-calls.ts';
import type { TextBox } from '../ocr/detect-text.ts';
import type { ModelName } from '../ocr/models.ts';
import {
  type DocumentCheck,
  dateChecks,
  type Facts,
  factsOfLicence,
  factsOfMrz,
  hasFewDates,
  mrzChecks,
  sourceChecks,
  unconfirmedIn,
  visualChecks,
} from './checks.ts';
import { showsDayOf } from './dates.ts';
import type { DocumentType } from './document-type.ts';
import { contains, type FoundQuad, findQuads } from './find-quads.ts';
import type { ValueLength } from './fit-value.ts';
import {
  isCutOff,
  measureQuality,
  type QualityMeasures,
  type QualityReason,
  reasonsIn,
  zoneBrightnessOf,
} from './quality.ts';
import { boxesOn, type Outline, outlineOf, straighten, turnByText } from './straighten.ts';
import { isFullyRead } from './templates/read-fields.ts';
import type { VisualLine } from './visual-field.ts';
import { MAX_READ_PIXELS, readVisualZone, type VisualZone, type VisualZoneOptions } from './visual-zone.ts';

export type { DocumentType } from './document-type.ts';
export type FaceBox = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

export type DocumentOptions = {
  /** The day of the examination, YYYY-MM-DD. */
  readonly today: string;
  /** The content that the requested side must have; without it `wrong_side` is never given. */
  readonly expected?: 'mrz' | 'barcode' | 'portrait';
  /** False leaves out the visual zone, because it takes a second or more to read all print. */
  readonly visualZone?: boolean;
  /** `needed` stops once print confirms the zone or the code, or a card without them is fully read; `all` continues. */
  readonly print?: 'needed' | 'all';
  /** Whether to return the straightened document itself, as a JPEG. */
  readonly straightened?: boolean;
  /** Finds the largest face of an image; without it there is no portrait. */
  readonly findFace?: (image: Raster) => Promise<FaceBox | undefined>;
};

export type Portrait = { readonly jpeg: Uint8Array; readonly box: FaceBox };
export type DocumentReading = {
  readonly type: DocumentType;
  /** The size of the image that was read, to whose pixels `outline` and the lines of the zone refer. */
  readonly size?: { readonly width: number; readonly height: number };
  readonly outline?: Outline;
  readonly quality: { readonly reasons: readonly QualityReason[]; readonly measures?: QualityMeasures };
  readonly mrz?: MrzFinding;
  readonly barcode?: { readonly text: string; readonly licence?: Licence; readonly model: ModelName };
  readonly visual?: VisualZone;
  readonly portrait?: Portrait;
  readonly straightened?: Uint8Array;
  readonly checks: readonly DocumentCheck[];
  /** The measures that distinguish a document from a copy. Empty if there is no document. */
  readonly authenticity: readonly AuthenticitySignal[];
};

/** The default of phone cameras. More pixels improve no reading, and the memory holds each several times. */
const MOST_PIXELS = 12_500_000;
/** A picture without an outline and with fewer lines of print than this shows no document. */
const MIN_TEXT_BOXES = 4;
/** Another rectangle of this share of the document's size is another document. */
const MIN_SECOND_SHARE = 0.4;
const MIN_SECOND_SUPPORT = 0.75;
const MIN_SECOND_BOXES = 3;
/** The limit of reading without a zone, including the search for it, in pixels of strips: it bounds the time. */
const MAX_PIXELS_WITHOUT_ZONE = 12_100;
/** The text boxes of the search for a zone are reused for the print if the document is at least this large. */
const MIN_SIDE_FOR_PRINT = 800;
/** A card is first matched with its template after this many lines, and again after this many more. */
const MIN_LINES = 9;
const EVERY_LINES = 3;
const PORTRAIT_MARGIN = 0.35;
const JPEG_QUALITY = 92;

/** Reads everything that one picture shows of a document. The same bytes and options give the same reading. */
export async function readDocument(bytes: Uint8Array, options: DocumentOptions): Promise<DocumentReading> {
  const image = await decodeImage(bytes, { mostPixels: MOST_PIXELS });
  const report = await readMrz(image);
  const { mrz, boxes } = report;
  const quads = report.closer?.quads ?? findQuads(image);
  // Cards with a zone and a code are rare, so no code is searched after a complete zone.
  const code = mrz?.valid
    ? undefined
    : await readPdf417(image, { quads: quads.map(({ quad }) => quad), thorough: options.expected === 'barcode' });
  const licence = code && parseAamva(code.text);
  const barcode = code && { text: code.text, ...(licence ? { licence } : {}), model: BARCODE_READER };
  const firstOutline = outlineOf(image, quads, mrz, boxes);
  if (!mrz && !code && (firstOutline.source === 'frame' || boxes.length === 0) && boxes.length < MIN_TEXT_BOXES) {
    return { type: 'unknown', quality: { reasons: ['no_document'] }, checks: [], authenticity: [] };
  }
  const outline = mrz ? firstOutline : await turnByText(image, firstOutline, boxes);
  const straight = straighten(image, outline.quad);
  const measures = measureQuality(straight, outline.quad);
  const zone = mrz?.valid ? factsOfMrz(mrz, options.today) : undefined;
  const facts = zone ?? (licence && factsOfLicence(licence));
  const visual =
    options.visualZone === false
      ? undefined
      : await readVisualZone(straight, {
          ...printOf(report, outline, straight),
          ...(options.print !== 'all' && stopFor(facts)),
        });
  const portrait = options.findFace && (await cutPortrait(straight, options.findFace));
  const findings = { mrz, licence, portrait };
  return {
    type: typeOf(mrz, licence, visual),
    size: { width: image.width, height: image.height },
    outline,
    quality: {
      reasons: reasonsOf({ image, outline, measures, quads, boxes, options, findings, code: code !== undefined }),
      measures: { ...measures, ...(mrz && { zoneBrightness: zoneBrightnessOf(straight, zoneTop(mrz, outline)) }) },
    },
    ...(mrz ? { mrz } : {}),
    ...(barcode ? { barcode } : {}),
    ...(visual ? { visual } : {}),
    ...(portrait ? { portrait } : {}),
    ...(options.straightened ? { straightened: await toJpeg(straight) } : {}),
    checks: checksOf(mrz, licence, visual, options.today),
    authenticity: measureAuthenticity(image, straight, outline.quad, {
      face: portrait?.box,
      table: jpegTable(bytes),
      zoneLines: zoneLinesOf(mrz),
    }),
  };
}

/** With a zone or a code, print only has to confirm its values; a card without either is read by its template. */
function stopFor(facts: Facts | undefined): Pick<VisualZoneOptions, 'isEnough' | 'openValues' | 'isBeginning'> {
  if (facts) {
    const openValues = (lines: readonly VisualLine[]) =>
      unconfirmedIn(facts, lines).map((field) => (field.endsWith('Date') ? PRINTED_DATE : lengthOf(facts[field])));
    const isBeginning = ({ text }: VisualLine): boolean =>
      [facts.birthDate, facts.expiryDate].some((date) => showsDayOf(date, text));
    return { openValues, isBeginning, isEnough: (lines) => unconfirmedIn(facts, lines).length === 0 };
  }
  // To match the template after every line would take longer than to read the next line.
  return { isEnough: (lines) => lines.length >= MIN_LINES && lines.length % EVERY_LINES === 0 && isFullyRead(lines) };
}

/** From 120874 to 12 AUG/AOUT 74. */
const PRINTED_DATE: ValueLength = { least: 8, most: 12 };

function lengthOf({ length }: string): ValueLength {
  return { least: length, most: length };
}

function typeOf(
  mrz: MrzFinding | undefined,
  licence: Licence | undefined,
  visual: VisualZone | undefined,
): DocumentType {
  const letter = mrz?.fields.documentCode[0];
  if (mrz && (mrz.format === 'MRVA' || mrz.format === 'MRVB')) return 'visa';
  if (letter === 'P') return 'passport';
  if (letter === 'A' || letter === 'C' || letter === 'I') return 'identityCard';
  if (licence)
    return licence.elements.DCA === undefined && licence.elements.DCB === undefined ? 'identityCard' : 'drivingLicence';
  if (visual?.template) return visual.template.type;
  // The reader often loses the space between two words.
  const text =
    visual?.lines
      .map((line) => line.text.normalize('NFD').replace(/\p{M}/gu, ''))
      .join(' ')
      .toLowerCase() ?? '';
  if (/driv(ing|er)|licen[cs]e|permis ?de ?conduire|fuhrerschein|rijbewijs|patente|conducir/.test(text))
    return 'drivingLicence';
  if (/identity ?card|carte ?(nationale ?)?d.?identite|personalausweis|identiteitskaart|documento ?nacional/.test(text))
    return 'identityCard';
  if (/passport|passeport|reisepass|pasaporte/.test(text)) return 'passport';
  if (/\bvisa\b/.test(text)) return 'visa';
  return mrz ? 'other' : 'unknown';
}

type Evidence = {
  readonly image: Raster;
  readonly outline: Outline;
  readonly measures: QualityMeasures;
  readonly quads: readonly FoundQuad[];
  readonly boxes: readonly TextBox[];
  readonly options: DocumentOptions;
  readonly findings: { mrz: MrzFinding | undefined; licence: Licence | undefined; portrait: Portrait | undefined };
  readonly code: boolean;
};

/** A fully read document is never `blurred`, whatever the measures are. */
function reasonsOf({ image, outline, measures, quads, boxes, options, findings, code }: Evidence): QualityReason[] {
  const isReadInFull = findings.mrz?.valid === true || code;
  const reasons = reasonsIn(measures).filter((reason) => !(isReadInFull && reason === 'blurred'));
  // Boxes of text lines are too long, so they tell the border of the document only if no edges were found.
  const ends = outline.source === 'edges' ? [outline.quad] : (findings.mrz?.quads ?? []);
  if (ends.some((quad) => isCutOff(quad, image))) reasons.push('cut_off');
  if (secondDocument(outline, quads, boxes)) reasons.push('two_documents');
  const { expected, findFace } = options;
  const missing =
    (expected === 'mrz' && !findings.mrz) ||
    (expected === 'barcode' && !code) ||
    (expected === 'portrait' && findFace !== undefined && !findings.portrait);
  if (missing && reasons.length === 0) reasons.push('wrong_side');
  return reasons;
}

/** Whether another rectangle of a similar size with print in it is beside the document. */
function secondDocument(outline: Outline, quads: readonly FoundQuad[], boxes: readonly TextBox[]): boolean {
  if (outline.source !== 'edges') return false;
  const area = (quad: Quad): number => {
    const [a, b, c, d] = quad;
    return Math.abs((c.x - a.x) * (d.y - b.y) - (d.x - b.x) * (c.y - a.y)) / 2;
  };
  const own = area(outline.quad);
  const centre = centreOf(outline.quad);
  return quads.some(({ quad, support }) => {
    const share = area(quad) / own;
    if (contains(quad, centre) || contains(outline.quad, centreOf(quad))) return false;
    if (support < MIN_SECOND_SUPPORT || share < MIN_SECOND_SHARE || share > 1 / MIN_SECOND_SHARE) return false;
    return boxes.filter((box) => contains(quad, box.centre as Point)).length >= MIN_SECOND_BOXES;
  });
}

/** The print that the search for a zone has found, and how much print may still be read. */
function printOf({ mrz, boxes, closer, pixelsRead }: MrzReport, outline: Outline, straight: Raster): VisualZoneOptions {
  const { quad } = outline;
  const side = Math.max(distance(quad[0], quad[1]), distance(quad[1], quad[2]));
  const coversPrint = closer && side * closer.scale >= MIN_SIDE_FOR_PRINT && contains(closer.quad, centreOf(quad));
  const firstBoxes = boxesOn(straight, quad, boxes);
  // The zone of a card of this size is on its back, where hardly anything else is (ICAO 9303 part 5).
  const isBack = mrz?.format === 'TD1';
  return {
    zoneTop: zoneTop(mrz, outline),
    maxPixels: mrz ? MAX_READ_PIXELS : Math.min(MAX_READ_PIXELS, MAX_PIXELS_WITHOUT_ZONE - pixelsRead),
    firstBoxes,
    ...(coversPrint ? { boxes: boxesOn(straight, quad, closer.boxes) } : isBack && { boxes: firstBoxes }),
  };
}

/** The lines of a zone that hold the digits under check digits: two of the three of a card, otherwise the second. */
function zoneLinesOf(mrz: MrzFinding | undefined): ZoneLine[] {
  if (!mrz) return [];
  const lines = mrz.lines.flatMap((text, i) => {
    const quad = mrz.quads[i];
    return quad ? [{ text, quad }] : [];
  });
  return mrz.format === 'TD1' ? lines.slice(0, 2) : lines.slice(1, 2);
}

/** The share of the document's height at which the zone begins; the visual zone ends there. */
function zoneTop(mrz: MrzFinding | undefined, { quad }: Outline): number {
  const first = mrz?.quads[0];
  if (!first) return 1;
  const line = centreOf(first);
  const top = centreOf([quad[0], quad[1]]);
  const bottom = centreOf([quad[2], quad[3]]);
  const height = (bottom.x - top.x) ** 2 + (bottom.y - top.y) ** 2;
  const share = ((line.x - top.x) * (bottom.x - top.x) + (line.y - top.y) * (bottom.y - top.y)) / Math.max(1, height);
  return share - 0.04;
}

function checksOf(
  mrz: MrzFinding | undefined,
  licence: Licence | undefined,
  visual: VisualZone | undefined,
  today: string,
): DocumentCheck[] {
  const zone: Facts | undefined = mrz && factsOfMrz(mrz, today);
  const card: Facts | undefined = licence && factsOfLicence(licence);
  const facts = zone ?? card;
  return [
    ...(mrz ? mrzChecks(mrz) : []),
    ...(facts ? dateChecks(facts, today) : []),
    ...(zone && card ? sourceChecks(zone, card) : []),
    ...(visual && zone ? visualChecks(zone, visual, 'mrz', { fewDates: hasFewDates(mrz) }) : []),
    ...(visual && card ? visualChecks(card, visual, 'barcode') : []),
  ];
}

function toJpeg({ data, width, height }: Raster): Promise<Uint8Array> {
  const picture = sharp(data, { raw: { width, height, channels: 3 } }).jpeg({ quality: JPEG_QUALITY });
  return nativeCall(() => picture.toBuffer());
}

async function cutPortrait(
  straight: Raster,
  findFace: (image: Raster) => Promise<FaceBox | undefined>,
): Promise<Portrait | undefined> {
  const face = await findFace(straight);
  if (!face) return undefined;
  const margin = PORTRAIT_MARGIN * Math.max(face.width, face.height);
  const left = Math.max(0, Math.floor(face.x - margin));
  const top = Math.max(0, Math.floor(face.y - margin));
  const width = Math.min(straight.width, Math.ceil(face.x + face.width + margin)) - left;
  const height = Math.min(straight.height, Math.ceil(face.y + face.height + margin)) - top;
  if (width < 1 || height < 1) return undefined;
  const raw = { width: straight.width, height: straight.height, channels: 3 as const };
  const picture = sharp(straight.data, { raw }).extract({ left, top, width, height }).jpeg({ quality: JPEG_QUALITY });
  return { jpeg: await nativeCall(() => picture.toBuffer()), box: face };
}
