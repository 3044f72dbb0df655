import { newId } from '../../kernel/ids.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;

/**
 * Returns a generator of event ids. Events are sorted by id: within one millisecond each id of this process is greater
 * than the one before. So a lock always follows the failure that caused it.
 */
export function eventIds(): (now: number) => string {
  let last = '';
  return (now) => {
    const id = newId(now);
    const sameMoment = id.slice(0, TIME_LENGTH) === last.slice(0, TIME_LENGTH);
    last = sameMoment && id <= last ? (following(last) ?? id) : id;
    return last;
  };
}

/** Returns the next id of the same millisecond, or undefined after the last possible one. */
export function following(id: string): string | undefined {
  for (let at = id.length - 1; at >= TIME_LENGTH; at--) {
    const next = ALPHABET[ALPHABET.indexOf(id[at] as string) + 1];
    if (next) return id.slice(0, at) + next + '0'.repeat(id.length - at - 1);
  }
  return undefined;
}
