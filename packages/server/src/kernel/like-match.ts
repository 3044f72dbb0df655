/**
 * A LIKE pattern for texts that the database cannot read: `%` stands for any characters, `_` for one, and `\` escapes the
 * next character.
 */
export type LikeMatch = {
  /** The text, if the pattern has no wildcard. */
  readonly exact: string | undefined;
  /** The beginning, if the pattern is one with a single `%` at its end. */
  readonly beginning: string | undefined;
  matches(text: string): boolean;
};

type Token = { readonly kind: 'any' | 'one' | 'character'; readonly character: string };

export function likeMatch(pattern: string): LikeMatch {
  const tokens = tokensOf(pattern);
  const plain = (some: readonly Token[]) =>
    some.every(({ kind }) => kind === 'character') ? some.map(({ character }) => character).join('') : undefined;
  return {
    exact: plain(tokens),
    beginning: tokens.at(-1)?.kind === 'any' ? plain(tokens.slice(0, -1)) : undefined,
    matches: (text) => matches(tokens, [...text]),
  };
}

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = [];
  let isEscaped = false;
  for (const character of pattern) {
    if (!isEscaped && character === '\\') {
      isEscaped = true;
      continue;
    }
    const wildcard = character === '%' ? 'any' : character === '_' ? 'one' : 'character';
    tokens.push({ kind: isEscaped ? 'character' : wildcard, character });
    isEscaped = false;
  }
  return tokens;
}

/** Backtracks to the last `%` only, so the time is at most the product of both lengths (ReDoS). */
function matches(tokens: readonly Token[], text: readonly string[]): boolean {
  let [token, at, lastAny, lastAt] = [0, 0, -1, 0];
  while (at < text.length) {
    const { kind, character } = tokens[token] ?? { kind: undefined, character: '' };
    if (kind === 'any') {
      [lastAny, lastAt] = [token, at];
      token += 1;
    } else if (kind === 'one' || (kind === 'character' && character === text[at])) {
      token += 1;
      at += 1;
    } else if (lastAny >= 0) {
      lastAt += 1;
      [token, at] = [lastAny + 1, lastAt];
    } else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === 'any');
}
