import type { VisualField, VisualFieldName, VisualLine } from '../visual-field.ts';
import { findNames } from './find-names.ts';
import { fitNumber } from './fit-number.ts';
import { matchTemplate } from './match-template.ts';
import { datesOf } from './read-dates.ts';
import { type Label, plain, type Template } from './template.ts';

/** The maximum distance of a value to the right of its label, in shares of the width. */
const MAX_GAP = 0.09;
/** The overlap of a value with its label, because boxes are drawn too large. */
const MAX_OVERLAP = 0.03;
const MAX_BELOW = 2.2;
const SAME_COLUMN = 0.04;

/** Reads the fields of a card by its template. A value is taken only with its label. */
export function readFields(lines: readonly VisualLine[], template: Template): VisualField[] {
  const fields: VisualField[] = [];
  const add = (field: VisualField): void => {
    if (!fields.some(({ name }) => name === field.name)) fields.push(field);
  };
  for (const field of datesByLabel(lines, template)) add(field);
  for (const line of lines) {
    const label = labelAt(line, template.labels);
    if (!label || label.field.endsWith('Date')) continue;
    const field = labelledValue(label, line, lines, template);
    if (field) add(field);
  }
  const number = template.numbers && unlabelledNumber(lines, template.numbers);
  if (number) add(number);
  for (const field of findNames(lines, template)) add(field);
  return withoutContradictions(fields);
}

const REQUIRED_FIELDS: readonly VisualFieldName[] = [
  'documentNumber',
  'surname',
  'givenNames',
  'birthDate',
  'issueDate',
  'expiryDate',
];

/** Whether all wanted fields of a card without a zone were read. */
export function isFullyRead(lines: readonly VisualLine[]): boolean {
  const template = matchTemplate(lines);
  if (!template) return false;
  const names = readFields(lines, template).map(({ name }) => name);
  return REQUIRED_FIELDS.every((name) => names.includes(name));
}

/** Dates whose label precedes them in the line, or is in the box to their left, or right above them. */
function datesByLabel(lines: readonly VisualLine[], template: Template): VisualField[] {
  const labels = template.labels.filter(({ field }) => field.endsWith('Date'));
  const fields: (VisualField & { rank: number })[] = [];
  for (const line of lines) {
    let from = 0;
    for (const { text, date, from: at, to } of datesOf(line.text, template.dates)) {
      const before = plain(line.text.slice(from, at));
      from = to;
      const inline = labelAtEnd(before, labels) ?? labelAtEnd(before.slice(0, -1), labels);
      const near = before === '' ? nearLabel(line, lines, labels) : undefined;
      const label = inline ?? near;
      if (!label) continue;
      const { confidence } = line;
      fields.push({ name: label.field, label: label.text, value: text, date, confidence, rank: inline ? 0 : 1 });
    }
  }
  return fields.sort((one, other) => one.rank - other.rank).map(({ rank: _rank, ...field }) => field);
}

type FoundLabel = { readonly field: VisualFieldName; readonly text: string };

/** The label at the end of a text. A bare number is a label only if nothing precedes it. */
function labelAtEnd(text: string, labels: readonly Label[]): FoundLabel | undefined {
  for (let from = 0; from < text.length; from += 1) {
    const rest = text.slice(from);
    for (const { field, pattern } of labels) {
      const [match] = pattern.exec(rest) ?? [];
      if (match === rest && (from === 0 || /[A-Z]/.test(match))) return { field, text: match };
    }
  }
  return undefined;
}

function nearLabel(value: VisualLine, lines: readonly VisualLine[], labels: readonly Label[]): FoundLabel | undefined {
  const [beside] = lines
    .filter((other) => other !== value && isSameRow(other, value) && isRightOf(value, other))
    .sort((one, other) => other.x + other.width - one.x - one.width)
    .flatMap(({ text }) => {
      const before = plain(text);
      // The edge of a value is sometimes read as a letter after its label.
      return labelAtEnd(before, labels) ?? labelAtEnd(before.slice(0, -1), labels) ?? [];
    });
  if (beside) return beside;
  const [above] = lines
    .filter((other) => other !== value && isRightBelow(value, other))
    .sort((one, other) => other.y - one.y)
    .flatMap(({ text }) => {
      const label = labelAtEnd(plain(text), labels);
      // A single letter before it is the edge of something else.
      return label && plain(text).length - label.text.length <= 1 ? [label] : [];
    });
  return above;
}

function labelAt(line: VisualLine, labels: readonly Label[]): (FoundLabel & { behind: string }) | undefined {
  const text = plain(line.text);
  for (const { field, pattern } of labels) {
    const [match] = pattern.exec(text) ?? [];
    if (match !== undefined && match !== '') return { field, text: match, behind: behindOf(line.text, match.length) };
  }
  return undefined;
}

/** The rest of a line after this many letters and digits. */
function behindOf(text: string, count: number): string {
  let left = count;
  let at = 0;
  for (const letter of text) {
    if (left === 0) break;
    left -= plain(letter).length;
    at += letter.length;
  }
  return text
    .slice(at)
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .trim();
}

function labelledValue(
  label: FoundLabel & { behind: string },
  line: VisualLine,
  lines: readonly VisualLine[],
  template: Template,
): VisualField | undefined {
  const fieldOf = (text: string, confidence: number): VisualField | undefined => {
    const value = fits(label.field, text, template);
    return value === undefined ? undefined : { name: label.field, label: label.text, value, confidence };
  };
  if (label.behind !== '') return fieldOf(label.behind, line.confidence);
  const others = lines.filter((other) => other !== line && !isLabelled(other, template));
  const right = others.filter((other) => isSameRow(line, other) && isRightOf(other, line)).sort((a, b) => a.x - b.x)[0];
  const below = others.filter((other) => isRightBelow(other, line)).sort((a, b) => a.y - b.y)[0];
  return (right && fieldOf(right.text, right.confidence)) ?? (below && fieldOf(below.text, below.confidence));
}

/** Whether a line is the value of a label that stands in it. D08 is a number as well as a misread DOB. */
function isLabelled(line: VisualLine, { labels, dates }: Template): boolean {
  const label = labelAt(line, labels);
  if (!label?.behind) return false;
  return !label.field.endsWith('Date') || datesOf(line.text, dates).length > 0;
}

/** The normalised value, or undefined if it cannot be a value of the field. */
function fits(field: VisualFieldName, text: string, template: Template): string | undefined {
  if (field === 'documentNumber') {
    return template.numbers ? fitNumber(text, template.numbers) : /\d.*\d.*\d.*\d/.test(text) ? text : undefined;
  }
  if (field === 'sex') return /^[MFXKWV](?![a-z])/i.exec(plain(text))?.[0];
  if (field === 'surname' || field === 'givenNames') {
    const name = text
      .replace(/^\d+[A-Za-z]?[ .]+/, '')
      .replace(/[,.]+$/, '')
      .trim();
    return /^[\p{L}][\p{L} '’,.-]{0,60}$/u.test(name) && !/^SUF/i.test(name) ? name : undefined;
  }
  return /[\p{L}\p{N}]/u.test(text) ? text : undefined;
}

/** Some states print numbers without a label. A single one with letters and digits in their shape is accepted. */
function unlabelledNumber(lines: readonly VisualLine[], shapes: readonly RegExp[]): VisualField | undefined {
  const mixed = shapes.filter(({ source }) => source.includes('A-Z') && !source.includes('A-Z0-9'));
  const numbers = lines.flatMap((line) => {
    const text = plain(line.text);
    const number = mixed.some((shape) => shape.test(text)) ? text : behindLabel(text, mixed);
    return number ? [{ line, text: number }] : [];
  });
  const [first] = numbers;
  if (!first || numbers.some(({ text }) => text !== first.text)) return undefined;
  return { name: 'documentNumber', label: '', value: first.text, confidence: first.line.confidence };
}

/** A label may be unreadable while the letter and the digits after it are not. */
function behindLabel(text: string, shapes: readonly RegExp[]): string | undefined {
  const rest = /^[A-Z0-9]{1,6}?([A-Z]\d{7,})$/.exec(text)?.[1];
  return rest !== undefined &&
    /^[A-Z0-9]*(NO|LIC|DL|N)$/.test(text.slice(0, -rest.length)) &&
    shapes.some((s) => s.test(rest))
    ? rest
    : undefined;
}

/** Removes contradictory dates: their labels were misread, so neither is accepted. */
function withoutContradictions(fields: readonly VisualField[]): VisualField[] {
  const dateOf = (name: VisualFieldName): string | undefined => fields.find((field) => field.name === name)?.date;
  const [birth, issue, expiry] = [dateOf('birthDate'), dateOf('issueDate'), dateOf('expiryDate')];
  const wrong = new Set<VisualFieldName>();
  const inOrder = (one: VisualFieldName, other: VisualFieldName, before?: string, after?: string): void => {
    if (before !== undefined && after !== undefined && before >= after) wrong.add(one).add(other);
  };
  inOrder('birthDate', 'issueDate', birth, issue);
  inOrder('birthDate', 'expiryDate', birth, expiry);
  inOrder('issueDate', 'expiryDate', issue, expiry);
  return fields.filter(({ name }) => !wrong.has(name));
}

export function isSameRow(one: VisualLine, other: VisualLine): boolean {
  const overlap = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return overlap > 0.5 * Math.min(one.height, other.height);
}

function isRightOf(value: VisualLine, label: VisualLine): boolean {
  const gap = value.x - (label.x + label.width);
  return gap < MAX_GAP && gap > -MAX_OVERLAP && value.x > label.x;
}

function isRightBelow(value: VisualLine, label: VisualLine): boolean {
  const gap = value.y + value.height / 2 - (label.y + label.height / 2);
  const higher = Math.max(value.height, label.height);
  return gap > 0.3 * label.height && gap < MAX_BELOW * higher && Math.abs(value.x - label.x) < SAME_COLUMN;
}
