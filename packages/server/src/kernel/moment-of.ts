import { fromDtm } from './clock.ts';
import { invalidInput } from './errors.ts';
import { firstIdAt } from './ids.ts';

/** The moment in the input of a caller; null if there is none. */
export function momentOf(dtm: string | undefined, pointer: string): number | null {
  if (dtm === undefined) return null;
  const at = fromDtm(dtm);
  // A leap second is a valid date-time that Date cannot represent.
  if (Number.isNaN(at)) throw invalidInput({ pointer, message: 'is not a valid date-time' });
  return at;
}

/** The first id of a moment: a range of time is a range of ids. */
export function firstIdOf(dtm: string | undefined, pointer: string): string | undefined {
  const at = momentOf(dtm, pointer);
  return at === null ? undefined : firstIdAt(at);
}
