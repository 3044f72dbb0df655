export const SECRET = /\{secret\.([A-Za-z0-9_-]{1,100})\}/g;

/** A header usually names one secret, and seldom two. */
export const MAX_SECRETS_OF_TEXT = 5;
export const SECRETS_FAULT = `must not name a cloud secret more than ${MAX_SECRETS_OF_TEXT} times`;

/** Whether a text names too many cloud secrets. */
export function hasTooManySecrets(text: string): boolean {
  return [...text.matchAll(SECRET).take(MAX_SECRETS_OF_TEXT + 1)].length > MAX_SECRETS_OF_TEXT;
}

/** The cloud secrets that a text names, up to the limit. */
export function secretNames(text: string): string[] {
  return [
    ...new Set(
      text
        .matchAll(SECRET)
        .take(MAX_SECRETS_OF_TEXT)
        .map(([, name = '']) => name),
    ),
  ];
}
