/** Stands among the rivals of a character that may be any: the reader was not sure of what it read. */
export const UNSURE = '?';
