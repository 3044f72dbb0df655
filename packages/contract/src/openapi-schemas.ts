export type JsonSchema = { readonly [keyword: string]: unknown };

const LIKE = 'x-like';

/** The integers whose size the specification names, by the name of the member. Generated clients choose their types by it. */
const INTEGER_FORMATS: Readonly<Record<string, 'int32' | 'int64'>> = {
  ttl: 'int32',
  totalPages: 'int32',
  number: 'int32',
  size: 'int32',
  numberOfElements: 'int32',
  pageSize: 'int32',
  pageNumber: 'int32',
  processDefnVersion: 'int32',
  maxCount: 'int32',
  processTokenCounter: 'int32',
  page: 'int32',
  totalElements: 'int64',
  offset: 'int64',
  elapsedMilliseconds: 'int64',
};

function withFormat(name: string, schema: unknown): unknown {
  const format = Object.hasOwn(INTEGER_FORMATS, name) ? INTEGER_FORMATS[name] : undefined;
  const isInteger = typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'integer';
  return format && isInteger ? { ...schema, format } : schema;
}

export type SchemaHoister = {
  /**
   * Converts a schema to that of OpenAPI. `name` is the name of the parameter, if it is one. A schema with a title becomes
   * a reference to a component, at any depth.
   */
  readonly place: (schema: unknown, name?: string) => JsonSchema;
  /** The components collected so far, by title, in alphabetical order. */
  readonly components: () => Record<string, JsonSchema>;
};

/**
 * Turns the schemas of the contract into those of an OpenAPI document. Two schemas of one title must be equal, for a
 * component can have only one meaning.
 */
export function schemaHoister(): SchemaHoister {
  const components = new Map<string, JsonSchema>();

  function convert(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(convert);
    if (typeof value !== 'object' || value === null) return value;
    const converted = Object.fromEntries(
      Object.entries(value)
        .filter(([keyword]) => !keyword.startsWith('~') && keyword !== LIKE)
        .map(([keyword, inner]) => [keyword, withFormat(keyword, convert(inner))]),
    );
    // An absent filter has the same result as `%`, and the server need not match anything.
    if (LIKE in value) converted.default = '%';
    // Among `properties` a member called title is a schema, not a name.
    if (typeof converted.title !== 'string') return converted;
    const { title, ...plain } = converted as { title: string };
    const existing = components.get(title);
    if (existing && JSON.stringify(existing) !== JSON.stringify(plain))
      throw new Error(`Two schemas have the title ${title}`);
    components.set(title, plain);
    return { $ref: `#/components/schemas/${title}` };
  }

  return {
    place: (schema, name = '') => withFormat(name, convert(schema)) as JsonSchema,
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
