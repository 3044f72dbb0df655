import type { TSchema, Type as TypeBox } from 'typebox';

/**
 * The builders of TypeBox that the API is written with, typed by TypeBox itself. TypeBox is made of some 370 modules of which
 * these need next to nothing, and to load them took a fifth of the time a server needs to start and a tenth of its memory.
 * `type.test.ts` keeps what is built here and there the same.
 */
type Built = Record<string, unknown>;
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unsafe'
>;

/** Seen by whoever builds an object of it, and by nobody who reads the schema. */
const OPTIONAL = '~optional';
const ANY_NAME = '^.*$';

const plain =
  (type: string) =>
  (options: Built = {}): Built => ({ type, ...options });

function object(properties: Record<string, Built>, options: Built = {}): Built {
  const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true);
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function optional(schema: Built): Built {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true });
}

function partial({ properties }: { properties: Record<string, Built> }, options: Built = {}): Built {
  const some = Object.entries(properties).map(([name, schema]) => [name, optional(schema)] as const);
  return object(Object.fromEntries(some), options);
}

const BUILDERS: Record<keyof Builders, (...args: never[]) => unknown> = {
  Array: (items: TSchema, options: Built = {}) => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Integer: plain('integer'),
  Number: plain('number'),
  Object: object,
  Optional: optional,
  Partial: partial,
  Record: (name: { pattern?: string }, value: TSchema, options: Built = {}) => ({
    type: 'object',
    patternProperties: { [name.pattern ?? ANY_NAME]: value },
    ...options,
  }),
  String: plain('string'),
  Union: (anyOf: readonly TSchema[], options: Built = {}) => ({ anyOf, ...options }),
  Unsafe: (schema: Built) => ({ ...schema }),
};

export const Type = BUILDERS as unknown as Builders;
