import { isUtf8 } from 'node:buffer';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { jsonFault } from '../../kernel/json-fault.ts';

/**
 * Reads a JSON body so that every reader of it would see the same thing: UTF-8 only, no member twice, no prototype
 * members, no NUL and no half of a surrogate pair. JSON.parse reads; one scan over the text, which is known to be valid
 * by then, sees what JSON.parse hides.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (hasManyCommas(bytes)) {
    throw invalidInput({ pointer: '', message: `must not hold more than ${MAX_VALUES} values` });
  }
  if (!isUtf8(bytes)) throw new ApiError(100002, { detail: 'it is not UTF-8' });
  const text = bytes.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ApiError(100002, { detail: reasonOf(error), cause: error });
  }
  if (typeof value === 'object' && value !== null) {
    const fault = jsonFault(text);
    if (fault) throw invalidInput(fault);
  }
  return value;
}

/** A definition has 20,000. An object of a hundred thousand members takes a tenth of a second to read and to look over. */
const MAX_VALUES = 50_000;
const COMMA = 0x2c;

/** Counts commas, because one stands between two values. Commas in texts count too, so nothing has to be parsed. */
function hasManyCommas(bytes: Buffer): boolean {
  if (bytes.length <= 2 * MAX_VALUES) return false;
  let commas = 0;
  for (const byte of bytes) if (byte === COMMA) commas += 1;
  return commas > MAX_VALUES;
}

/** V8 quotes the body in its message; the body is the caller's and stays out of answers and logs. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(message)?.[1];
  return position ? `it breaks at character ${position}` : 'it ends too early';
}
