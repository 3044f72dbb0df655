import buildStripper from 'fast-json-stringify';
import { isObject } from '../../kernel/is-object.ts';
import { splitWords } from '../../kernel/split-words.ts';

/**
 * Ensures that no answer contains a member that the contract does not declare.
 *
 * Fast lane: V8 writes JSON faster than any code made from a schema, so an answer is checked first, and the stripper, which
 * writes only declared members, writes only answers with undeclared ones. `GROVE_FAST_LANE=off` switches it off: then the
 * stripper writes every answer.
 */
type Schema = {
  type?: string | readonly string[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
};

type Check = (value: unknown) => boolean;

export type SerializerOptions = {
  isFast?: boolean;
  /** Called for an answer with an undeclared member or without a required one, which is a fault of its handler. */
  onStripped?(): void;
};

export function serializerOf(schema: unknown, { isFast = true, onStripped }: SerializerOptions = {}) {
  const isExact = exactness(schema as Schema);
  let strip: ((value: unknown) => string) | undefined;
  return (value: unknown): string => {
    if (isFast && isExact(value)) return JSON.stringify(value);
    if (isFast) onStripped?.();
    strip ??= buildStripper(JSON.parse(JSON.stringify(schema)));
    return strip(value);
  };
}

/** Checks that a value has only declared members and all required ones. The compiler checks the types of handlers. */
function exactness(schema: Schema): Check {
  ensureKnownKeywords(schema);
  if (schema.properties) return objectExactness(schema, schema.properties);
  if (schema.items) {
    const item = exactness(schema.items);
    return item === always ? Array.isArray : (value) => Array.isArray(value) && value.every(item);
  }
  if (typeof schema.additionalProperties === 'object') {
    const member = exactness(schema.additionalProperties);
    return (value) => isObject(value) && (member === always || Object.values(value).every(member));
  }
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const scalar = types.length > 0 && !types.includes('object') && !types.includes('array');
  // A member that is declared as a scalar must not be an object, whose members nobody would check.
  return scalar ? isScalar : always;
}

function objectExactness({ required = [], additionalProperties }: Schema, properties: Record<string, Schema>): Check {
  if (additionalProperties === true) return always;
  const names = Object.keys(properties);
  const checks = names.map((name) => exactness(properties[name] as Schema));
  const places = new Map(names.map((name, at) => [name, at]));
  return (value) => {
    if (!isObject(value)) return false;
    let next = 0;
    for (const name in value) {
      // Most views have the order of the contract, and then no name must be looked up.
      const at = names[next] === name ? next : places.get(name);
      const member = value[name];
      if (at === undefined) {
        if (member !== undefined) return false;
        continue;
      }
      next = at + 1;
      if (member !== undefined && !(checks[at] as Check)(member)) return false;
    }
    for (const name of required) if (value[name] === undefined) return false;
    return true;
  };
}

/** Keywords that this file handles, and keywords that do not concern members. */
const KNOWN_KEYWORDS: ReadonlySet<string> = new Set(
  splitWords(`
  type properties required additionalProperties items title description default examples deprecated format
  pattern enum const $id minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
  minItems maxItems uniqueItems minProperties maxProperties propertyNames contentEncoding
`),
);

/** Ensures at start that no schema has a keyword that would let undeclared members pass, such as `patternProperties`. */
function ensureKnownKeywords(schema: Schema): void {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN_KEYWORDS.has(keyword) && !keyword.startsWith('x-'));
  if (unknown.length > 0) throw new Error(`the serializer does not know ${unknown.join(', ')} of a schema`);
}

const always: Check = () => true;

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
