import { newId } from '../../kernel/ids.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const TIME_LENGTH = 10;

/**
 * Ids of events, which are read in their order: of two that this process makes in one millisecond the second is greater,
 * so that a lock stands behind the failure that led to it.
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

/** The next id of the same moment; nothing after the last there can be. */
export function following(id: string): string | undefined {
  for (let at = id.length - 1; at >= TIME_LENGTH; at--) {
    const next = ALPHABET[ALPHABET.indexOf(id[at] as string) + 1];
    if (next) return id.slice(0, at) + next + '0'.repeat(id.length - at - 1);
  }
  return undefined;
}
