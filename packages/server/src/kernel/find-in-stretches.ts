import { serveOthers } from './in-slices.ts';
import { takingTurns } from './take-turns.ts';

/**
 * The ids that match filters which no index has together. One statement that looks through all rows stops everybody on
 * SQLite, so each looks at a stretch of them, and others are served in between. A line (`lineOf`) has one such list at
 * work at a time, and a few that wait: 100010 for more.
 */
export const STRETCH = 2000;
const MAX_WAITING = 50;
const inTurn = takingTurns(MAX_WAITING);
/** Ids have one length, so nothing lies between an id and the same with this behind it. */
const BEHIND = '~';

/** Ids from the first up to the second, which is not among them. */
export type IdRange = { readonly from: string; readonly below: string };

export type Stretches = {
  readonly direction: 'ASC' | 'DESC';
  /** The last id of the stretch with which the range begins in this direction; undefined if the range has no more. */
  edge(range: IdRange): Promise<string | undefined>;
  /** The ids in a range that match, in this direction. */
  ids(range: IdRange): Promise<string[]>;
};

/** Looks until it has so many, or until the end. It may find more. */
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
      const part = last === undefined ? range : isDown ? { from: last, below } : { from, below: `${last}${BEHIND}` };
      matches.push(...(await ids(part)));
      if (last === undefined || matches.length >= enough) break;
      range = isDown ? { from, below: last } : { from: `${last}${BEHIND}`, below };
      await serveOthers(db);
    }
    return matches;
  });
}
