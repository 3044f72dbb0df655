import { RE2JS } from 're2js';
import { boundedMap } from '../../../kernel/bounded-map.ts';

/**
 * Regular expressions of tenants for texts of applicants. The time of a match is proportional to the length of the text times
 * the size of the pattern's program (ReDoS; docs/decisions/2026-11-16-conditions-have-a-budget.md).
 */
export type Pattern = { readonly size: number; test(text: string): boolean };

export const MAX_PATTERN_LENGTH = 200;
/** The size in instructions. Repetitions are expanded: `a{100}` has a hundred. */
export const MAX_PATTERN_SIZE = 500;

/** A pattern in use may need a few megabytes for its states, so few are cached. */
const MAX_KEPT = 16;
const cache = boundedMap<string, Pattern>(MAX_KEPT);

/** The fault of a pattern; undefined if it is valid. */
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
