import type { TSchema, Type as TypeBox } from 'typebox';

/**
 * The builders of TypeBox with which the API is written, typed by TypeBox itself. TypeBox has some 370 modules, and these
 * builders need almost none of them. To load them all took a fifth of the start time of a server and a tenth of its memory.
 * `type.test.ts` checks that these builders and those of TypeBox build the same.
 */
type SchemaObject = Record<string, unknown>;
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

/** Tells `object` that a member is optional. It is not enumerable, so the written schema does not contain it. */
const OPTIONAL = '~optional';
const ANY_NAME = '^.*$';

const plain =
  (type: string) =>
  (options: SchemaObject = {}): SchemaObject => ({ type, ...options });

function object(properties: Record<string, SchemaObject>, options: SchemaObject = {}): SchemaObject {
  const required = Object.keys(properties).filter((name) => properties[name]?.[OPTIONAL] !== true);
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function optional(schema: SchemaObject): SchemaObject {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true });
}

function partial(
  { properties }: { properties: Record<string, SchemaObject> },
  options: SchemaObject = {},
): SchemaObject {
  const some = Object.entries(properties).map(([name, schema]) => [name, optional(schema)] as const);
  return object(Object.fromEntries(some), options);
}

const BUILDERS: Record<keyof Builders, (...args: never[]) => unknown> = {
  Array: (items: TSchema, options: SchemaObject = {}) => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Integer: plain('integer'),
  Number: plain('number'),
  Object: object,
  Optional: optional,
  Partial: partial,
  Record: (name: { pattern?: string }, value: TSchema, options: SchemaObject = {}) => ({
    type: 'object',
    patternProperties: { [name.pattern ?? ANY_NAME]: value },
    ...options,
  }),
  String: plain('string'),
  Union: (anyOf: readonly TSchema[], options: SchemaObject = {}) => ({ anyOf, ...options }),
  Unsafe: (schema: SchemaObject) => ({ ...schema }),
};

export const Type = BUILDERS as unknown as Builders;
