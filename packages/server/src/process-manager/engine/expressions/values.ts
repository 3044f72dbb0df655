import { Duration } from '@marcbachmann/cel-js/evaluator';
import { type Budget, charge, chargeText } from './budget.ts';
import { ExpressionError } from './expression-error.ts';

/**
 * Values of expressions: texts, truth values, null, whole numbers (bigint), other numbers, lists (arrays), objects (plain,
 * or a Map where an expression makes one), timestamps (Date) and durations. Numbers of JSON are never bigint.
 */

const MAX_DEPTH = 20;

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isSpecial(value);
}

function isSpecial(value: object): boolean {
  return value instanceof Map || value instanceof Date || value instanceof Duration;
}

/** A member or an element; undefined if there is none. */
export function memberOf(value: unknown, key: unknown): unknown {
  if (value instanceof Map) return value.get(key);
  if (Array.isArray(value)) {
    if (typeof key !== 'bigint' && typeof key !== 'number') throw new ExpressionError('a list has numbered elements');
    return value[Number(key)];
  }
  if (!isObject(value)) throw new ExpressionError('has no members');
  return typeof key === 'string' && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The elements of a list, or the names of an object. */
export function elementsOf(budget: Budget, value: unknown): readonly unknown[] {
  const elements = Array.isArray(value) ? value : value instanceof Map ? [...value.keys()] : namesOf(value);
  charge(budget, elements.length);
  return elements;
}

function namesOf(value: unknown): readonly string[] {
  if (!isObject(value)) throw new ExpressionError('is neither a list nor an object');
  return Object.keys(value);
}

export function sizeOf(budget: Budget, value: unknown): bigint {
  if (typeof value !== 'string') return BigInt(elementsOf(budget, value).length);
  charge(budget, value.length / 4);
  let characters = 0n;
  for (const _ of value) characters += 1n;
  return characters;
}

/** Values of two types are never equal, except that numbers are compared as numbers. */
export function areEqual(budget: Budget, one: unknown, other: unknown, depth = 0): boolean {
  charge(budget, 1);
  if (typeof one === 'string' && typeof other === 'string') {
    if (one.length !== other.length) return false;
    chargeText(budget, one.length);
    return one === other;
  }
  if (one === other) return true;
  if (typeof one === 'bigint' || typeof one === 'number') {
    // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number of one value are not identical.
    return (typeof other === 'bigint' || typeof other === 'number') && one == other;
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (one instanceof Date || one instanceof Duration) {
    return one.constructor === other.constructor && one.valueOf() === other.valueOf();
  }
  if (depth === MAX_DEPTH) throw new ExpressionError('is nested too deeply to be compared');
  if (Array.isArray(one)) return Array.isArray(other) && areListsEqual(budget, one, other, depth + 1);
  return !Array.isArray(other) && !(other instanceof Date) && areMembersEqual(budget, one, other, depth + 1);
}

function areListsEqual(budget: Budget, one: readonly unknown[], other: readonly unknown[], depth: number): boolean {
  return one.length === other.length && one.every((element, at) => areEqual(budget, element, other[at], depth));
}

function areMembersEqual(budget: Budget, one: object, other: object, depth: number): boolean {
  const names = elementsOf(budget, one);
  if (names.length !== elementsOf(budget, other).length) return false;
  return names.every((name) => {
    const member = memberOf(other, name);
    return member !== undefined && areEqual(budget, memberOf(one, name), member, depth);
  });
}

/** Negative if the first is less than the second; NaN if they have no order, as for NaN. */
export function compare(budget: Budget, one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string') {
    chargeText(budget, Math.min(one.length, other.length));
    return one < other ? -1 : Number(one > other);
  }
  const isNumber = (value: unknown) => typeof value === 'bigint' || typeof value === 'number';
  const isOrdered =
    (isNumber(one) && isNumber(other)) ||
    (one instanceof Date && other instanceof Date) ||
    (one instanceof Duration && other instanceof Duration) ||
    (typeof one === 'boolean' && typeof other === 'boolean');
  if (!isOrdered) throw new ExpressionError('compares values whose types have no order');
  const [left, right] = [one as number, other as number];
  if (left < right) return -1;
  return left > right ? 1 : left >= right ? 0 : Number.NaN;
}
