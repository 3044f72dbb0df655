import { pointerTo } from '../../../kernel/escape.ts';
import { isObject } from '../../../kernel/is-object.ts';
import { sizeFault } from '../../../kernel/size-fault.ts';
import { hasFormat } from './text-formats.ts';

/**
 * Validates an applicant's values by the JSON Schema of a form. The schema comes from a tenant and the values from anybody,
 * so the time must grow no faster than the size of both: values are compared by hashes, and the validation stops after a
 * number of faults.
 */
type Fault = { pointer: string; message: string };
type Schema = Readonly<Record<string, unknown>>;

export const MAX_FAULTS = 50;
/** A form of 50 fields with long lists has a few hundred. */
export const VALUE_LIMITS = { maxValues: 5000, maxDepth: 20, maxNameLength: 255 };

export function formValueFaults(schema: Schema, value: unknown): Fault[] {
  const tooLarge = sizeFault(value, VALUE_LIMITS);
  if (tooLarge) return [{ pointer: '', message: tooLarge }];
  const faults: Fault[] = [];
  visit(schema, value, '', (pointer, message) => {
    if (faults.length < MAX_FAULTS) faults.push({ pointer, message });
    return faults.length === MAX_FAULTS;
  });
  return faults;
}

/** Records a fault. Returns true if there are enough. */
type Note = (pointer: string, message: string) => boolean;

/** Returns true if there are enough faults. */
function visit(schema: unknown, value: unknown, pointer: string, note: Note): boolean {
  if (schema === false) return note(pointer, 'must not be there');
  if (typeof schema !== 'object' || schema === null) return false;
  const rules = schema as Schema;
  const types = typesOf(rules.type);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) {
    return note(pointer, `must be ${types.join(' or ')}`);
  }
  for (const message of ownFaults(rules, value)) {
    if (note(pointer, message)) return true;
  }
  if (Array.isArray(value)) return value.some((element, at) => visit(rules.items, element, `${pointer}/${at}`, note));
  return isObject(value) && visitMembers(rules, value, pointer, note);
}

function visitMembers(rules: Schema, value: Readonly<Record<string, unknown>>, pointer: string, note: Note): boolean {
  const { required = [], additionalProperties } = rules;
  const properties = (rules.properties ?? {}) as Schema;
  for (const name of required as readonly string[]) {
    if (!Object.hasOwn(value, name) && note(pointerTo(pointer, name), 'is required')) return true;
  }
  for (const [name, member] of Object.entries(value)) {
    const isOwn = Object.hasOwn(properties, name);
    if (!isOwn && additionalProperties === false) {
      if (note(pointer, 'must NOT have additional properties')) return true;
    } else if (visit(isOwn ? properties[name] : additionalProperties, member, pointerTo(pointer, name), note)) {
      return true;
    }
  }
  return false;
}

/** The faults of a value without its members. */
function ownFaults(rules: Schema, value: unknown): string[] {
  const faults: string[] = [];
  if (Object.hasOwn(rules, 'const') && !isConstant(value, rules.const)) faults.push('must be equal to constant');
  if (Array.isArray(rules.enum) && !allowedKeys(rules.enum).has(keyOf(value))) {
    faults.push('must be equal to one of the allowed values');
  }
  if (typeof value === 'string') faults.push(...textFaults(rules, value));
  else if (typeof value === 'number') faults.push(...numberFaults(rules, value));
  else if (Array.isArray(value)) faults.push(...listFaults(rules, value));
  return faults;
}

function textFaults({ minLength, maxLength, format }: Schema, text: string): string[] {
  const isShort = typeof minLength === 'number' && lengthOf(text) < minLength;
  const isLong = typeof maxLength === 'number' && lengthOf(text) > maxLength;
  const isOther = typeof format === 'string' && !hasFormat(text, format);
  return [
    ...(isShort ? [`must NOT have fewer than ${minLength} characters`] : []),
    ...(isLong ? [`must NOT have more than ${maxLength} characters`] : []),
    ...(isOther ? [`must match format "${format}"`] : []),
  ];
}

/** The length in characters of Unicode, as in JSON Schema. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

function numberFaults(rules: Schema, value: number): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = rules as Record<
    string,
    number | undefined
  >;
  return [
    ...(minimum !== undefined && value < minimum ? [`must be >= ${minimum}`] : []),
    ...(maximum !== undefined && value > maximum ? [`must be <= ${maximum}`] : []),
    ...(exclusiveMinimum !== undefined && value <= exclusiveMinimum ? [`must be > ${exclusiveMinimum}`] : []),
    ...(exclusiveMaximum !== undefined && value >= exclusiveMaximum ? [`must be < ${exclusiveMaximum}`] : []),
    ...(multipleOf !== undefined && !Number.isInteger(value / multipleOf) ? [`must be multiple of ${multipleOf}`] : []),
  ];
}

function listFaults({ minItems, maxItems, uniqueItems }: Schema, list: readonly unknown[]): string[] {
  return [
    ...(typeof minItems === 'number' && list.length < minItems ? [`must NOT have fewer than ${minItems} items`] : []),
    ...(typeof maxItems === 'number' && list.length > maxItems ? [`must NOT have more than ${maxItems} items`] : []),
    ...(uniqueItems === true && keysOf(list).size < list.length ? ['must NOT have duplicate items'] : []),
  ];
}

function typesOf(type: unknown): readonly string[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [String(type)];
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

/** A text that is the same for equal values. */
export function keyOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(keyOf).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${keyOf(value[name])}`).join(',')}}`;
}

export function keysOf(values: readonly unknown[]): ReadonlySet<string> {
  return new Set(values.map(keyOf));
}

/** The keys of each `enum`, which are made once for thousands of elements. */
const keysOfEnums = new WeakMap<readonly unknown[], ReadonlySet<string>>();
const keysOfConstants = new WeakMap<object, string>();

function allowedKeys(values: readonly unknown[]): ReadonlySet<string> {
  const cached = keysOfEnums.get(values);
  if (cached) return cached;
  const keys = keysOf(values);
  keysOfEnums.set(values, keys);
  return keys;
}

function isConstant(value: unknown, constant: unknown): boolean {
  if (typeof constant !== 'object' || constant === null) return value === constant;
  if (typeof value !== 'object' || value === null) return false;
  const key = keysOfConstants.get(constant) ?? keyOf(constant);
  keysOfConstants.set(constant, key);
  return keyOf(value) === key;
}
