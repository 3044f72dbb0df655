import type { Raster } from '../images/raster.ts';
import { detectText, type TextBox } from '../ocr/detect-text.ts';
import { type ModelName, TEXT_DETECTOR, TEXT_READER } from '../ocr/models.ts';
import { readText } from '../ocr/read-line.ts';
import { datesIn } from './dates.ts';
import { stripOf, stripWidth } from './straighten.ts';

export type VisualFieldName =
  | 'surname'
  | 'givenNames'
  | 'name'
  | 'documentNumber'
  | 'nationality'
  | 'birthDate'
  | 'birthPlace'
  | 'sex'
  | 'issueDate'
  | 'expiryDate'
  | 'authority'
  | 'address'
  | 'personalNumber';

/** A line of print on the straightened document; positions are shares of its width and height. */
export type VisualLine = {
  readonly text: string;
  readonly confidence: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
export type VisualField = {
  readonly name: VisualFieldName;
  readonly label: string;
  readonly value: string;
  readonly confidence: number;
};
export type VisualZone = {
  readonly lines: readonly VisualLine[];
  readonly fields: readonly VisualField[];
  readonly models: readonly ModelName[];
};

const SIDE = 960;
const MAX_LINES = 48;
/** How much is read of one document, in pixels of strips: about two seconds. Long lines, small print, are left out first. */
export const MAX_READ_PIXELS = 9000;
const MIN_CONFIDENCE = 0.6;

/**
 * Words that stand before or above a field, in the languages that documents are printed in, without accents and
 * spaces, because the reader often loses both. The longer labels come first: a place of birth is no date of birth.
 */
const LABELS: readonly (readonly [VisualFieldName, RegExp])[] = [
  ['birthPlace', /placeofbirth|lieudenaissance|geburtsort|lugardenacimiento|luogodinascita/],
  [
    'birthDate',
    /dateofbirth|birthdate|datedenaissance|geburtsdatum|geburtstag|fechadenacimiento|datadinascita|^dob|^3[.)]/,
  ],
  ['expiryDate', /expir|validuntil|valablejusqu|gultigbis|fechadecaducidad|validohasta|scadenza|^4b[.)]|^exp\b/],
  ['issueDate', /dateofissue|datededelivrance|ausstellungsdatum|fechadeexpedicion|datadirilascio|^4a[.)]|^iss\b/],
  ['givenNames', /givennames?|prenom|vornamen?|^nombres?|firstname|forenames?|secondaryident|^nome|^2[.)]/],
  ['surname', /surname|^nom\b|\/nom$|lastname|familyname|apellidos?|cognome|primaryident|^name\/|^1[.)]/],
  ['personalNumber', /personalno|personalnumber|nopersonnel|personnummer/],
  ['documentNumber', /(passport|document|licen[cs]e|card)(no|number)|n.?du(document|passeport)|pass-?nr|^5[.)]|^dl\b/],
  ['nationality', /nationalit|nacionalidad|staatsangehorigkeit|cittadinanza/],
  ['sex', /^sex|sexe|geschlecht|sesso/],
  ['authority', /authority|autorite|behorde|issuedby|autoridad/],
  ['address', /^address|adresse|domicilio|indirizzo|^8[.)]/],
];

export type VisualZoneOptions = {
  /** The share of the document's height at which a zone begins. */
  readonly zoneTop: number;
  /** Where print is, if that is known; else it is looked for. */
  readonly boxes?: readonly TextBox[];
  /** How much may be read, in pixels of strips. */
  readonly maxPixels?: number;
};

/** Reads the print of a straightened document and names the fields whose labels it knows. */
export async function readVisualZone(
  straight: Raster,
  { zoneTop, boxes: known, maxPixels = MAX_READ_PIXELS }: VisualZoneOptions,
): Promise<VisualZone> {
  const found = (known ?? (await detectText(straight, SIDE)))
    .map(level)
    .filter(({ centre }) => centre.y / straight.height < zoneTop)
    .sort((one, other) => one.centre.y - other.centre.y)
    .slice(0, MAX_LINES);
  const boxes = worthReading(found, maxPixels);
  const lines: VisualLine[] = [];
  for (const box of boxes) {
    const { text, confidence } = await readText(stripOf(straight, box));
    if (text === '' || confidence < MIN_CONFIDENCE) continue;
    lines.push({
      text,
      confidence,
      x: (box.centre.x - box.length / 2) / straight.width,
      y: (box.centre.y - box.breadth / 2) / straight.height,
      width: box.length / straight.width,
      height: box.breadth / straight.height,
    });
  }
  return { lines, fields: labelledFields(lines), models: [TEXT_DETECTOR, TEXT_READER] };
}

/** As many of the boxes as may be read, the shorter ones first, in the order in which they came. */
export function worthReading<Each extends Pick<TextBox, 'length' | 'breadth'>>(
  boxes: readonly Each[],
  maxPixels: number = MAX_READ_PIXELS,
): Each[] {
  const shortFirst = [...boxes].sort((one, other) => stripWidth(one) - stripWidth(other));
  let left = maxPixels;
  const chosen = new Set(
    shortFirst.filter((box) => {
      left -= stripWidth(box);
      return left >= 0;
    }),
  );
  return boxes.filter((box) => chosen.has(box));
}

/** On a straightened document text runs to the right, whatever the box says of its longer side. */
function level(box: TextBox): TextBox {
  if (Math.abs(box.along.x) >= Math.abs(box.along.y)) {
    return box.along.x < 0 ? { ...box, along: { x: -box.along.x, y: -box.along.y } } : box;
  }
  const sign = box.along.y > 0 ? 1 : -1;
  return { ...box, along: { x: box.along.y * sign, y: -box.along.x * sign }, length: box.breadth, breadth: box.length };
}

/** The value of a label is what stands behind it, or the nearest line below that begins near it and is no label. */
export function labelledFields(lines: readonly VisualLine[]): VisualField[] {
  const fields: VisualField[] = [];
  for (const line of lines) {
    const label = labelIn(line.text);
    if (!label || fields.some(({ name }) => name === label.name)) continue;
    const behind = line.text
      .slice(label.end)
      .replace(/^[\s:./)-]+/, '')
      .trim();
    const below = lines
      .filter((other) => isBelow(line, other) && !labelIn(other.text) && fits(label.name, other.text))
      .sort((one, other) => distanceBelow(line, one) - distanceBelow(line, other))[0];
    const inline =
      /[:.)]\s*\S/.test(line.text.slice(Math.max(0, label.end - 2))) && behind.length > 0 && fits(label.name, behind);
    if (inline) fields.push({ name: label.name, label: label.text, value: behind, confidence: line.confidence });
    else if (below)
      fields.push({ name: label.name, label: line.text, value: below.text, confidence: below.confidence });
  }
  return fields;
}

/** Whether a line can be the value of a field: labels in several languages often stand below each other. */
function fits(name: VisualFieldName, text: string): boolean {
  if (name === 'documentNumber' || name === 'personalNumber') return /\d.*\d.*\d/.test(text);
  if (name.endsWith('Date')) return datesIn(text).length > 0;
  if (name === 'sex') return /^[MFXKWV]\b/i.test(text);
  return /\p{L}/u.test(text);
}

function labelIn(text: string): { name: VisualFieldName; text: string; end: number } | undefined {
  const letters = [...text].map((letter, at) => ({
    letter: letter.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase(),
    at,
  }));
  const dense = letters.filter(({ letter }) => letter.length === 1 && letter !== ' ');
  const plain = dense.map(({ letter }) => letter).join('');
  for (const [name, pattern] of LABELS) {
    const match = pattern.exec(plain);
    if (!match) continue;
    const from = dense[match.index]?.at ?? 0;
    const end = (dense[match.index + match[0].length - 1]?.at ?? 0) + 1;
    return { name, text: text.slice(from, end), end };
  }
  return undefined;
}

function isBelow(label: VisualLine, other: VisualLine): boolean {
  const gap = other.y + other.height / 2 - (label.y + label.height / 2);
  return (
    gap > 0.3 * label.height && gap < 3.2 * Math.max(label.height, other.height) && Math.abs(other.x - label.x) < 0.06
  );
}

function distanceBelow(label: VisualLine, other: VisualLine): number {
  return other.y - label.y + Math.abs(other.x - label.x);
}
