import { Duration } from '@marcbachmann/cel-js/evaluator';
import { ageAt, readDate } from '../dates.ts';
import { type Budget, charge, chargeText } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { inRange, valid } from './operators.ts';
import { patternOf } from './patterns.ts';
import { ANY, listOf, NUMBER, type Shape, TEXT, TIME, TRUTH } from './shapes.ts';
import { sizeOf } from './values.ts';

/** The context of a call: the remaining budget, and the time. */
export type Call = { readonly budget: Budget; readonly now: Date };

/** A function of expressions. A method gets its value as the first argument. */
export type ExpressionFunction = {
  /** The kinds of the first argument; any by default. */
  readonly takes?: readonly Shape['kind'][];
  /** The kinds of the other arguments. */
  readonly others?: readonly Shape['kind'][];
  /** The allowed numbers of arguments, including the value of a method. */
  readonly arity: readonly number[];
  readonly gives: Shape;
  run(call: Call, ...values: unknown[]): unknown;
};

type Text = (call: Call, text: string, ...others: unknown[]) => unknown;

function onText(gives: Shape, arity: readonly number[], run: Text, others: Shape['kind'] = 'text'): ExpressionFunction {
  return {
    takes: ['text'],
    others: [others],
    arity,
    gives,
    run(call, first, ...others) {
      const text = textOf(first);
      chargeText(call.budget, text.length);
      return run(call, text, ...others);
    },
  };
}

const search = (gives: Shape, find: (text: string, needle: string) => unknown) =>
  onText(gives, [2], ({ budget }, text, second) => {
    const needle = textOf(second);
    // In the worst case both texts are compared at every position.
    charge(budget, (text.length * needle.length) / 64);
    return find(text, needle);
  });

const ASCII = /^[\0-\x7f]*$/;

/** Changes only these letters. Letter by letter it would take a hundred times as long. */
function changesCase(letters: RegExp, change: (letters: string) => string): ExpressionFunction {
  return onText(TEXT, [1], ({ budget }, text) => {
    if (ASCII.test(text)) return change(text);
    charge(budget, text.length);
    return text.replace(letters, change);
  });
}

const ofTime = (readTime: (time: Date) => number): ExpressionFunction => ({
  takes: ['time'],
  arity: [1],
  gives: NUMBER,
  run: (_call, time) => {
    if (!(time instanceof Date)) throw new ExpressionError('must be a timestamp');
    return BigInt(readTime(time));
  },
});

/** A method that reads a unit of a timestamp or of a duration. */
const ofTimeOrSpan = (readTime: (time: Date) => number, inSpan: (span: Duration) => bigint): ExpressionFunction => ({
  takes: ['time', 'span'],
  arity: [1],
  gives: NUMBER,
  run: (call, value) => (value instanceof Duration ? inSpan(value) : ofTime(readTime).run(call, value)),
});

/** Methods: `text.startsWith("a")`. */
export const METHODS: Readonly<Record<string, ExpressionFunction>> = {
  size: {
    takes: ['text', 'list', 'object'],
    arity: [1],
    gives: NUMBER,
    run: ({ budget }, value) => sizeOf(budget, value),
  },
  startsWith: onText(TRUTH, [2], (_call, text, start) => text.startsWith(textOf(start))),
  endsWith: onText(TRUTH, [2], (_call, text, end) => text.endsWith(textOf(end))),
  contains: search(TRUTH, (text, needle) => text.includes(needle)),
  indexOf: search(NUMBER, (text, needle) => BigInt(text.indexOf(needle))),
  lastIndexOf: search(NUMBER, (text, needle) => BigInt(text.lastIndexOf(needle))),
  matches: onText(TRUTH, [2], matches),
  lowerAscii: changesCase(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  upperAscii: changesCase(/[a-z]+/g, (letters) => letters.toUpperCase()),
  trim: onText(TEXT, [1], (_call, text) => text.trim()),
  substring: onText(TEXT, [2, 3], (_call, text, start, end = text.length) => substring(text, start, end), 'number'),
  split: onText(listOf(TEXT), [2], ({ budget }, text, separator) => {
    charge(budget, text.length);
    return text.split(textOf(separator));
  }),
  join: {
    takes: ['list'],
    others: ['text'],
    arity: [1, 2],
    gives: TEXT,
    run: ({ budget }, list, separator = '') => join(budget, list, textOf(separator)),
  },
  getFullYear: ofTime((time) => time.getUTCFullYear()),
  getMonth: ofTime((time) => time.getUTCMonth()),
  getDate: ofTime((time) => time.getUTCDate()),
  getDayOfMonth: ofTime((time) => time.getUTCDate() - 1),
  getDayOfWeek: ofTime((time) => time.getUTCDay()),
  getDayOfYear: ofTime(dayOfYear),
  getHours: ofTimeOrSpan(
    (time) => time.getUTCHours(),
    (span) => span.getHours(),
  ),
  getMinutes: ofTimeOrSpan(
    (time) => time.getUTCMinutes(),
    (span) => span.getMinutes(),
  ),
  getSeconds: ofTimeOrSpan(
    (time) => time.getUTCSeconds(),
    (span) => span.getSeconds(),
  ),
  getMilliseconds: ofTimeOrSpan(
    (time) => time.getUTCMilliseconds(),
    (span) => span.getMilliseconds(),
  ),
};

/** Functions: `size(list)`. */
export const FUNCTIONS: Readonly<Record<string, ExpressionFunction>> = {
  size: METHODS.size as ExpressionFunction,
  age: {
    takes: ['time', 'text'],
    arity: [1],
    gives: NUMBER,
    run: ({ now }, born) => BigInt(ageAt(now, timeOf(born))),
  },
  date: { takes: ['text'], arity: [1], gives: TIME, run: (_call, text) => timeOf(textOf(text)) },
  timestamp: {
    takes: ['time', 'number', 'text'],
    arity: [1],
    gives: TIME,
    run: (_call, value) => toTimestamp(value),
  },
  duration: {
    takes: ['text'],
    arity: [1],
    gives: { kind: 'span' },
    run: (_call, text) => toDuration(textOf(text)),
  },
  bool: { takes: ['truth', 'text'], arity: [1], gives: TRUTH, run: (_call, value) => toTruth(value) },
  int: { takes: ['number', 'time', 'text'], arity: [1], gives: NUMBER, run: (_call, value) => toWhole(value) },
  double: { takes: ['number', 'text'], arity: [1], gives: NUMBER, run: (_call, value) => toNumber(value) },
  string: {
    takes: ['text', 'time', 'truth', 'number', 'span'],
    arity: [1],
    gives: TEXT,
    run: (_call, value) => toText(value),
  },
  dyn: { arity: [1], gives: ANY, run: (_call, value) => value },
};

/** The steps that a pattern takes from the budget at its first use, for each instruction. */
const STEPS_PER_INSTRUCTION = 10;

function matches({ budget }: Call, text: string, second: unknown): boolean {
  const pattern = patternOf(textOf(second));
  charge(budget, pattern.size * (STEPS_PER_INSTRUCTION + text.length));
  return pattern.test(text);
}

function substring(text: string, start: unknown, end: unknown): string {
  const [from, to] = [Number(start), Number(end)];
  if (from >= 0 && from <= to && to <= text.length) return text.substring(from, to);
  throw new ExpressionError('is not a part of the text');
}

function join(budget: Budget, list: unknown, separator: string): string {
  if (!Array.isArray(list)) throw new ExpressionError('must be a list of texts');
  for (const element of list) chargeText(budget, textOf(element).length + separator.length);
  return list.join(separator);
}

function dayOfYear(time: Date): number {
  const first = new Date(time);
  first.setUTCMonth(0, 1);
  return Math.round((time.getTime() - first.getTime()) / 86_400_000);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new ExpressionError('must be a text');
}

function timeOf(value: unknown): Date {
  if (value instanceof Date) return value;
  const date = readDate(textOf(value));
  if (date) return date;
  throw new ExpressionError('is not a date such as 2008-11-16');
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

function toTimestamp(value: unknown): Date {
  if (value instanceof Date) return value;
  if (typeof value === 'bigint' || typeof value === 'number') return valid(new Date(Number(value) * 1000));
  const text = textOf(value);
  if (text.length > 40 || !TIMESTAMP.test(text)) {
    throw new ExpressionError('is not a timestamp such as 2026-11-16T08:30:00Z');
  }
  return valid(new Date(text));
}

const SPAN = /^([+-]?)(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?$/;
const MAX_SPAN_LENGTH = 40;

function toDuration(text: string): Duration {
  const [all, sign, ...parts] = text.length > MAX_SPAN_LENGTH ? [] : (SPAN.exec(text) ?? []);
  if (all === undefined || parts.every((part) => part === undefined)) {
    throw new ExpressionError('is not a duration such as 36h or 1h30m');
  }
  const [hours, minutes, seconds, ms] = parts.map((part) => Number(part ?? 0)) as [number, number, number, number];
  const totalMs = hours * 3_600_000 + minutes * 60_000 + seconds * 1000 + ms;
  return Duration.fromMilliseconds(sign === '-' ? -totalMs : totalMs);
}

function toTruth(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = textOf(value);
  if (['1', 't', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw new ExpressionError('does not result in true or false');
}

const WHOLE = /^[+-]?\d{1,19}$/;
const MAX_NUMBER_LENGTH = 40;

function toWhole(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return inRange(BigInt(Math.trunc(value)));
  if (value instanceof Date) return BigInt(Math.floor(value.getTime() / 1000));
  if (typeof value === 'string' && WHOLE.test(value)) return inRange(BigInt(value.replace('+', '')));
  throw new ExpressionError('is not a whole number');
}

function toNumber(value: unknown): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  const text = textOf(value);
  const number = text.length > MAX_NUMBER_LENGTH || text.trim() !== text || text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(number)) throw new ExpressionError('is not a number');
  return number;
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (['boolean', 'bigint', 'number'].includes(typeof value) || value instanceof Duration) return String(value);
  throw new ExpressionError('cannot be written as a text');
}
