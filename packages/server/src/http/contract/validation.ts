import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { isVisibleName } from '../../kernel/visible-name.ts';

// The package is CommonJS; its function is the module itself.
const addFormats = addFormatsModule as unknown as (ajv: Ajv, formats: string[]) => Ajv;

/**
 * Bodies are never coerced: a number for a string is a fault, and null stays null. Queries are text, so they are coerced.
 * Validation stops at the first fault, so that a hostile body cannot cause a million of them.
 */
function compiler(coerceTypes: false | 'array'): () => Ajv {
  let instance: Ajv | undefined;
  return () => {
    instance ??= newCompiler(coerceTypes);
    return instance;
  };
}

/** A test checks that our schemas are valid; to check them here would take longer than to compile them. */
function newCompiler(coerceTypes: false | 'array'): Ajv {
  const unchanged = { useDefaults: false, removeAdditional: false } as const;
  const ajv = new Ajv({ coerceTypes, ...unchanged, allErrors: false, strict: false, validateSchema: false });
  addFormats(ajv, ['date-time', 'date', 'uri', 'email', 'duration']);
  ajv.addFormat('visible-name', isVisibleName);
  return ajv;
}

/** One compiler for all applications of a process: the result depends on the schema alone. */
const exact = compiler(false);
const lenient = compiler('array');

/** Compiles a schema at its first use: most servers use only some of the operations. */
export function validatorCompiler(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    let compiled: ValidateFunction | undefined;
    const findNumberFault = httpPart === 'body' ? undefined : numberCheck(schema);
    const validate: { (data: unknown): boolean; errors?: ValidateFunction['errors'] } = (data) => {
      compiled ??= (httpPart === 'body' ? exact() : lenient()).compile(schema);
      const fault = findNumberFault?.(data);
      const valid = fault === undefined && compiled(data);
      validate.errors = fault ? [fault] : (compiled.errors ?? null);
      return valid;
    };
    return validate as ReturnType<FastifySchemaCompiler<object>>;
  };
}

const DECIMAL = { integer: /^-?\d+$/, number: /^-?\d+(\.\d+)?$/ } as const;

/**
 * Ensures that numbers in a query have decimal digits only. The compiler accepts every number of JavaScript, such as `0x10`,
 * `1e1`, ` 5` and `+5`, which a proxy or a log may read differently.
 */
function numberCheck(schema: object): ((data: unknown) => ErrorObject | undefined) | undefined {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  const numbers = Object.entries(properties).flatMap(([name, { type }]) =>
    type === 'integer' || type === 'number' ? [{ name, type: type as 'integer' | 'number' }] : [],
  );
  if (numbers.length === 0) return undefined;
  return (data) => {
    const query = data as Record<string, unknown>;
    const wrong = numbers.find(({ name, type }) => {
      const value = query[name];
      return typeof value === 'string' && !DECIMAL[type].test(value);
    });
    if (!wrong) return undefined;
    const message = `must be ${wrong.type === 'integer' ? 'a whole number' : 'a number'} in decimal digits`;
    return { instancePath: `/${wrong.name}`, schemaPath: '', keyword: 'type', params: {}, message };
  };
}
