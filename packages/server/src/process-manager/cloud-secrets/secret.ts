import { inspect } from 'node:util';

/** Ensures that a value is not shown by accident: printing, logging or serialising gives a placeholder, `reveal` the value. */
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
