import { parse } from '@formatjs/icu-messageformat-parser';
import type { Plugin } from 'vite';

/** Turns `messages/<area>/<language>.json` into what the browser formats without reading it first. */
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

/** A message without anything to fill in stays the text that it is. */
export function readMessages(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, /[{}<>'#]/.test(text) ? parse(text, { ignoreTag: true }) : text]),
  );
}
