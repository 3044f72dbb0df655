import type { Raster } from '../images/raster.ts';
import { detectText, type TextBox } from '../ocr/detect-text.ts';
import { type ModelName, TEXT_DETECTOR, TEXT_READER } from '../ocr/models.ts';
import { type Line, readText } from '../ocr/read-line.ts';
import { datesIn } from './dates.ts';
import { pickBox, type ValueLength } from './fit-value.ts';
import { stripOf, stripWidth } from './straighten.ts';
import { matchTemplate } from './templates/match-template.ts';
import { isFullyRead, readFields } from './templates/read-fields.ts';
import { plain, type Template } from './templates/template.ts';
import type { VisualField, VisualFieldName, VisualLine } from './visual-field.ts';

export type { VisualField, VisualFieldName, VisualLine } from './visual-field.ts';

export type VisualZone = {
  readonly lines: readonly VisualLine[];
  readonly fields: readonly VisualField[];
  /** The kind of document, if one of the templates fits. */
  readonly template?: Pick<Template, 'id' | 'country' | 'region' | 'type'>;
  readonly models: readonly ModelName[];
};

const SIDE = 960;
const MAX_LINES = 48;
/** How much is read of one document, in pixels of strips, at most. Small print and sentences are left out first. */
export const MAX_READ_PIXELS = 6500;
/** How much more is read of a card with a known template, as long as fields of it are missing. */
const MORE_PIXELS = 7500;
const MIN_CONFIDENCE = 0.6;
/** Lines this many times as long as high are sentences, which hold no field. */
const SENTENCE = 22;
/** A word across a document: its letters are this many times as high as usual, and it is this many times as long as high. */
const OVERPRINT = 1.6;
const MIN_WORD = 3;
/** Boxes that share this much of the larger one belong to the same line. */
const SAME_PLACE = 0.5;

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
  /** The text boxes, if they are known; otherwise they are searched. */
  readonly boxes?: readonly TextBox[];
  /** The text boxes of a first, coarse look. They are read first, and often suffice. */
  readonly firstBoxes?: readonly TextBox[];
  /** The limit of reading, in pixels of strips. */
  readonly maxPixels?: number;
  /** Whether the lines so far are sufficient. Without it everything is read. */
  readonly isEnough?: (lines: readonly VisualLine[]) => boolean;
  /** The wanted values that are not read yet. Print that can hold none of them is left out at first. */
  readonly openValues?: (lines: readonly VisualLine[]) => readonly ValueLength[];
  /** Whether a line is the beginning of such a value. Then the next box is read, too. */
  readonly isBeginning?: (line: VisualLine) => boolean;
};

/** Reads the print of a straightened document, and names the fields whose labels are known. */
export async function readVisualZone(straight: Raster, options: VisualZoneOptions): Promise<VisualZone> {
  const { firstBoxes, openValues, maxPixels = MAX_READ_PIXELS } = options;
  const first = firstBoxes && openValues ? await readValues(straight, firstBoxes, openValues, options) : NOTHING_READ;
  const isDone = openValues !== undefined && openValues(first.lines).length === 0;
  const boxes = isDone ? [] : (options.boxes ?? (await detectText(straight, SIDE)));
  const maxLeft = maxPixels - first.pixels;
  const firstLines = isDone
    ? first.lines
    : await readBoxes(straight, boxes, { ...options, maxPixels: maxLeft }, first.lines);
  const lines = isHalfRead(firstLines, options)
    ? await readBoxes(straight, boxes, { ...options, maxPixels: MORE_PIXELS }, firstLines)
    : firstLines;
  const template = matchTemplate(lines);
  return {
    lines,
    fields: template ? readFields(lines, template) : labelledFields(lines),
    ...(template && { template: briefly(template) }),
    models: [TEXT_DETECTOR, TEXT_READER],
  };
}

/** Whether these are lines of a card without a zone or code, by its template or its words, that is not fully read. */
export function isHalfRead(
  lines: readonly VisualLine[],
  { openValues, isEnough }: Pick<VisualZoneOptions, 'openValues' | 'isEnough'>,
): boolean {
  if (openValues || !isEnough || isFullyRead(lines)) return false;
  if (matchTemplate(lines)) return true;
  const texts = lines.map(({ text }) => plain(text));
  return texts.some((text) => CARD_WORDS.test(text)) || texts.filter((text) => DATE_LABELS.test(text)).length >= 2;
}

/** Words that only licences and identity cards have, and the labels of dates on licences. */
const CARD_WORDS = /DRIVER|DRIVING|LICEN[CS]E|OPERATOR|IDENTIFICATION|IDENTITY/;
const DATE_LABELS = /^(3?D[O0]B|4?[AB]?(EXP|ISS)|4[AB]\d{6})/;

function briefly({ id, country, region, type }: Template): NonNullable<VisualZone['template']> {
  return { id, country, type, ...(region !== undefined && { region }) };
}

type ReadLines = { readonly lines: readonly VisualLine[]; readonly pixels: number };
const NOTHING_READ: ReadLines = { lines: [], pixels: 0 };

/** Reads the boxes that may hold a value, the likeliest first, until every value is read or no box can hold one. */
async function readValues(
  straight: Raster,
  boxes: readonly TextBox[],
  openValues: (lines: readonly VisualLine[]) => readonly ValueLength[],
  { zoneTop, isBeginning, maxPixels = MAX_READ_PIXELS }: VisualZoneOptions,
): Promise<ReadLines> {
  const lines: VisualLine[] = [];
  let left = boxes.map(level).filter(({ centre }) => centre.y / straight.height < zoneTop);
  let pixels = 0;
  const readBox = async (box: TextBox): Promise<void> => {
    left = left.filter((each) => each !== box);
    pixels += stripWidth(box);
    const line = await readText(stripOf(straight, box));
    if (line.text === '' || line.confidence < MIN_CONFIDENCE) return;
    const visualLine = { ...line, ...lineOf(box, straight) };
    lines.push(visualLine);
    const next = isBeginning?.(visualLine) ? boxBehind(visualLine, left, straight) : undefined;
    if (next && pixels + stripWidth(next) <= maxPixels) await readBox(next);
  };
  const across = overprint(left);
  if (across) await readBox(across);
  for (let count = 0; count < MAX_LINES; count += 1) {
    const open = openValues(lines);
    const box = open.length === 0 ? undefined : pickBox(left, open);
    if (!box || pixels + stripWidth(box) > maxPixels) break;
    await readBox(box);
  }
  return { lines: lines.sort((one, other) => one.y - other.y), pixels };
}

/** The maximum distance from a line to the rest of its value, in shares of the width. */
const MAX_BEHIND = 0.12;

/** The nearest box after a line, in the same row. */
function boxBehind(line: VisualLine, boxes: readonly TextBox[], straight: Raster): TextBox | undefined {
  const end = line.x + line.width;
  return boxes
    .map((box) => ({ box, ...lineOf(box, straight) }))
    .filter(({ x, y, height }) => {
      const overlap = Math.min(line.y + line.height, y + height) - Math.max(line.y, y);
      return overlap > 0.5 * Math.min(line.height, height) && x > line.x && Math.abs(x - end) < MAX_BEHIND;
    })
    .sort((one, other) => one.x - other.x)
    .find(({ height }) => height > 0.5 * line.height)?.box;
}

/** A word in letters much higher than the others, such as the SPECIMEN across examples. */
function overprint(boxes: readonly TextBox[]): TextBox | undefined {
  const sorted = boxes.toSorted((one, other) => other.breadth - one.breadth);
  const usual = sorted[sorted.length >> 1]?.breadth ?? 0;
  return sorted.find(({ breadth, length }) => breadth >= OVERPRINT * usual && length > MIN_WORD * breadth);
}

/** Reads boxes, the largest print first, until they suffice or the limit is reached. */
async function readBoxes(
  straight: Raster,
  boxes: readonly TextBox[],
  { zoneTop, isEnough, maxPixels = MAX_READ_PIXELS }: VisualZoneOptions,
  knownLines: readonly VisualLine[],
): Promise<VisualLine[]> {
  const lines = [...knownLines];
  const unreadBoxes = boxes
    .map(level)
    .filter(({ centre }) => centre.y / straight.height < zoneTop)
    .filter((box) => !knownLines.some((line) => isSamePlace(line, lineOf(box, straight))));
  for (const box of worthReading(unreadBoxes, maxPixels).slice(0, MAX_LINES)) {
    const line = await readText(stripOf(straight, box));
    if (line.text === '' || line.confidence < MIN_CONFIDENCE) continue;
    lines.push({ ...line, ...lineOf(box, straight) });
    if (isEnough?.(lines)) break;
  }
  return lines.sort((one, other) => one.y - other.y);
}

function lineOf({ centre, length, breadth }: TextBox, { width, height }: Raster): Omit<VisualLine, keyof Line> {
  return {
    x: (centre.x - length / 2) / width,
    y: (centre.y - breadth / 2) / height,
    width: length / width,
    height: breadth / height,
  };
}

function isSamePlace(one: VisualLine, other: Omit<VisualLine, keyof Line>): boolean {
  const across = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const down = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  const most = Math.max(one.width * one.height, other.width * other.height);
  return across > 0 && down > 0 && across * down > SAME_PLACE * most;
}

/** The boxes within the limit: the highest letters first, sentences last. */
export function worthReading<Each extends Pick<TextBox, 'length' | 'breadth'>>(
  boxes: readonly Each[],
  maxPixels: number = MAX_READ_PIXELS,
): Each[] {
  const isSentence = (box: Each): boolean => box.length > SENTENCE * box.breadth;
  let left = maxPixels;
  return [...boxes]
    .sort((one, other) => Number(isSentence(one)) - Number(isSentence(other)) || other.breadth - one.breadth)
    .filter((box) => {
      left -= stripWidth(box);
      return left >= 0;
    });
}

/** On a straightened document text runs to the right, whatever the longer side of its box. */
function level(box: TextBox): TextBox {
  if (Math.abs(box.along.x) >= Math.abs(box.along.y)) {
    return box.along.x < 0 ? { ...box, along: { x: -box.along.x, y: -box.along.y } } : box;
  }
  const sign = box.along.y > 0 ? 1 : -1;
  return { ...box, along: { x: box.along.y * sign, y: -box.along.x * sign }, length: box.breadth, breadth: box.length };
}

/** The value of a label follows it, or is the nearest line below that is left-aligned with it and is no label. */
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
    const isDate = label.name.endsWith('Date') && isBareDate(behind);
    const isMarked = /[:.)]\s*\S/.test(line.text.slice(Math.max(0, label.end - 2))) && behind.length > 0;
    const inline = isDate || (isMarked && fits(label.name, behind));
    if (inline) fields.push({ name: label.name, label: label.text, value: behind, confidence: line.confidence });
    else if (below)
      fields.push({ name: label.name, label: line.text, value: below.text, confidence: below.confidence });
  }
  return fields;
}

/** Whether a line can be the value of a field: labels in several languages often stand below each other. */
function fits(name: VisualFieldName, text: string): boolean {
  if (name === 'documentNumber' || name === 'personalNumber') return /\d.*\d.*\d/.test(text);
  if (name.endsWith('Date')) return isBareDate(text);
  if (name === 'sex') return /^[MFXKWV]\b/i.test(text);
  return /\p{L}/u.test(text);
}

/** A date and hardly anything else: with other words it has another label, such as RESIDENT SINCE. */
function isBareDate(text: string): boolean {
  const words =
    text
      .normalize('NFD')
      .replace(/\p{M}/gu, '')
      .match(/[A-Za-z]{2,}/g) ?? [];
  const others = words.filter(
    (word) =>
      !/^(jan|feb|fev|mar|mrz|apr|avr|abr|may|mai|mei|jun|juin|jul|juil|aug|aou|ago|sep|set|oct|okt|out|nov|dec|dez|dic|gen|giu|lug|ott)/i.test(
        word,
      ),
  );
  return datesIn(text).length > 0 && others.length <= 1;
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
