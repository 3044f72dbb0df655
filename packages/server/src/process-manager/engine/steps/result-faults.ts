import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { sizeFault } from '../../../kernel/size-fault.ts';
import { MAX_FAULTS, VALUE_LIMITS } from './form-values.ts';

type Fault = { pointer: string; message: string };

const validators = new WeakMap<object, (value: unknown) => Fault[]>();

/** The faults of a submitted result, by our own schema. Each schema is compiled once. */
export function resultFaults(schema: object, value: unknown): Fault[] {
  const tooLarge = sizeFault(value, VALUE_LIMITS);
  if (tooLarge) return [{ pointer: '', message: tooLarge }];
  let validate = validators.get(schema);
  if (!validate) {
    // Ajv's strict mode checks the keywords; validating the schema itself would take longer than everything else.
    const ajv = new Ajv({ strict: true, allErrors: true, validateFormats: true, validateSchema: false });
    addFormats.default(ajv);
    const compiled = ajv.compile(schema);
    validate = (input) => (compiled(input) ? [] : (compiled.errors ?? []).slice(0, MAX_FAULTS).map(toFault));
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
