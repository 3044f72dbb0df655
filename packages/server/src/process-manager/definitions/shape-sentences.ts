import type { ErrorObject } from 'ajv';
import { didYouMean } from '../../kernel/closest.ts';
import type { FieldFault } from '../../kernel/errors.ts';
import { pointerTo } from '../../kernel/escape.ts';
import { KEY_PATTERN, NAME_PATTERN, STEP_ID_PATTERN } from './schema.ts';

/** Turns the errors of the validator into sentences for authors of definitions. */

/** The validated object: its name for sentences, and its allowed members. */
export type ObjectShape = { readonly name: string; readonly members: readonly string[] };

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

const PATTERNS: Readonly<Record<string, string>> = {
  [NAME_PATTERN]:
    'must begin with a lower-case letter and hold only lower-case letters, digits and hyphens, at most 50',
  [STEP_ID_PATTERN]: 'must begin with a letter and hold only letters, digits, - and _, at most 50',
  [KEY_PATTERN]: 'must begin with a letter and hold only letters, digits and _, at most 50',
  '^https://': 'must begin with https://',
  '^[A-Z]{3}$': 'must be three capital letters, such as DEU',
};

export function toFault(error: ErrorObject, pointer: string, validated: ObjectShape): FieldFault {
  const at = `${pointer}${error.instancePath}`;
  const { missingProperty, additionalProperty } = error.params as Record<string, string>;
  if (missingProperty !== undefined) return { pointer: pointerTo(at, missingProperty), message: 'is required' };
  if (additionalProperty !== undefined) {
    const members = error.instancePath === '' ? validated.members : Object.keys(error.parentSchema?.properties ?? {});
    return {
      pointer: pointerTo(at, additionalProperty),
      message: `is not part of ${validated.name}${didYouMean(additionalProperty, members)}`,
    };
  }
  return { pointer: at || '/', message: messageOf(error) };
}

function messageOf({ keyword, params, data, message = 'is not valid', parentSchema }: ErrorObject): string {
  const { limit, allowedValues = [], type, pattern = '' } = params as Params;
  switch (keyword) {
    case 'type':
      return `must be ${KINDS[String(type)] ?? type}`;
    case 'enum':
      return `must be one of ${allowedValues.join(', ')}${typeof data === 'string' ? didYouMean(data, allowedValues) : ''}`;
    case 'not':
      return 'must not be end, which means the end of the journey';
    case 'pattern':
      return PATTERNS[pattern] ?? `must match ${pattern}${described(parentSchema)}`;
    case 'format':
      return 'must be an ISO 8601 duration, such as PT24H or P7D';
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit === 1 ? 'one entry' : `${limit} entries`}`;
    case 'maxItems':
      return `must have at most ${limit} entries`;
    case 'maxProperties':
      return `must have at most ${limit} members`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'uniqueItems':
      return 'must not hold the same entry twice';
    default:
      return message;
  }
}

type Params = { limit?: number; allowedValues?: string[]; type?: string; pattern?: string };

function described(schema: Record<string, unknown> | undefined): string {
  return typeof schema?.description === 'string' ? ` (${schema.description})` : '';
}
