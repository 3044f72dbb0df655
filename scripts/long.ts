/**
 * The long form of the suite, `npm run test:long`: the same guarantees on more screens and with more inputs, and files that
 * end in `.long.test.ts`. What `npm test` leaves out is named where it does so, with one of these.
 */
export const IS_LONG = process.env.TEST_LONG === '1';

/** All of them in the long form, and otherwise the first few: put those first that show most. */
export function firstOf<T>(few: number, all: readonly T[]): readonly T[] {
  return IS_LONG ? all : all.slice(0, few);
}
