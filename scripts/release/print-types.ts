import { type GroupedOperation, operations, paramNames } from '@grove/contract';
import { type JsonSchema, schemaHoister } from '../../packages/contract/src/openapi-schemas.ts';

/**
 * Prints the types of the contract as plain TypeScript. Inside the repository TypeBox derives them from the schemas; the
 * installed SDK has the same types without TypeBox. `sdk-package.test.ts` compares the two.
 */
export function printContractTypes(): string {
  const schemas = schemaHoister();
  const groups = new Map<string, string[]>();
  for (const { group, name, operation } of operations()) {
    if (operation.auth === 'journey' || operation.auth === 'operator' || operation.auth === 'public') continue;
    const rows = groups.get(group) ?? [];
    rows.push(`    ${keyOf(name)}: ${printOperation(operation, (schema) => print(schemas.place(schema), 2))};`);
    groups.set(group, rows);
  }
  const api = [...groups].map(([group, rows]) => `  ${keyOf(group)}: {\n${rows.join('\n')}\n  };`);
  const namedTypes = Object.entries(schemas.components()).map(([name, schema]) => {
    const description = typeof schema.description === 'string' ? `${comment(schema.description, 0)}\n` : '';
    return `${description}export type ${typeName(name)} = ${print(schema, 0)};`;
  });
  return [...namedTypes, `export type Api = {\n${api.join('\n')}\n};`, HELPERS].join('\n\n');
}

const HELPERS = `export type Params<O> = O extends { params: infer P } ? P : never;
export type Query<O> = O extends { query: infer Q } ? Q : Record<never, never>;
export type Body<O> = O extends { body: infer B } ? B : undefined;
export type Ok<O> = O extends { ok: infer S } ? S : undefined;
`;

function printOperation(operation: GroupedOperation, show: (schema: unknown) => string): string {
  const { path, query, body, ok, status, produces, consumes, userBy } = operation;
  const params = paramNames(path).map((name) => `${name}: string`);
  return `{ ${[
    `params: ${params.length > 0 ? `{ ${params.join('; ')} }` : 'Record<never, never>'}`,
    ...(query ? [`query: ${show(query)}`] : []),
    ...(body ? [`body: ${show(body)}`] : []),
    ...(ok ? [`ok: ${show(ok)}`] : []),
    ...(status === undefined ? [] : [`status: ${status}`]),
    ...(produces === undefined ? [] : [`produces: ${JSON.stringify(produces)}`]),
    ...(consumes ? [`consumes: readonly [${consumes.map((type) => JSON.stringify(type)).join(', ')}]`] : []),
    ...(userBy ? [`userBy: readonly (${userBy.map((by) => `'${by}'`).join(' | ')})[]`] : []),
  ].join('; ')} }`;
}

function print(schema: JsonSchema, indent: number): string {
  if (typeof schema.$ref === 'string') return typeName(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1));
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const either = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(either)) return either.map((each: JsonSchema) => inBrackets(print(each, indent))).join(' | ');
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: string) => inBrackets(print({ ...schema, type }, indent))).join(' | ');
  }
  return printType(schema, indent);
}

function printType(schema: JsonSchema, indent: number): string {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return `${inBrackets(print((schema.items ?? {}) as JsonSchema, indent))}[]`;
    case 'object':
      return printObject(schema, indent);
    default:
      return 'unknown';
  }
}

function printObject(schema: JsonSchema, indent: number): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const required = (schema.required ?? []) as readonly string[];
  const patterns = Object.values((schema.patternProperties ?? {}) as Record<string, JsonSchema>);
  const others = patterns[0] ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : null);
  if (properties.length === 0) {
    if (others) return `Record<string, ${print(others as JsonSchema, indent)}>`;
    return schema.additionalProperties === false || 'properties' in schema
      ? 'Record<never, never>'
      : 'Record<string, unknown>';
  }
  const inner = ' '.repeat(indent + 2);
  const lines = properties.map(([name, property]) => {
    const about = typeof property.description === 'string' ? `${comment(property.description, indent + 2)}\n` : '';
    return `${about}${inner}${keyOf(name)}${required.includes(name) ? '' : '?'}: ${print(property, indent + 2)};`;
  });
  return `{\n${lines.join('\n')}\n${' '.repeat(indent)}}`;
}

function comment(text: string, indent: number): string {
  return `${' '.repeat(indent)}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */`;
}

function inBrackets(type: string): string {
  return /[|&]/.test(type) && !/^\{[\s\S]*\}$/.test(type) ? `(${type})` : type;
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** Changes names that TypeScript or the helpers already use. */
function typeName(name: string): string {
  const plain = name.replace(/\W/g, '_');
  return ['Record', 'Params', 'Query', 'Body', 'Ok', 'Api'].includes(plain) ? `${plain}Schema` : plain;
}
