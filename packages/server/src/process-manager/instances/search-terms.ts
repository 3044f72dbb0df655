import { fold } from '../../kernel/pages.ts';

/** The search terms of an instance, and the words of a search. Both are normalised in the same way, so that they match. */
export const MAX_TERMS = 40;
export const MAX_TERM_LENGTH = 64;
export const MAX_WORDS = 5;
/** From this length on, a word also matches as a prefix. */
export const MIN_PREFIX_LENGTH = 3;

export type Applicant = {
  firstName?: string | undefined;
  lastName?: string | undefined;
  email?: string | undefined;
  phoneNumber?: string | undefined;
};

/** `values` are those of the searchable parameters of the definition. */
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

/** The caller sees the text of a fault. */
export type Words = { readonly words: readonly string[] } | { readonly fault: string };

/** The words of a search text, all of which must match. */
export function wordsOf(typed: string): Words {
  const text = fold(typed).trim();
  // A telephone number may have other characters between its digits.
  if (/^[+(]?\d[\d\s()./+-]*$/.test(text)) return limitWords([digitsOf(text)]);
  return limitWords(
    text.split(SPACES).flatMap((token) => {
      if (token.includes('@')) return trimmed(token);
      const whole = numberOf(token) || compoundOf(token);
      return whole === '' ? partsOf(token) : whole;
    }),
  );
}

function limitWords(all: readonly string[]): Words {
  // A single letter would find too much; a single character of a script without letters is often a whole word.
  const words = [...new Set(all.map(shorten))].filter((word) => word.length > 1 || /[^\p{ASCII}]/u.test(word));
  if (words.length === 0) return { fault: 'must hold a word of at least 2 characters' };
  if (words.length > MAX_WORDS) return { fault: `must hold at most ${MAX_WORDS} words` };
  return { words };
}

const SPACES = /[\s,;]+/u;

/** Splits a text at everything except letters and digits with their marks. */
function partsOf(text: string): string[] {
  return fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
}

/** The form of `AB-2024/001` without separators, which is stored, so that both spellings match. */
function numberOf(token: string): string {
  return /\d/.test(token) && /^[\p{L}\p{N}\p{M}/-]+$/u.test(token) ? partsOf(token).join('') : '';
}

/** `ada.l` and `mail1.example` stay whole, because they may be parts of an e-mail address. */
function compoundOf(token: string): string {
  const text = trimmed(token);
  return /[\p{L}\p{N}\p{M}][._+][\p{L}\p{N}\p{M}]/u.test(text) ? text : '';
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '');
}

/** The whole address and the domain. The local part matches as a prefix of the address, unless it is too short. */
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

/** Cuts a term between characters, never within a surrogate pair. */
function shorten(term: string): string {
  return term.length <= MAX_TERM_LENGTH ? term : [...term].slice(0, MAX_TERM_LENGTH).join('');
}
