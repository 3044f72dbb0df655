import type { Environment } from '../../kernel/environment.ts';
import type { Value } from '../db.ts';
import { type Filters, type List, type ListParams, makeList } from './list.ts';
import { type Count, type HandleFor, type ParamsOf, prepare, prepareCount, type Statement } from './statement.ts';

/**
 * A table names each of its columns once, with the type of its values. Statements, parameters and rows are derived from
 * that, so a column that is missing, misspelt or of another type does not compile. The text after `FROM table` is plain
 * SQL with named values, `:id`. See docs/decisions/2026-11-16-a-column-is-named-once.md.
 */
export type Column<T extends Value> = { readonly kind: Kind; readonly optional: boolean; readonly type?: T };
type Kind = 'TEXT' | 'INTEGER' | 'BLOB' | 'DOUBLE PRECISION';
export type Columns = Readonly<Record<string, Column<Value>>>;

export const text = <T extends string = string>(): Column<T> => ({ kind: 'TEXT', optional: false });
export const integer = <T extends number = number>(): Column<T> => ({ kind: 'INTEGER', optional: false });
export const real = (): Column<number> => ({ kind: 'DOUBLE PRECISION', optional: false });
export const bytes = (): Column<Uint8Array> => ({ kind: 'BLOB', optional: false });
export const optional = <T extends Value>({ kind }: Column<T>): Column<T | null> => ({ kind, optional: true });
/** The columns of an object that a tenant names in an environment. */
export const WITH_NAME = {
  tenant_id: text(),
  id: text(),
  environment: text<Environment>(),
  name: text(),
  name_folded: text(),
};
/** The columns that say when and by whom a row was made and last changed. */
export const TRACKED = {
  created_at: integer(),
  created_by: text(),
  last_updated_at: integer(),
  last_updated_by: text(),
};

type TypeOf<C> = C extends Column<infer T> ? T : never;
type Row<C extends Columns> = { -readonly [K in keyof C]: TypeOf<C[K]> };
type Name<C extends Columns> = keyof C & string;
/** The row of a tail that ends in `RETURNING one, other`. */
type Returned<C extends Columns, T> = T extends `${string}RETURNING ${infer L}`
  ? Pick<Row<C>, Names<L> & Name<C>>
  : never;
type Names<L extends string> = L extends `${infer One}, ${infer Rest}` ? One | Names<Rest> : L;

/** A row of a table without its tenant, which is always known from the handle. */
export type RowOf<T> = T extends Table<infer C> ? Omit<Row<C>, 'tenant_id'> : never;

export type Table<C extends Columns> = {
  readonly name: string;
  readonly definition: C;
  /** All columns but the tenant. */
  readonly columns: readonly Exclude<Name<C>, 'tenant_id'>[];
  select<K extends Name<C>, const T extends string>(
    columns: readonly K[],
    tail: T,
  ): Statement<ParamsOf<Row<C>, T>, Pick<Row<C>, K>, HandleFor<T>>;
  count<const T extends string>(tail: T): Count<ParamsOf<Row<C>, T>>;
  insert<const T extends string = ''>(tail?: T): Statement<Row<C> & ParamsOf<Row<C>, T>, Returned<C, T>>;
  /** Inserts a row, or changes all other columns of the row with the same key. */
  upsert(key: readonly Name<C>[]): Statement<Row<C>, never>;
  update<K extends Name<C>, const T extends string>(
    columns: readonly K[],
    tail: T,
  ): Statement<Pick<Row<C>, K> & ParamsOf<Row<C>, T>, never>;
  delete<const T extends string>(tail: T): Statement<ParamsOf<Row<C>, T>, never>;
  /** A list of the rows that a WHERE clause and filters select, in pages. */
  list<K extends Name<C>, const W extends string, const F extends Filters = Record<never, string>>(
    columns: readonly K[],
    where: W,
    filters?: F,
  ): List<ListParams<Row<C>, W, F>, Pick<Row<C>, K>>;
};

/** Every table that is declared in the code, in the order in which it was loaded. */
export const declaredTables: { readonly name: string; readonly definition: Columns }[] = [];

export function table<const C extends Columns>(name: string, definition: C): Table<C> {
  declaredTables.push({ name, definition });
  const all = Object.keys(definition) as Name<C>[];
  const assign = (columns: readonly string[]) => columns.map((column) => `${column} = :${column}`).join(', ');
  const insertInto = `INSERT INTO ${name} (${all.join(', ')}) VALUES (${all.map((column) => `:${column}`).join(', ')})`;
  const selectFrom = (columns: readonly string[]) => `SELECT ${columns.join(', ')} FROM ${name}`;
  const byId = { from: `FROM ${name} WHERE tenant_id = :tenant_id`, id: 'id' };
  return {
    name,
    definition,
    columns: all.filter((column) => column !== 'tenant_id') as Exclude<Name<C>, 'tenant_id'>[],
    select: (columns, tail) => prepare(`${selectFrom(columns)} ${tail}`, columns),
    count: (tail) => prepareCount(`FROM ${name} ${tail}`),
    insert: (tail) => prepare(`${insertInto} ${tail ?? ''}`),
    upsert: (key) => {
      const others = all.filter((column) => !key.includes(column));
      const changes = others.map((column) => `${column} = excluded.${column}`).join(', ');
      return prepare(`${insertInto} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${changes}`);
    },
    update: (columns, tail) => prepare(`UPDATE ${name} SET ${assign(columns)} ${tail}`),
    delete: (tail) => prepare(`DELETE FROM ${name} ${tail}`),
    list: (columns, where, filters) =>
      makeList(columns, `FROM ${name} ${where}`, {
        filters,
        byId: columns.includes('id' as never) ? byId : undefined,
      }) as never,
  };
}
