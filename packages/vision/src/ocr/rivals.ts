/** A rival that stands for any character, because the reader was unsure. */
export const UNSURE = '?';
