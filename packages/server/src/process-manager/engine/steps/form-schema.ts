import { isObject } from '../../../kernel/is-object.ts';
import { sizeFault } from '../../../kernel/size-fault.ts';
import { keysOf } from './form-values.ts';
import { isLocalText } from './local-text.ts';
import { FORMAT_NAMES } from './text-formats.ts';

/** Ensures that a tenant's JSON Schema of a form uses a small part of the language and no regular expressions (ReDoS). */
const MAX_FIELDS = 50;
const MAX_DEPTH = 6;
/** The limits of the schema, at all levels. */
const SIZE_LIMITS = { maxValues: 10_000, maxDepth: 30, maxNameLength: 500 };
const MAX_ENUM = 1000;
const MAX_REQUIRED = 200;
const MAX_WORDS_LENGTH = 2000;
const MAX_FAULTS = 50;
const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

type Fault = { pointer: string; message: string };
type Schema = Readonly<Record<string, unknown>>;

/** Returns a sentence about a wrong value of a keyword. */
type Rule = (value: unknown) => string | undefined;

const must =
  (holds: (value: unknown) => boolean, message: string): Rule =>
  (value) =>
    holds(value) ? undefined : message;

const isTexts = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string');
const count = must((value) => Number.isInteger(value) && (value as number) >= 0, 'must be a whole number from 0 on');
const number = must((value) => typeof value === 'number', 'must be a number');
const words = must(
  (value) => isLocalText(value, MAX_WORDS_LENGTH),
  `must be a text of at most ${MAX_WORDS_LENGTH} characters, or such texts by language`,
);
const labels = must(
  (value) =>
    isObject(value) &&
    Object.keys(value).length <= MAX_ENUM &&
    Object.values(value).every((each) => isLocalText(each, MAX_WORDS_LENGTH)),
  'must name texts for values of enum, each one text or texts by language',
);
const anything: Rule = () => undefined;

/** `properties`, `items` and `additionalProperties` contain schemas, which are checked one by one. */
const KEYWORDS: Readonly<Record<string, Rule>> = {
  type: must(isType, `must be one of ${TYPES.join(', ')}, or a list of these`),
  properties: must(isObject, 'must be an object'),
  required: must(
    (value) => isTexts(value) && (value as string[]).length <= MAX_REQUIRED,
    `must be a list of at most ${MAX_REQUIRED} names`,
  ),
  additionalProperties: anything,
  items: anything,
  minItems: count,
  maxItems: count,
  uniqueItems: must((value) => typeof value === 'boolean', 'must be true or false'),
  minLength: count,
  maxLength: count,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: must((value) => typeof value === 'number' && value > 0, 'must be a number greater than zero'),
  enum: enumFault,
  const: anything,
  format: must((value) => FORMAT_NAMES.includes(String(value)), `must be one of ${FORMAT_NAMES.join(', ')}`),
  title: words,
  labels,
  description: words,
  default: anything,
  examples: must((value) => Array.isArray(value), 'must be a list'),
};

export function formFaults(schema: Schema): Fault[] {
  const tooLarge = sizeFault(schema, SIZE_LIMITS);
  if (tooLarge) return [{ pointer: '/schema', message: tooLarge }];
  const faults: Fault[] = [];
  if (schema.type !== 'object') faults.push({ pointer: '/schema/type', message: 'must be object' });
  const fields = Object.keys((schema.properties ?? {}) as object);
  if (fields.length === 0) faults.push({ pointer: '/schema/properties', message: 'must name at least one field' });
  if (fields.length > MAX_FIELDS) {
    faults.push({ pointer: '/schema/properties', message: `must not have more than ${MAX_FIELDS} fields` });
  }
  visit(schema, '/schema', 0, faults);
  return faults;
}

function visit(schema: unknown, pointer: string, depth: number, faults: Fault[]): void {
  if (typeof schema === 'boolean' || faults.length >= MAX_FAULTS) return;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    faults.push({ pointer, message: 'must be a JSON Schema' });
    return;
  }
  if (depth > MAX_DEPTH) {
    faults.push({ pointer, message: `must not be nested deeper than ${MAX_DEPTH}` });
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const rule = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    const message = rule ? rule(value) : 'is not allowed in a form';
    if (message && faults.length < MAX_FAULTS) faults.push({ pointer: `${pointer}/${keyword}`, message });
  }
  const { properties, items, additionalProperties } = schema as { [keyword: string]: unknown };
  if (typeof properties === 'object' && properties !== null) {
    for (const [name, inner] of Object.entries(properties)) {
      visit(inner, `${pointer}/properties/${name}`, depth + 1, faults);
    }
  }
  if (items !== undefined) visit(items, `${pointer}/items`, depth + 1, faults);
  if (additionalProperties !== undefined) {
    visit(additionalProperties, `${pointer}/additionalProperties`, depth + 1, faults);
  }
}

/** The tenant's texts in a form, as far as the schema can be read. */
export function formTexts(schema: unknown, pointer: string, depth = 0): { pointer: string; text: unknown }[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const { title, description, labels, properties, items } = schema;
  return [
    { pointer: `${pointer}/title`, text: title },
    { pointer: `${pointer}/description`, text: description },
    ...Object.entries(isObject(labels) ? labels : {}).map(([value, text]) => ({
      pointer: `${pointer}/labels/${value}`,
      text,
    })),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, inner]) =>
      formTexts(inner, `${pointer}/properties/${name}`, depth + 1),
    ),
    ...formTexts(items, `${pointer}/items`, depth + 1),
  ];
}

function isType(value: unknown): boolean {
  if (!Array.isArray(value)) return TYPES.includes(value);
  const isShort = value.length > 0 && value.length <= TYPES.length;
  return isShort && value.every((each) => TYPES.includes(each)) && new Set(value).size === value.length;
}

function enumFault(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return 'must be a list of at least one value';
  if (value.length > MAX_ENUM) return `must not have more than ${MAX_ENUM} values`;
  return keysOf(value).size < value.length ? 'must not have one value twice' : undefined;
}
