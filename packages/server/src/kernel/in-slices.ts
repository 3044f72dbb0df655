import { setImmediate as nextTurn } from 'node:timers/promises';

/** Rows that are read, opened or written without a pause: a millisecond or two of work. */
export const ROWS_AT_ONCE = 25;
const SLICE_MS = 1;

/** A transaction is not interrupted: others may wait for its end. */
type Handle = { readonly inTransaction?: boolean };

/** When the event loop last served others, as far as this file knows. */
let servedAt = 0;

/** Lets the event loop serve other requests. */
export async function serveOthers({ inTransaction }: Handle): Promise<void> {
  if (inTransaction) return;
  await nextTurn();
  servedAt = performance.now();
}

/** Lets the event loop serve other requests, if the last time was a millisecond ago. */
export async function serveOthersIfDue(db: Handle): Promise<void> {
  if (performance.now() - servedAt > SLICE_MS) await serveOthers(db);
}

/** The items in groups of at most `ROWS_AT_ONCE`. Other requests are served between two groups. */
export async function* slicesOf<Item>(db: Handle, items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let from = 0; from < items.length; from += ROWS_AT_ONCE) {
    if (from > 0) await serveOthers(db);
    else if (items.length > ROWS_AT_ONCE) await serveOthersIfDue(db);
    yield items.slice(from, from + ROWS_AT_ONCE);
  }
}

/** Does the same work with each of many items. Other requests are served after each millisecond. */
export async function forEachInSlices<Item>(
  db: Handle,
  items: readonly Item[],
  work: (item: Item) => void | Promise<void>,
): Promise<void> {
  for (const item of items) {
    if (items.length > ROWS_AT_ONCE && performance.now() - servedAt > SLICE_MS) await serveOthers(db);
    const done = work(item);
    if (done) await done;
  }
}

/**
 * Reads the rows of these ids a few at a time, in the order of the ids. A row that was deleted meanwhile is left out. Other
 * requests are served in between.
 */
export async function rowsInOrder<Row extends { readonly id: string }>(
  db: Handle,
  ids: readonly string[],
  findRows: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const slice of slicesOf(db, ids)) {
    const byId = new Map((await findRows(slice)).map((row) => [row.id, row]));
    rows.push(...slice.flatMap((id) => byId.get(id) ?? []));
  }
  return rows;
}

export async function mapInSlices<Item, Result>(
  db: Handle,
  items: readonly Item[],
  view: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  await forEachInSlices(db, items, (item) => {
    results.push(view(item));
  });
  return results;
}
