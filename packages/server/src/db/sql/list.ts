import { type OfTenant, type Reads, statements, type Value } from '../db.ts';
import { PAGE } from './dialect.ts';
import { pageStatement } from './kept-statement.ts';
import { rowMaker } from './row-maker.ts';
import { numberParams, type ParamNames, type ParamsOf, prepare } from './statement.ts';

/** The part of a list that a caller asked for; `Paging` of the kernel is one. */
export type PageOrder = {
  readonly orderBy: string;
  readonly sorts: number;
  readonly size: number;
  readonly offset: number;
};

/** A condition that is added if the parameter of its name has a value: `{ status: 'AND status = :status' }`. */
export type Filters = Readonly<Record<string, string>>;
type FilterParams<Row, F extends Filters> = {
  readonly [N in keyof F | ParamNames<F[keyof F]>]?: (N extends keyof Row ? Row[N] : Value) | undefined;
};
export type ListParams<Row, T extends string, F extends Filters> = Omit<ParamsOf<Row, T>, 'tenant_id'> &
  FilterParams<Row, F>;

/** Reads a page in the order that the caller asked for, together with the number of all rows. */
export type List<P, R> = {
  (db: Reads & OfTenant, params: P, paging: PageOrder): Promise<{ rows: R[]; total: number }>;
  page(db: Reads & OfTenant, params: P, paging: PageOrder): Promise<R[]>;
  count(db: Reads & OfTenant, params: P): Promise<number>;
};

type Options<F> = {
  filters?: F | undefined;
  /** Counting goes no further: whoever filters wants the first pages. */
  mostCounted?: number | undefined;
};

const ORDER = '/*order*/';
type Params = Readonly<Record<string, Value | undefined>>;

/** A list of a statement that is written by hand: `listOf<Row>()('id, name', 'FROM … WHERE …')`. */
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
  { filters, mostCounted }: Options<Filters>,
) {
  const conditions = Object.entries(filters ?? {});
  /** One for each set of filters, made when it is asked for. There are few filters. */
  const built = new Map<string, ReturnType<typeof build<R>>>();
  const of = (params: Params) => {
    let tail = from;
    for (const [name, condition] of conditions) if (params[name] !== undefined) tail += ` ${condition}`;
    let statement = built.get(tail);
    if (!statement) {
      statement = build<R>(columns, tail, mostCounted);
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

function build<R>(columns: string | readonly string[], tail: string, mostCounted?: number) {
  const names = typeof columns === 'string' ? columns : columns.join(', ');
  const toRow = typeof columns === 'string' ? undefined : rowMaker(columns);
  const { numbered, valuesOf } = numberParams<Params>(`SELECT ${names} ${tail} ${ORDER} ${PAGE}`);
  statements.push(numbered);
  const counted = mostCounted === undefined ? tail : `FROM (SELECT 1 ${tail} LIMIT ${mostCounted}) AS counted`;
  return {
    count: prepare<Params, { total: number }>(`SELECT count(*) AS total ${counted}`, ['total']),
    page(db: Reads & OfTenant, params: Params, paging: PageOrder): Promise<R[]> {
      const ordered = pageStatement(paging, numbered.replace(ORDER, `ORDER BY ${paging.orderBy}`), toRow);
      return db.all<R>(ordered, valuesOf(db, { ...params, limit: paging.size, offset: paging.offset }));
    },
  };
}
