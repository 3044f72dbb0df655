import { ANY, listOf, NUMBER, objectOf, type Shape, TEXT, TRUTH } from '../expressions/shapes.ts';

const KINDS: Readonly<Record<string, Shape>> = { string: TEXT, number: NUMBER, integer: NUMBER, boolean: TRUTH };

/**
 * What conditions find of a form, by its JSON Schema. Members beside the properties are known only where the schema asks
 * for them with `additionalProperties`.
 */
export function formShape(schema: unknown): Shape {
  if (typeof schema !== 'object' || schema === null) return ANY;
  const { type, properties = {}, items, additionalProperties = false } = schema as Readonly<Record<string, unknown>>;
  if (type === 'array') return listOf(formShape(items));
  if (type !== 'object') return (typeof type === 'string' && KINDS[type]) || ANY;
  const members = Object.entries(properties as object).map(([name, property]) => [name, formShape(property)] as const);
  return objectOf(Object.fromEntries(members), { open: additionalProperties !== false });
}
