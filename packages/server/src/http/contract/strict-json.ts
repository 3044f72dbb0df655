import { isUtf8 } from 'node:buffer';
import { ApiError, invalidInput } from '../../kernel/errors.ts';
import { jsonFault } from '../../kernel/json-fault.ts';

/**
 * Ensures that every reader of a JSON body sees the same data: UTF-8 only, no duplicate member, no prototype members, no NUL
 * and no half of a surrogate pair. After JSON.parse, one scan over the valid text finds what JSON.parse lets through.
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

/** A definition may have 20,000. Reading and checking an object of a hundred thousand members takes a tenth of a second. */
const MAX_VALUES = 50_000;
const COMMA = 0x2c;

/** Counts the commas between values. Commas in texts count too, so nothing must be parsed. */
function hasManyCommas(bytes: Buffer): boolean {
  if (bytes.length <= 2 * MAX_VALUES) return false;
  let commas = 0;
  for (const byte of bytes) if (byte === COMMA) commas += 1;
  return commas > MAX_VALUES;
}

/** Removes V8's quote of the body, which must not reach answers and logs, from the message. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const position = /position (\d+)/.exec(message)?.[1];
  return position ? `it breaks at character ${position}` : 'it ends too early';
}
