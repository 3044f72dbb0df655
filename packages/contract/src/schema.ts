import type { Static, TSchema } from 'typebox';
import { Type } from './type.ts';

/** The small parts from which the schemas of all components are built. */

export const MAX_LIST_SIZE = 1000;
export const MAX_ID_LENGTH = 255;
/** The largest body of an operation that does not say otherwise. */
export const MAX_BODY_BYTES = 2 ** 20;
/** The largest image, as bytes. */
export const MAX_IMAGE_BYTES = 12 * 2 ** 20;
/** The largest image inside JSON, which is parsed in one go while all other requests wait. */
export const MAX_FACE_BYTES = 5 * 2 ** 20;
/** Base64 writes three bytes as four characters. */
const MAX_FACE_CHARACTERS = Math.ceil(MAX_FACE_BYTES / 3) * 4;
/** The largest body with such an image: the other fields need room. */
export const MAX_IMAGE_BODY_BYTES = MAX_FACE_CHARACTERS + 64 * 2 ** 10;

/** Gives a schema the name under which the OpenAPI document and the generated types show it. */
export function withTitle<S extends TSchema>(title: string, schema: S): S {
  return { ...schema, title } as S;
}

export function oneOf<const V extends string>(...values: V[]) {
  return Type.Unsafe<V>({ type: 'string', enum: values });
}

/** A string whose length counts characters, as JSON Schema does. */
export function text(minLength: number, maxLength: number, description?: string) {
  return Type.String({ minLength, maxLength, ...(description && { description }) });
}

/** A format of ours, which the server checks (`kernel/visible-name.ts`). */
export const VISIBLE_NAME = 'visible-name';

/** A name by which operators, reviewers and end users tell things apart: every character of it is visible. */
export function nameText(minLength: number, maxLength: number, description?: string) {
  return Type.String({ minLength, maxLength, format: VISIBLE_NAME, ...(description && { description }) });
}

export function nullable(maxLength: number) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength });
}

/** A map of strings with any keys. The number of keys, their length and the length of values are limited. */
export function stringMap(maxProperties: number, maxLength: number) {
  return Type.Unsafe<Record<string, string>>({
    type: 'object',
    maxProperties,
    propertyNames: { minLength: 1, maxLength: 100 },
    additionalProperties: { type: 'string', maxLength },
  });
}

/** A map whose keys are the caller's and whose values share a shape. */
export function mapOf<S extends TSchema>(value: S, maxProperties: number, description?: string) {
  return Type.Unsafe<Record<string, Static<S>>>({
    type: 'object',
    maxProperties,
    additionalProperties: value,
    ...(description && { description }),
  });
}

/** The keyword of members that hold personal data. Operators with a masked role see them masked. */
export const PERSONAL = 'x-personal';

/** Marks what identifies or describes a person: a text, or an object of which every text and number is masked. */
export function personal<S extends TSchema>(schema: S): S {
  return { ...schema, [PERSONAL]: true } as S;
}

/** Whether anything of a schema is marked as personal. */
export function marksPersonal(schema: object | undefined): boolean {
  return JSON.stringify(schema ?? {}).includes(`"${PERSONAL}"`);
}

/** A list that is a field of an object. It has a limit, like everything that a caller can make grow. */
export function listOf<S extends TSchema>(item: S, maxItems: number, description?: string) {
  return Type.Array(item, { maxItems, ...(description && { description }) });
}

/** An object whose members the specification does not name. */
export function anyObject(description: string) {
  return Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });
}

/** A whole number that real clients also send as a numeric string. */
export function lenientInteger(minimum: number, maximum: number) {
  return Type.Unsafe<number | string>({
    type: ['integer', 'string'],
    minimum,
    maximum,
    pattern: '^[0-9]{1,10}$',
    description: 'A whole number; a numeric string is accepted too.',
  });
}

/** ISO 8601, UTC, milliseconds, `Z` on the way out; any RFC 3339 offset on the way in. */
export const DateTime = Type.String({ format: 'date-time', maxLength: 40 });

/** RFC 3339 date without a time. */
export const CalendarDate = Type.String({ format: 'date', maxLength: 10 });

/** ISO 8601, such as `PT5M`. */
export const Duration = Type.String({ format: 'duration', maxLength: 40, description: 'An ISO 8601 duration' });

/** An image in base64. The handler checks that it is present, because an absent image has a code of its own. */
export const ImageData = Type.String({
  maxLength: MAX_FACE_CHARACTERS,
  contentEncoding: 'base64',
  description: 'The image, base64; at most 5 MiB before that',
});

/** 26 characters, ULID: time-ordered, never a secret. */
export const Id = Type.String({ minLength: 26, maxLength: 26, description: 'A ULID of 26 characters' });

/** The empty JSON object that some operations take; a missing or empty body is accepted too. */
export const Empty = withTitle('Empty', Type.Object({}));
