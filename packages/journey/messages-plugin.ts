import { parse } from '@formatjs/icu-messageformat-parser';
import type { Plugin } from 'vite';

/** Parses `messages/<area>/<language>.json` when the app is built, so that the browser does not have to. */
const MESSAGES = /\/messages\/[a-z]+\/[A-Za-z-]+\.json$/;

export function messages(): Plugin {
  return {
    name: 'grove-messages',
    enforce: 'pre',
    transform(code, id) {
      if (!MESSAGES.test(id)) return null;
      const read = readMessages(JSON.parse(code) as Record<string, string>);
      return { code: `export const messages = ${JSON.stringify(read)};`, moduleType: 'js', map: null };
    },
  };
}

/** A message without placeholders stays a plain text. */
export function readMessages(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, /[{}<>'#]/.test(text) ? parse(text, { ignoreTag: true }) : text]),
  );
}
