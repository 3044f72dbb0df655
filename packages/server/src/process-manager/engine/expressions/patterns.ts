import { RE2JS } from 're2js';
import { boundedMap } from '../../../kernel/bounded-map.ts';

/**
 * Regular expressions of tenants, which meet texts of applicants. The engine takes time in proportion to the length of the
 * text times the size of the pattern's program, whatever both are (docs/decisions/2026-11-16-conditions-have-a-budget.md).
 */
export type Pattern = { readonly size: number; test(text: string): boolean };

export const MAX_PATTERN_LENGTH = 200;
/** In instructions. Repetitions are written out: `a{100}` has a hundred. */
export const MAX_PATTERN_SIZE = 500;

/** A pattern in use may hold a few megabytes of what it has learnt, so few are kept. */
const MAX_KEPT = 16;
const cache = boundedMap<string, Pattern>(MAX_KEPT);

/** What is wrong with a pattern; undefined if nothing is. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return `the pattern has more than ${MAX_PATTERN_LENGTH} characters`;
  try {
    return compile(pattern).size > MAX_PATTERN_SIZE
      ? 'the pattern is too large: its repetitions come to too many'
      : undefined;
  } catch (error) {
    return `the pattern is not a regular expression of RE2: ${(error as Error).message.slice(0, 100)}`;
  }
}

export function patternOf(pattern: string): Pattern {
  const cached = cache.get(pattern);
  if (cached) return cached;
  const compiled = compile(pattern);
  cache.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): Pattern {
  const compiled = RE2JS.compile(pattern);
  return { size: compiled.programSize(), test: (text) => compiled.test(text) };
}
