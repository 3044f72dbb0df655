import { invalidInput } from './errors.ts';
import { forEachInSlices, serveOthers } from './in-slices.ts';
import type { Paging } from './pages.ts';
import { openTurns } from './take-turns.ts';

/**
 * Lists that are filtered or sorted by sealed columns, or by columns without an index: all rows are read, in batches with a
 * pause between them. Sealed rows are opened, up to this number. A line (`lineOf`) works on one such list at a time and lets a
 * few wait.
 */
export const MAX_SCANNED = 10_000;
const SEALED_AT_ONCE = 100;
const PLAIN_AT_ONCE = 1000;
const MAX_WAITING = 10;
const inTurn = openTurns(MAX_WAITING);

export type Scan<Row> = {
  /** The next rows in the order of ids, opened. */
  batch(afterId: string, limit: number): Promise<Row[]>;
  matches(row: Row): boolean;
  /** Tells the caller what to do if there are too many rows. Undefined if nothing is sealed: then all rows are read. */
  readonly fault?: { readonly pointer: string; readonly message: string };
};

type Page = Pick<Paging, 'orderBy' | 'size' | 'offset' | 'after'>;
type ScannedPage = { ids: string[]; total: number };

/** The ids of a page, in its order. A row has all sortable columns. Refuses with 100010 if too many lists wait. */
export function scanRows<Row extends { readonly id: string }>(
  line: string,
  scan: Scan<Row>,
  page: Page,
): Promise<ScannedPage> {
  return inTurn(line, () => scanNow(scan, page));
}

/** Visits all rows in the order of ids. Nothing of them is sealed. Refuses with 100010 if too many lists wait. */
export function visitRows<Row extends { readonly id: string }>(
  line: string,
  batch: Scan<Row>['batch'],
  visit: (row: Row) => void,
): Promise<void> {
  return inTurn(line, async () => {
    for await (const rows of batchesOf(batch, PLAIN_AT_ONCE)) await forEachInSlices({}, rows, visit);
  });
}

/** All rows in the order of ids. Other requests are served between the batches. */
async function* batchesOf<Row extends { readonly id: string }>(batch: Scan<Row>['batch'], rowsAtOnce: number) {
  for (let after = ''; ; ) {
    const rows = await batch(after, rowsAtOnce);
    yield rows;
    if (rows.length < rowsAtOnce) return;
    after = rows.at(-1)?.id ?? '';
    await serveOthers({});
  }
}

async function scanNow<Row extends { readonly id: string }>(
  { batch, matches, fault }: Scan<Row>,
  { orderBy, size, offset, after: lastId }: Page,
): Promise<ScannedPage> {
  const isBehind = ({ id }: Row) => lastId === undefined || (orderBy.startsWith('id DESC') ? id < lastId : id > lastId);
  const compare = comparatorOf(orderBy);
  const rowsAtOnce = fault ? SEALED_AT_ONCE : PLAIN_AT_ONCE;
  let first: Row[] = [];
  let [scanned, total] = [0, 0];
  for await (const rows of batchesOf(batch, rowsAtOnce)) {
    scanned += rows.length;
    if (fault && scanned > MAX_SCANNED) throw invalidInput(fault);
    const matching: Row[] = [];
    const last = first[offset + size - 1];
    await forEachInSlices({}, rows, (row) => {
      if (!matches(row)) return;
      total += 1;
      if (isBehind(row) && (!last || compare(row, last) < 0)) matching.push(row);
    });
    if (matching.length > 0) first = [...first, ...matching].sort(compare).slice(0, offset + size);
  }
  return { ids: first.slice(offset).map(({ id }) => id), total };
}

type Values = Readonly<Record<string, string | number>>;

/** Compares two rows by an ORDER BY clause that `paging` wrote. */
function comparatorOf(orderBy: string): (one: object, other: object) => number {
  const terms = orderBy.split(', ').map((term) => term.split(' ') as [string, string]);
  return (one, other) => {
    for (const [column, direction] of terms) {
      const [a, b] = [(one as Values)[column] ?? '', (other as Values)[column] ?? ''];
      if (a !== b) return a < b === (direction === 'ASC') ? -1 : 1;
    }
    return 0;
  };
}
