/** The number of common lines that are shown around a difference, as in `diff -u`. */
const CONTEXT = 3;
/** The limit for the product of both numbers of lines. Beyond it, one text is shown as replaced by the other. */
const MAX_COMPARED = 4_000_000;

export type DiffLine = { readonly mark: '-' | '+' | ' ' | '…'; readonly text: string };

export function lineDiff(before: string, after: string): DiffLine[] {
  return shortened(allLines(before.trimEnd().split('\n'), after.trimEnd().split('\n')));
}

function allLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  const rest = Math.min(old.length, now.length) - start;
  while (end < rest && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  const [removedLines, addedLines] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  return [
    ...marked(' ', old.slice(0, start)),
    ...(removedLines.length * addedLines.length > MAX_COMPARED
      ? [...marked('-', removedLines), ...marked('+', addedLines)]
      : changes(removedLines, addedLines)),
    ...marked(' ', old.slice(old.length - end)),
  ];
}

/** Compares by the longest common subsequence of lines. */
function changes(old: readonly string[], now: readonly string[]): DiffLine[] {
  const width = now.length + 1;
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      lines.push({ mark: ' ', text: old[row] as string });
      row += 1;
      column += 1;
    } else if (column === now.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ mark: '-', text: old[row++] as string });
    } else {
      lines.push({ mark: '+', text: now[column++] as string });
    }
  }
  return lines;
}

function marked(mark: DiffLine['mark'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}

function shortened(lines: readonly DiffLine[]): DiffLine[] {
  const changed = lines.flatMap(({ mark }, at) => (mark === ' ' ? [] : [at]));
  const shownLines = new Set(
    changed.flatMap((at) => Array.from({ length: 2 * CONTEXT + 1 }, (_, by) => at - CONTEXT + by)),
  );
  return lines.flatMap((line, at) => {
    if (shownLines.has(at)) return [line];
    // One mark stands for each gap.
    return at === 0 || shownLines.has(at - 1) ? [{ mark: '…' as const, text: '' }] : [];
  });
}
