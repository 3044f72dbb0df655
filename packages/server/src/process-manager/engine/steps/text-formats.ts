import { fullFormats } from 'ajv-formats/dist/formats.js';

/** The formats of texts in forms. Each has a longest text, and its time is proportional to the length (ReDoS). */
type Format = { readonly maxLength: number; test(text: string): boolean };

const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['date', library('date', 10)],
  ['date-time', library('date-time', 60)],
  ['time', library('time', 60)],
  ['email', { maxLength: 320, test: isEmail }],
  ['uri', library('uri', 2000)],
  ['uuid', library('uuid', 45)],
  ['ipv4', library('ipv4', 15)],
  ['ipv6', library('ipv6', 45)],
]);

export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];

export function hasFormat(text: string, name: string): boolean {
  const format = FORMATS.get(name);
  return !format || (text.length <= format.maxLength && format.test(text));
}

function library(name: keyof typeof fullFormats, maxLength: number): Format {
  const definition = fullFormats[name];
  const validate = typeof definition === 'object' && 'validate' in definition ? definition.validate : definition;
  if (validate instanceof RegExp) return { maxLength, test: (text) => validate.test(text) };
  return { maxLength, test: validate as (text: string) => boolean };
}

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const LABEL = /^[a-z0-9-]+$/i;

/** Replaces the library's pattern, whose time grows with the square of the length. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const labels = text.slice(at + 1).split('.');
  return (
    LOCAL_PART.test(text.slice(0, Math.max(at, 0))) &&
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label) && !label.startsWith('-') && !label.endsWith('-'))
  );
}
