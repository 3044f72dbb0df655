export const SECRET = /\{secret\.([A-Za-z0-9_-]{1,100})\}/g;

/** The cloud secrets that a text names. */
export function secretNames(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(SECRET), ([, name = '']) => name))];
}
