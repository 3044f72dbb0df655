import { Ajv, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';

// The package is CommonJS; its function is the module itself.
const addFormats = addFormatsModule as unknown as (ajv: Ajv, formats: string[]) => Ajv;

/**
 * Bodies are never coerced: a number for a string is a fault, null stays null. Queries are text, so they have to be.
 * Validation stops at the first fault: a hostile body must not make us gather a million of them.
 */
function compiler(coerceTypes: false | 'array'): () => Ajv {
  let made: Ajv | undefined;
  return () => {
    made ??= newCompiler(coerceTypes);
    return made;
  };
}

/** That our schemas are schemas is tested; to look at each of them here takes longer than all else about them. */
function newCompiler(coerceTypes: false | 'array'): Ajv {
  const unchanged = { useDefaults: false, removeAdditional: false } as const;
  const ajv = new Ajv({ coerceTypes, ...unchanged, allErrors: false, strict: false, validateSchema: false });
  addFormats(ajv, ['date-time', 'date', 'uri', 'email', 'duration']);
  return ajv;
}

/** One for all applications of a process: what is compiled depends on nothing but its schema. */
const exact = compiler(false);
const lenient = compiler('array');

/** A schema is compiled when something is first held against it: most servers serve a part of what there is. */
export function validatorCompiler(): FastifySchemaCompiler<object> {
  return ({ schema, httpPart }) => {
    let compiled: ValidateFunction | undefined;
    const validate: { (data: unknown): boolean; errors?: ValidateFunction['errors'] } = (data) => {
      compiled ??= (httpPart === 'body' ? exact() : lenient()).compile(schema);
      const valid = compiled(data);
      validate.errors = compiled.errors ?? null;
      return valid;
    };
    return validate as ReturnType<FastifySchemaCompiler<object>>;
  };
}
