import { boundBehind, type IdRange, rangeBehind } from './id-range.ts';
import { serveOthers } from './in-slices.ts';
import { openTurns } from './take-turns.ts';

/**
 * Finds the ids that match filters for which there is no common index. On SQLite, one statement over all rows would block
 * every other request, so each statement reads one stretch of rows, and other requests are served in between. A line
 * (`lineOf`) works on one such list at a time and lets a few wait; more get 100010.
 */
export const STRETCH = 2000;
const MAX_WAITING = 50;
const inTurn = openTurns(MAX_WAITING);

export type Stretches = {
  readonly direction: 'ASC' | 'DESC';
  /** The last id of the stretch with which the range begins in this direction; undefined if the range has no more. */
  edge(range: IdRange): Promise<string | undefined>;
  /** The ids in a range that match, in this direction. */
  ids(range: IdRange): Promise<string[]>;
};

/** Stops when it has at least `enough` ids, or at the end of the range. */
export function findInStretches(
  db: { readonly inTransaction?: boolean },
  line: string,
  { direction, edge, ids }: Stretches,
  { enough, ...whole }: IdRange & { readonly enough: number },
): Promise<string[]> {
  return inTurn(line, async () => {
    const matches: string[] = [];
    for (let range: IdRange | undefined = whole; range; ) {
      const { from, below }: IdRange = range;
      const last = await edge(range);
      const isDown = direction === 'DESC';
      const part = last === undefined ? range : isDown ? { from: last, below } : { from, below: boundBehind(last) };
      matches.push(...(await ids(part)));
      if (last === undefined || matches.length >= enough) break;
      range = rangeBehind(range, { after: last, direction });
      await serveOthers(db);
    }
    return matches;
  });
}
