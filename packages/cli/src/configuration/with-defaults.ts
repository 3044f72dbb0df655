/** The part of JSON Schema in which defaults are written. */
export type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly default?: unknown;
  readonly $defs?: Readonly<Record<string, Schema>>;
};

type Values = Readonly<Record<string, unknown>>;

/**
 * A definition as the server would store it: with all defaults of the schema that it publishes, in the order of that
 * schema. So the defaults are those of the server's release, not of this command's.
 */
export function withDefaults(document: Values, schema: Schema): Values {
  const { steps, ...rest } = document;
  const filled = fill(rest, schema) as Record<string, unknown>;
  if (!Array.isArray(steps)) return document;
  return { ...filled, steps: steps.map((step) => fill(step, schemaOf(step, schema))) };
}

function schemaOf(step: unknown, { $defs = {} }: Schema): Schema {
  const type = isValues(step) ? String(step.type) : '';
  return Object.hasOwn($defs, type) ? ($defs[type] as Schema) : {};
}

function fill(value: unknown, { properties, items }: Schema): unknown {
  if (Array.isArray(value)) return items ? value.map((each) => fill(each, items)) : value;
  if (!properties || !isValues(value)) return value;
  const knownMembers = Object.entries(properties).flatMap(([name, schema]) => {
    const memberValue = Object.hasOwn(value, name) ? value[name] : schema.default;
    return memberValue === undefined ? [] : [[name, fill(memberValue, schema)] as const];
  });
  const others = Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name));
  return Object.fromEntries([...knownMembers, ...others]);
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
