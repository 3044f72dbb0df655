import { CHARACTERS } from './alphabet.ts';
import { characterValue, checkDigit, weightAt } from './check-digit.ts';
import type { DecodedLine } from './decode-line.ts';
import type { Check, Format, Span } from './formats.ts';
import { STATES } from './states.ts';

export type Repair = {
  readonly line: number;
  readonly position: number;
  readonly from: string;
  readonly to: string;
  /** The reader's probability of the new character relative to the old one, 0…1. */
  readonly confidence: number;
  /** Whether the character is a check digit, or covered by one. */
  readonly checked: boolean;
  /** Whether a digit of the document number, or its check digit, became another digit: the print is ambiguous. */
  readonly isNumberDigit: boolean;
};
export type RepairedLines = { readonly lines: readonly string[]; readonly repairs: readonly Repair[] };

const COUNT = CHARACTERS.length;
/**
 * The maximum distance of a repair from the reading, in nats. A document whose check digit is wrong in print must stay
 * wrong: to change a clearly read character costs about 10.
 */
const MAX_CHECK_COST = 5;
const MAX_STATE_COST = 5;
/** The cost of a month beyond 19 or a day beyond 39. */
const IMPLAUSIBLE_DATE_COST = 4;
/** The maximum cost, per character, to take noise behind the names for fillers. */
const NAME_TAIL_COST = 3.5;
/** The maximum cost to take a filler inside the names for a letter. */
const MAX_LETTER_COST = 7;
/** Codes that the same document is likely to repeat. */
const SAME_STATE_BONUS = 1;

type Cell = { readonly line: number; readonly position: number };
type Sheet = { readonly format: Format; readonly lines: string[]; readonly decoded: readonly DecodedLine[] };

/** Corrects misread characters by the check digits, the list of states and the form of names. */
export function repairLines(format: Format, decoded: readonly DecodedLine[]): RepairedLines {
  const sheet: Sheet = { format, lines: decoded.map(({ text }) => text), decoded };
  for (const check of format.checks) {
    if (check.name !== 'composite') satisfy(sheet, check, new Set());
  }
  repairStates(sheet);
  repairNames(sheet);
  for (const check of format.checks) {
    if (check.name === 'composite') satisfy(sheet, check, settledCells(sheet));
  }
  const repairs = decoded.flatMap(({ text }, line) =>
    [...text].flatMap((from, position) => {
      const to = sheet.lines[line]?.[position] as string;
      if (from === to) return [];
      const cost = Math.max(0, decoded[line]?.costs[position * COUNT + CHARACTERS.indexOf(to)] as number);
      const checked = isChecked(format, line, position);
      const isNumberDigit = /^\d\d$/.test(from + to) && isOfNumber(format, line, position);
      return [{ line, position, from, to, confidence: Math.exp(-cost), checked, isNumberDigit }];
    }),
  );
  return { lines: sheet.lines, repairs };
}

function isChecked({ checks }: Format, line: number, position: number): boolean {
  return checks.some((check) => isUnder(check, line, position));
}

function isOfNumber({ checks }: Format, line: number, position: number): boolean {
  return checks.some((check) => check.name === 'documentNumber' && isUnder(check, line, position));
}

/** Whether this is the check digit, or one of the characters that it covers. */
function isUnder({ over, at }: Check, line: number, position: number): boolean {
  return (
    (at.line === line && at.position === position) ||
    over.some((span) => span.line === line && position >= span.from && position < span.to)
  );
}

function cellsOf(spans: readonly Span[]): Cell[] {
  return spans.flatMap(({ line, from, to }) =>
    Array.from({ length: to - from }, (_, i) => ({ line, position: from + i })),
  );
}

function characterAt({ lines }: Sheet, { line, position }: Cell): string {
  return lines[line]?.[position] ?? '<';
}

function put({ lines }: Sheet, { line, position }: Cell, character: string): void {
  const text = lines[line] as string;
  lines[line] = text.slice(0, position) + character + text.slice(position + 1);
}

function costOf(sheet: Sheet, cell: Cell, character: number): number {
  const decodedLine = sheet.decoded[cell.line] as DecodedLine;
  const cost = Math.max(0, decodedLine.costs[cell.position * COUNT + character] as number);
  return cost + dateCost(sheet, cell, CHARACTERS[character] as string);
}

function dateCost({ format }: Sheet, { line, position }: Cell, character: string): number {
  const date = format.fields.find(
    (each) => each.kind === 'digits' && each.line === line && position >= each.from && position < each.to,
  );
  if (!date || character === '<') return 0;
  const digitIndex = position - date.from;
  return (digitIndex === 2 && character > '1') || (digitIndex === 4 && character > '3') ? IMPLAUSIBLE_DATE_COST : 0;
}

/** Cells that a check digit of their own has already confirmed. */
function settledCells(sheet: Sheet): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const check of sheet.format.checks) {
    if (check.name === 'composite' || !holds(sheet.lines, check)) continue;
    for (const { line, position } of [...cellsOf(check.over), check.at]) keys.add(`${line}:${position}`);
  }
  return keys;
}

/** Whether a check digit is right. */
export function holds(lines: readonly string[], { over, at, mayBeFiller }: Check): boolean {
  const text = over.map(({ line, from, to }) => lines[line]?.slice(from, to) ?? '').join('');
  const digit = lines[at.line]?.[at.position];
  return digit === checkDigit(text) || (mayBeFiller === true && digit === '<' && /^<*$/.test(text));
}

/**
 * Changes the characters under a check digit, and the digit, at the least cost that makes it right. The sum modulo 10
 * is carried along the cells, so that every combination is weighed, not only single changes.
 */
function satisfy(sheet: Sheet, check: Check, settledKeys: ReadonlySet<string>): void {
  if (holds(sheet.lines, check)) return;
  const cells = cellsOf(check.over);
  let costs = new Array<number>(10).fill(Number.POSITIVE_INFINITY);
  costs[0] = 0;
  const choices: Int16Array[] = [];
  cells.forEach((cell, index) => {
    const next = new Array<number>(10).fill(Number.POSITIVE_INFINITY);
    const choice = new Int16Array(10).fill(-1);
    for (const option of optionsAt(sheet, cell, settledKeys)) {
      const step = (characterValue(CHARACTERS[option.character] as string) * weightAt(index)) % 10;
      for (let sum = 0; sum < 10; sum += 1) {
        const total = (costs[sum] as number) + option.cost;
        const to = (sum + step) % 10;
        if (total < (next[to] as number)) {
          next[to] = total;
          choice[to] = option.character;
        }
      }
    }
    costs = next;
    choices.push(choice);
  });
  let best = -1;
  let bestCost = MAX_CHECK_COST;
  for (let digit = 0; digit < 10; digit += 1) {
    const total = (costs[digit] as number) + costOf(sheet, check.at, digit);
    if (total < bestCost) [best, bestCost] = [digit, total];
  }
  if (best < 0) return;
  put(sheet, check.at, String(best));
  for (let index = cells.length - 1, sum = best; index >= 0; index -= 1) {
    const character = choices[index]?.[sum] as number;
    put(sheet, cells[index] as Cell, CHARACTERS[character] as string);
    const step = (characterValue(CHARACTERS[character] as string) * weightAt(index)) % 10;
    sum = (((sum - step) % 10) + 10) % 10;
  }
}

function optionsAt(sheet: Sheet, cell: Cell, settledKeys: ReadonlySet<string>): { character: number; cost: number }[] {
  const current = CHARACTERS.indexOf(characterAt(sheet, cell));
  if (settledKeys.has(`${cell.line}:${cell.position}`)) return [{ character: current, cost: 0 }];
  return Array.from(CHARACTERS, (_, character) => ({
    character,
    cost: character === current ? Math.min(0, costOf(sheet, cell, character)) : costOf(sheet, cell, character),
  })).filter(({ cost }) => cost < MAX_CHECK_COST);
}

/** Replaces an unknown code of a state by the nearest known one, if that is near. */
function repairStates(sheet: Sheet): void {
  const fields = sheet.format.fields.filter(({ kind }) => kind === 'state');
  const codes = fields.map((each) => (sheet.lines[each.line] as string).slice(each.from, each.to));
  fields.forEach((field, index) => {
    if (STATES.has(codes[index] as string)) return;
    const others = new Set(codes.filter((_, i) => i !== index));
    let best: string | undefined;
    let bestCost = MAX_STATE_COST;
    for (const state of STATES) {
      let cost = others.has(state) ? -SAME_STATE_BONUS : 0;
      for (let i = 0; i < 3; i += 1) {
        cost += costOf(sheet, { line: field.line, position: field.from + i }, CHARACTERS.indexOf(state[i] as string));
      }
      if (cost < bestCost) [best, bestCost] = [state, cost];
    }
    if (!best) return;
    for (let i = 0; i < 3; i += 1) put(sheet, { line: field.line, position: field.from + i }, best[i] as string);
  });
}

/**
 * Names are words with single fillers between, two fillers behind the surname, and fillers to the end. Letters behind
 * three fillers break that form: either they are noise and may as well be fillers, or the third filler was a letter.
 */
function repairNames(sheet: Sheet): void {
  for (const field of sheet.format.fields) {
    if (field.kind !== 'names') continue;
    const text = (sheet.lines[field.line] as string).slice(field.from, field.to);
    const end = text.indexOf('<<<');
    if (end < 0) continue;
    const cells = cellsOf([{ line: field.line, from: field.from + end, to: field.to }]);
    const strangers = cells.filter((cell) => characterAt(sheet, cell) !== '<');
    if (strangers.length === 0) continue;
    const clearing = strangers.reduce((sum, cell) => sum + costOf(sheet, cell, COUNT - 1), 0);
    const next = text.slice(end).search(/[^<]/);
    const gap = cells[next - 1] as Cell;
    const letter = next === 3 ? likeliestLetter(sheet, gap) : undefined;
    if (letter && letter.cost < clearing && letter.cost < MAX_LETTER_COST) put(sheet, gap, letter.letter);
    else if (clearing <= strangers.length * NAME_TAIL_COST) for (const cell of strangers) put(sheet, cell, '<');
  }
}

function likeliestLetter(sheet: Sheet, cell: Cell): { letter: string; cost: number } {
  return Array.from(CHARACTERS.slice(10, -1), (letter) => ({
    letter,
    cost: costOf(sheet, cell, CHARACTERS.indexOf(letter)),
  })).reduce((best, each) => (each.cost < best.cost ? each : best));
}
