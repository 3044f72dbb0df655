import { createCipheriv, hkdfSync, type KeyObject } from 'node:crypto';
import type { CodedKind, PersonalSeal } from '../db/db.ts';
import { boundedMap } from '../kernel/bounded-map.ts';
import { hmacSha256 } from '../kernel/hmac.ts';
import { contextOf, keyFrom, seal, unseal } from './sealing.ts';

/**
 * Seals personal data in rows with one key of the tenant, so that a list of a thousand rows needs one key. Search words
 * become codes that reveal nothing without the key, and that have the same beginning exactly if the words do. See
 * docs/decisions/2026-11-16-sealed-and-still-found.md.
 */
export function personalSeal(tenantId: string, key: KeyObject): PersonalSeal {
  const sealing = { version: 1, key: derived(key, 'grove personal data') };
  const words = derived(key, 'grove words');
  const kinds = {
    users: keysOf(key, 'users'),
    members: keysOf(key, 'members'),
    links: keysOf(key, 'links'),
    reviews: keysOf(key, 'reviews'),
  };
  const codes = boundedMap<string, string>(MAX_KNOWN_WORDS);
  const opened = boundedMap<string, { sealed: Uint8Array; text: string }>(MAX_REMEMBERED);
  const open = (column: string, sealed: Uint8Array) =>
    unseal(sealing.key, contextOf('personal', tenantId, column), sealed).toString('utf8');
  return {
    seal: (column, text) => seal(sealing, contextOf('personal', tenantId, column), Buffer.from(text)),
    open,
    openAgain(column, sealed) {
      const last = opened.get(column);
      if (last && Buffer.compare(last.sealed, sealed) === 0) return last.text;
      const text = open(column, sealed);
      opened.set(column, { sealed, text });
      return text;
    },
    code(word) {
      const code = codes.get(word) ?? codeOf(words, word);
      codes.set(word, code);
      return code;
    },
    codeOf: (kind, word) => codeOf(kinds[kind].words, word),
    wholeCodeOf: (kind, word) =>
      `${codeOf(kinds[kind].words, word)}.${hashOf(kinds[kind].hashes, word).toLowerCase().slice(0, WHOLE_DIGITS)}`,
    hashOf: (kind, text) => hashOf(kinds[kind].hashes, text),
  };
}

/** More than 64 bits, in digits that have no letter case. */
const WHOLE_DIGITS = 16;

function hashOf(key: KeyObject, text: string): string {
  return hmacSha256(key, text, 'base64url');
}

function keysOf(key: KeyObject, kind: CodedKind) {
  return { words: derived(key, `grove words of ${kind}`), hashes: derived(key, `grove hashes of ${kind}`) };
}

const MAX_KNOWN_WORDS = 500;
const MAX_REMEMBERED = 100;

function derived(key: KeyObject, what: string): KeyObject {
  return keyFrom(Buffer.from(hkdfSync('sha256', key.export(), '', what, 32)));
}

/** No search has fewer characters, so the first ones share one code. */
const HEAD_CHARACTERS = 3;
const BLOCK = 16;
const HEAD_DIGITS = 10;
const DIGITS = 3;
/** Lower case only, because SQLite ignores case in patterns. */
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const NO_START = Buffer.alloc(BLOCK);

/**
 * A block for the first characters and one for each further character, through AES in CBC mode: each block of the result
 * depends on the whole word up to there and on nothing behind it. Ten digits of five bits stand for the beginning, three for
 * each further character: two words that differ share a code once in 32,768 times where only the last character differs,
 * and otherwise practically never.
 */
function codeOf(key: KeyObject, word: string): string {
  const characters = [...word];
  const blocks = Math.max(1, characters.length - HEAD_CHARACTERS + 1);
  const plain = Buffer.alloc(blocks * BLOCK);
  for (const [at, character] of characters.entries()) {
    const block = Math.max(0, at - HEAD_CHARACTERS + 1);
    const offset = at < HEAD_CHARACTERS ? at * 4 : 0;
    plain.writeUInt32BE(character.codePointAt(0) as number, block * BLOCK + offset);
  }
  // A word of two characters is not the beginning of a longer one.
  plain[HEAD_CHARACTERS * 4] = Math.min(characters.length, HEAD_CHARACTERS);
  const cipher = createCipheriv('aes-256-cbc', key, NO_START).setAutoPadding(false);
  const sealed = cipher.update(plain);
  let code = digitsOf(sealed, 0, HEAD_DIGITS);
  for (let block = 1; block < blocks; block++) code += digitsOf(sealed, block * BLOCK, DIGITS);
  return code;
}

/** A byte has five bits to spare for each digit. */
function digitsOf(bytes: Buffer, from: number, count: number): string {
  let digits = '';
  for (let at = from; at < from + count; at++) digits += ALPHABET[(bytes[at] as number) & 31];
  return digits;
}
