import type { FastifyRequest } from 'fastify';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { isBadText } from '../../kernel/json-fault.ts';

const MAX_PARAMETER_LENGTH = 255;
/** A key id of UAF has at most 2,048 bytes, which are base64url in an address. */
const LONGER: Readonly<Record<string, number>> = { keyId: 2731 };

/** The fault of a parameter in the path or the query, which the schemas do not see. */
export function parameterFault({ params, query }: FastifyRequest): ApiError | undefined {
  return faultOf(params, '/params') ?? faultOf(query, '/query');
}

function faultOf(values: unknown, prefix: string): ApiError | undefined {
  const parameters = values as Record<string, unknown>;
  for (const name in parameters) {
    const value = parameters[name];
    const most = LONGER[name] ?? MAX_PARAMETER_LENGTH;
    const faultIn = (text: unknown) => textFault(text, most);
    const fault = Array.isArray(value) ? value.map(faultIn).find(Boolean) : faultIn(value);
    if (fault === NO_TEXT) return new ApiError(100003);
    if (fault) return invalidInput({ pointer: `${prefix}/${name}`, message: fault });
  }
  return undefined;
}

const NO_TEXT = 'must not be empty';

function textFault(text: unknown, most: number): string | undefined {
  if (typeof text !== 'string') return undefined;
  // `/apiKeys/` is not the address of a key without a name.
  if (text === '') return NO_TEXT;
  if (text.length > most) return `must have at most ${most} characters`;
  return isBadText(text) ? 'must not hold NUL or half of a surrogate pair' : undefined;
}
