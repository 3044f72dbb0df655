import type { FieldFault } from './errors.ts';
import { pointerTo } from './escape.ts';

/**
 * Ensures that every reader of a JSON text sees the same data: one scan over valid JSON refuses what JSON.parse lets
 * through, which is duplicate and prototype members, NUL, half of a surrogate pair, and nesting that is too deep.
 */
const MAX_DEPTH = 32;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** PostgreSQL cannot store a NUL, and half of a surrogate pair is no character. */
export function isBadText(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

type Level = { names: Set<string> | undefined; name: string; index: number };

/** The first fault in a text that is valid JSON. */
export function jsonFault(text: string): FieldFault | undefined {
  const levels: Level[] = [];
  // Most bodies escape nothing. A string then ends at the next quote, which `indexOf` finds quickly.
  const plain = !text.includes('\\');
  const escaped = !plain && text.includes('\\u');
  let expectName = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    const level = levels.at(-1);
    if (char === QUOTE) {
      const end = plain ? text.indexOf('"', at + 1) + 1 : endOfString(text, at);
      if (expectName && level?.names) {
        const name = plain ? text.slice(at + 1, end - 1) : (JSON.parse(text.slice(at, end)) as string);
        level.name = name;
        const message = faultOfName(name, level.names, escaped);
        if (message) return { pointer: pointerOf(levels), message };
        level.names.add(name);
        expectName = false;
      } else if (escaped && isBadText(JSON.parse(text.slice(at, end)) as string)) {
        return { pointer: pointerOf(levels), message: BAD_TEXT };
      }
      at = end - 1;
    } else if (char === OPEN_OBJECT || char === OPEN_ARRAY) {
      if (levels.length === MAX_DEPTH)
        return { pointer: pointerOf(levels), message: `is nested deeper than ${MAX_DEPTH}` };
      levels.push({ names: char === OPEN_OBJECT ? new Set() : undefined, name: '', index: 0 });
      expectName = char === OPEN_OBJECT;
    } else if (char === CLOSE_OBJECT || char === CLOSE_ARRAY) {
      levels.pop();
      expectName = false;
    } else if (char === COMMA && level) {
      if (level.names) expectName = true;
      else level.index += 1;
    }
  }
  return undefined;
}

function faultOfName(name: string, earlierNames: ReadonlySet<string>, escaped: boolean): string | undefined {
  if (earlierNames.has(name)) return 'is given twice';
  if (FORBIDDEN.has(name)) return 'is not a name that an object may have here';
  return escaped && isBadText(name) ? BAD_TEXT : undefined;
}

const BAD_TEXT = 'must not hold NUL or half of a surrogate pair';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/** One past the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function pointerOf(levels: readonly Level[]): string {
  return levels.reduce((pointer, { names, name, index }) => pointerTo(pointer, names ? name : String(index)), '');
}
