import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';

/** The JSON Schemas of forms come from tenants: a small part of the language, and no regular expressions. */
const MAX_FIELDS = 50;
const MAX_DEPTH = 6;
const ALLOWED: ReadonlySet<string> = new Set(
  `type properties required additionalProperties items minItems maxItems uniqueItems minLength maxLength minimum maximum
  exclusiveMinimum exclusiveMaximum multipleOf enum const format title description default examples`.split(/\s+/),
);
const FORMATS: ReadonlySet<string> = new Set(['date', 'date-time', 'time', 'email', 'uri', 'uuid', 'ipv4', 'ipv6']);

type Fault = { pointer: string; message: string };
type Schema = Readonly<Record<string, unknown>>;

export function formFaults(schema: Schema): Fault[] {
  const faults: Fault[] = [];
  if (schema.type !== 'object') faults.push({ pointer: '/schema/type', message: 'must be object' });
  const fields = Object.keys((schema.properties ?? {}) as object);
  if (fields.length === 0) faults.push({ pointer: '/schema/properties', message: 'must name at least one field' });
  if (fields.length > MAX_FIELDS) {
    faults.push({ pointer: '/schema/properties', message: `must not have more than ${MAX_FIELDS} fields` });
  }
  visit(schema, '/schema', 0, faults);
  if (faults.length > 0) return faults;
  // Looked at and not compiled: a definition of a hundred forms would hold everybody up.
  kept ??= newAjv();
  if (!kept.validateSchema(schema)) {
    faults.push({ pointer: '/schema', message: `is not a JSON Schema: ${kept.errorsText(kept.errors)}` });
  }
  return faults;
}

function visit(schema: unknown, pointer: string, depth: number, faults: Fault[]): void {
  if (typeof schema === 'boolean') return;
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) {
    faults.push({ pointer, message: 'must be a JSON Schema' });
    return;
  }
  if (depth > MAX_DEPTH) {
    faults.push({ pointer, message: `must not be nested deeper than ${MAX_DEPTH}` });
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (!ALLOWED.has(keyword)) faults.push({ pointer: `${pointer}/${keyword}`, message: 'is not allowed in a form' });
    if (keyword === 'format' && !FORMATS.has(String(value))) {
      faults.push({ pointer: `${pointer}/format`, message: `must be one of ${[...FORMATS].join(', ')}` });
    }
  }
  const { properties, items, additionalProperties } = schema as { [keyword: string]: unknown };
  for (const [name, inner] of Object.entries((properties ?? {}) as object)) {
    visit(inner, `${pointer}/properties/${name}`, depth + 1, faults);
  }
  if (items !== undefined) visit(items, `${pointer}/items`, depth + 1, faults);
  if (typeof additionalProperties === 'object') {
    visit(additionalProperties, `${pointer}/additionalProperties`, depth + 1, faults);
  }
}

function newAjv(): Ajv {
  const ajv = new Ajv({ strict: true, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  return ajv;
}

/** Made at the first form. */
let kept: Ajv | undefined;

const MAX_TOLD = 50;
const validators = new WeakMap<object, (value: unknown) => Fault[]>();

/** What is wrong with what the end user sent; nothing if it fits. Schemas are read once each. */
export function resultFaults(schema: object, value: unknown): Fault[] {
  let validate = validators.get(schema);
  if (!validate) {
    const compiled = newAjv().compile(schema);
    validate = (given) => (compiled(given) ? [] : (compiled.errors ?? []).slice(0, MAX_TOLD).map(toFault));
    validators.set(schema, validate);
  }
  return validate(value);
}

function toFault(error: { instancePath: string; keyword: string; params: unknown; message?: string }): Fault {
  const { missingProperty } = error.params as { missingProperty?: string };
  if (error.keyword === 'required')
    return { pointer: `${error.instancePath}/${missingProperty}`, message: 'is required' };
  return { pointer: error.instancePath, message: error.message ?? 'is wrong' };
}
