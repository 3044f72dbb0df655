import { inspect } from 'node:util';

/** A value that must not be shown. Printing, logging or serialising it gives a placeholder; only `reveal` gives the value. */
export type Secret = {
  reveal(): string;
  toString(): string;
  toJSON(): string;
};

const REDACTED = '[redacted]';

export function secretOf(value: string): Secret {
  const redacted = () => REDACTED;
  // The value lives in a closure, where no loop over properties finds it.
  return Object.freeze({
    reveal: () => value,
    toString: redacted,
    toJSON: redacted,
    [Symbol.toPrimitive]: redacted,
    [inspect.custom]: redacted,
  });
}
