/** A line in the difference of two texts. */
export type DiffLine = { sign: ' ' | '+' | '-'; text: string };

/** Longer texts are compared up to this line, because nobody reads further. */
const MAX_LINES = 2000;

/** Compares texts by their longest common subsequence, so that a moved or added line shows as such. Pure. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, fresh] = [before, after].map((text) => text.split('\n').slice(0, MAX_LINES)) as [string[], string[]];
  const width = fresh.length + 1;
  const common = new Uint16Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      common[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < fresh.length) {
    const isSame = row < old.length && column < fresh.length && old[row] === fresh[column];
    if (isSame) lines.push({ sign: ' ', text: old[row++] ?? '' });
    else if (column >= fresh.length || (row < old.length && at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ sign: '-', text: old[row++] ?? '' });
    } else lines.push({ sign: '+', text: fresh[column] ?? '' });
    if (isSame || lines.at(-1)?.sign === '+') column += 1;
  }
  return lines;
}
