const MAX_LENGTH = 50;

/** The most typing errors that a long word may have. */
const MAX_SLIPS = 4;

/** The candidate that is nearly the same as `word`, which was probably misspelt. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const foldedWord = word.toLowerCase();
  let best: string | undefined;
  // A third of the letters may be wrong: more would be guessing.
  let least = Math.min(MAX_SLIPS, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of candidates) {
    // The distance is at least the difference of the lengths.
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const distance = distanceOf(foldedWord, candidate.toLowerCase(), least);
    if (distance < least) {
      best = candidate;
      least = distance;
    }
  }
  return best;
}

/**
 * The only candidate whose last words are `word`: `processInstanceStatus` for `status`. Clients of other services guess the
 * short name.
 */
export function longerName(word: string, candidates: Iterable<string>): string | undefined {
  if (word === '' || word.length > MAX_LENGTH) return undefined;
  const lastWords = `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
  const longer = [...candidates].filter((candidate) => candidate.endsWith(lastWords) && candidate !== lastWords);
  return longer.length === 1 ? longer[0] : undefined;
}

/**
 * The longest candidate whose words `word` begins with: `authenticatorSelection` for `authenticatorSelectionCriteria`. Clients of
 * other services use former names, which were longer.
 */
export function shorterName(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const beginnings = [...candidates].filter((each) => word.startsWith(each) && /[A-Z]/.test(word.charAt(each.length)));
  return beginnings.sort((one, other) => other.length - one.length)[0];
}

/** The end of a sentence about an unknown word. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const suggestion = closest(word, candidates);
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
}

/**
 * How many letters have to be added, removed, changed or swapped with their neighbour to make one word of the other, but
 * no more than `most`. A definition may have a hundred wrong names and a hundred right ones, so the loop skips the columns
 * of a row that cannot be less.
 */
function distanceOf(one: string, other: string, most: number): number {
  const columns = other.length + 1;
  let before: number[] = [];
  let last = Array.from({ length: columns }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const current = new Array<number>(columns).fill(most);
    current[0] = row;
    let least = row;
    const to = Math.min(other.length, row + most);
    for (let column = Math.max(1, row - most); column <= to; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const distance = Math.min(
        (last[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (same ? 0 : 1),
        swapped ? (before[column - 2] as number) + 1 : most,
      );
      current[column] = distance;
      if (distance < least) least = distance;
    }
    if (least >= most) return most;
    before = last;
    last = current;
  }
  return Math.min(most, last[other.length] as number);
}
