import { type RowOf, type Sql, sql, unprepared } from '../db.ts';

const cache = new Map<string, Sql>();

/** A statement that is put together of a few parts, so that only so many exist: it is kept prepared from then on. */
export function keptStatement(text: string, row?: RowOf): Sql {
  const cached = cache.get(text);
  if (cached) return cached;
  const statement = sql(text, row);
  cache.set(text, statement);
  return statement;
}

/** A page of a list. Orders by one property are kept prepared; of those by several there are too many. */
export function pageStatement({ sorts }: { readonly sorts: number }, text: string, row?: RowOf): Sql {
  return sorts > 1 ? unprepared(text, row) : keptStatement(text, row);
}
