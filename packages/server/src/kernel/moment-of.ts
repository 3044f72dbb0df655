import { fromDtm } from './clock.ts';
import { invalidInput } from './errors.ts';
import { firstIdAt } from './ids.ts';

/** The moment that a caller names, if it names one. */
export function momentOf(dtm: string | undefined, pointer: string): number | null {
  if (dtm === undefined) return null;
  const at = fromDtm(dtm);
  // A leap second is a valid date-time that this clock cannot name.
  if (Number.isNaN(at)) throw invalidInput({ pointer, message: 'is not a valid date-time' });
  return at;
}

/** The first id of that moment: a range of time is a range of ids. */
export function firstIdOf(dtm: string | undefined, pointer: string): string | undefined {
  const at = momentOf(dtm, pointer);
  return at === null ? undefined : firstIdAt(at);
}
