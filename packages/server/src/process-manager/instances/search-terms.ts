import { fold } from '../../kernel/pages.ts';

/** The words an instance is found by, and the words somebody looks for. They are made alike, so that they meet. */
export const MAX_TERMS = 40;
export const MAX_TERM_LENGTH = 64;
export const MAX_WORDS = 5;
/** From so many characters on, a word also finds what only begins with it. */
export const MIN_PREFIX_LENGTH = 3;

export type Applicant = {
  firstName?: string | undefined;
  lastName?: string | undefined;
  email?: string | undefined;
  phoneNumber?: string | undefined;
};

/** `values` are those of the parameters that the definition calls searchable. */
export function termsOf({ firstName, lastName, email, phoneNumber }: Applicant, values: readonly string[]): string[] {
  const terms = new Set<string>();
  const add = (term: string) => {
    if (term.length > 0 && terms.size < MAX_TERMS) terms.add(shorten(term));
  };
  for (const name of [firstName, lastName]) {
    for (const token of fold(name ?? '').split(SPACES))
      for (const form of [compoundOf(token), ...partsOf(token)]) add(form);
  }
  for (const form of emailForms(email ?? '')) add(form);
  add(digitsOf(phoneNumber ?? ''));
  for (const value of values) {
    for (const token of fold(value).split(SPACES)) {
      if (token.includes('@')) for (const form of emailForms(token)) add(form);
      else for (const form of [numberOf(token), compoundOf(token), ...partsOf(token)]) add(form);
    }
  }
  return [...terms];
}

/** Faults are told to the caller as they are. */
export type Words = { readonly words: readonly string[] } | { readonly fault: string };

/** The words of what somebody typed. All of them have to be found. */
export function wordsOf(typed: string): Words {
  const text = fold(typed).trim();
  // A telephone number may be typed with anything between its digits.
  if (/^[+(]?\d[\d\s()./+-]*$/.test(text)) return usable([digitsOf(text)]);
  return usable(
    text.split(SPACES).flatMap((token) => {
      if (token.includes('@')) return trimmed(token);
      const whole = numberOf(token) || compoundOf(token);
      return whole === '' ? partsOf(token) : whole;
    }),
  );
}

function usable(all: readonly string[]): Words {
  // A single letter would find too much; a single character of a script without letters is often a whole word.
  const words = [...new Set(all.map(shorten))].filter((word) => word.length > 1 || /[^\p{ASCII}]/u.test(word));
  if (words.length === 0) return { fault: 'must hold a word of at least 2 characters' };
  if (words.length > MAX_WORDS) return { fault: `must hold at most ${MAX_WORDS} words` };
  return { words };
}

const SPACES = /[\s,;]+/u;

/** Letters and digits with whatever marks belong to them; everything else stands between words. */
function partsOf(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** `AB-2024/001` is found with and without what stands between: it is kept without. */
function numberOf(token: string): string {
  return /\d/.test(token) && /^[\p{L}\p{N}\p{M}/-]+$/u.test(token) ? partsOf(token).join('') : '';
}

/** `ada.l` and `mail1.example` may be parts of an e-mail address, so they stay in one piece. */
function compoundOf(token: string): string {
  const text = trimmed(token);
  return /[\p{L}\p{N}\p{M}][._+][\p{L}\p{N}\p{M}]/u.test(text) ? text : '';
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** The whole address, and the domain. What stands before the at sign is its beginning, and found as such unless short. */
function emailForms(text: string): string[] {
  const address = trimmed(fold(text).trim());
  const at = address.lastIndexOf('@');
  if (at < 0) return [address];
  const local = address.slice(0, at);
  return [address, [...local].length < MIN_PREFIX_LENGTH ? local : '', address.slice(at + 1)];
}

function trimmed(token: string): string {
  return token.replace(/^[<("'.]+|[>)"'.]+$/g, '');
}

/** In characters, not in halves of them. */
function shorten(term: string): string {
  return term.length <= MAX_TERM_LENGTH ? term : [...term].slice(0, MAX_TERM_LENGTH).join('');
}
