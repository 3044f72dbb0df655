import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';

// The package is CommonJS; its function is the module itself.
const addFormats = addFormatsModule as unknown as (ajv: Ajv, formats: string[]) => Ajv;

/**
 * Bodies are never coerced: a number for a string is a fault, null stays null. Queries are text, so they have to be.
 * Validation stops at the first fault: a hostile body must not make us gather a million of them.
 */
function compiler(coerceTypes: false | 'array'): Ajv {
  const ajv = new Ajv({ coerceTypes, useDefaults: false, removeAdditional: false, allErrors: false, strict: false });
  addFormats(ajv, ['date-time', 'date', 'uri', 'email', 'duration']);
  return ajv;
}

/** A schema is compiled when something is first held against it: most servers serve a part of what there is. */
export function validatorCompiler(): FastifySchemaCompiler<object> {
  const exact = compiler(false);
  const lenient = compiler('array');
  return ({ schema, httpPart }) => {
    let compiled: ValidateFunction | undefined;
    const validate: { (data: unknown): boolean; errors?: ValidateFunction['errors'] } = (data) => {
      compiled ??= (httpPart === 'body' ? exact : lenient).compile(schema);
      const valid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return valid;
    };
    return validate as ReturnType<FastifySchemaCompiler<object>>;
  };
}
