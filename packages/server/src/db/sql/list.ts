import { ROWS_AT_ONCE, rowsInOrder } from '../../kernel/in-slices.ts';
import {
  type OfTenant,
  type Reads,
  type RowOf,
  type Sql,
  sql,
  statements,
  type TenantReads,
  unprepared,
  type Value,
} from '../db.ts';
import { inList, PAGE } from './dialect.ts';
import { rowMaker } from './row-maker.ts';
import { numberParams, type ParamNames, type ParamOf, type ParamsOf, prepare } from './statement.ts';

/** The part and the order of a list that a caller wants; `Paging` of the kernel is one. */
export type PageOrder = {
  readonly orderBy: string;
  readonly sorts: number;
  readonly size: number;
  readonly offset: number;
  /** Only rows after this id, if the order is that of ids. */
  readonly after?: string;
};

/** A condition that is added if the parameter of its name has a value: `{ status: 'AND status = :status' }`. */
export type Filters = Readonly<Record<string, string>>;
/** The filter of a list by a part of the name. */
export const NAME_FILTER = { pattern: "AND name_folded LIKE :pattern ESCAPE '\\'" } as const;
type FilterParams<Row, F extends Filters> = {
  readonly [N in (keyof F & string) | ParamNames<F[keyof F]>]?:
    | ParamOf<Row, N, N extends keyof F ? F[N] : never>
    | undefined;
};
export type ListParams<Row, T extends string, F extends Filters> = Omit<ParamsOf<Row, T>, 'tenant_id'> &
  FilterParams<Row, F>;

/** Reads a page in the caller's order, together with the number of all rows. */
export type List<P, R> = {
  (db: Reads & OfTenant, params: P, paging: PageOrder): Promise<{ rows: R[]; total: number }>;
  page(db: Reads & OfTenant, params: P, paging: PageOrder): Promise<R[]>;
  count(db: Reads & OfTenant, params: P): Promise<number>;
};

type Options<F> = {
  filters?: F | undefined;
  /** Counting stops at this number: callers that filter look at the first pages only. */
  maxCount?: number | undefined;
  /** Finds rows by their id. With it, large pages are read in slices. */
  byId?: ById | undefined;
};

/** `FROM process_instances i … WHERE i.tenant_id = :tenant_id`, and `i.id`. */
export type ById = { readonly from: string; readonly id: string };

const ORDER = '/*order*/';
type Params = Readonly<Record<string, Value | readonly string[] | undefined>>;

/** A list whose statement is written by hand: `listOf<Row>()('id, name', 'FROM … WHERE …')`. */
export function listOf<R>() {
  return <const T extends string, const F extends Filters = Record<never, string>>(
    columns: string | readonly string[],
    from: T,
    options: Options<F> = {},
  ): List<ListParams<object, T, F>, R> => makeList(columns, from, options) as never;
}

export function makeList<R>(
  columns: string | readonly string[],
  from: string,
  { filters, maxCount, byId }: Options<Filters>,
) {
  const conditions = Object.entries(filters ?? {});
  /** One statement for each set of filters, built at its first use. There are few filters. */
  const built = new Map<string, ReturnType<typeof build<R>>>();
  const of = (params: Params) => {
    let tail = from;
    for (const [name, condition] of conditions) if (params[name] !== undefined) tail += ` ${condition}`;
    let statement = built.get(tail);
    if (!statement) {
      statement = build<R>(columns, tail, { maxCount, byId });
      built.set(tail, statement);
    }
    return statement;
  };
  of({});
  const page = (db: Reads & OfTenant, params: Params, paging: PageOrder) => of(params).page(db, params, paging);
  const count = async (db: Reads & OfTenant, params: Params) => (await of(params).count.get(db, params))?.total ?? 0;
  const list = async (db: Reads & OfTenant, params: Params, paging: PageOrder) => {
    const total = await count(db, params);
    return { rows: await page(db, params, paging), total };
  };
  return Object.assign(list, { page, count });
}

/** Reads a page in the caller's order. With `after`, PostgreSQL and SQLite start in the index and skip no rows. */
function pagesOf(names: string, tail: string, id: string, toRow?: RowOf) {
  const texts = { '': '', ASC: `AND ${id} > :after`, DESC: `AND ${id} < :after` };
  const cache = new Map<string, ReturnType<typeof numberParams<Params>>>();
  const of = (direction: keyof typeof texts) => {
    const cached = cache.get(direction);
    if (cached) return cached;
    const fresh = numberParams<Params>(`SELECT ${names} ${tail} ${texts[direction]} ${ORDER} ${PAGE}`);
    cache.set(direction, fresh);
    return fresh;
  };
  statements.push(of('').numbered);
  return <R>(db: Reads & OfTenant, params: Params, paging: PageOrder): Promise<R[]> => {
    const { orderBy, size: limit, offset, after } = paging;
    const { numbered, valuesOf } = of(after === undefined ? '' : orderBy.startsWith('id DESC') ? 'DESC' : 'ASC');
    const ordered = pageStatement(paging, numbered.replace(ORDER, `ORDER BY ${orderBy}`), toRow);
    return db.all<R>(ordered, valuesOf(db, { ...params, limit, offset, ...(after !== undefined && { after }) }));
  };
}

function build<R>(columns: string | readonly string[], tail: string, { maxCount, byId }: Options<Filters>) {
  const names = typeof columns === 'string' ? columns : columns.join(', ');
  const toRow = typeof columns === 'string' ? undefined : rowMaker(columns);
  const id = byId?.id ?? 'id';
  const countTail = maxCount === undefined ? tail : `FROM (SELECT 1 ${tail} LIMIT ${maxCount}) AS counted`;
  const whole = pagesOf(names, tail, id, toRow);
  const slices = byId && slicedPage<R>(names, tail, { byId, toRow });
  return {
    count: prepare<Params, { total: number }>(`SELECT count(*) AS total ${countTail}`, ['total']),
    page: (db: Reads & OfTenant, params: Params, paging: PageOrder): Promise<R[]> =>
      slices && paging.size > ROWS_AT_ONCE ? slices(db, params, paging) : whole<R>(db, params, paging),
  };
}

type SliceOptions = { byId: ById; toRow: RowOf | undefined };
type WithId = { readonly id: string };

/**
 * Reads a large page: first the ids of its rows, then a few rows at a time, so that other requests are served in between. A
 * row that is deleted meanwhile is left out.
 */
function slicedPage<R>(names: string, tail: string, { byId: { from, id }, toRow }: SliceOptions) {
  const ids = pagesOf(`${id} AS id`, tail, id);
  const some = numberParams<Params>(`SELECT ${names} ${from} AND ${id} ${inList(':ids')}`);
  const slice = sql(some.numbered, toRow);
  return async (db: Reads & OfTenant, params: Params, paging: PageOrder): Promise<R[]> => {
    const pageIds = (await ids<WithId>(db, params, paging)).map((row) => row.id);
    return rowsInOrder(db as TenantReads, pageIds, (part) =>
      db.all<R & WithId>(slice, some.valuesOf(db, { ids: part })),
    );
  };
}

const cache = new Map<string, Sql>();

/** A statement with few variants that is put together at run time. It stays prepared after its first use. */
function cachedStatement(text: string, row?: RowOf): Sql {
  const cached = cache.get(text);
  if (cached) return cached;
  const statement = sql(text, row);
  cache.set(text, statement);
  return statement;
}

/** The statement of a page. Those that sort by one property stay prepared; for several properties there are too many. */
function pageStatement({ sorts }: { readonly sorts: number }, text: string, row?: RowOf): Sql {
  return sorts > 1 ? unprepared(text, row) : cachedStatement(text, row);
}
