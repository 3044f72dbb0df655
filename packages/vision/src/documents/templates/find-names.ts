import type { VisualField, VisualLine } from '../visual-field.ts';
import { plain, type Template } from './template.ts';

/** Lines of one block are left-aligned and about equally high. */
const SAME_COLUMN = 0.035;
const MAX_PITCH = 2.3;
/** There may be room for a third name between the names and the address. */
const MAX_PITCH_TO_STREET = 3.3;
const MIN_HEIGHT_RATIO = 0.55;
/** Words of cards that are not names. */
const NO_NAMES =
  /DRIVER|LICEN|CLASS|^3?D[O0Q]B|^EXP|^ISS|^4|^DL|^LIC|^END|^REST|NONE|DONOR|VETERAN|^SEX|^EYES|^HAIR|^HGT|^WGT|^USA$|IDENTIFICATION|CARD|^DD|ADDRESS|FEDERAL|LIMITS|UNDER|UNTIL|ORGAN/;

/**
 * Finds names with a number as their label (1 and 2 of the AAMVA standard), or without a label: then they are the two
 * lines above the address, and the template tells their order.
 */
export function findNames(lines: readonly VisualLine[], template: Template): VisualField[] {
  if (template.country !== 'USA' && template.country !== 'CAN') return [];
  const numbered = byNumbers(lines);
  if (numbered.length > 0) return numbered;
  const [upper, lower] = aboveAddress(lines, template) ?? [];
  if (!upper || !lower) return [];
  const order = template.names;
  if (!order) return [];
  const [surname, givenNames] = order === 'surnameFirst' ? [upper, lower] : [lower, upper];
  return [nameOf('surname', surname), nameOf('givenNames', givenNames)];
}

/** Finds 1 SAMPLE with 2 JELANI below it; the numbers are in the same boxes or in boxes of their own. */
function byNumbers(lines: readonly VisualLine[]): VisualField[] {
  const withNumber = (number: string): VisualLine[] =>
    lines.filter(({ text }) => plain(text).startsWith(number) && isName(withoutNumber(text)));
  for (const one of withNumber('1')) {
    const two = withNumber('2').find((other) => isNext(one, other));
    if (two) return [nameOf('surname', one), nameOf('givenNames', two)];
  }
  const isNamed = ({ text }: VisualLine): boolean => isName(withoutNumber(text));
  const mark = lines.find(({ text }) => plain(text) === '2');
  const beside = mark && lines.find((line) => isNamed(line) && standsBeside(mark, line));
  const givenNamesLine = beside ?? (followsStandard(lines) ? withNumber('2')[0] : undefined);
  const surname = givenNamesLine && nextAbove(lines, givenNamesLine, isNamed);
  return givenNamesLine && surname ? [nameOf('surname', surname), nameOf('givenNames', givenNamesLine)] : [];
}

function standsBeside(mark: VisualLine, line: VisualLine): boolean {
  const middle = mark.y + mark.height / 2;
  const gap = line.x - mark.x - mark.width;
  return middle > line.y && middle < line.y + line.height && gap > -0.02 && gap < 0.05;
}

function aboveAddress(lines: readonly VisualLine[], { region = '' }: Template): [VisualLine, VisualLine] | undefined {
  const town = lines.find(({ text }) => new RegExp(`[A-Z]{3}${region}\\d{5}(\\d{4})?$`).test(plain(text)));
  const hasNumber = ({ text }: VisualLine): boolean => /\d/.test(text) && !isName(withoutNumber(text));
  const street = town && nextAbove(lines, town, ({ text }) => /\d/.test(text));
  const first = street && (nextAbove(lines, street, hasNumber) ?? street);
  const isNamed = ({ text }: VisualLine): boolean => isName(withoutNumber(text));
  const lower = first && nextAbove(lines, first, isNamed, MAX_PITCH_TO_STREET);
  const upper = lower && nextAbove(lines, lower, isNamed);
  // With three lines of names, their meaning is ambiguous.
  const more = upper && nextAbove(lines, upper, isNamed);
  return upper && lower && !more ? [upper, lower] : undefined;
}

/** The nearest line above another one in its column, if it is of the wanted kind. */
function nextAbove(
  lines: readonly VisualLine[],
  line: VisualLine,
  isWanted: (line: VisualLine) => boolean,
  maxPitch = MAX_PITCH,
): VisualLine | undefined {
  const above = lines.filter((other) => isNext(other, line, maxPitch)).sort((one, other) => other.y - one.y)[0];
  return above && isWanted(above) ? above : undefined;
}

/** Cards that number their fields follow the standard, which puts the surname first. */
function followsStandard(lines: readonly VisualLine[]): boolean {
  const numbers = [/^3D[O0]/, /^4A/, /^4[B8]/, /^4D/, /^15/, /^9/, /^16/, /^18/];
  return numbers.filter((number) => lines.some(({ text }) => number.test(plain(text)))).length >= 2;
}

function isNext(upper: VisualLine, lower: VisualLine, maxPitch = MAX_PITCH): boolean {
  const pitch = lower.y + lower.height / 2 - (upper.y + upper.height / 2);
  const height = Math.max(upper.height, lower.height);
  const ratio = Math.min(upper.height, lower.height) / height;
  return (
    upper !== lower &&
    pitch > 0.45 * height &&
    pitch < maxPitch * height &&
    ratio > MIN_HEIGHT_RATIO &&
    Math.abs(columnOf(upper) - columnOf(lower)) < SAME_COLUMN
  );
}

/** The left edge of the text after its number. */
function columnOf({ text, x, width }: VisualLine): number {
  const number = /^\s*[128]\s*(?=\p{L})/u.exec(text)?.[0] ?? '';
  return x + (width * number.length) / Math.max(1, text.length);
}

function withoutNumber(text: string): string {
  return text.replace(/^\s*[128]\s*[.)]?\s*(?=\p{L})/u, '');
}

function isName(text: string): boolean {
  return /^\p{L}[\p{L} ,.'’-]{1,40}$/u.test(text) && !NO_NAMES.test(plain(text));
}

function nameOf(name: 'surname' | 'givenNames', { text, confidence }: VisualLine): VisualField {
  return {
    name,
    label: '',
    value: withoutNumber(text)
      .replace(/[,. ]+/g, ' ')
      .trim(),
    confidence,
  };
}
