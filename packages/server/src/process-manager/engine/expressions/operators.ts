import { Duration } from '@marcbachmann/cel-js/evaluator';
import { type Budget, charge, chargeText } from './budget.ts';
import { ExpressionError } from './expression-error.ts';
import { areEqual, compare, elementsOf, memberOf } from './values.ts';

type Operator = (budget: Budget, left: unknown, right: unknown) => unknown;

/** The operators that evaluate both values, so not `&&`, `||` and `?:`. */
export const BINARY: Readonly<Record<string, Operator>> = {
  '==': (budget, left, right) => areEqual(budget, left, right),
  '!=': (budget, left, right) => !areEqual(budget, left, right),
  '<': (budget, left, right) => compare(budget, left, right) < 0,
  '<=': (budget, left, right) => compare(budget, left, right) <= 0,
  '>': (budget, left, right) => compare(budget, left, right) > 0,
  '>=': (budget, left, right) => compare(budget, left, right) >= 0,
  in: isIn,
  '+': add,
  '-': subtract,
  '*': (_budget, left, right) => calculate(left, right, { whole: (a, b) => a * b, other: (a, b) => a * b }),
  '/': (_budget, left, right) => calculate(left, right, { whole: divide, other: (a, b) => a / b }),
  '%': (_budget, left, right) => calculate(left, right, { whole: remainder, other: (a, b) => a % b }),
};

export function negate(value: unknown): unknown {
  if (typeof value === 'bigint') return inRange(-value);
  if (typeof value === 'number') return -value;
  throw noOperator();
}

export function not(value: unknown): boolean {
  if (typeof value === 'boolean') return !value;
  throw new ExpressionError('must be true or false');
}

function isIn(budget: Budget, value: unknown, container: unknown): boolean {
  if (!Array.isArray(container)) return memberOf(container, value) !== undefined;
  return elementsOf(budget, container).some((element) => areEqual(budget, value, element));
}

function add(budget: Budget, left: unknown, right: unknown): unknown {
  if (typeof left === 'string' && typeof right === 'string') {
    chargeText(budget, left.length + right.length);
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    charge(budget, left.length + right.length);
    return [...left, ...right];
  }
  if (left instanceof Duration) {
    if (right instanceof Duration) return left.addDuration(right);
    if (right instanceof Date) return valid(left.extendTimestamp(right));
  }
  if (left instanceof Date && right instanceof Duration) return valid(right.extendTimestamp(left));
  return calculate(left, right, { whole: (a, b) => a + b, other: (a, b) => a + b });
}

function subtract(_budget: Budget, left: unknown, right: unknown): unknown {
  if (left instanceof Duration && right instanceof Duration) return left.subtractDuration(right);
  if (left instanceof Date && right instanceof Duration) return valid(right.subtractTimestamp(left));
  if (left instanceof Date && right instanceof Date) {
    return Duration.fromMilliseconds(left.getTime() - right.getTime());
  }
  return calculate(left, right, { whole: (a, b) => a - b, other: (a, b) => a - b });
}

type Arithmetic = { whole(a: bigint, b: bigint): bigint; other(a: number, b: number): number };

/** Integers stay integers. An integer and a number of JSON, which may have a fraction, give such a number. */
function calculate(left: unknown, right: unknown, { whole, other }: Arithmetic): bigint | number {
  if (typeof left === 'bigint' && typeof right === 'bigint') return inRange(whole(left, right));
  const areNumbers = [left, right].every((value) => typeof value === 'bigint' || typeof value === 'number');
  if (!areNumbers) throw noOperator();
  return other(Number(left), Number(right));
}

function divide(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new ExpressionError('divides by zero');
  return left / right;
}

function remainder(left: bigint, right: bigint): bigint {
  if (right === 0n) throw new ExpressionError('divides by zero');
  return left % right;
}

/** Ensures that an integer has 64 bits, as in CEL. */
export function inRange(value: bigint): bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  throw new ExpressionError('is a number that is too large');
}

const MIN_TIME = Date.parse('0001-01-01T00:00:00Z');
const MAX_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/** Ensures that a timestamp is in the years 1 to 9999, as in CEL. */
export function valid(time: Date): Date {
  if (time.getTime() >= MIN_TIME && time.getTime() <= MAX_TIME) return time;
  throw new ExpressionError('is not a time of the years 1 to 9999');
}

function noOperator(): ExpressionError {
  return new ExpressionError('has no such operator for these types');
}
