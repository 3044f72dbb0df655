import type { Environment } from '../../kernel/environment.ts';
import { type OfTenant, type Reads, sql, type Value, type Writes } from '../db.ts';
import { rowMaker } from './row-maker.ts';

/**
 * A statement with named parameters, `:id`. Their names are part of its type, so a value that is missing or of the wrong
 * type does not compile. Callers never pass `:tenant_id`: it is always the tenant of the database handle.
 */
export type Statement<P, R, H = Reads> = {
  readonly text: string;
  get(db: Handle<P> & H, ...params: ParamsArgument<P>): Promise<R | undefined>;
  all(db: Handle<P> & H, ...params: ParamsArgument<P>): Promise<R[]>;
  /** Resolves to true if there is a row. */
  exists(db: Handle<P> & H, ...params: ParamsArgument<P>): Promise<boolean>;
  /** Resolves to the number of changed rows. */
  run(db: Handle<P> & Writes, ...params: ParamsArgument<P>): Promise<number>;
  /** For a change of one row at most. Resolves to true if the row was changed. */
  changes(db: Handle<P> & Writes, ...params: ParamsArgument<P>): Promise<boolean>;
  /** For a change whose result nobody reads, as `Writes.send` says. */
  send(db: Handle<P> & Writes, ...params: ParamsArgument<P>): void;
  /** For several rows of an INSERT, as `Writes.sendAll` says. */
  sendAll(db: Handle<P> & Writes, rows: readonly CallerParams<P>[]): void;
  /** For the last statement of a transaction, as `Writes.last` says. */
  last(db: Handle<P> & Writes, ...params: ParamsArgument<P>): Promise<R[]>;
  toString(): string;
};

type Handle<P> = 'tenant_id' extends keyof P ? Reads & OfTenant : Reads;
type CallerParams<P> = Omit<P, 'tenant_id'>;
/** A statement without parameters needs no second argument. */
type ParamsArgument<P> = keyof CallerParams<P> extends never ? [params?: object] : [params: CallerParams<P>];
/** Rows can be locked or changed only in a transaction. */
export type HandleFor<T extends string> = T extends `${string}${'FOR UPDATE' | 'RETURNING'}${string}` ? Writes : Reads;

/** The names after a colon in a text: `ParamNames<'id = :id'>` is `'id'`. */
export type ParamNames<T extends string> = T extends `${string}:${infer Rest}` ? Word<Rest> | ParamNames<Rest> : never;
type Word<T extends string, W extends string = ''> = T extends `${infer C}${infer Rest}`
  ? C extends Letter
    ? Word<Rest, `${W}${C}`>
    : W
  : W;
type Lower = 'a b c d e f g h i j k l m n o p q r s t u v w x y z';
type Letter = Split<Lower> | Uppercase<Split<Lower>> | Split<'0 1 2 3 4 5 6 7 8 9 _'>;
type Split<T extends string> = T extends `${infer Head} ${infer Rest}` ? Head | Split<Rest> : T;

/**
 * A parameter has the type of the column of its name; `:userId` has that of `user_id`. Where no column has the name, the
 * name itself may say the type. `:ids[]` is a list, which the database receives as a JSON array.
 */
export type ParamsOf<Row, T extends string> = { readonly [N in ParamNames<T>]: ParamOf<Row, N, T> };
export type ParamOf<Row, N extends string, T> = [Extract<T, `${string}:${N}[]${string}`>] extends [never]
  ? SingleOf<Row, N>
  : readonly string[];
type SingleOf<Row, N> = N extends keyof Row
  ? Row[N]
  : SnakeCase<N> extends keyof Row
    ? Row[SnakeCase<N>]
    : N extends TextName
      ? string
      : N extends NumberName
        ? number
        : N extends 'environment'
          ? Environment
          : Value;
type TextName = 'id' | `${string}Id` | 'name' | 'pattern' | 'kind' | 'subject' | 'token' | 'by';
type NumberName = 'now' | 'limit' | `${string}${TimeWord}` | Uncapitalize<TimeWord>;
type TimeWord = 'Since' | 'Before' | 'Until' | 'Day';
type SnakeCase<N> = N extends `${infer C}${infer Rest}`
  ? C extends Uppercase<Split<Lower>>
    ? `_${Lowercase<C>}${SnakeCase<Rest>}`
    : `${C}${SnakeCase<Rest>}`
  : '';

/** A statement written by hand, because `table` derives no joins, unions and aggregates. */
export function statement<const T extends string>(text: T): Statement<ParamsOf<object, T>, never, HandleFor<T>> {
  return prepare(text);
}

/** A statement written by hand that returns or changes rows of type R: `query<Row>()('SELECT …')`. */
export function query<R>() {
  return <const T extends string>(text: T): Statement<ParamsOf<R, T>, R, HandleFor<T>> => prepare(text);
}

export type Count<P> = (db: Handle<P>, ...params: ParamsArgument<P>) => Promise<number>;

/** A count written by hand: `countOf('FROM … WHERE …')`. */
export function countOf<const T extends string>(from: T): Count<ParamsOf<object, T>> {
  return prepareCount(from);
}

export function prepareCount<P>(from: string): Count<P> {
  // Not `get`: a count may take long, and on PostgreSQL the other reads of the moment would wait for it.
  const { all } = prepare<object, { total: number }>(`SELECT count(*) AS total ${from}`, ['total']);
  return (async (db: Reads, params?: object) => (await all(db, params))[0]?.total ?? 0) as Count<P>;
}

/** `columns` are the columns of a row, if they are known before the database prepares the statement. */
export function prepare<P, R>(text: string, columns?: readonly string[]): Statement<P, R> {
  const { numbered, valuesOf } = numberParams<ParamsArgument<P>[0] | undefined>(text);
  const prepared = sql(numbered, columns && rowMaker(columns));
  return {
    text: numbered,
    get: (db, params?) => db.get<R>(prepared, valuesOf(db, params)),
    all: (db, params?) => db.all<R>(prepared, valuesOf(db, params)),
    exists: async (db, params?) => (await db.get(prepared, valuesOf(db, params))) !== undefined,
    run: (db, params?) => db.run(prepared, valuesOf(db, params)),
    changes: async (db, params?) => (await db.run(prepared, valuesOf(db, params))) > 0,
    send: (db, params?) => db.send(prepared, valuesOf(db, params)),
    sendAll: (db, rows) =>
      db.sendAll(
        prepared,
        rows.map((row) => valuesOf(db, row as ParamsArgument<P>[0])),
      ),
    last: (db, params?) => db.last<R>(prepared, valuesOf(db, params)),
    toString: () => numbered,
  };
}

/**
 * Turns `:name` and `:name[]` into `$n`, and returns a function for the values in that order. The names, which are those of
 * our own statements, become code, because a loop over names takes longer than to read a row.
 */
export function numberParams<P>(text: string): { numbered: string; valuesOf(db: object, params: P): Value[] } {
  if (text.includes('::')) throw new Error(`write CAST(… AS …) instead of :: in ${text}`);
  const values: string[] = [];
  const numbered = text.replace(/:([A-Za-z_]\w*)(\[\])?/g, (_, name: string, list?: string) => {
    const param = name === 'tenant_id' ? 'db.tenantId' : `params.${name}`;
    const value = list ? `JSON.stringify(${param})` : param;
    if (!values.includes(value)) values.push(value);
    return `$${values.indexOf(value) + 1}`;
  });
  const valuesOf = new Function('db', 'params', `return [${values.join(', ')}];`);
  return { numbered, valuesOf: valuesOf as (db: object, params: P) => Value[] };
}
