import { type RowOf, type Sql, sql, unprepared } from '../db.ts';

const cache = new Map<string, Sql>();

/** A statement put together at run time, of which only a few variants exist. It stays prepared after its first use. */
export function keptStatement(text: string, row?: RowOf): Sql {
  const cached = cache.get(text);
  if (cached) return cached;
  const statement = sql(text, row);
  cache.set(text, statement);
  return statement;
}

/** A page of a list. Statements that order by one property stay prepared; for several properties there are too many. */
export function pageStatement({ sorts }: { readonly sorts: number }, text: string, row?: RowOf): Sql {
  return sorts > 1 ? unprepared(text, row) : keptStatement(text, row);
}
