import bwipjs, { type RenderOptions } from 'bwip-js/node';
import { buildAamva } from '../barcodes/build-aamva.ts';
import type { Point } from '../images/geometry.ts';
import type { Raster } from '../images/raster.ts';
import { buildMrz, type MrzContent } from '../mrz/build-mrz.ts';
import { box, type Canvas, type Colour, createCanvas, ellipse, fill, stroke } from './canvas.ts';
import type { Person } from './person.ts';
import { drawPortrait } from './portrait.ts';
import { type Random, within } from './random.ts';
import { drawText } from './text-font.ts';
import { drawZoneLine } from './zone-font.ts';

export const SPECIMEN_KINDS = ['passport', 'idCard', 'idCardTd2', 'visa', 'visaB', 'licence'] as const;
export type SpecimenKind = (typeof SPECIMEN_KINDS)[number];
export type Side = 'front' | 'back';
export type DrawnDocument = {
  readonly image: Raster;
  readonly mrz?: readonly string[];
  readonly barcode?: string /** Where the portrait is, on the side that has one. */;
  readonly portrait?: Rectangle;
};

type Layout = {
  readonly size: readonly [widthMm: number, heightMm: number];
  readonly pixelsPerMm: number;
  readonly paper: Colour;
  readonly ink: Colour;
  readonly title: string;
};

const LAYOUTS: Readonly<Record<SpecimenKind, Layout>> = {
  passport: {
    size: [125, 88],
    pixelsPerMm: 10,
    paper: [238, 232, 222],
    ink: [128, 44, 52],
    title: 'UTOPIA · PASSPORT',
  },
  idCard: {
    size: [85.6, 54],
    pixelsPerMm: 14,
    paper: [226, 236, 240],
    ink: [30, 80, 120],
    title: 'UTOPIA · IDENTITY CARD',
  },
  idCardTd2: {
    size: [105, 74],
    pixelsPerMm: 12,
    paper: [230, 238, 226],
    ink: [40, 90, 60],
    title: 'UTOPIA · IDENTITY CARD',
  },
  visa: { size: [120, 80], pixelsPerMm: 10, paper: [236, 236, 222], ink: [90, 80, 30], title: 'UTOPIA · VISA' },
  visaB: { size: [105, 74], pixelsPerMm: 12, paper: [236, 236, 222], ink: [90, 80, 30], title: 'UTOPIA · VISA' },
  licence: {
    size: [85.6, 54],
    pixelsPerMm: 14,
    paper: [240, 228, 226],
    ink: [120, 60, 90],
    title: 'UTOPIA · DRIVING LICENCE',
  },
};

const INK: Colour = [24, 24, 28];
const ZONE_PAPER: Colour = [246, 246, 244];
const LABEL: Colour = [90, 96, 104];
/** A number that no issuer has. */
const ISSUER_NUMBER = '636999';

/** In pixels of the drawing. */
export type Rectangle = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

/** How a zone differs from the print above it, as forgers change it. */
export type ZoneChange = {
  readonly person?: Partial<Person>;
  /** Makes the check digit of the number one too high. */
  readonly wrongDigit?: boolean;
  /** Writes another digit over the last digit of the number, this strongly (0…1). */
  readonly overwritten?: number;
  /** Erases that digit before, this thoroughly (0…1). */
  readonly erased?: number;
  readonly rewritten?: RewrittenZone;
};

/** A zone that was printed for another person, with other characters written where it differs. */
export type RewrittenZone = {
  /** The person for whom it was printed. */
  readonly printedFor: Partial<Person>;
  readonly ink: Colour;
  /** The strength of the ink (0…1). */
  readonly strength: number;
  /** How thoroughly the characters were erased before (0…1). */
  readonly erased?: number;
  /** The colour that they were painted over with before, as with correction fluid. */
  readonly cover?: Colour;
};

/** Draws one side of a document, straight on. */
export function drawDocument(
  kind: SpecimenKind,
  side: Side,
  person: Person,
  random: Random,
  zoneChange: ZoneChange = {},
): DrawnDocument {
  const layout = LAYOUTS[kind];
  const [width, height] = layout.size.map((mm) => Math.round(mm * layout.pixelsPerMm)) as [number, number];
  const canvas = createCanvas(width, height, layout.paper);
  drawPattern(canvas, layout, random);
  const mm = (x: number, y: number): Point => ({ x: x * layout.pixelsPerMm, y: y * layout.pixelsPerMm });
  drawText(canvas, layout.title, mm(4, 7), { size: 4 * layout.pixelsPerMm, colour: layout.ink, weight: 'bold' });
  const portrait = side === 'front' ? { portrait: drawFront(canvas, kind, layout, person, random, mm) } : {};
  const zone = kind === 'idCard' ? side === 'back' : kind !== 'licence' && side === 'front';
  if (zone) return { ...portrait, image: canvas, mrz: drawZone(canvas, kind, layout, person, mm, zoneChange) };
  if (kind === 'licence' && side === 'back') return { image: canvas, barcode: drawBarcode(canvas, layout, person, mm) };
  return { ...portrait, image: canvas };
}

/** Fine waves, as on printed paper, which must not disturb the reading. */
function drawPattern(canvas: Canvas, { ink, pixelsPerMm }: Layout, random: Random): void {
  for (let i = 0; i < 14; i += 1) {
    const base = within(random, 0, canvas.height);
    const swing = within(random, 2, 8) * pixelsPerMm;
    const wave = within(random, 30, 80) * pixelsPerMm;
    const points = Array.from({ length: 40 }, (_, k) => {
      const x = (k * canvas.width) / 39;
      return { x, y: base + Math.sin((x / wave) * 2 * Math.PI) * swing };
    });
    fill(canvas, stroke(points, 0.12 * pixelsPerMm), ink, 0.25);
  }
  fill(
    canvas,
    ellipse({ x: canvas.width * 0.72, y: canvas.height * 0.45 }, canvas.width * 0.12, canvas.width * 0.12),
    ink,
    0.06,
  );
}

function drawFront(
  canvas: Canvas,
  kind: SpecimenKind,
  layout: Layout,
  person: Person,
  random: Random,
  mm: (x: number, y: number) => Point,
): Rectangle {
  const unit = layout.pixelsPerMm;
  const [, heightMm] = layout.size;
  const portrait = { x: 4, y: 11, width: heightMm * 0.36, height: heightMm * 0.46 };
  drawPortrait(canvas, mm(portrait.x, portrait.y), portrait.width * unit, portrait.height * unit, random);
  const left = portrait.x + portrait.width + 4;
  const step = (portrait.height + 2) / 5;
  const size = Math.min(3.2, step * 0.42);
  const second = (layout.size[0] - left) * 0.52;
  const put = (label: string, value: string, column: number, row: number): void => {
    const at = (y: number): Point => mm(left + column, 11 + row * step + y);
    drawText(canvas, label, at(step * 0.3), { size: size * 0.62 * unit, colour: LABEL });
    drawText(canvas, value, at(step * 0.3 + size), { size: size * unit, colour: INK, weight: 'bold' });
  };
  put('Surname / Nom', person.surname.toUpperCase(), 0, 0);
  put('Given names / Prénoms', person.givenNames.toUpperCase(), 0, 1);
  put('Nationality / Nationalité', 'UTOPIAN', 0, 2);
  put('Sex / Sexe', person.sex, second, 2);
  put('Date of birth / Date de naissance', visualDate(person.birthDate), 0, 3);
  put('Place of birth', person.birthPlace.toUpperCase(), second, 3);
  put(kind === 'licence' ? 'Licence No.' : 'Document No. / No. du document', person.documentNumber, second, 0);
  put('Date of expiry / Date d’expiration', visualDate(person.expiryDate), second, 4);
  put('Date of issue', visualDate(person.issueDate), 0, 4);
  return {
    left: Math.round(portrait.x * unit),
    top: Math.round(portrait.y * unit),
    width: Math.round(portrait.width * unit),
    height: Math.round(portrait.height * unit),
  };
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'] as const;

/** Dates in the visual zone as in ICAO 9303 part 3, 3.2: 12 AUG 1974. */
export function visualDate(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${day} ${MONTHS[Number(month) - 1]} ${year}`;
}

const CODES: Readonly<
  Partial<Record<SpecimenKind, { code: string; format: 'TD1' | 'TD2' | 'TD3' | 'MRVA' | 'MRVB' }>>
> = {
  passport: { code: 'P', format: 'TD3' },
  idCard: { code: 'I', format: 'TD1' },
  idCardTd2: { code: 'I', format: 'TD2' },
  visa: { code: 'V', format: 'MRVA' },
  visaB: { code: 'V', format: 'MRVB' },
};

function drawZone(
  canvas: Canvas,
  kind: SpecimenKind,
  layout: Layout,
  printed: Person,
  mm: (x: number, y: number) => Point,
  { person: changed, wrongDigit = false, overwritten = 0, erased = 0, rewritten }: ZoneChange,
): string[] {
  const { code, format } = CODES[kind] as { code: string; format: 'TD1' | 'TD2' | 'TD3' | 'MRVA' | 'MRVB' };
  const short = (date: string): string => date.slice(2).replaceAll('-', '');
  const contentOf = (person: Person): MrzContent => ({
    documentCode: code,
    issuer: 'UTO',
    documentNumber: person.documentNumber,
    nationality: 'UTO',
    birthDate: short(person.birthDate),
    sex: person.sex,
    expiryDate: short(person.expiryDate),
    surname: person.surname,
    givenNames: person.givenNames,
  });
  const built = buildMrz(format, contentOf({ ...printed, ...changed }));
  const lines = wrongDigit ? withWrongDigit(built, format) : built;
  const printedLines = rewritten ? buildMrz(format, contentOf({ ...printed, ...rewritten.printedFor })) : lines;
  const [widthMm, heightMm] = layout.size;
  // The pale background that ICAO 9303 requires behind the zone.
  const top = heightMm - (lines.length === 3 ? 23.2 : 18);
  fill(canvas, box(0, mm(0, top).y, canvas.width, canvas.height), ZONE_PAPER, 0.8);
  const left = (widthMm - (lines[0] as string).length * 2.54) / 2 + 0.4;
  lines.forEach((line, i) => {
    const at = mm(left, top + 3 + i * 6.35);
    drawZoneLine(canvas, printedLines[i] as string, at, layout.pixelsPerMm, INK);
    if (rewritten) rewriteLine(canvas, line, printedLines[i] as string, at, layout.pixelsPerMm, rewritten);
    const digit = placeOfDigit(format);
    if (erased > 0 && i === digit.line) {
      drawZoneLine(
        canvas,
        (line[digit.at - 1] as string).padStart(digit.at),
        at,
        layout.pixelsPerMm,
        ZONE_PAPER,
        erased,
      );
    }
    if (overwritten > 0 && i === digit.line) {
      const other = String((Number(line[digit.at - 1]) + 3) % 10);
      drawZoneLine(canvas, other.padStart(digit.at), at, layout.pixelsPerMm, INK, overwritten);
    }
  });
  return lines;
}

function rewriteLine(
  canvas: Canvas,
  line: string,
  printed: string,
  at: Point,
  pixelsPerMm: number,
  { ink, strength, erased = 0, cover }: RewrittenZone,
): void {
  [...line].forEach((character, i) => {
    const before = printed[i] as string;
    if (character === before) return;
    const x = at.x + i * 2.54 * pixelsPerMm;
    // The cell of the character, with a little room on all sides.
    if (cover) fill(canvas, box(x - 4, at.y - 5, 2.2 * pixelsPerMm, 3.3 * pixelsPerMm), cover);
    if (erased > 0) drawZoneLine(canvas, before.padStart(i + 1), at, pixelsPerMm, ZONE_PAPER, erased);
    drawZoneLine(canvas, character.padStart(i + 1), at, pixelsPerMm, ink, strength);
  });
}

/** The check digit over the number: at 14 of the first line of a TD1, at 9 of the second line elsewhere. */
function placeOfDigit(format: string): { line: number; at: number } {
  return format === 'TD1' ? { line: 0, at: 14 } : { line: 1, at: 9 };
}

function withWrongDigit(lines: readonly string[], format: string): string[] {
  const { line, at } = placeOfDigit(format);
  return lines.map((text, i) => {
    if (i !== line) return text;
    const digit = (Number(text[at]) + 1) % 10;
    return `${text.slice(0, at)}${digit}${text.slice(at + 1)}`;
  });
}

/** The barcode of a licence: dates are MMDDYYYY, names in their printed order. */
export function licenceText(person: Person): string {
  const date = (value: string): string => `${value.slice(5, 7)}${value.slice(8)}${value.slice(0, 4)}`;
  const [first = '', ...middle] = plain(person.givenNames).split(' ');
  return buildAamva({
    issuerNumber: ISSUER_NUMBER,
    elements: {
      DAQ: person.documentNumber,
      DCS: plain(person.surname),
      DDE: 'N',
      DAC: first,
      DDF: 'N',
      DAD: middle.join(' ') || 'NONE',
      DDG: 'N',
      DCA: 'C',
      DCB: 'NONE',
      DCD: 'NONE',
      DBD: date(person.issueDate),
      DBB: date(person.birthDate),
      DBA: date(person.expiryDate),
      DBC: person.sex === 'M' ? '1' : '2',
      DAU: '068 in',
      DAY: 'BRO',
      DAG: plain(person.street),
      DAI: plain(person.town),
      DAJ: 'UT',
      DAK: '123450000  ',
      DCF: `${person.documentNumber}0001`,
      DCG: 'USA',
    },
  });
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[^\x20-\x7e]/g, '')
    .toUpperCase();
}

function drawBarcode(canvas: Canvas, layout: Layout, person: Person, mm: (x: number, y: number) => Point): string {
  const text = licenceText(person);
  // The package's types know neither the options of this code nor that it returns exactly one.
  const options = { bcid: 'pdf417', text, columns: 10, eclevel: 5 } as RenderOptions;
  const [code] = bwipjs.raw(options) as unknown as [{ pixs: ArrayLike<number>; pixx: number }];
  const rows = code.pixs.length / code.pixx;
  const widthMm = 76;
  const heightMm = 24;
  const origin = mm((layout.size[0] - widthMm) / 2, 14);
  const across = (widthMm * layout.pixelsPerMm) / code.pixx;
  const down = (heightMm * layout.pixelsPerMm) / rows;
  fill(
    canvas,
    box(
      origin.x - 4 * across,
      origin.y - 4 * across,
      (code.pixx + 8) * across,
      heightMm * layout.pixelsPerMm + 8 * across,
    ),
    [255, 255, 255],
  );
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < code.pixx; x += 1) {
      let run = 0;
      while (x + run < code.pixx && code.pixs[y * code.pixx + x + run]) run += 1;
      if (run === 0) continue;
      fill(canvas, box(origin.x + x * across, origin.y + y * down, run * across, down + 0.5), INK);
      x += run;
    }
  }
  return text;
}
