export type JsonSchema = { readonly [keyword: string]: unknown };

export type SchemaHoister = {
  /** The schema as OpenAPI shows it; a titled one becomes a reference to a component, at any depth. */
  readonly place: (schema: unknown) => JsonSchema;
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
        .filter(([keyword]) => !keyword.startsWith('~'))
        .map(([keyword, inner]) => [keyword, convert(inner)]),
    );
    // Among `properties` a member called title is a schema, not a name.
    if (typeof converted.title !== 'string') return converted;
    const { title, ...plain } = converted as { title: string };
    const known = components.get(title);
    if (known && JSON.stringify(known) !== JSON.stringify(plain))
      throw new Error(`Two schemas bear the title ${title}`);
    components.set(title, plain);
    return { $ref: `#/components/schemas/${title}` };
  }

  return {
    place: (schema) => convert(schema) as JsonSchema,
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
