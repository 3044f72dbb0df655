import { newId } from '../kernel/ids.ts';

const TIME_LENGTH = 10;
const LAST_MOMENT = 2 ** 48 - 1;

export const FIRST_ID = '';
/** `~` sorts after every character of an id. */
export const PAST_EVERY_ID = '~';

/** Every id made at or after the moment is not less than this, and every earlier one is. */
export function idsFrom(at: number): string {
  return newId(Math.min(Math.max(0, at), LAST_MOMENT)).slice(0, TIME_LENGTH);
}
