/**
 * The long form of the suite, `npm run test:long`, tests the same guarantees on more screens and with more inputs, and also
 * runs files that end in `.long.test.ts`. A test that `npm test` leaves out uses one of these, so that a search finds it.
 */
export const IS_LONG = process.env.TEST_LONG === '1';

/** All items in the long form, otherwise only the first few, so the most important ones should be first. */
export function firstOf<T>(few: number, all: readonly T[]): readonly T[] {
  return IS_LONG ? all : all.slice(0, few);
}
