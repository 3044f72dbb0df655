import { invalidInput } from './errors.ts';
import type { Paging } from './pages.ts';
import { takingTurns } from './take-turns.ts';

/**
 * Lists that are filtered or sorted by what is sealed: the database cannot do it, so all rows are opened, in batches with
 * a pause between them, and no more than this. A line (`lineOf`) has one such list at work at a time, and a
 * few that wait.
 */
export const MAX_SCANNED = 10_000;
const BATCH = 100;
const MAX_WAITING = 10;
const inTurn = takingTurns(MAX_WAITING);

export type Scan<Row> = {
  /** The next rows in the order of ids, opened. */
  batch(afterId: string, limit: number): Promise<Row[]>;
  matches(row: Row): boolean;
  /** What the caller should do if there are too many. */
  readonly fault: { readonly pointer: string; readonly message: string };
};

type Page = Pick<Paging, 'orderBy' | 'size' | 'offset' | 'after'>;
type ScannedPage = { ids: string[]; total: number };

/** The ids of a page, in its order. Rows have the columns that it may be sorted by. 100010 where too many wait. */
export function scanSealed<Row extends { readonly id: string }>(
  line: string,
  scan: Scan<Row>,
  page: Page,
): Promise<ScannedPage> {
  return inTurn(line, () => scanNow(scan, page));
}

async function scanNow<Row extends { readonly id: string }>(
  { batch, matches, fault }: Scan<Row>,
  { orderBy, size, offset, after: lastId }: Page,
): Promise<ScannedPage> {
  const matching: Row[] = [];
  let scanned = 0;
  for (let after = '', more = true; more; ) {
    const rows = await batch(after, BATCH);
    scanned += rows.length;
    if (scanned > MAX_SCANNED) throw invalidInput(fault);
    for (const row of rows) if (matches(row)) matching.push(row);
    after = rows.at(-1)?.id ?? '';
    more = rows.length === BATCH;
    // Others come between.
    if (more) await new Promise((turn) => setImmediate(turn));
  }
  matching.sort(comparing(orderBy));
  const isBehind = ({ id }: Row) => lastId === undefined || (orderBy.startsWith('id DESC') ? id < lastId : id > lastId);
  const ids = matching.filter(isBehind).map(({ id }) => id);
  return { ids: ids.slice(offset, offset + size), total: matching.length };
}

type Values = Readonly<Record<string, string | number>>;

/** As `paging` writes it: columns and directions. */
function comparing(orderBy: string): (one: object, other: object) => number {
  const terms = orderBy.split(', ').map((term) => term.split(' ') as [string, string]);
  return (one, other) => {
    for (const [column, direction] of terms) {
      const [a, b] = [(one as Values)[column] ?? '', (other as Values)[column] ?? ''];
      if (a !== b) return a < b === (direction === 'ASC') ? -1 : 1;
    }
    return 0;
  };
}
